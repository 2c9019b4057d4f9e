"""Overcitation: of the citations of supported statements, the share that is irrelevant."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from support import words

SOURCES = {"a": "A", "b": "B", "ab": "A B", "n": "N"}


def over(statements: list[Any], **options: Any) -> citemeter.Score:
    return citemeter.overcitation({"statements": statements, "sources": SOURCES}, words, **options)


@pytest.mark.parametrize(
    ("statements", "top", "bottom"),
    [
        ([("A", ["a"])], 0, 1),
        # n adds nothing.
        ([("A", ["a", "n"])], 1, 2),
        # a and b are superseded by ab.
        ([("A B", ["a", "b", "ab"])], 2, 3),
        # Both needed.
        ([("A B", ["a", "b"])], 0, 2),
        # Citations of unsupported and invalid statements are not looked at: 1 of 2.
        ([("A", ["a", "n"]), ("B", ["a", "n"]), ("A", ["a", "x"])], 1, 2),
    ],
)
def test_values(statements: list[Any], top: int, bottom: int) -> None:
    score = over(statements)
    assert (score.numerator, score.denominator) == (top, bottom)
    assert score.value == top / bottom


def test_nothing_supported_is_undefined() -> None:
    for statements in ([], [("A", [])], [("A", ["b"])], [("A", ["x"])]):
        assert over(statements).reason == "no citation of a supported statement"
        assert over(statements).value is None
        assert over(statements, zero_division=0.0).value == 0.0


def test_lower_is_better_is_said_in_the_report() -> None:
    record = {"statements": [("A", ["a", "n"])], "sources": SOURCES}
    metrics = citemeter.score([record], judge=words).metrics
    assert {name for name, summary in metrics.items() if summary.lower_is_better} == {
        "overcitation",
        "fabrication_rate",
    }
