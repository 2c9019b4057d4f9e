"""Citation recall: the share of statements that their citations support together."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from support import words

SOURCES = {"a": "A", "b": "B", "n": "N"}


def recall(statements: list[Any], **options: Any) -> citemeter.Score:
    return citemeter.citation_recall(
        {"statements": statements, "sources": SOURCES}, words, **options
    )


@pytest.mark.parametrize(
    ("statements", "value"),
    [
        ([("A", ["a"])], 1.0),
        # The passages are read together: neither of the two would do.
        ([("A B", ["a", "b"])], 1.0),
        ([("A B", ["a"])], 0.0),
        # A citation too many costs no recall.
        ([("A", ["a", "n"])], 1.0),
        # One invalid id voids the statement, whatever the others say.
        ([("A", ["a", "x"])], 0.0),
        ([("A", ["x"])], 0.0),
        # Supported, uncited, unsupported, invalid: 1 of 4.
        ([("A", ["a"]), ("A", []), ("A", ["b"]), ("A", ["a", "x"])], 0.25),
    ],
)
def test_values(statements: list[Any], value: float) -> None:
    score = recall(statements)
    assert (score.value, score.reason) == (value, None)
    assert (score.numerator, score.denominator) == (value * len(statements), len(statements))


def test_no_statement_is_undefined() -> None:
    assert (recall([]).value, recall([]).reason) == (None, "no statement")
    assert recall([], zero_division=0.0).value == 0.0
    assert recall([], zero_division=1.0).value == 1.0
    # It replaces nothing else.
    assert recall([("A", [])], zero_division=1.0).value == 0.0


def test_over_worthy_statements() -> None:
    # The first is supported, the second not; the question needs no citation and has none.
    record = {
        "answer": "Cats purr [1]. Dogs bark [1]. Do fish swim?",
        "sources": ["Cats purr all day"],
    }
    assert citemeter.citation_recall(record, words).value == pytest.approx(1 / 3)
    assert citemeter.citation_recall(record, words, over="worthy").value == 1 / 2


def test_a_failure_on_an_exempt_statement_leaves_worthy_recall_defined() -> None:
    statements = [
        {"text": "A", "citations": ["a"]},
        {"text": "Well.", "citations": ["b"], "needs_citation": False},
    ]
    record = {"statements": statements, "sources": SOURCES}

    def judge(premise: str, hypothesis: str) -> bool:
        if hypothesis == "Well.":
            raise RuntimeError
        return words(premise, hypothesis)

    assert citemeter.citation_recall(record, judge).reason == "the judge failed"
    assert citemeter.citation_recall(record, judge, over="worthy").value == 1.0


def test_one_question_a_statement_with_valid_ids_only() -> None:
    asked: list[str] = []

    def judge(premise: str, hypothesis: str) -> bool:
        asked.append(premise)
        return True

    record = {
        "statements": [("A B", ["a", "b"]), ("A", ["x"]), ("N", ["n"]), ("A", [])],
        "sources": SOURCES,
    }
    assert citemeter.citation_recall(record, judge).value == 0.5
    assert asked == ["A\nB", "N"]


def test_an_answer_is_parsed() -> None:
    record = {"answer": "Cats purr [1]. Dogs bark [1].", "sources": ["Cats purr all day"]}
    assert citemeter.citation_recall(record, words).value == 0.5
