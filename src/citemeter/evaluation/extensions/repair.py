"""What would fix an answer's citations, on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from citemeter.evaluation.extensions.base import Found, Part
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts
from citemeter.models import Response, Source
from citemeter.repair import REPAIR_RATIOS, RepairResult, repairing
from citemeter.repair.counts import count_outcomes
from citemeter.text.parse import ParseOptions
from citemeter.text.parsed import Reading

__all__ = ["RepairPart"]


class RepairPart(Part):
    """Suggested citations, citations that can go, and the scores of the answer so repaired.

    Args:
        parsing: How answers are read.
        premise: What the judge reads of a source.
    """

    name = "repair"
    ratios = REPAIR_RATIOS

    def __init__(self, parsing: ParseOptions, premise: Callable[[Source], str]) -> None:
        self._parsing = parsing
        self._premise = premise

    def applies(self, response: Response) -> bool:
        """Always."""
        return True

    def ask(self, reading: Reading, prepared: Any) -> VerdictRequests[RepairResult]:
        """Ask about the sources that might support what lacks support."""
        return repairing(reading.response(), premise=self._premise, parsing=self._parsing)

    def find(self, reading: Reading, cited: Sequence[str], prepared: RepairResult) -> Found:
        """Count repairs, and what the repaired answer's scores are made of."""
        details = prepared.model_dump(
            mode="json", exclude={"id", "original", "before", "counts"}, exclude_none=True
        )
        return Found(prepared.counts, details)

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return how many statements were repaired, by what was wrong with them."""
        return dict(count_outcomes(counts).items())
