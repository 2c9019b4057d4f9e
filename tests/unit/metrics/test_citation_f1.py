"""Citation F1 of one response."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.metrics.alce import harmonic_mean
from support import words

SOURCES = {"a": "A", "b": "B", "n": "N"}


def f1(statements: list[Any], **options: Any) -> citemeter.Score:
    return citemeter.citation_f1({"statements": statements, "sources": SOURCES}, words, **options)


def test_harmonic_mean() -> None:
    # 2 * 1/2 * 1/4 / (3/4) = 1/3
    assert harmonic_mean(0.5, 0.25) == pytest.approx(1 / 3)
    assert harmonic_mean(1.0, 1.0) == 1.0
    assert harmonic_mean(0.0, 1.0) == 0.0
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert harmonic_mean(1.0, None) is None


def test_value() -> None:
    # Recall: the first of three. Precision: a is precise, n irrelevant, then n unsupported: 1/3.
    statements = [("A", ["a", "n"]), ("B", ["n"]), ("N", [])]
    assert f1(statements).value == pytest.approx(1 / 3)
    # Recall 1/2, precision 1/1: 2 * 1/2 / (3/2) = 2/3.
    score = f1([("A", ["a"]), ("B", [])])
    assert score.value == pytest.approx(2 / 3)
    assert (score.numerator, score.denominator) == (1.0, 1.5)


def test_both_zero_is_zero_and_undefined_is_not() -> None:
    assert f1([("A", ["n"])]).value == 0.0
    assert (f1([("A", [])]).value, f1([("A", [])]).reason) == (None, "no citation")
    assert f1([]).value is None


@pytest.mark.parametrize(
    ("statements", "zero_division", "value"),
    [
        # Recall and precision are both 0/0.
        ([], 1.0, 1.0),
        ([], 0.0, 0.0),
        # Recall is 0/1; only precision is 0/0.
        ([("A", [])], 1.0, 0.0),
    ],
)
def test_zero_division(statements: list[Any], zero_division: float, value: float) -> None:
    assert f1(statements, zero_division=zero_division).value == value


def test_duplicates() -> None:
    # Recall 1. Precision of {a, b} 1; of a, b, a 1/3 (see citation precision): F1 1/2.
    statements = [("A B", ["a", "b", "a"])]
    assert f1(statements).value == 1.0
    assert f1(statements, duplicates="occurrences").value == pytest.approx(0.5)


def test_a_failed_judge_is_the_reason() -> None:
    record = {"statements": [("A", ["a"])], "sources": SOURCES}
    score = citemeter.citation_f1(record, lambda p, h: None, zero_division=1.0)  # type: ignore[arg-type,return-value]
    assert (score.value, score.reason) == (None, "the judge failed")
