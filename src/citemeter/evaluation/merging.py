"""Reports on parts of a data set as one report on the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from citemeter.errors import InputError
from citemeter.evaluation.engine import derived_of, metric_order, metrics_of
from citemeter.evaluation.extensions.base import Extension
from citemeter.evaluation.extensions.registry import EXTENSIONS
from citemeter.metrics.base import CountsSummary
from citemeter.protocols import get_protocol
from citemeter.results import RecordError, Report, ResponseResult, Signature
from citemeter.statistics.aggregate import Aggregator


def merge_reports(reports: Sequence[Report]) -> Report:
    """Return the report on all records of several reports; see ``Report.merge``.

    Args:
        reports: Reports with the same signature, in the order of their records.

    Raises:
        InputError: If the signatures differ, or a report does not hold what a merge needs.
    """
    signature = reports[0].signature
    totals = _totals(reports[0])
    for report in reports[1:]:
        if report.signature != signature:
            raise InputError(
                f"the reports were made differently: {_difference(signature, report.signature)}.",
                fix="score both parts with the same judge and the same settings.",
            )
        totals.merge(_totals(report))
    results: list[ResponseResult] = []
    errors: list[RecordError] = []
    start = 0
    for report in reports:
        results += [r.model_copy(update={"index": r.index + start}) for r in report.results]
        errors += [e.model_copy(update={"index": e.index + start}) for e in report.errors]
        start += report.record_counts["records"]
    active = [
        e for e in EXTENSIONS.values() if any(e in _active(report.metrics) for report in reports)
    ]
    counts = totals.counts
    summaries: dict[str, CountsSummary] = {}
    for report in reports:
        for name, summary in report.details.items():
            if isinstance(summary, CountsSummary) and name not in summaries:
                summaries[name] = summary.anew(counts)
    return Report(
        signature=signature,
        metrics=totals.summaries(metric_order(totals, active)),
        counts=counts,
        record_counts=_sum([report.record_counts for report in reports]),
        pair_counts=_sum([report.pair_counts for report in reports]),
        usage=_sum([report.usage for report in reports]),
        details={name: summaries[name] for name in (*EXTENSIONS, *summaries) if name in summaries},
        results=tuple(results),
        errors=tuple(errors),
    )


def aggregator_of(signature: Signature, metrics: Collection[str]) -> Aggregator:
    """Return the aggregator that computed these metrics under this signature, with nothing in it.

    Args:
        signature: How a report was made.
        metrics: The names of its metrics.

    Raises:
        InputError: If a metric comes from an extension that does not ship.
    """
    judged = signature.judge is not None
    choices = signature.choices
    totals = Aggregator(
        metrics_of(
            get_protocol(signature.protocol),
            str(choices["recall_over"]),
            str(choices["refusals"]),
            judged=judged,
        ),
        choices["zero_division"],  # type: ignore[arg-type]
        derived_of(judged=judged),
    )
    active = _active(metrics)
    for extension in active:
        totals.extend(extension.metrics(), extension.derived())
    foreign = set(metrics) - set(metric_order(totals, active))
    if foreign:
        raise InputError(
            f"the metric {min(foreign)!r} comes from an extension that does not ship.",
            fix="score the whole in one run.",
        )
    return totals


def _active(metrics: Collection[str]) -> list[type[Extension]]:
    """Return the extensions that metrics belong to."""
    return [e for e in EXTENSIONS.values() if not set(e.metric_names()).isdisjoint(metrics)]


def _totals(report: Report) -> Aggregator:
    """Return the aggregator that a report came from."""
    totals = aggregator_of(report.signature, report.metrics)
    for summary in report.metrics.values():
        if summary.scored and not summary.values and summary.name not in _COMBINED:
            raise InputError(
                "the report was written without its results by a version whose reports cannot be "
                "merged.",
                fix="score its records again.",
            )
    totals.restore(report.record_counts["scored"], report.counts, report.metrics)
    return totals


_COMBINED = {derived.name for derived in derived_of(judged=True) if derived.mean_name}


def _difference(one: Signature, other: Signature) -> str:
    """Name the first thing in which two signatures differ."""
    mine, theirs = one.model_dump(exclude={"changed"}), other.model_dump(exclude={"changed"})
    name = next(key for key in (mine | theirs) if mine.get(key) != theirs.get(key))
    return (
        f"{name} is {getattr(one, name, None)} in one and {getattr(other, name, None)} in another"
    )


def _sum(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for table in tables:
        total.update(table)
    return dict(total)
