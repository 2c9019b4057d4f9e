"""The states of statements and citations, and the verdicts behind them."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.metrics.alce import premise_text
from citemeter.models import Source
from support import words

SOURCES = {"a": "A", "b": "B", "ab": "A B", "n": "N", "blank": " \n"}


def asked_for(text: str, ids: list[str], judge: Any = words) -> tuple[Any, list[str]]:
    """Return the one statement's result and the premises the judge was asked about."""
    asked: list[str] = []

    def recording(premise: str, hypothesis: str) -> Any:
        assert hypothesis == text
        asked.append(premise)
        return judge(premise, hypothesis)

    [result] = citemeter.support({"statements": [(text, ids)], "sources": SOURCES}, recording)
    return result, asked


@pytest.mark.parametrize(
    ("text", "ids", "state", "citations"),
    [
        ("A", ["a"], "supported", ["precise"]),
        ("A", ["b"], "unsupported", ["unsupported"]),
        ("A", [], "uncited", []),
        ("A", ["x"], "invalid", ["invalid"]),
        # A valid id beside an invalid one earns nothing either.
        ("A", ["a", "x"], "invalid", ["voided", "invalid"]),
        # Neither supports alone, and neither's rest does without it.
        ("A B", ["a", "b"], "supported", ["precise", "precise"]),
        # a does not support alone, ab does without it.
        ("A B", ["a", "ab"], "supported", ["irrelevant", "precise"]),
        # n is no help: {a, b} do without it; a and b are each needed.
        ("A B", ["a", "n", "b"], "supported", ["precise", "irrelevant", "precise"]),
        # Each supports alone, so neither is irrelevant although either would do.
        ("A", ["a", "ab"], "supported", ["precise", "precise"]),
        ("A B", ["a", "n"], "unsupported", ["unsupported", "unsupported"]),
        ("A", ["blank"], "unsupported", ["unsupported"]),
        ("A", ["blank", "a"], "supported", ["irrelevant", "precise"]),
    ],
)
def test_states(text: str, ids: list[str], state: str, citations: list[str]) -> None:
    result, _ = asked_for(text, ids)
    assert result.state == state
    assert [c.state for c in result.citations] == citations
    assert [c.source_id for c in result.citations] == ids


def test_only_what_a_state_depends_on_is_asked() -> None:
    # One citation: the joint verdict is its own. Unsupported: nothing more to know.
    assert asked_for("A", ["a"])[1] == ["A"]
    assert asked_for("A B", ["a", "n"])[1] == ["A\nN"]
    assert asked_for("A", ["x", "a"])[1] == []
    assert asked_for("A", ["blank"])[1] == []
    # The rest without ab is not asked about: ab supports alone.
    result, asked = asked_for("A B", ["ab", "n"])
    assert asked == ["A B\nN", "A B", "N"]
    # "The rest without n" is ab alone, whose verdict is known already.
    first, second = result.citations
    assert (first.alone.supported, first.rest) == (True, None)
    assert (second.alone.supported, second.rest.supported) == (False, True)
    # Each of three is asked alone, and its two others together.
    _, asked = asked_for("A B", ["a", "n", "b"])
    assert asked == ["A\nN\nB", "A", "N", "B", "N\nB", "A\nB", "A\nN"]


def test_an_id_cited_twice_is_one_citation() -> None:
    result, _ = asked_for("A B", ["a", "b", "a"])
    assert [(c.source_id, c.state) for c in result.citations] == [
        ("a", "precise"),
        ("b", "precise"),
    ]


def test_the_judge_reads_the_title_above_the_text() -> None:
    assert premise_text(Source(id="1", text="B", title="A")) == "Title: A\nB"
    assert premise_text(Source(id="1", text="B")) == "B"
    record = {
        "statements": [("A B", ["1"])],
        "sources": [{"id": "1", "text": "B", "title": "A"}],
    }
    assert citemeter.support(record, words)[0].state == "supported"


@pytest.mark.parametrize(
    ("fails_on", "state", "citations"),
    [
        # {n, a, b}: the joint verdict fails, or one on a citation alone, or one on a rest.
        ("N\nA\nB", "unjudged", ["unjudged"] * 3),
        ("N", "supported", ["unjudged", "precise", "precise"]),
        ("A\nB", "supported", ["unjudged", "precise", "precise"]),
        # n and a do not do without b: it is needed, whatever it is worth alone.
        ("B", "supported", ["irrelevant", "precise", "precise"]),
    ],
)
def test_a_failed_verdict_leaves_what_depends_on_it_unjudged(
    fails_on: str, state: str, citations: list[str]
) -> None:
    result, _ = asked_for(
        "A B", ["n", "a", "b"], lambda p, h: None if p == fails_on else words(p, h)
    )
    assert result.state == state
    assert [c.state for c in result.citations] == citations


def test_verdicts_of_a_judge_are_kept_whole() -> None:
    judge = citemeter.load_judge("toy:contains")
    record = {"statements": [("Cats purr.", ["1"])], "sources": ["Cats purr."]}
    [result] = citemeter.support(record, judge)
    assert result.verdict is not None
    assert (result.verdict.score, result.verdict.reason) == (1.0, "the premise contains the words")
