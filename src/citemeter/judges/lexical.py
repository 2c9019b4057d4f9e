"""The embedded default judge: informative words, numbers, dates, names and polarity compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from citemeter.errors import JudgeError
from citemeter.judges.base import Judge, Pair
from citemeter.judges.lexical_findings import Findings, compare
from citemeter.judges.lexical_passage import Line, Passage
from citemeter.judges.lexical_statement import Statement, Term
from citemeter.judges.lexical_words import read_table
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["LexicalJudge", "Parameters", "score_of"]

_T = TypeVar("_T")
_CACHED = 4_000_000  # characters of passages, and of statements, remembered at least
_NAMED = 4  # missing words that a reason lists


class Parameters(NamedTuple):
    """What is fitted.

    Args:
        width: The window's length in words.
        second: The share of its weight that a second window counts.
        name_clash: What a name that the passage lacks multiplies the score by.
        clash: What each other kind of clash (numbers, polarity) multiplies the score by.
        threshold: The score from which a pair is supported.
    """

    width: int
    second: float
    name_clash: float
    clash: float
    threshold: float


@cache
def fitted() -> Parameters:
    """Return the parameters that the package ships."""
    values = {name: float(value) for name, value in read_table("lexical_parameters.txt")}
    return Parameters(
        int(values["width"]),
        values["second"],
        values["name_clash"],
        values["clash"],
        values["threshold"],
    )


def score_of(statement: Statement, findings: Findings, parameters: Parameters) -> float:
    r"""Return the support score of a statement.

    .. math:: s = (w + \sigma\, w_2)\; \nu^{[names]}\, c^{[numbers] + [polarity]}

    with :math:`w` the share of the statement's weight in the best window of the passage,
    :math:`w_2` what a second window adds at the rate :math:`\sigma`, and a factor for each kind of
    clash: :math:`\nu` if a name is missing, :math:`c` if numbers or dates clash and :math:`c` if
    the polarity does. A statement of numbers alone has :math:`w = 1`.

    Args:
        statement: What is claimed.
        findings: What ``compare`` found of it.
        parameters: :math:`\sigma`, :math:`\nu` and :math:`c`.

    Returns:
        The score in ``[0, 1]``; 0 for a statement without informative words and numbers.
    """
    if statement.terms:
        share = min(1.0, findings.window + parameters.second * findings.second)
    else:
        share = 1.0 if statement.quantities or statement.dates else 0.0
    if findings.names:
        share *= parameters.name_clash
    if findings.numbers or findings.counts:
        share *= parameters.clash
    if findings.polarity:
        share *= parameters.clash
    return share


class _Memory(Generic[_T]):
    """Remembers what was built of recent texts, within a budget of characters.

    Two generations stand in for a least-recently-used order: a lookup then costs two dictionary
    reads and no reordering, and at most twice the budget is held.
    """

    def __init__(self, build: Callable[[str], _T], budget: int) -> None:
        self._build, self._budget, self._size = build, budget, 0
        self._young: dict[str, _T] = {}
        self._old: dict[str, _T] = {}

    def get(self, text: str) -> _T:
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


class LexicalJudge(Judge):
    """Judges support by the words that premise and hypothesis share, and by what clashes.

    The hypothesis' content words, lightly stemmed and weighed by how informative they are, are
    looked for in the premise's best window of words. Then its numbers, amounts, dates and polarity
    are checked: a clash takes the score below the threshold whatever the words say. Nothing is
    downloaded, and equal input gives equal output everywhere.

    It reads no roles ("A sued B" and "B sued A" are the same to it), no paraphrase beyond word
    endings and no arithmetic; ``docs/judges/lexical.md`` says how often it is right.

    Args:
        threshold: The score from which a pair is supported, in ``[0, 1]``; by default the one
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
        self._parameters = fitted()
        if threshold is not None:
            if not 0 <= threshold <= 1:
                raise JudgeError(f"threshold {threshold} is not between 0 and 1")
            self._parameters = self._parameters._replace(threshold=float(threshold))
        self._lines = _Memory(Line, _CACHED)
        self._passages = _Memory(self._read_passage, _CACHED)
        self._statements = _Memory(Statement, _CACHED)

    @property
    def identity(self) -> JudgeIdentity:
        """Name, version of the rules, and threshold."""
        return JudgeIdentity(name="lexical", version="1", threshold=self._parameters.threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Judge each pair; the analysis of a premise's lines is shared between pairs."""
        return [self._one(premise, hypothesis) for premise, hypothesis in pairs]

    def _read_passage(self, premise: str) -> Passage:
        line = self._lines.get
        return Passage([line(text) for text in premise.splitlines() if text and not text.isspace()])

    def _one(self, premise: str, hypothesis: str) -> Verdict:
        parameters = self._parameters
        statement = self._statements.get(hypothesis)
        passage = self._passages.get(premise)
        if passage.size and (statement.terms or statement.quantities or statement.dates):
            findings = compare(statement, passage, parameters.width)
            score = score_of(statement, findings, parameters)
            supported = score >= parameters.threshold
            reason = _reason(statement, findings, supported)
        else:
            score, supported = 0.0, parameters.threshold <= 0
            reason = (
                "the statement has no informative word or number to check"
                if passage.size
                else "the passage is empty"
            )
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


def _reason(statement: Statement, findings: Findings, supported: bool) -> str:
    """Say in words what decided."""
    missing = findings.missing
    problems = [*findings.numbers, *findings.counts]
    if findings.polarity:
        problems.append(findings.polarity)
    if problems or not supported:
        if missing:
            problems.append(f"{_listed(missing)} not in the passage")
        elif not problems:
            problems.append("the informative words are in the passage but far apart")
        return "; ".join(problems)
    found = "all informative words"
    if missing:
        found = f"{findings.whole:.0%} of the informative words by weight"
    elif not statement.terms:
        found = ""
    named: dict[str, list[str]] = {}
    for quantity in statement.quantities:
        named.setdefault(quantity.kind, []).append(quantity.text)
    for readings in statement.dates:
        named.setdefault("date", []).append(readings[0].text)
    parts = [found] if found else []
    for noun, texts in named.items():
        parts.append(f"the {noun}{'s' if len(texts) > 1 else ''} {', '.join(texts)}")
    verb = "is" if not found and sum(map(len, named.values())) == 1 else "are"
    reason = f"{' and '.join(parts)} {verb} in the passage"
    return f"{reason}; {_listed(missing)} not" if missing else reason


def _listed(missing: Sequence[Term]) -> str:
    worst = sorted(missing, key=lambda term: -term.weight)
    names = [repr(term.text) for term in worst[:_NAMED]]
    if len(worst) > _NAMED:
        more = len(worst) - _NAMED
        names.append(f"{more} more word{'s' if more > 1 else ''}")
    if len(names) == 1:
        return f"{names[0]} is"
    return f"{', '.join(names[:-1])} and {names[-1]} are"
