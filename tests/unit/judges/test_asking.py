"""Who asks the judge, and what becomes of a judge that misbehaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import citemeter
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import CallableJudge, Judge, Pair
from citemeter.verdicts import JudgeIdentity, Verdict

RECORD = {
    "statements": [("Cats purr.", ["a"]), ("Dogs bark.", ["b"]), ("Fish swim.", [])],
    "sources": {"a": "Cats purr.", "b": "Dogs bark."},
}


class Scripted(Judge):
    """A judge that does as it is told."""

    def __init__(self, behave: Any) -> None:
        self.behave = behave
        self.calls: list[list[Pair]] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="scripted")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.calls.append(list(pairs))
        return self.behave(pairs)  # type: ignore[no-any-return]


def yes(pairs: Sequence[Pair]) -> list[Verdict]:
    return [Verdict(supported=True) for _ in pairs]


def test_all_questions_of_a_round_reach_the_judge_at_once() -> None:
    judge = Scripted(yes)
    citemeter.score([RECORD, dict(RECORD, statements=[("It rains.", ["a", "b"])])], judge=judge)
    # Round 1: the joint pairs of both responses; round 2: the single citations of "It rains.".
    assert [len(call) for call in judge.calls] == [3, 2]


def test_a_pair_is_judged_once_and_remembered() -> None:
    judge = Scripted(yes)
    session = JudgeSession(judge)
    session.ask([("p", "h"), ("p", "h"), ("q", "h")])
    session.ask([("q", "h")])
    assert judge.calls == [[("p", "h"), ("q", "h")]]
    assert (session.needed, session.judged, session.failed) == (4, 2, 0)


def test_memory_is_bounded_on_request() -> None:
    judge = Scripted(yes)
    session = JudgeSession(judge, limit=2)
    for premise in ("a", "b", "c", "a"):
        session.ask([(premise, "h")])
    assert [call[0][0] for call in judge.calls] == ["a", "b", "c", "a"]
    assert len(session._kept) == 2


def fail_on(bad: str) -> Any:
    def behave(pairs: Sequence[Pair]) -> list[Verdict]:
        if any(hypothesis == bad for _, hypothesis in pairs):
            raise RuntimeError("out of memory")
        return yes(pairs)

    return behave


def test_a_batch_that_raises_loses_only_the_pair_at_fault() -> None:
    report = citemeter.score([RECORD], judge=Scripted(fail_on("Dogs bark.")))
    (result,) = report.results
    assert [s.state for s in result.statements] == ["supported", "unjudged", "uncited"]
    assert result.statements[1].verdict is not None
    assert result.statements[1].verdict.error == "RuntimeError: out of memory"
    assert [c.state for c in result.statements[1].citations] == ["unjudged"]


@pytest.mark.parametrize(
    ("behave", "error"),
    [
        (lambda pairs: [], "0 verdicts for 1 pairs"),
        (lambda pairs: [True], "the judge gave bool"),
        (lambda pairs: None, "TypeError"),
    ],
)
def test_malformed_verdicts_are_failures(behave: Any, error: str) -> None:
    [verdict] = JudgeSession(Scripted(behave)).ask([("p", "h")])
    assert verdict.supported is None
    assert error in str(verdict.error)


@pytest.mark.parametrize(
    ("entails", "error"),
    [
        (lambda p, h: None, "returned NoneType"),
        (lambda p, h: 1, "returned int"),
        (lambda p, h: 0.9, "returned float"),
        (lambda p, h: "yes", "returned str"),
        (lambda p, h: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_judge_that_raises_or_gives_no_bool_never_makes_a_score(entails: Any, error: str) -> None:
    report = citemeter.score([RECORD], judge=entails, zero_division=0.0)
    (result,) = report.results
    for metric in ("citation_recall", "citation_precision", "citation_f1", "support_rate"):
        assert result[metric] is None
        assert result.scores[metric].reason == "the judge failed"
        assert report.metrics[metric].failed == 1
        assert report[metric] is None
    assert report.counts["unjudged_statements"] == 2
    assert report.pair_counts["failed"] == 2
    assert result.statements[0].verdict is not None
    assert error in str(result.statements[0].verdict.error)
    # What needs no judge is scored all the same.
    assert report["citation_validity"] == 1.0
    for function in (citemeter.citation_recall, citemeter.citation_precision):
        assert function(RECORD, entails).reason == "the judge failed"


def test_a_failure_on_a_single_citation_leaves_recall_defined() -> None:
    def entails(premise: str, hypothesis: str) -> Any:
        return True if "\n" in premise else None

    record = {"statements": [("It rains.", ["a", "b"])], "sources": RECORD["sources"]}
    assert citemeter.citation_recall(record, entails).value == 1.0
    assert citemeter.citation_precision(record, entails).value is None


def test_interrupts_pass_through() -> None:
    def entails(premise: str, hypothesis: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        citemeter.score([RECORD], judge=entails)


def test_numpy_truth_values_are_truth_values() -> None:
    numpy = pytest.importorskip("numpy")
    judge = CallableJudge(lambda p, h: numpy.bool_(True))
    assert judge("p", "h") is True


def test_passages_without_text_support_nothing_and_are_not_asked_about() -> None:
    judge = Scripted(yes)
    record = {
        "statements": [("Cats purr.", ["a"]), ("Dogs bark.", ["a", "b"])],
        "sources": {"a": " ", "b": "Dogs bark."},
    }
    results = citemeter.support(record, judge)
    assert [r.state for r in results] == ["unsupported", "supported"]
    # The joint premise leaves the blank passage out; alone it supports nothing, the rest do.
    assert [c.state for c in results[1].citations] == ["irrelevant", "precise"]
    assert {premise for call in judge.calls for premise, _ in call} == {"Dogs bark."}
