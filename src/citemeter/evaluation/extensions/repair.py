"""What would fix an answer's citations, on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from citemeter.evaluation.extensions.base import Extension, Measured, changed
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.alce import premise_text
from citemeter.metrics.base import CountsSummary, Metric
from citemeter.models import Model, Response, Source
from citemeter.text.parse import ParseOptions

__all__ = ["RepairExtension"]


class RepairExtension(Extension):
    """Suggested citations, citations that can go, and the scores of the answer so repaired.

    Args:
        parsing: How answers are read, if not as they were.
        premise: What the judge reads of a source.
        options: Further options of ``citemeter.repair.suggest_citations``: ``top``,
            ``candidates``, ``problems``.
    """

    name = "repair"
    needs_judge = True

    def __init__(
        self,
        parsing: ParseOptions | None = None,
        premise: Callable[[Source], str] = premise_text,
        **options: Any,
    ) -> None:
        self._options = {"parsing": parsing, "premise": premise, **options}
        self.options = changed(parsing=(parsing, None), premise=(premise, premise_text)) | options
        if options:
            from citemeter.repair.suggest import RepairRules

            RepairRules(**options)  # raises if an option is none

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

        result = yield from repairing(response, **self._options)
        return Measured(result.counts, result)

    @classmethod
    def models(cls) -> tuple[type[Model], type[CountsSummary]]:
        """Return one answer's repair, and how many statements were repaired."""
        from citemeter.repair import RepairResult
        from citemeter.repair.counts import ProblemCounts

        return RepairResult, ProblemCounts
