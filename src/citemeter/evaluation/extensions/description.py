"""How much is cited and where in the statements; on request, for every response."""

from __future__ import annotations

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.metrics.amounts import AMOUNT_RATIOS, count_amounts
from citemeter.metrics.base import Metric
from citemeter.metrics.positions import CVCP, INSIDE_RATE, count_positions
from citemeter.models import Response


class DescriptionExtension(Extension):
    """Amounts and positions of citations."""

    name = "description"

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return the amounts, and how positions vary."""
        return (*AMOUNT_RATIOS, CVCP, INSIDE_RATE)

    def applies(self, response: Response, judged: bool) -> bool:
        """Always."""
        return True

    def measure(self, response: Response, place: str) -> Measured:
        """Count citations by number and place."""
        return Measured(count_amounts(response) | count_positions(response))
