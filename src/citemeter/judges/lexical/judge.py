"""The judge that needs no weights: words, numbers, dates, names and polarity compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from citemeter.errors import JudgeError
from citemeter.judges.base import Judge, Pair
from citemeter.judges.lexical.comparison import Findings, compare
from citemeter.judges.lexical.features import FEATURES, features_of
from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.logistic import Logistic, read_logistic
from citemeter.judges.lexical.premise import Line, Passage
from citemeter.judges.lexical.reasons import reason_against, reason_for
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["LexicalJudge", "Lexicon", "Memory", "Reading", "losses", "threshold_or", "verdict_of"]

_T = TypeVar("_T")
_CACHED = 4_000_000  # characters of passages, and of statements, remembered at least


class Reading(NamedTuple):
    """One pair as the words tell it.

    Args:
        statement: The hypothesis.
        findings: What was found of it in the premise.
        features: The values of ``FEATURES``.
    """

    statement: Statement
    findings: Findings
    features: tuple[float, ...]


class Memory(Generic[_T]):
    """Remembers what was built of recent texts, within a budget of characters.

    Two generations stand in for a least-recently-used order: a lookup then costs two dictionary
    reads and no reordering, and at most twice the budget is held.
    """

    def __init__(self, build: Callable[[str], _T], budget: int) -> None:
        self._build, self._budget, self._size = build, budget, 0
        self._young: dict[str, _T] = {}
        self._old: dict[str, _T] = {}

    def get(self, text: str) -> _T:
        """Return what was built of a text, or build it."""
        value = self._young.get(text)
        if value is None:
            value = self._old.get(text)
            if value is None:
                value = self._build(text)
            if self._size > self._budget:
                self._old, self._young, self._size = self._young, {}, 0
            self._young[text] = value
            self._size += len(text) + 64
        return value


class Lexicon:
    """Reads pairs, and remembers the analysis of recent lines, passages and statements."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines = Memory(Line, _CACHED)
        self._passages = Memory(self._read_passage, _CACHED)
        self._statements = Memory(Statement, _CACHED)

    def _read_passage(self, premise: str) -> Passage:
        line = self._lines.get
        return Passage([line(text) for text in premise.splitlines() if text and not text.isspace()])

    def read(self, premise: str, hypothesis: str) -> Reading | str:
        """Return what the words of a pair tell, or why there is nothing to compare."""
        passage = self._passages.get(premise)
        if not passage.size:
            return "the passage is empty"
        statement = self._statements.get(hypothesis)
        if not (statement.terms or statement.quantities or statement.dates):
            return "the statement has no informative word or number to check"
        findings = compare(statement, passage, self._width)
        return Reading(statement, findings, features_of(statement, findings))


def threshold_or(threshold: float | None, fitted: float) -> float:
    """Return the threshold asked for, or the fitted one.

    Raises:
        JudgeError: If it is outside ``[0, 1]``.
    """
    if threshold is None:
        return fitted
    if not 0 <= threshold <= 1:
        raise JudgeError(f"threshold {threshold} is not between 0 and 1")
    return float(threshold)


def verdict_of(supported: bool, score: float, reason: str) -> Verdict:
    """Return a verdict whose fields need no checking."""
    return Verdict.trusted(
        {
            "supported": supported,
            "score": score,
            "label": None,
            "reason": reason,
            "error": None,
            "long_premise": None,
        }
    )


def losses(fit: Logistic, features: Sequence[float]) -> dict[str, float]:
    """Return what each lexical feature took from the logit of a statement that has everything."""
    return {
        feature.name: weight * (feature.best - value)
        for feature, weight, value in zip(FEATURES, fit.weights, features, strict=False)
    }


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
        self._threshold = threshold_or(threshold, self._fit.threshold)
        self._lexicon = Lexicon(int(self._fit.constants["width"]))

    @property
    def identity(self) -> JudgeIdentity:
        """Name, version of the rules and weights, and threshold."""
        return JudgeIdentity(name="lexical", version="2", threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Judge each pair; the analysis of a premise's lines is shared between pairs."""
        return [self._one(premise, hypothesis) for premise, hypothesis in pairs]

    def _one(self, premise: str, hypothesis: str) -> Verdict:
        reading = self._lexicon.read(premise, hypothesis)
        if isinstance(reading, str):
            return verdict_of(self._threshold <= 0, 0.0, reading)
        score = self._fit.probability(reading.features)
        if score >= self._threshold:
            return verdict_of(True, score, reason_for(reading.statement, reading.findings))
        lost = losses(self._fit, reading.features)
        return verdict_of(False, score, reason_against(reading.findings, lost))
