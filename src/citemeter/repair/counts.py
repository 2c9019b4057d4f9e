"""Counts of repairs, and the scores that answers would have after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from citemeter.metrics.alce import (
    CITATION_PRECISION,
    CITATION_RECALL,
    count_support,
    precision_bounds,
)
from citemeter.metrics.base import Counts, CountsSummary, Ratio
from citemeter.metrics.coverage import CITATION_COVERAGE, count_coverage
from citemeter.metrics.validity import CITATION_VALIDITY, count_validity
from citemeter.models import Response
from citemeter.repair.models import (
    OUTCOMES,
    PROBLEMS,
    SCORES,
    Outcome,
    Problem,
    RepairResult,
    RepairSummary,
    StatementRepair,
)
from citemeter.results import Bounds, Score, StatementResult
from citemeter.statistics.aggregate import Aggregator

__all__ = ["REPAIR_RATE", "REPAIR_RATIOS", "count_repairs", "summarize_repairs"]

_AFTER = "after_repair_"
_RATIOS = (CITATION_RECALL, CITATION_PRECISION, CITATION_COVERAGE, CITATION_VALIDITY)


def counts_of(response: Response, judged: Sequence[StatementResult]) -> dict[str, int]:
    """Count what recall, precision, coverage and validity of one answer are made of.

    Args:
        response: The answer, cut into statements.
        judged: The results of its statements.
    """
    return count_support(judged) | count_coverage(response) | count_validity(response)


def scores_of(counts: Counts) -> dict[str, Score]:
    """Return the four scores of an answer, by name."""
    return {ratio.name: ratio.score(counts) for ratio in _RATIOS}


def count_repairs(
    repairs: Sequence[StatementRepair], after: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Count the statements of one answer by problem and outcome, and the citations that change.

    For each problem ``P`` of unsupported, uncited, invalid and irrelevant, ``broken_P`` is the sum
    of ``repaired_P``, ``unrepaired_P`` and ``unjudged_P``, the last for those where the judge
    failed. ``broken_statements`` is the sum over the first three, as are ``repaired_statements``,
    ``unrepaired_statements`` and ``unjudged_repairs``; irrelevant citations are counted by
    ``broken_irrelevant`` alone, since their statement is supported. ``repair_unknown`` are the
    statements on which the judge failed to begin with.

    Args:
        repairs: The repairs of its statements.
        after: The counts of the repaired answer; they are added as ``after_repair_...``.
    """
    counts: dict[str, int] = {}
    for problem in PROBLEMS:
        outcomes = [repair.outcome for repair in repairs if repair.problem == problem]
        counts[f"broken_{problem}"] = len(outcomes)
        for outcome in OUTCOMES:
            counts[f"{outcome}_{problem}"] = outcomes.count(outcome)
    for name, total in (
        ("broken", "broken_statements"),
        ("repaired", "repaired_statements"),
        ("unrepaired", "unrepaired_statements"),
        ("unjudged", "unjudged_repairs"),
    ):
        counts[total] = sum(counts[f"{name}_{problem}"] for problem in PROBLEMS[:3])
    counts["repair_unknown"] = sum(repair.problem == "unjudged" for repair in repairs)
    counts["repair_unjudged"] = counts["unjudged_repairs"] + counts["repair_unknown"]
    counts["added_citations"] = sum(len(repair.added) for repair in repairs)
    counts["removed_citations"] = sum(len(repair.removed) for repair in repairs)
    counts["unwritten_repairs"] = sum(repair.written is False for repair in repairs)
    counts["repair_questions"] = sum(repair.asked for repair in repairs)
    counts.update({_AFTER + name: number for name, number in (after or {}).items()})
    return counts


def _rate_bounds(counts: Counts) -> Bounds:
    """Bound the rate: what was not judged may be broken or not, and repaired or not."""
    repaired, broken = counts["repaired_statements"], counts["broken_statements"]
    most = broken + counts["repair_unknown"]
    return Bounds(
        repaired / most, (repaired + counts["repair_unjudged"]) / most, certain=broken > 0
    )


REPAIR_RATE = Ratio(
    "repair_rate",
    "repaired_statements",
    "broken_statements",
    empty="no statement lacks support",
    blocked_by="repair_unjudged",
    bounds=_rate_bounds,
)


def _precision_bounds(counts: Counts) -> Bounds:
    return precision_bounds(
        {name.removeprefix(_AFTER): n for name, n in counts.items() if name.startswith(_AFTER)}
    )


def _repaired(ratio: Ratio) -> Ratio:
    return replace(
        ratio,
        name=f"repaired_{ratio.name}",
        numerator=_AFTER + ratio.numerator,
        denominator=_AFTER + ratio.denominator,
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
    before, after = Aggregator(_RATIOS), Aggregator(_RATIOS)
    lower = dict.fromkeys(SCORES, 0)
    for result in results:
        before.add({}, result.before)
        after.add(result.counts, result.after)
        for name in SCORES:
            old, new = result.before[name].value, result.after[name].value
            lower[name] += old is not None and new is not None and new < old
    return RepairSummary(
        responses=after.responses,
        problems=ProblemCounts.of(after.counts).problems,
        counts=after.counts,
        before={name: summary.macro for name, summary in before.summaries(SCORES).items()},
        after={name: summary.macro for name, summary in after.summaries(SCORES).items()},
        lower=lower,
    )


class ProblemCounts(CountsSummary):
    """How many statements of a data set have each problem, by what came of it.

    Args:
        problems: By problem and outcome.
    """

    problems: dict[Problem, dict[Outcome, int]]

    @classmethod
    def of(cls, counts: Counts) -> ProblemCounts:
        """Return them from summed counts, by the names of ``count_repairs``."""
        return cls(
            problems={
                problem: {outcome: counts.get(f"{outcome}_{problem}", 0) for outcome in OUTCOMES}
                for problem in PROBLEMS
            }
        )
