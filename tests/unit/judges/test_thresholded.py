"""A view of one judge at another threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from citemeter.errors import JudgeError
from citemeter.judges.base import Judge, Pair
from citemeter.judges.lexical.judge import LexicalJudge
from citemeter.judges.thresholded import ThresholdedJudge
from citemeter.judges.toy import KeywordJudge
from citemeter.verdicts import JudgeIdentity, Verdict

PAIRS = [(f"p {n}", "h") for n in range(5)]
GIVEN = [
    Verdict(supported=True, score=0.2, label="yes", reason="so", long_premise="chunked"),
    Verdict(supported=False, score=0.8),
    Verdict(supported=True),
    Verdict.failed("timeout"),
    Verdict(supported=True, score=float("nan")),
]


class Fixed(Judge):
    closed = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="fixed", version="1", threshold=0.3, parameters={"seed": 1})

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [GIVEN[int(premise.split()[1])] for premise, _ in pairs]

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        yield from reversed(list(enumerate(self.judge(pairs))))

    def usage(self) -> dict[str, float]:
        return {"tokens": 7}

    def close(self) -> None:
        self.closed += 1


def test_the_score_alone_decides() -> None:
    judge = ThresholdedJudge(Fixed(), 0.5)
    verdicts = judge.judge(PAIRS)
    assert [verdict.supported for verdict in verdicts] == [False, True, None, None, None]
    reason = "the score is below the threshold 0.5; the judge's own verdict was yes: so"
    assert verdicts[0] == GIVEN[0].model_copy(update={"supported": False, "reason": reason})
    assert verdicts[1] == GIVEN[1].model_copy(update={"supported": True})
    assert verdicts[2].error == "the judge gave no score, so nothing is known at threshold 0.5"
    assert verdicts[3].error == "timeout"
    assert dict(judge.stream(PAIRS)) == dict(enumerate(verdicts))
    assert [position for position, _ in judge.stream(PAIRS)] == [4, 3, 2, 1, 0]


@pytest.mark.parametrize(
    ("threshold", "supported"), [(0, True), (0.2, True), (0.21, False), (1, False)]
)
def test_the_threshold_itself_suffices(threshold: float, supported: bool) -> None:
    assert ThresholdedJudge(Fixed(), threshold)(*PAIRS[0]) is supported


def test_identity_and_the_rest_are_the_judges() -> None:
    inner = Fixed()
    judge = ThresholdedJudge(inner, 1)
    assert judge.identity == inner.identity.model_copy(update={"threshold": 1.0})
    assert judge.identity.key == inner.identity.key
    assert judge.usage() == {"tokens": 7}
    judge.close()
    assert inner.closed == 1


def test_a_view_of_a_view_replaces_it() -> None:
    inner = Fixed()
    judge = ThresholdedJudge(ThresholdedJudge(inner, 0.9), 0.1)
    assert judge.inner is inner
    assert judge.identity.threshold == 0.1
    assert judge(*PAIRS[0]) is True


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True])
def test_a_threshold_is_between_0_and_1(threshold: Any) -> None:
    with pytest.raises(JudgeError, match="not between 0 and 1"):
        ThresholdedJudge(Fixed(), threshold)


def test_equal_to_the_judge_at_that_threshold() -> None:
    pairs = [("The museum opened in 1905.", f"The {w} opened.") for w in ("museum", "shop", "zoo")]
    for threshold in (0.1, 0.5, 0.9):
        view = ThresholdedJudge(LexicalJudge(), threshold)
        verdicts = LexicalJudge(threshold=threshold).judge(pairs)
        assert [v.supported for v in view.judge(pairs)] == [v.supported for v in verdicts]
        assert [v.score for v in view.judge(pairs)] == [v.score for v in verdicts]
        assert view.identity == LexicalJudge(threshold=threshold).identity


def test_a_judge_without_scores_fails() -> None:
    assert ThresholdedJudge(KeywordJudge("p"), 0.5).judge(PAIRS[:1])[0].supported is None
