"""Where citations point and whether they hold their claims up, where that is expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from citemeter.errors import check_choice
from citemeter.evaluation.extensions.base import Found, Part
from citemeter.evaluation.scored import Scored
from citemeter.grounding.claims import CLAIM_CODES, ClaimRules
from citemeter.grounding.measure import (
    CITATION_PAGE_PRECISION,
    CITATION_REGION_PRECISION,
    CLAIM_CITATION_ALIGNMENT,
    GroundingResult,
    ask_response,
    counted,
    mean_of,
)
from citemeter.grounding.place_results import GROUNDING_CODES
from citemeter.grounding.reading import expects
from citemeter.judges.asking import VerdictRequests, result_of
from citemeter.metrics.base import Counts
from citemeter.models import Response
from citemeter.statistics.aggregate import Derived
from citemeter.text.parsed import Reading

__all__ = ["GroundingPart", "grounding_result"]

CITATION_GROUNDING = Derived(
    "citation_grounding", (CITATION_PAGE_PRECISION.name, CITATION_REGION_PRECISION.name), mean_of
)


class GroundingPart(Part):
    """Pages, regions and claims, if one of the three ``expected_…`` fields is given.

    Args:
        claim_support: Who says whether cited texts hold a claim: their ``tokens``, or the
            ``judge`` of the run.
    """

    name = "grounding"
    ratios = (CITATION_PAGE_PRECISION, CITATION_REGION_PRECISION, CLAIM_CITATION_ALIGNMENT)
    derived = (CITATION_GROUNDING,)

    def __init__(self, claim_support: Literal["tokens", "judge"] = "tokens") -> None:
        check_choice("claim_support", claim_support, ("tokens", "judge"))
        self._rules = ClaimRules(support=claim_support)

    def applies(self, response: Response) -> bool:
        """Whether anything is expected."""
        return expects(response)

    def prepare(self, reading: Reading, name: str) -> Any:
        """Check pages and regions, which finds what is malformed, and claims by their words."""
        asking = ask_response(reading.response(), claims=self._rules, name=name)
        if asking is None or self._rules.support == "judge":
            return asking
        return result_of(asking)

    def ask(self, reading: Reading, prepared: Any) -> VerdictRequests[GroundingResult] | None:
        """Ask the judge about the claims, if it is to decide."""
        return prepared if self._rules.support == "judge" else None

    def find(
        self, reading: Reading, cited: Sequence[str], prepared: GroundingResult | None
    ) -> Found:
        """Count anchors, claims and errors."""
        if prepared is None:
            return Found({})
        details = prepared.model_dump(mode="json", exclude={"counts", "id"})
        return Found(prepared.counts, details)

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return how often each kind of error occurs."""
        codes: tuple[str, ...] = (*GROUNDING_CODES, *CLAIM_CODES)
        numbers = {code: counts.get(code, 0) for code in codes}
        return {
            "citation_grounding_error_counts": counted(numbers, GROUNDING_CODES),
            "claim_citation_error_counts": counted(numbers, CLAIM_CODES),
        }


def grounding_result(scored: Scored) -> GroundingResult:
    """Return a scored response's grounding, built again from its details."""
    details = scored.details[GroundingPart.name]
    return GroundingResult.model_validate(
        {**details, "id": scored.reading.given.id or str(scored.index), "counts": {}}
    )
