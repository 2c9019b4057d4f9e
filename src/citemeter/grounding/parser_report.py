"""A parser's report beside a grounding report: which failures the parser already had."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

from citemeter.errors import InputError
from citemeter.grounding.measure import GroundingResult
from citemeter.grounding.place_results import COVERAGE_REASONS, GroundingError
from citemeter.models import Model
from citemeter.validation import shown_id

__all__ = [
    "DocumentLink",
    "LinkedFailure",
    "Origin",
    "ParserFailures",
    "ParserLinkage",
    "link_parser_report",
    "read_parser_report",
]

PARSER_CODES: Mapping[str, str] = {
    "region_unavailable": "bbox_missing",
    "region_misaligned": "bbox_misaligned",
}
"""The parser's failure that can lead to each failure of a citation."""

ParserFailures: TypeAlias = dict[str, dict[str, int]]
"""``{doc_id: {failure: count}}``."""

Origin = Literal["parser", "citation", "unknown"]
"""Where a failure of a citation comes from.

- ``parser``: the parser has the matching failure on that document, which explains it.
- ``citation``: it has not, or the citation points elsewhere: the citation drifts.
- ``unknown``: the parser's report does not have the document.
"""

_LISTS = ("documents", "results", "cases")


class LinkedFailure(Model):
    """One region that no citation points at, and where that comes from.

    Args:
        record: The answer's name.
        origin: Where it comes from; see ``Origin``.
        parser_code: The parser's failure that was looked for.
        parser_count: How often the parser has it on the document; ``None`` if that is not known.
        error: The failure.
    """

    record: str | None
    origin: Origin
    parser_code: str
    parser_count: int | None
    error: GroundingError


class DocumentLink(Model):
    """Both reports on one document.

    Args:
        parser: How often the parser failed, by failure; ``None`` if its report lacks the document.
        grounding: How often citations failed, by code.
        origins: How many of the linked failures come from where.
    """

    parser: dict[str, int] | None
    grounding: dict[str, int]
    origins: dict[str, int]


class ParserLinkage(Model):
    """The two reports joined by document.

    Args:
        failures: Every region failure, with its origin.
        counts: How many come from where.
        by_code: The same for each code.
        documents: Both reports on each document that is in either.
        not_linked: How many page failures there are, which no failure of the parser matches.
    """

    failures: tuple[LinkedFailure, ...]
    counts: dict[str, int]
    by_code: dict[str, dict[str, int]]
    documents: dict[str, DocumentLink]
    not_linked: int


def read_parser_report(report: object) -> ParserFailures:
    """Validate a parser's report: how often it failed on each document, and how.

    Args:
        report: One of

            - ``{"documents": [{"doc_id": "d", "failure_counts": {"bbox_missing": 2}}]}``; the list
              may also be called ``results`` or ``cases``, or stand alone;
            - ``{"d": {"failure_counts": {"bbox_missing": 2}}}`` or ``{"d": {"bbox_missing": 2}}``.

            Other fields are ignored. A document listed twice is added up.

    Raises:
        InputError: If it has another shape, as one with totals only, or a count is none.

    >>> read_parser_report([{"doc_id": "d", "failure_counts": {"bbox_missing": 2}}])
    {'d': {'bbox_missing': 2}}
    """
    failures: ParserFailures = {}
    for name, doc_id, counts in _entries(report):
        own = failures.setdefault(doc_id, {})
        for code, count in counts.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise InputError(
                    "the count is no whole number of 0 or more.",
                    record="parser report",
                    field=f"{name}.failure_counts.{code}",
                    fix="give how often the failure occurs.",
                )
            own[str(code)] = own.get(str(code), 0) + count
    return failures


