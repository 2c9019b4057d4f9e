"""Citation precision: the share of citations that pull their weight."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from support import words

SOURCES = {"a": "A", "b": "B", "ab": "A B", "also": "B A", "n": "N"}


def precision(statements: list[Any], **options: Any) -> citemeter.Score:
    return citemeter.citation_precision(
        {"statements": statements, "sources": SOURCES}, words, **options
    )


@pytest.mark.parametrize(
    ("ids", "top", "bottom"),
    [
        # Each is needed: alone neither does, and neither does the other without it.
        (["a", "b"], 2, 2),
        # a: alone no, the rest {ab} yes: irrelevant.
        (["ab", "a"], 1, 2),
        # Both support alone: repeating oneself is not irrelevant.
        (["ab", "also"], 2, 2),
        # a: alone no, rest {b, n} no. b: likewise. n: alone no, rest {a, b} yes.
        (["a", "b", "n"], 2, 3),
        # a and b: alone no, the rest holds ab. ab: alone yes.
        (["a", "b", "ab"], 1, 3),
        # Not supported together: nothing earns, all count.
        (["a", "n"], 0, 2),
        # Invalid ids stay in the denominator and take their statement's citations along.
        (["ab", "x"], 0, 2),
        (["x"], 0, 1),
        (["x", "y", "z"], 0, 3),
    ],
)
def test_one_statement(ids: list[str], top: int, bottom: int) -> None:
    score = precision([("A B", ids)])
    assert (score.numerator, score.denominator) == (top, bottom)
    assert score.value == top / bottom


def test_citations_are_pooled_over_the_statements_of_a_response() -> None:
    # 1 of 1, 0 of 2, none: 1 of 3, and not the mean of 1 and 0.
    assert precision([("A B", ["ab"]), ("A", ["x", "a"]), ("N", [])]).value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "ids", "as_set", "occurrences"),
    [
        # Set {a, b}: both needed, 2/2. Occurrences a, b, a: without the first a the rest {b, a}
        # still do, so it is irrelevant, and so is the last; b is needed: 1/3.
        ("A B", ["a", "b", "a"], 1.0, 1 / 3),
        # Both occurrences support alone.
        ("A B", ["ab", "ab"], 1.0, 1.0),
        # Set: ab precise, n irrelevant, 1/2. Occurrences: n is irrelevant twice, 1/3.
        ("A B", ["n", "ab", "n"], 1 / 2, 1 / 3),
        # An invalid id counts once in the set {x, a} and twice by occurrences; nothing earns.
        ("A", ["x", "x", "a"], 0.0, 0.0),
        ("A", ["n", "n"], 0.0, 0.0),
    ],
)
def test_duplicates(text: str, ids: list[str], as_set: float, occurrences: float) -> None:
    assert precision([(text, ids)]).value == as_set
    assert precision([(text, ids)], duplicates="occurrences").value == occurrences
    assert precision([(text, ids)]).denominator == len(set(ids))
    assert precision([(text, ids)], duplicates="occurrences").denominator == len(ids)


def test_nothing_cited_is_undefined() -> None:
    for statements in ([], [("A", [])]):
        score = precision(statements)
        assert (score.value, score.reason) == (None, "no citation")
        assert precision(statements, zero_division=0.0).value == 0.0
        assert precision(statements, zero_division=1.0).value == 1.0
    assert precision([("A", ["x"])], zero_division=1.0).value == 0.0


def test_only_the_first_so_many_are_judged_and_an_invalid_id_does_not_hide_behind_them() -> None:
    def in_report(ids: list[str]) -> float | None:
        record = {"statements": [("A B", ids)], "sources": SOURCES}
        return citemeter.score([record], judge=words, at_most_citations=2)["citation_precision"]

    # a and b are needed; n is not looked at.
    assert in_report(["a", "b", "n"]) == 1.0
    assert in_report(["a", "b", "x"]) == 0.0
