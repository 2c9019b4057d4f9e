"""Toy judges: rules small enough to work out by hand, for tests and teaching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citemeter.judges.base import Judge, Pair
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["ContainsJudge", "KeywordJudge", "TableJudge"]


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


class TableJudge(Judge):
    """Supported iff a table says so; a pair that is not in it is a failed verdict, not a no.

    Args:
        table: Verdicts by ``(premise, hypothesis)``.

    >>> judge = TableJudge({("Cats purr.", "Cats purr."): True})
    >>> judge("Cats purr.", "Cats purr.")
    True
    >>> judge.judge([("Cats purr.", "Dogs bark.")])[0].error
    'the table has no verdict for this pair'
    """

    def __init__(self, table: Mapping[Pair, bool]) -> None:
        self.table = dict(table)

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's name and the size of its table."""
        return JudgeIdentity(name="toy:table", parameters={"pairs": len(self.table)})

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        missing = Verdict.failed("the table has no verdict for this pair")
        return [
            Verdict(supported=self.table[pair]) if pair in self.table else missing
            for pair in [(premise, hypothesis) for premise, hypothesis in pairs]
        ]
