"""A verdict's reason: the features that moved it, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citemeter.judges.lexical.comparison import Findings
from citemeter.judges.lexical.hypothesis import Statement, Term

__all__ = ["reason_against", "reason_for"]

_NAMED = 4  # missing words that a reason lists
_FAR = "the informative words are in the passage but far apart"
_ORDER = "the informative words are in the passage but not next to each other as in the statement"


def reason_for(statement: Statement, findings: Findings) -> str:
    """Say what of a supported statement the passage has, and what not."""
    missing = findings.missing
    found = "all informative words"
    if missing:
        found = f"{findings.whole:.0%} of the informative words by weight"
    elif not statement.terms:
        found = ""
    named: dict[str, list[str]] = {}
    lacking = " ".join((*findings.numbers, *findings.counts))
    for quantity in statement.quantities:
        if quantity.text not in lacking:
            named.setdefault(quantity.kind, []).append(quantity.text)
    for readings in statement.dates:
        if readings[0].text not in lacking:
            named.setdefault("date", []).append(readings[0].text)
    parts = [found] if found else []
    for noun, texts in named.items():
        parts.append(f"the {noun}{'s' if len(texts) > 1 else ''} {', '.join(texts)}")
    verb = "is" if not found and sum(map(len, named.values())) == 1 else "are"
    said = [f"{' and '.join(parts)} {verb} in the passage"] if parts else []
    said += [*findings.numbers, *findings.counts]
    if findings.polarity:
        said.append(findings.polarity)
    if missing:
        said.append(f"{_listed(missing)} not" + ("" if parts else " in the passage"))
    return "; ".join(said)


def reason_against(findings: Findings, lost: Mapping[str, float]) -> str:
    """Say why a statement is not supported: what cost it most comes first.

    Args:
        findings: What was found of it.
        lost: What each feature took from the logit of a statement that has everything.
    """
    words = lost["window"] + lost["names"]
    missing = findings.missing
    problems: list[tuple[float, str]] = []
    if findings.numbers:
        problems.append((lost["numbers"], "; ".join(findings.numbers)))
    if findings.counts:
        problems.append((lost["counts"], "; ".join(findings.counts)))
    if findings.polarity:
        problems.append((lost["polarity"], findings.polarity))
    if missing:
        problems.append((words, f"{_listed(missing)} not in the passage"))
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
