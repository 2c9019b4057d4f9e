"""Counts of repairs, and the scores that answers would have after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum

from citemeter.metrics.alce import Finding, count_support
from citemeter.metrics.base import Counts, Ratio
from citemeter.metrics.citation_precision import CITATION_PRECISION, precision_bounds
from citemeter.metrics.citation_recall import CITATION_RECALL
from citemeter.metrics.coverage import CITATION_COVERAGE, count_coverage
from citemeter.metrics.validity import CITATION_VALIDITY, count_validity
from citemeter.models import Response
from citemeter.repair.models import PROBLEMS, SCORES, RepairResult, RepairSummary, StatementRepair
from citemeter.results import Bounds, Score

__all__ = [
    "REPAIR_RATE",
    "REPAIR_RATIOS",
    "count_repairs",
    "counts_of",
    "scores_of",
    "summarize_repairs",
]

_AFTER = "repaired_"
_RATIOS = (CITATION_RECALL, CITATION_PRECISION, CITATION_COVERAGE, CITATION_VALIDITY)


def counts_of(response: Response, findings: Sequence[Finding]) -> dict[str, int]:
    """Count what recall, precision, coverage and validity of one answer are made of.

    Args:
        response: The answer, cut into statements.
        findings: What was found of them.
    """
    worthy = [statement.needs_citation for statement in response.statements or ()]
    counts = count_support(findings, worthy)
    counts.update(count_coverage(response))
    counts.update(count_validity(response))
    return counts


def scores_of(counts: Counts) -> dict[str, Score]:
    """Return the four scores of an answer, by name."""
    return {ratio.name: ratio.score(counts) for ratio in _RATIOS}


def count_repairs(
    repairs: Sequence[StatementRepair], after: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Count the statements of one answer by problem and outcome, and the citations that change.

    For each problem ``P`` of unsupported, uncited, invalid and irrelevant, ``broken_P`` is the sum
    of ``mended_P``, ``unmended_P`` and ``open_P``, the last for those where the judge failed.
    ``broken_statements`` is the sum over the first three; irrelevant citations are counted by
    ``broken_irrelevant`` alone, since their statement is supported. ``repair_unknown`` are the
    statements on which the judge failed to begin with.

    Args:
        repairs: The repairs of its statements.
        after: The counts of the repaired answer; they are added under ``repaired_...``.
    """
    counts: dict[str, int] = {}
    for problem in PROBLEMS:
        some = [repair for repair in repairs if repair.problem == problem]
        outcomes = [repair.outcome for repair in some]
        counts[f"broken_{problem}"] = len(some)
        counts[f"mended_{problem}"] = outcomes.count("repaired")
        counts[f"unmended_{problem}"] = outcomes.count("unrepaired")
        counts[f"open_{problem}"] = outcomes.count("unjudged")
    lacking = PROBLEMS[:3]
    for name in ("broken", "mended", "unmended", "open"):
        counts[f"{name}_statements"] = sum(counts[f"{name}_{problem}"] for problem in lacking)
    counts["repair_unknown"] = sum(repair.problem == "unjudged" for repair in repairs)
    counts["repair_unjudged"] = counts["open_statements"] + counts["repair_unknown"]
    counts["added_citations"] = sum(len(repair.added) for repair in repairs)
    counts["removed_citations"] = sum(len(repair.removed) for repair in repairs)
    counts["unwritten_repairs"] = sum(repair.written is False for repair in repairs)
    counts["repair_questions"] = sum(repair.asked for repair in repairs)
    for name, number in (after or {}).items():
        counts[_AFTER + name] = number
    return counts


def _rate_bounds(counts: Counts) -> Bounds:
    """Bound the rate: statements that were not judged may be broken or not, and mended or not."""
    mended, broken = counts["mended_statements"], counts["broken_statements"]
    unknown, still = counts["repair_unknown"], counts["open_statements"]
    most = broken + unknown
    return Bounds(mended / most, (mended + still + unknown) / most, certain=broken > 0)


REPAIR_RATE = Ratio(
    "repair_rate",
    "mended_statements",
    "broken_statements",
    empty="no statement lacks support",
    blocked_by="repair_unjudged",
    bounds=_rate_bounds,
)


def _precision_bounds(counts: Counts) -> Bounds:
    return precision_bounds({name.removeprefix(_AFTER): n for name, n in _after(counts)})


def _after(counts: Counts) -> Iterable[tuple[str, int]]:
    return [(name, n) for name, n in counts.items() if name.startswith(_AFTER)]


def _repaired(ratio: Ratio) -> Ratio:
    return Ratio(
        _AFTER + ratio.name,
        _AFTER + ratio.numerator,
        _AFTER + ratio.denominator,
        empty=ratio.empty,
        blocked_by=None if ratio.blocked_by is None else _AFTER + ratio.blocked_by,
        bounds=_precision_bounds if ratio.bounds is precision_bounds else None,
    )


REPAIR_RATIOS: tuple[Ratio, ...] = (REPAIR_RATE, *map(_repaired, _RATIOS))
"""``repair_rate`` and the four scores of the repaired answers, ``repaired_citation_recall`` etc."""


def summarize_repairs(results: Iterable[RepairResult]) -> RepairSummary:
    """Add up the repairs of a data set.

    Args:
        results: One result an answer.

    Returns:
        The number of statements by problem and outcome, all counts, and each score's mean over
        the answers where it is defined, before and after.
    """
    counts: dict[str, int] = {}
    values: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in SCORES}
    lower = dict.fromkeys(SCORES, 0)
    responses = 0
    for result in results:
        responses += 1
        for name, number in result.counts.items():
            counts[name] = counts.get(name, 0) + number
        for name, (before, after) in values.items():
            old, new = result.before[name].value, result.after[name].value
            if old is not None:
                before.append(old)
            if new is not None:
                after.append(new)
            lower[name] += old is not None and new is not None and new < old
    return RepairSummary(
        responses=responses,
        problems={
            problem: {
                "repaired": counts.get(f"mended_{problem}", 0),
                "unrepaired": counts.get(f"unmended_{problem}", 0),
                "unjudged": counts.get(f"open_{problem}", 0),
            }
            for problem in PROBLEMS
        },
        counts=counts,
        before={name: _mean(before) for name, (before, _) in values.items()},
        after={name: _mean(after) for name, (_, after) in values.items()},
        lower=lower,
    )


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
