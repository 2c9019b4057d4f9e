"""One judge read at another threshold, without judging again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from citemeter.errors import JudgeError
from citemeter.judges.base import Entails, Judge, Pair, as_judge
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["ThresholdedJudge"]


class ThresholdedJudge(Judge):
    """Another judge's scores, read at a threshold: supported iff the score reaches it.

    The judge's own threshold, and any rule of its own, no longer counts. A verdict without a score
    becomes a failed one: nothing is known about it at another threshold. Over a ``CachedJudge``,
    several thresholds cost one judging.

    Args:
        judge: The judge that gives the scores; of another such view only its judge is taken.
        threshold: The score from which a pair is supported, in ``[0, 1]``.

    Attributes:
        inner: The judge that gives the scores.

    Raises:
        JudgeError: If the threshold is not between 0 and 1.

    >>> from citemeter.judges import load_judge
    >>> strict = ThresholdedJudge(load_judge("lexical"), 0.99)
    >>> str(strict.identity)
    'lexical-2,threshold=0.99'
    """

    def __init__(self, judge: Judge | Entails, threshold: float) -> None:
        judge = as_judge(judge)
        self.inner: Judge = judge.inner if isinstance(judge, ThresholdedJudge) else judge
        self.threshold = checked_threshold(threshold)

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's identity with this threshold in place of its own."""
        return self.inner.identity.model_copy(update={"threshold": self.threshold})

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        return [at_threshold(verdict, self.threshold) for verdict in self.inner.judge(pairs)]

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield each pair's position and verdict as the judge decides it."""
        for position, verdict in self.inner.stream(pairs):
            yield position, at_threshold(verdict, self.threshold)

    def usage(self) -> dict[str, float]:
        """Return what the judge has used up."""
        return self.inner.usage()

    def close(self) -> None:
        """Close the judge."""
        self.inner.close()


def at_threshold(verdict: Verdict, threshold: float) -> Verdict:
    """Return what a verdict's score says at a threshold; failed if it has none.

    A reason given for the opposite outcome is kept as what it is.

    >>> at_threshold(Verdict(supported=False, score=0.4, reason="'shop' is missing"), 0.3).reason
    "the score reaches the threshold 0.3; the judge's own verdict was no: 'shop' is missing"
    >>> at_threshold(Verdict(supported=True), 0.7).error
    'the judge gave no score, so nothing is known at threshold 0.7'
    """
    if verdict.supported is None:
        return verdict
    if verdict.score is None or verdict.score != verdict.score:  # the latter: not a number
        return Verdict.failed(
            f"the judge gave no score, so nothing is known at threshold {threshold:g}"
        )
    read = verdict.at(threshold)
    if read is verdict or verdict.reason is None:
        return read
    reaches, own = ("reaches", "no") if read.supported else ("is below", "yes")
    reason = f"the score {reaches} the threshold {threshold:g}; the judge's own verdict was {own}"
    return read.model_copy(update={"reason": f"{reason}: {verdict.reason}"})


def checked_threshold(threshold: float) -> float:
    """Refuse a threshold that is no number between 0 and 1.

    Raises:
        JudgeError: If it is not.
    """
    if (
        isinstance(threshold, bool)
        or not isinstance(threshold, (int, float))
        or not 0 <= threshold <= 1
    ):
        raise JudgeError(f"the threshold {threshold!r} is not between 0 and 1: give one that is")
    return float(threshold)
