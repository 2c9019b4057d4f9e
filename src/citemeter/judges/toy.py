"""Toy judges: rules small enough to work out by hand, for tests and teaching."""

from __future__ import annotations

from collections.abc import Sequence

from citemeter.judges.base import Judge, Pair
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["ContainsJudge", "KeywordJudge"]


class ContainsJudge(Judge):
    """Supported iff the premise contains the hypothesis, case and final punctuation aside.

    >>> ContainsJudge()("Note: cats purr.", "Cats purr.")
    True
    """

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's name."""
        return JudgeIdentity(name="toy:contains")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        verdicts = []
        for premise, hypothesis in pairs:
            words = " ".join(hypothesis.split()).rstrip(".!?").casefold()
            found = words in " ".join(premise.split()).casefold()
            reason = f"the premise {'contains' if found else 'does not contain'} the words"
            verdicts.append(Verdict(supported=found, score=float(found), reason=reason))
        return verdicts


class KeywordJudge(Judge):
    """Supported iff the premise contains a fixed keyword, whatever the hypothesis.

    Args:
        keyword: What the premise must contain, case aside.

    >>> KeywordJudge("carried over")("Up to 5 days may be carried over.", "5 days carry over.")
    True
    """

    def __init__(self, keyword: str) -> None:
        self.keyword = keyword

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's name and keyword."""
        return JudgeIdentity(name="toy:keyword", parameters={"keyword": self.keyword})

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        keyword = self.keyword.casefold()
        return [Verdict(supported=keyword in premise.casefold()) for premise, _ in pairs]
