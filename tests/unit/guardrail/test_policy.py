from __future__ import annotations

from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.guardrail import Policy, check_citations
from citemeter.guardrail.policy import KINDS, graver


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_word_is_an_error_that_names_the_field(kind: str) -> None:
    options: Any = {kind: "ignore"}
    with pytest.raises(InputError, match=kind):
        Policy(**options)


@pytest.mark.parametrize("kind", ["unverified_quote", "uncited_claim", "uncited_answer", "refusal"])
def test_words_cannot_be_stripped(kind: str) -> None:
    options: Any = {kind: "strip"}
    with pytest.raises(InputError, match="allow, flag or block"):
        Policy(**options)


@pytest.mark.parametrize("words", [0, -1, True, "3"])
def test_min_quote_words(words: Any) -> None:
    with pytest.raises(InputError, match="min_quote_words"):
        Policy(min_quote_words=words)


def test_the_graver_action() -> None:
    order: list[Any] = ["pass", "flag", "strip", "block"]
    for low, first in enumerate(order):
        for high, second in enumerate(order):
            assert graver(first, second) == order[max(low, high)]


@pytest.mark.parametrize(
    ("choice", "action", "clean"),
    [
        ("allow", "pass", "Hens lay eggs [1][9]."),
        ("flag", "flag", "Hens lay eggs [1][9]."),
        ("strip", "strip", "Hens lay eggs [1]."),
        ("block", "block", None),
    ],
)
def test_each_action(choice: Any, action: str, clean: str | None) -> None:
    verdict = check_citations("Hens lay eggs [1][9].", {"1", "2"}, Policy(invalid_id=choice))
    assert verdict.action == action
    assert verdict.clean == clean
    assert verdict.passed is (action != "block")
    assert len(verdict.findings) == (action != "pass")
