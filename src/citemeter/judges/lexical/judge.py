"""The judge that needs no weights: words, numbers, dates, names and polarity compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from citemeter.judges.base import Judge, Pair
from citemeter.judges.lexical.comparison import Comparison, compare
from citemeter.judges.lexical.features import features_of, read_logistic
from citemeter.judges.lexical.hypothesis import Statement, Term
from citemeter.judges.lexical.memory import Remembered
from citemeter.judges.lexical.premise import Line, Passage
from citemeter.judges.thresholded import checked_threshold
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["LexicalJudge"]

_NAMED = 4  # missing words that a reason lists
_FAR = "the informative words are in the passage but far apart"
_ORDER = "the informative words are in the passage but not next to each other as in the statement"

read_line = Remembered(Line, 2048)
read_statement = Remembered(Statement, 2048)


class PairAnalysis(NamedTuple):
    """What the words of one pair tell.

    Args:
        statement: The hypothesis.
        comparison: What was found of it in the premise.
        features: The values of ``FEATURES``.
    """

    statement: Statement
    comparison: Comparison
    features: tuple[float, ...]

    def reason_for(self) -> str:
        """Say what of a supported statement the passage has, and what not."""
        statement, comparison = self.statement, self.comparison
        missing = comparison.missing
        problems = [*comparison.numbers, *comparison.counts]
        lacking = " ".join(problems)
        present: dict[str, list[str]] = {}
        stated = [(quantity.kind, quantity.text) for quantity in statement.quantities]
        for kind, text in (*stated, *(("date", dates[0].text) for dates in statement.dates)):
            if text not in lacking:
                present.setdefault(kind, []).append(text)
        parts = [
            f"the {kind}{'s' if len(texts) > 1 else ''} {', '.join(texts)}"
            for kind, texts in present.items()
        ]
        plural = sum(map(len, present.values())) != 1
        if statement.terms:
            share = f"{comparison.whole:.0%} of the informative words by weight"
            parts.insert(0, share if missing else "all informative words")
            plural = True
        said = []
        if parts:
            said.append(f"{' and '.join(parts)} {'are' if plural else 'is'} in the passage")
        said += problems
        if comparison.polarity:
            said.append(comparison.polarity)
        if missing:
            said.append(f"{_listed(missing)} not" + ("" if parts else " in the passage"))
        return "; ".join(said)

    def reason_against(self, lost: Mapping[str, float]) -> str:
        """Say why a statement is not supported: what cost it most comes first.

        Args:
            lost: What each feature took from the logit of a statement that has everything.
        """
        comparison = self.comparison
        words = lost["window"] + lost["names"]
        problems: list[tuple[float, str]] = []
        if comparison.numbers:
            problems.append((lost["numbers"], "; ".join(comparison.numbers)))
        if comparison.counts:
            problems.append((lost["counts"], "; ".join(comparison.counts)))
        if comparison.polarity:
            problems.append((lost["polarity"], comparison.polarity))
        if comparison.missing:
            problems.append((words, f"{_listed(comparison.missing)} not in the passage"))
        elif not problems:
            problems.append((words, _FAR if words >= lost["adjacent"] else _ORDER))
        problems.sort(key=lambda problem: -problem[0])
        return "; ".join([text for _, text in problems])


def _listed(missing: Sequence[Term]) -> str:
    worst = sorted(missing, key=lambda term: -term.weight)
    names = [repr(term.text) for term in worst[:_NAMED]]
    if len(worst) > _NAMED:
        more = len(worst) - _NAMED
        names.append(f"{more} more word{'s' if more > 1 else ''}")
    if len(names) == 1:
        return f"{names[0]} is"
    return f"{', '.join(names[:-1])} and {names[-1]} are"


def analyse_pair(premise: str, hypothesis: str, width: int) -> PairAnalysis | str:
    """Return what the words of a pair tell, or why there is nothing to compare.

    Args:
        premise: The passages; the analysis of recent lines is remembered.
        hypothesis: The statement.
        width: Words of the windows in which the statement's words are looked for.
    """
    lines = [text for text in premise.splitlines() if text and not text.isspace()]
    passage = Passage([read_line(text) for text in lines])
    if not passage.size:
        return "the passage is empty"
    statement = read_statement(hypothesis)
    if not (statement.terms or statement.quantities or statement.dates):
        return "the statement has no informative word or number to check"
    comparison = compare(statement, passage, width)
    return PairAnalysis(statement, comparison, features_of(statement, comparison))


class LexicalJudge(Judge):
    """Judges support by the words that premise and hypothesis share, and by what clashes.

    The hypothesis' content words, lightly stemmed and weighed by how informative they are, are
    looked for in the premise's best windows of words, and their order is compared. Its numbers,
    amounts, dates, names, polarity and quantifiers are checked. A logistic over these features,
    fitted on pairs that people labelled, gives the probability that the premise supports all of
    the hypothesis. Nothing is downloaded, no weights are loaded, and equal input gives equal
    output everywhere.

    It reads no roles ("A sued B" and "B sued A" are nearly the same to it), no paraphrase beyond
    word endings and no arithmetic; ``docs/judges/lexical.md`` says how often it is right.

    Args:
        threshold: The probability from which a pair is supported, in ``[0, 1]``; by default the one
            fitted on the development set.

    Raises:
        JudgeError: If ``threshold`` is outside ``[0, 1]``.

    Undefined when: never. An empty premise supports nothing, and a hypothesis without an
    informative word or a number is not supported: there is nothing in it to check.

    >>> judge = LexicalJudge()
    >>> premise = "Unused PTO up to 5 days may be carried over to the next year."
    >>> judge(premise, "Up to 5 unused days carry over.")
    True
    >>> judge.judge([(premise, "Up to 10 unused days carry over.")])[0].reason
    'amount 10 days is not in the passage'
    """

    def __init__(self, *, threshold: float | None = None) -> None:
        self._fit = read_logistic("lexical_parameters.txt")
        fitted = self._fit.threshold
        self._threshold = fitted if threshold is None else checked_threshold(threshold)

    @property
    def identity(self) -> JudgeIdentity:
        """Name, version of the rules and weights, and threshold."""
        return JudgeIdentity(name="lexical", version="2", threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        return [self._one(premise, hypothesis) for premise, hypothesis in pairs]

    def _one(self, premise: str, hypothesis: str) -> Verdict:
        analysis = analyse_pair(premise, hypothesis, int(self._fit.constants["width"]))
        if isinstance(analysis, str):
            return Verdict(supported=self._threshold <= 0, score=0.0, reason=analysis)
        score = self._fit.probability(analysis.features)
        if score >= self._threshold:
            return Verdict(supported=True, score=score, reason=analysis.reason_for())
        lost = self._fit.losses(analysis.features)
        return Verdict(supported=False, score=score, reason=analysis.reason_against(lost))
