"""Judge with anything that says yes or no: a function is enough, a class can say why.

python examples/your_own_judge.py
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import citemeter
from citemeter.io import read_records
from citemeter.judges import Judge, Pair
from citemeter.verdicts import JudgeIdentity, Verdict

ANSWERS = Path(__file__).parent / "hagrid.jsonl"
_NUMBER = re.compile(r"\d+")


def same_numbers(premise: str, hypothesis: str) -> bool:
    """Say yes iff the passage holds every number of the statement: a rule to replace by a model."""
    return set(_NUMBER.findall(hypothesis)) <= set(_NUMBER.findall(premise))


class SameNumbers(Judge):
    """The same rule as a judge with a name, a score and reasons, over a whole batch of pairs."""

    @property
    def identity(self) -> JudgeIdentity:
        """What must be known to repeat its verdicts; it goes into the report's signature."""
        return JudgeIdentity(name="same-numbers", version="1", threshold=1.0)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        verdicts = []
        for premise, hypothesis in pairs:
            stated = set(_NUMBER.findall(hypothesis))
            missing = sorted(stated - set(_NUMBER.findall(premise)))
            share = 1 - len(missing) / len(stated) if stated else 1.0
            reason = f"not in the passage: {', '.join(missing)}" if missing else "no number differs"
            verdicts.append(Verdict(supported=not missing, score=share, reason=reason))
        return verdicts


def main() -> None:
    """Score with the function, then with the class; the numbers are the same."""
    for judge in (same_numbers, SameNumbers()):
        report = citemeter.score(read_records([ANSWERS]), judge=judge)
        print(f"judge {report.signature.judge}: citation_recall {report['citation_recall']:.3f}")
    for result in report.results:
        for item in result.statements:
            if item.state == "unsupported" and item.verdict is not None:
                print(f"{result.id}: {item.verdict.reason}: {item.statement.text}")


if __name__ == "__main__":
    main()
