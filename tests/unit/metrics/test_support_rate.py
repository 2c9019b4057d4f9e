"""Support rate: of the statements that cite something, the share that is supported."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from support import words

SOURCES = {"a": "A", "b": "B"}


def rate(statements: list[Any], **options: Any) -> citemeter.Score:
    return citemeter.support_rate({"statements": statements, "sources": SOURCES}, words, **options)


@pytest.mark.parametrize(
    ("statements", "top", "bottom"),
    [
        # The uncited statement is not blamed.
        ([("A", ["a"]), ("B", [])], 1, 1),
        ([("A", ["a"]), ("B", ["a"])], 1, 2),
        # A statement with an invalid id cites something and is not supported.
        ([("A", ["a"]), ("A", ["a", "x"]), ("B", ["x"])], 1, 3),
        # Statements count, not citations.
        ([("A B", ["a", "b"]), ("B", ["a"])], 1, 2),
    ],
)
def test_values(statements: list[Any], top: int, bottom: int) -> None:
    score = rate(statements)
    assert (score.numerator, score.denominator) == (top, bottom)
    assert score.value == top / bottom


def test_nothing_cited_is_undefined() -> None:
    for statements in ([], [("A", [])]):
        assert rate(statements).reason == "no statement cites anything"
        assert rate(statements).value is None
        assert rate(statements, zero_division=0.0).value == 0.0
        assert rate(statements, zero_division=1.0).value == 1.0