def _entries(report: object) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the name of each entry, its document and its counts."""
    listed, prefix = report, ""
    if isinstance(report, Mapping):
        key = next((key for key in _LISTS if isinstance(report.get(key), (list, tuple))), None)
        if key is None:
            if "failure_counts" in report:
                raise _shape("it has totals only, which cannot be joined by document.")
            for doc_id, entry in report.items():
                counts = entry.get("failure_counts", entry) if isinstance(entry, Mapping) else None
                yield str(doc_id), str(doc_id), _counts(counts, str(doc_id))
            return
        listed, prefix = report[key], f"{key}."
    if not isinstance(listed, (list, tuple)):
        raise _shape(f"expected an object or a list, got {type(report).__name__}.")
    for place, entry in enumerate(listed):
        name = f"{prefix}{place}"
        if not isinstance(entry, Mapping):
            raise _shape(f"expected an object, got {type(entry).__name__}.", name)
        known = shown_id(entry.get("doc_id"))
        if known is None:
            raise _shape("the document is not named.", f"{name}.doc_id")
        yield name, known, _counts(entry.get("failure_counts"), f"{name}.failure_counts")


def _counts(counts: object, field: str) -> Mapping[str, Any]:
    if not isinstance(counts, Mapping):
        raise _shape("there are no counts of failures.", field)
    return counts


def _shape(problem: str, field: str | None = None) -> InputError:
    return InputError(
        problem,
        record="parser report",
        field=field,
        fix='write {"documents": [{"doc_id": ..., "failure_counts": {"bbox_missing": 2}}]}.',
    )


def link_parser_report(results: Iterable[GroundingResult], report: object) -> ParserLinkage:
    """Join a grounding report and a parser's report by document.

    A ``region_unavailable`` whose citation names the document, but gives no box, comes from the
    parser if that has ``bbox_missing`` on the document; a ``region_misaligned`` if it has
    ``bbox_misaligned``. A citation of another page, or of another document, is the citation's own
    doing whatever the parser did.

    Args:
        results: The grounding results.
        report: The parser's report; see ``read_parser_report``.

    Raises:
        InputError: If the parser's report has another shape.

    >>> from citemeter.grounding import citation_grounding
    >>> result = citation_grounding({
    ...     "citations": [{"doc_id": "d", "page_span": [1, 1]}],
    ...     "expected_citation_regions": [{"doc_id": "d", "page_number": 1, "bbox": [0, 0, 9, 9]}],
    ... })
    >>> link_parser_report([result], {"d": {"bbox_missing": 2}}).counts
    {'parser': 1, 'citation': 0, 'unknown': 0}
    """
    parser = read_parser_report(report)
    codes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    linked: defaultdict[str, list[LinkedFailure]] = defaultdict(list)
    failures: list[LinkedFailure] = []
    for result in results:
        for error in result.citation_grounding_errors:
            codes[error.doc_id][error.code] += 1
            if error.code in PARSER_CODES:
                failures.append(_linked(result.id, error, parser))
                linked[error.doc_id].append(failures[-1])
    return ParserLinkage(
        failures=tuple(failures),
        counts=_origins(failures),
        by_code={
            code: _origins(f for f in failures if f.error.code == code) for code in PARSER_CODES
        },
        documents={
            doc_id: DocumentLink(
                parser=parser.get(doc_id),
                grounding=dict(codes[doc_id]),
                origins=_origins(linked[doc_id]),
            )
            for doc_id in sorted({*parser, *codes})
        },
        not_linked=sum(map(Counter.total, codes.values())) - len(failures),
    )


def _linked(record: str | None, error: GroundingError, parser: ParserFailures) -> LinkedFailure:
    code = PARSER_CODES[error.code]
    known = parser.get(error.doc_id)
    count = None if known is None else known.get(code, 0)
    origin: Origin
    if error.reason not in COVERAGE_REASONS and error.reason != "low_overlap":
        origin = "citation"
    elif count is None:
        origin = "unknown"
    else:
        origin = "parser" if count else "citation"
    return LinkedFailure(
        record=record, origin=origin, parser_code=code, parser_count=count, error=error
    )


def _origins(failures: Iterable[LinkedFailure]) -> dict[str, int]:
    counts = Counter(failure.origin for failure in failures)
    return {origin: counts[origin] for origin in get_args(Origin)}
