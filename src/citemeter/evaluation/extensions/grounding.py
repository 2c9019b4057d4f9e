"""Where citations point and whether they hold their claims up, where that is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, Derived, Metric
from citemeter.models import EXPECTATIONS, Model, Response

if TYPE_CHECKING:
    from citemeter.grounding.summary import GroundingErrorCounts

__all__ = ["GroundingExtension"]


class GroundingExtension(Extension):
    """Pages, regions and claims, if one of the three ``expected_…`` fields is given.

    Args:
        claim_support: Who says whether cited texts hold a claim: their ``tokens``, or the
            ``judge`` of the run.
    """

    name = "grounding"

    def __init__(self, claim_support: Literal["tokens", "judge"] = "tokens") -> None:
        self.claim_support = claim_support

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return page and region precision, and claim alignment."""
        from citemeter.grounding import measure

        return (
            measure.CITATION_PAGE_PRECISION,
            measure.CITATION_REGION_PRECISION,
            measure.CLAIM_CITATION_ALIGNMENT,
        )

    @classmethod
    def derived(cls) -> tuple[Derived, ...]:
        """Return the mean of page and region precision."""
        from citemeter.grounding.measure import CITATION_GROUNDING

        return (CITATION_GROUNDING,)

    def applies(self, response: Response, judged: bool) -> bool:
        """Whether anything is expected."""
        return any(getattr(response, name) is not None for name in EXPECTATIONS) or (
            bool(response.metadata) and not response.metadata.keys().isdisjoint(EXPECTATIONS)
        )

    def measure(self, response: Response, place: str) -> VerdictRequests[Measured]:
        """Count anchors, claims and errors; the judge is asked about claims if it is to decide."""
        from citemeter.grounding.claims import ClaimRules
        from citemeter.grounding.measure import ask_response

        rules = ClaimRules(support=self.claim_support)
        asking = ask_response(response, claims=rules, name=place)
        if asking is None:
            return Measured({})
        result = yield from asking
        return Measured(result.counts, result)

    @classmethod
    def summarize(cls, counts: Counts) -> GroundingErrorCounts:
        """Return how often each kind of error occurs."""
        from citemeter.grounding.summary import GroundingErrorCounts

        return GroundingErrorCounts.of(counts)

    @classmethod
    def details_model(cls) -> type[Model]:
        """Return one answer's grounding."""
        from citemeter.grounding.measure import GroundingResult

        return GroundingResult

    @classmethod
    def summary_model(cls) -> type[Model]:
        """Return how often each kind of error occurs."""
        from citemeter.grounding.summary import GroundingErrorCounts

        return GroundingErrorCounts
