"""Page and region grounding and claim alignment over a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from citemeter.grounding.claims import CLAIM_CODES
from citemeter.grounding.measure import GroundingResult, counted, mean_of
from citemeter.grounding.place_results import GROUNDING_CODES
from citemeter.models import Model
from citemeter.results import Score

__all__ = ["GroundingErrorCounts", "GroundingSummary", "summarize_grounding"]

_METRICS = (
    "citation_page_precision",
    "citation_region_precision",
    "citation_grounding",
    "claim_citation_alignment",
)


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
    scores: dict[str, list[Score]] = {name: [] for name in _METRICS}
    counts = Counter[str]()
    answers = 0
    for result in results:
        answers += 1
        counts.update(result.counts)
        for name in _METRICS:
            score: Score = getattr(result, name)
            if score.value is not None:
                scores[name].append(score)
    micro = {name: _pooled(some) for name, some in scores.items()}
    micro["citation_grounding"] = mean_of(micro[name] for name in _METRICS[:2])
    means = {name: mean_of(score.value for score in some) for name, some in scores.items()}
    return GroundingSummary(
        answers=answers,
        measured={name: len(some) for name, some in scores.items()},
        **means,
        micro=micro,
        citation_grounding_error_counts=counted(counts, GROUNDING_CODES),
        claim_citation_error_counts=counted(counts, CLAIM_CODES),
        counts=dict(sorted(counts.items())),
    )


def _pooled(scores: list[Score]) -> float | None:
    bottom = sum(score.denominator for score in scores)
    return sum(score.numerator for score in scores) / bottom if bottom else None


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
