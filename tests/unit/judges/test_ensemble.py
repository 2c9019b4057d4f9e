"""Several judges as one: rules, failures, and who said what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from citemeter.errors import JudgeError
from citemeter.judges.base import CallableJudge, Judge, Pair
from citemeter.judges.ensemble import EnsembleJudge
from citemeter.judges.lexical.judge import LexicalJudge
from citemeter.judges.toy import ContainsJudge, KeywordJudge
from citemeter.verdicts import JudgeIdentity, Verdict

PAIR = ("p", "h")
YES, NO, FAILED = Verdict(supported=True), Verdict(supported=False), Verdict.failed("timeout")


def scored(score: float) -> Verdict:
    return Verdict(supported=score >= 0.5, score=score)


class Says(Judge):
    """Gives the same verdict to all, and counts."""

    def __init__(self, verdict: Any, name: str = "says", threshold: float | None = None) -> None:
        self.verdict, self.name, self.threshold = verdict, name, threshold
        self.asked = self.closed = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name=self.name, version="1", threshold=self.threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += len(pairs)
        return [self.verdict] * len(pairs)

    def usage(self) -> dict[str, float]:
        return {"tokens": 2.0 * self.asked}

    def close(self) -> None:
        self.closed += 1


def ask(rule: Any, *verdicts: Verdict, **options: Any) -> Verdict:
    names = "abcdefgh"
    judges = [Says(verdict, names[n]) for n, verdict in enumerate(verdicts)]
    return EnsembleJudge(judges, rule, **options).judge([PAIR])[0]


@pytest.mark.parametrize(
    ("rule", "verdicts", "supported", "score"),
    [
        ("majority", (YES,), True, 1.0),
        ("majority", (YES, NO, YES), True, 2 / 3),
        ("majority", (YES, NO, NO), False, 1 / 3),
        ("majority", (YES, NO), False, 0.5),
        ("majority", (YES, YES, NO, NO), False, 0.5),
        ("majority", (YES, YES, FAILED), True, None),
        ("majority", (NO, FAILED, NO), False, None),
        ("majority", (YES, NO, FAILED), None, None),
        ("majority", (YES, FAILED), None, None),
        ("majority", (NO, FAILED), False, None),  # at best a tie
        ("majority", (YES, YES, NO, FAILED), None, None),
        ("all", (YES, YES), True, 1.0),
        ("all", (YES, NO), False, 0.5),
        ("all", (YES, FAILED), None, None),
        ("all", (NO, FAILED), False, None),
        ("any", (NO, NO), False, 0.0),
        ("any", (NO, YES), True, 0.5),
        ("any", (NO, FAILED), None, None),
        ("any", (YES, FAILED), True, None),
        ("any", (FAILED, FAILED), None, None),
    ],
)
def test_votes(
    rule: str, verdicts: tuple[Verdict, ...], supported: bool | None, score: float | None
) -> None:
    verdict = ask(rule, *verdicts)
    assert (verdict.supported, verdict.score) == (supported, score)


@pytest.mark.parametrize(
    ("verdicts", "options", "supported", "score"),
    [
        ((scored(0.2), scored(0.8)), {}, True, 0.5),
        ((scored(0.2), scored(0.7)), {}, False, 0.45),
        ((scored(0.2), scored(0.7)), {"threshold": 0.4}, True, 0.45),
        ((scored(0.0), scored(1.0)), {"weights": [1, 3]}, True, 0.75),
        ((scored(0.0), scored(1.0)), {"weights": [3, 1]}, False, 0.25),
        ((scored(0.0), scored(1.0)), {"weights": [0, 2]}, True, 1.0),
        # The votes do not count, the scores do.
        ((Verdict(supported=False, score=0.9), scored(0.9)), {}, True, 0.9),
        ((scored(1.0), scored(0.6), FAILED), {}, True, None),
        ((scored(0.1), scored(0.3), FAILED), {}, False, None),
        ((scored(0.1), scored(0.5), FAILED), {}, None, None),
        ((scored(1.0), FAILED), {}, True, None),
        ((scored(0.0), FAILED), {"weights": [1, 0]}, False, None),
        ((FAILED,), {"threshold": 0}, True, None),
        ((FAILED,), {}, None, None),
    ],
)
def test_mean(
    verdicts: tuple[Verdict, ...], options: Any, supported: bool | None, score: float | None
) -> None:
    verdict = ask("mean", *verdicts, **options)
    assert verdict.supported is supported
    assert verdict.score == pytest.approx(score)


@pytest.mark.parametrize("bad", [YES, scored(1.5), scored(-0.1), scored(float("nan"))])
def test_a_mean_needs_scores(bad: Verdict) -> None:
    # Even where the others would decide it: a member that gives none is set up wrongly.
    verdict = ask("mean", scored(1.0), bad, scored(1.0), threshold=0.1)
    assert verdict.error == "a mean needs scores in [0, 1], and b gave none"


def test_the_reason_lists_every_vote() -> None:
    assert ask("majority", YES, scored(0.25), scored(0.75)).reason == (
        "2 of 3 yes: a yes, b no (0.25), c yes (0.75)"
    )
    assert ask("majority", YES, NO).reason == "1 of 2 yes (a tie): a yes, b no"
    assert ask("all", NO, FAILED).reason == "0 of 2 yes: a no, b failed (timeout)"
    assert ask("mean", scored(0.5), scored(1.0)).reason == "mean 0.75: a yes (0.50), b yes (1.00)"
    assert ask("majority", YES, FAILED, FAILED).error == (
        "it depends on what failed: b (timeout), c (timeout)"
    )


def test_what_became_of_a_long_premise() -> None:
    chunked = Verdict(supported=True, long_premise="chunked")
    truncated = Verdict(supported=True, long_premise="truncated")
    assert ask("all", YES, YES).long_premise is None
    assert ask("all", YES, chunked).long_premise == "chunked"
    assert ask("all", chunked, truncated, YES).long_premise == "truncated"


def test_identity_holds_what_counts() -> None:
    def key(
        rule: Any = "majority", thresholds: Sequence[float] = (0.5, 0.5), **options: Any
    ) -> str:
        judges = [Says(YES, "a", thresholds[0]), Says(YES, "b", thresholds[1])]
        return EnsembleJudge(judges, rule, **options).identity.key

    assert key() == key()
    assert len({key(), key("all"), key("any"), key("mean"), key(thresholds=(0.5, 0.6))}) == 5
    # A mean is made of scores: the members' thresholds do not touch it, and its own is a reading.
    assert key("mean", (0.1, 0.2), threshold=0.9) == key("mean")
    assert key("mean", weights=[1, 2]) != key("mean")
    mean = EnsembleJudge([Says(YES)], "mean", threshold=0.9).identity
    assert (mean.threshold, EnsembleJudge([Says(YES)]).identity.threshold) == (0.9, None)
    assert mean.name == "ensemble"


def test_usage_is_summed_and_members_are_closed() -> None:
    a, b, c = Says(YES, "a"), Says(YES, "b"), Says(YES, "a")
    judge = EnsembleJudge([a, b, c])
    judge.judge([PAIR] * 5)
    assert judge.usage() == {"tokens": 30, "a#1.tokens": 10, "b.tokens": 10, "a#2.tokens": 10}
    judge.close()
    assert (a.closed, b.closed, c.closed) == (1, 1, 1)


def test_closing_goes_on_after_an_error() -> None:
    class Stuck(Says):
        def close(self) -> None:
            raise OSError("stuck")

    last = Says(YES)
    with pytest.raises(OSError, match="stuck"):
        EnsembleJudge([Stuck(YES), last]).close()
    assert last.closed == 1


def test_verdicts_come_as_soon_as_all_have_spoken() -> None:
    spoken: list[str] = []

    class Slow(Says):
        def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
            for position in self.verdict:
                spoken.append(f"{self.name}{position}")
                yield position, YES

    judge = EnsembleJudge([Slow([0, 1, 2, 3], "a"), Slow([1, 0, 3, 2], "b")], "all")
    stream = judge.stream([PAIR] * 4)
    assert next(stream)[0] == 1
    assert spoken == ["a0", "b1", "a1"]
    assert sorted([1, *(position for position, _ in stream)]) == [0, 1, 2, 3]


@pytest.mark.parametrize("poison", [0, 3, 9])
def test_a_member_that_raises_fails_on_that_pair_alone(poison: int) -> None:
    class Poisoned(Says):
        def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            super().judge(pairs)
            if any(hypothesis == str(poison) for _, hypothesis in pairs):
                raise MemoryError("too long")
            return [YES for _ in pairs]

    steady = Says(YES, "steady")
    pairs = [("p", str(n)) for n in range(10)]
    verdicts = EnsembleJudge([Poisoned(YES), steady], "all").judge(pairs)
    assert [n for n, v in enumerate(verdicts) if v.supported is not True] == [poison]
    assert verdicts[poison].error == "it depends on what failed: says (MemoryError: too long)"
    assert steady.asked == 10  # the others are not asked again


def test_odd_members() -> None:
    class Odd(Says):
        def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Any]]:
            yield 1, "yes"
            yield 2, YES
            yield 2, NO
            yield 0, YES

    verdicts = EnsembleJudge([Odd(YES), Says(YES, "b")], "all").judge([PAIR] * 4)
    assert [v.supported for v in verdicts] == [True, None, True, None]
    assert verdicts[1].error == "it depends on what failed: says (the judge gave str)"
    assert (
        verdicts[3].error
        == "it depends on what failed: says (the judge gave no verdict for this pair)"
    )


def test_an_interrupt_passes_through() -> None:
    def interrupted(premise: str, hypothesis: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        EnsembleJudge([ContainsJudge(), interrupted]).judge([PAIR])


def test_real_judges_and_callables_together() -> None:
    judge = EnsembleJudge(
        [LexicalJudge(), ContainsJudge(), CallableJudge(lambda p, h: True, name="optimist")]
    )
    assert judge("The museum opened in 1905.", "The museum opened in 1905.") is True
    assert judge("The museum opened in 1905.", "Whales sing.") is False
    nested = EnsembleJudge([judge, KeywordJudge("whales")], "any")
    assert nested("whales", "Whales sing.") is True
    assert judge.judge([]) == []


@pytest.mark.parametrize(
    ("judges", "options", "message"),
    [
        ([], {}, "at least one"),
        ("lexical", {}, "give a list"),
        (ContainsJudge(), {}, "give a list"),
        ([ContainsJudge(), 3], {}, "int is no judge"),
        ([ContainsJudge()], {"rule": "median"}, "use one of majority, all, any, mean"),
        ([ContainsJudge()], {"threshold": 0.5}, "belong to the rule 'mean'"),
        ([ContainsJudge()], {"weights": [1]}, "belong to the rule 'mean'"),
        ([ContainsJudge()], {"rule": "mean", "weights": [1, 2]}, "2 weights for 1 judges"),
        ([ContainsJudge()], {"rule": "mean", "weights": [0]}, "cannot be used"),
        ([ContainsJudge()], {"rule": "mean", "weights": [-1]}, "cannot be used"),
        ([ContainsJudge()], {"rule": "mean", "weights": [float("nan")]}, "cannot be used"),
        ([ContainsJudge()], {"rule": "mean", "threshold": 2}, "not between 0 and 1"),
    ],
)
def test_what_cannot_be_built_says_why(judges: Any, options: Any, message: str) -> None:
    with pytest.raises(JudgeError, match=message):
        EnsembleJudge(judges, **options)
