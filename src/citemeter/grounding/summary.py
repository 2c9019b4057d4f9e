"""Page and region grounding and claim alignment over a data set."""

from __future__ import annotations

from collections.abc import Iterable

from citemeter.grounding.claims import CLAIM_CODES
from citemeter.grounding.measure import (
    CITATION_GROUNDING,
    GROUNDING_RATIOS,
    GroundingResult,
    counted,
)
from citemeter.grounding.place_results import GROUNDING_CODES
from citemeter.metrics.base import Counts, CountsSummary
from citemeter.statistics.aggregate import Aggregator

__all__ = ["GroundingErrorCounts", "GroundingSummary", "summarize_grounding"]

_METRICS = (
    "citation_page_precision",
    "citation_region_precision",
    "citation_grounding",
    "claim_citation_alignment",
)


class GroundingErrorCounts(CountsSummary):
    """How often each kind of error occurs in a data set.

    Args:
        citation_grounding_error_counts: By code, of expected pages and regions that are not hit.
        claim_citation_error_counts: By code, of claims whose citations do not hold them up.
    """

    citation_grounding_error_counts: dict[str, int]
    claim_citation_error_counts: dict[str, int]

    @classmethod
    def of(cls, counts: Counts) -> GroundingErrorCounts:
        """Return them from summed counts; a kind that never occurs has 0."""
        return cls(
            citation_grounding_error_counts={code: counts.get(code, 0) for code in GROUNDING_CODES},
            claim_citation_error_counts={code: counts.get(code, 0) for code in CLAIM_CODES},
        )


class GroundingSummary(GroundingErrorCounts):
    """The same over a data set.

    Args:
        answers: How many answers there were.
        measured: How many of them have a value, by metric.
        citation_page_precision: The mean of the answers' values; ``None`` if none has any.
        citation_region_precision: Likewise.
        citation_grounding: Likewise.
        claim_citation_alignment: Likewise.
        micro: Each metric over the pooled counts; ``citation_grounding`` as the mean of the two.
        citation_grounding_error_counts: The sum of the answers' counts.
        claim_citation_error_counts: Likewise.
        counts: Every named count, summed.
    """

    answers: int
    measured: dict[str, int]
    citation_page_precision: float | None
    citation_region_precision: float | None
    citation_grounding: float | None
    claim_citation_alignment: float | None
    micro: dict[str, float | None]
    counts: dict[str, int]


def summarize_grounding(results: Iterable[GroundingResult]) -> GroundingSummary:
    """Add up the results of a data set; answers without a value enter no mean.

    Args:
        results: One result an answer.

    >>> from citemeter.grounding import citation_grounding
    >>> record = {
    ...     "citations": [{"doc_id": "d", "page_span": [1, 1]}],
    ...     "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
    ... }
    >>> summary = summarize_grounding([citation_grounding(record), citation_grounding({})])
    >>> summary.citation_grounding, summary.measured["citation_grounding"], summary.answers
    (1.0, 1, 2)
    """
    totals = Aggregator(GROUNDING_RATIOS, derived=(CITATION_GROUNDING,))
    for result in results:
        totals.add(result.counts, {name: getattr(result, name) for name in _METRICS})
    counts, summaries = totals.counts, totals.summaries(_METRICS)
    return GroundingSummary(
        answers=totals.responses,
        measured={name: summary.scored for name, summary in summaries.items()},
        **{name: summary.macro for name, summary in summaries.items()},
        micro={name: summary.micro for name, summary in summaries.items()},
        citation_grounding_error_counts=counted(counts, GROUNDING_CODES),
        claim_citation_error_counts=counted(counts, CLAIM_CODES),
        counts=dict(sorted(counts.items())),
    )
