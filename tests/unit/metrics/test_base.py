"""Ratios of counts, and the way from a record to a response."""

from __future__ import annotations

import pytest

import citemeter
from citemeter.metrics.base import JUDGE_FAILED, Ratio, ready

RATIO = Ratio("r", "top", "bottom", empty="nothing", blocked_by="failed")


def test_value_and_counts() -> None:
    score = RATIO.score({"top": 1, "bottom": 4})
    assert (score.value, score.numerator, score.denominator, score.reason) == (0.25, 1, 4, None)
    assert float(score) == 0.25


def test_zero_by_zero_is_undefined_with_a_reason() -> None:
    score = RATIO.score({})
    assert (score.value, score.reason) == (None, "nothing")
    with pytest.raises(ValueError, match="r is undefined: nothing"):
        float(score)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_zero_division(value: float) -> None:
    assert RATIO.score({}, value).value == value
    assert RATIO.score({"top": 1, "bottom": 4}, value).value == 0.25


def test_zero_division_never_stands_in_for_a_failed_judge() -> None:
    score = RATIO.score({"failed": 1, "bottom": 1}, 1.0)
    assert (score.value, score.reason) == (None, JUDGE_FAILED)


def test_a_bad_record_is_an_input_error() -> None:
    with pytest.raises(citemeter.InputError, match="neither 'answer' nor 'statements'"):
        ready({"sources": []})


def test_an_answer_not_yet_cut_is_parsed() -> None:
    response = ready({"answer": "Cats purr [1]. Dogs bark [2].", "sources": ["Cats.", "Dogs."]})
    assert response.statements is not None
    assert len(response.statements) == 2
