"""Where citations point and whether they hold their claims up, where that is expected."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from citemeter.evaluation.extensions.base import Extension, Measured, changed
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import CountsSummary, Derived, Metric
from citemeter.models import Model, Response

if TYPE_CHECKING:
    from citemeter.grounding import GroundingRules

__all__ = ["GroundingExtension"]


class GroundingExtension(Extension):
    """Pages, regions and claims, if one of the three ``expected_…`` fields is given.

    Args:
        claim_support: Who says whether cited texts hold a claim: their ``tokens``, or the
            ``judge`` of the run.
        options: What ``citemeter.grounding.citation_grounding`` takes by name beside its judge
            and ``zero_division``: ``inherit``, ``page_anchors``, ``min_share`` and so on.
    """

    name = "grounding"

    def __init__(
        self, claim_support: Literal["tokens", "judge"] = "tokens", **options: Any
    ) -> None:
        self._claim_support, self._options = claim_support, options
        self.needs_judge = claim_support == "judge"
        self.options = changed(claim_support=(claim_support, "tokens")) | options
        if self.options:
            self._rules  # noqa: B018 - raises if an option is none

    @cached_property
    def _rules(self) -> GroundingRules:
        from citemeter.grounding import GroundingRules

        return GroundingRules(claim_support=self._claim_support, **self._options)

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return page and region precision, and claim alignment."""
        from citemeter.grounding.measure import GROUNDING_RATIOS

        return GROUNDING_RATIOS

    @classmethod
    def derived(cls) -> tuple[Derived, ...]:
        """Return the mean of page and region precision."""
        from citemeter.grounding.measure import CITATION_GROUNDING

        return (CITATION_GROUNDING,)

    def applies(self, response: Response, judged: bool) -> bool:
        """Whether anything is expected."""
        return bool(response.expectations)

    def measure(self, response: Response, place: str) -> VerdictRequests[Measured]:
        """Count anchors, claims and errors; the judge is asked about claims if it is to decide."""
        from citemeter.grounding import ask_grounding, case_of

        case = case_of(response, place)
        result = yield from ask_grounding(case, response, self._rules, name=place)
        return Measured(result.counts, result)

    @classmethod
    def models(cls) -> tuple[type[Model], type[CountsSummary]]:
        """Return one answer's grounding, and how often each kind of error occurs."""
        from citemeter.grounding.measure import GroundingResult
        from citemeter.grounding.summary import GroundingErrorCounts

        return GroundingResult, GroundingErrorCounts
