"""Judges by name, and any callable as one."""

from __future__ import annotations

import pytest

import citemeter
from citemeter.judges import CallableJudge, ContainsJudge, KeywordJudge, RecordedJudge, as_judge

PAIRS = [("Cats purr.", "Cats purr"), ("Cats purr.", "Dogs bark")]


def say_yes(premise: str, hypothesis: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("lexical", "lexical"),
        ("lexical:threshold=0.25", "lexical"),
        ("toy:contains", "toy:contains"),
        ("toy:keyword=purr", "toy:keyword"),
        ("citemeter.judges.toy:ContainsJudge", "toy:contains"),
    ],
)
def test_specifications(spec: str, name: str) -> None:
    judge = citemeter.load_judge(spec)
    assert judge.identity.name == name
    verdicts = judge.judge(PAIRS)
    assert verdicts[0].supported is True
    assert len(verdicts) == 2
    assert judge(*PAIRS[0]) is True


def test_threshold_is_part_of_the_identity() -> None:
    judge = citemeter.load_judge("lexical:threshold=0.25")
    assert judge.identity.threshold == 0.25
    assert "threshold=0.25" in str(judge.identity)


@pytest.mark.parametrize(
    "spec",
    [
        "nonsense",
        "toy",
        "toy:keyword",
        "toy:contains=x",
        "lexical:speed=3",
        "lexical:threshold=high",
        "no.such.module:judge",
        "json:no_such_attribute",
        "json:__doc__",
    ],
)
def test_unknown_specifications_say_what_there_is(spec: str) -> None:
    with pytest.raises(citemeter.JudgeError):
        citemeter.load_judge(spec)


def test_judges_and_callables_pass_through() -> None:
    judge = ContainsJudge()
    assert citemeter.load_judge(judge) is judge
    assert as_judge(say_yes).identity.name == "callable:say_yes"
    with pytest.raises(citemeter.JudgeError, match="int is no judge"):
        as_judge(3)  # type: ignore[arg-type]


def test_a_failed_verdict_has_no_truth_value() -> None:
    with pytest.raises(citemeter.JudgeError, match="no verdict is recorded for this pair"):
        RecordedJudge({})("p", "h")


def test_toy_judges() -> None:
    assert [v.supported for v in ContainsJudge().judge(PAIRS)] == [True, False]
    assert [v.supported for v in KeywordJudge("PURR").judge(PAIRS)] == [True, True]


def test_identities_tell_judges_apart() -> None:
    assert KeywordJudge("a").identity != KeywordJudge("b").identity
    assert str(KeywordJudge("a").identity) == "toy:keyword,keyword=a"


def test_callable_judge_is_named_after_its_function() -> None:
    assert CallableJudge(say_yes, name="mine").identity.name == "callable:mine"


def test_callable_judge_has_a_version_only_with_a_name() -> None:
    identity = CallableJudge(say_yes, name="mine", version="2").identity
    assert (identity.name, identity.version) == ("callable:mine", "2")
    with pytest.raises(citemeter.JudgeError, match="name="):
        CallableJudge(say_yes, version="2")
