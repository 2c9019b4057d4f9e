"""Page and region grounding and claim alignment over a data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citemeter.grounding.claims import CLAIM_CODES
from citemeter.grounding.measure import (
    CLAIM_CITATION_ALIGNMENT,
    GroundingResult,
    counted,
    mean_of,
)
from citemeter.grounding.place_results import GROUNDING_CODES
from citemeter.models import Model
from citemeter.results import Score

__all__ = ["GroundingErrorCounts", "GroundingSummary", "summarize_grounding"]


class GroundingSummary(Model):
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
    citation_grounding_error_counts: dict[str, int]
    claim_citation_error_counts: dict[str, int]
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
    names = ("citation_page_precision", "citation_region_precision", "citation_grounding")
    values: dict[str, list[float]] = {name: [] for name in (*names, CLAIM_CITATION_ALIGNMENT.name)}
    counts: dict[str, int] = {}
    tops: dict[str, list[float]] = {name: [0.0, 0.0] for name in values}
    answers = 0
    for result in results:
        answers += 1
        for name, found in values.items():
            score: Score = getattr(result, name)
            if score.value is not None:
                found.append(score.value)
                tops[name][0] += score.numerator
                tops[name][1] += score.denominator
        for name, count in result.counts.items():
            counts[name] = counts.get(name, 0) + count
    micro = {name: top / bottom if bottom else None for name, (top, bottom) in tops.items()}
    micro["citation_grounding"] = mean_of(micro[name] for name in names[:2])
    means = {name: mean_of(found) for name, found in values.items()}
    return GroundingSummary(
        answers=answers,
        measured={name: len(found) for name, found in values.items()},
        citation_page_precision=means["citation_page_precision"],
        citation_region_precision=means["citation_region_precision"],
        citation_grounding=means["citation_grounding"],
        claim_citation_alignment=means["claim_citation_alignment"],
        micro=micro,
        citation_grounding_error_counts=counted(counts, GROUNDING_CODES),
        claim_citation_error_counts=counted(counts, CLAIM_CODES),
        counts=dict(sorted(counts.items())),
    )


class GroundingErrorCounts(Model):
    """How often each kind of error occurs in a data set.

    Args:
        citation_grounding_error_counts: By code, of expected pages and regions that are not hit.
        claim_citation_error_counts: By code, of claims whose citations do not hold them up.
    """

    citation_grounding_error_counts: dict[str, int]
    claim_citation_error_counts: dict[str, int]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> GroundingErrorCounts:
        """Return them from summed counts; a kind that never occurs has 0."""
        return cls(
            citation_grounding_error_counts={code: counts.get(code, 0) for code in GROUNDING_CODES},
            claim_citation_error_counts={code: counts.get(code, 0) for code in CLAIM_CODES},
        )
