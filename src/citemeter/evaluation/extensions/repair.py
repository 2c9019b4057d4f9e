"""What would fix an answer's citations, on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, Metric
from citemeter.models import Model, Response, Source
from citemeter.text.parse import ParseOptions

if TYPE_CHECKING:
    from citemeter.repair.counts import ProblemCounts

__all__ = ["RepairExtension"]


class RepairExtension(Extension):
    """Suggested citations, citations that can go, and the scores of the answer so repaired.

    Args:
        parsing: How answers are read.
        premise: What the judge reads of a source.
        options: Further options of ``citemeter.repair.suggest_citations``.
    """

    name = "repair"
    needs_judge = True

    def __init__(
        self, parsing: ParseOptions, premise: Callable[[Source], str], **options: object
    ) -> None:
        self._options = {"parsing": parsing, "premise": premise, **options}

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return the rate of repair, and four scores of the repaired answers."""
        from citemeter.repair import REPAIR_RATIOS

        return REPAIR_RATIOS

    def applies(self, response: Response, judged: bool) -> bool:
        """Always."""
        return True

    def measure(self, response: Response, place: str) -> VerdictRequests[Measured]:
        """Ask about the sources that might support what lacks support."""
        from citemeter.repair import repairing

        result = yield from repairing(response, **self._options)  # type: ignore[arg-type]
        return Measured(result.counts, result)

    @classmethod
    def summarize(cls, counts: Counts) -> ProblemCounts:
        """Return how many statements were repaired, by what was wrong with them."""
        from citemeter.repair.counts import ProblemCounts

        return ProblemCounts.of(counts)

    @classmethod
    def details_model(cls) -> type[Model]:
        """Return one answer's repair."""
        from citemeter.repair import RepairResult

        return RepairResult

    @classmethod
    def summary_model(cls) -> type[Model]:
        """Return how many statements were repaired."""
        from citemeter.repair.counts import ProblemCounts

        return ProblemCounts
