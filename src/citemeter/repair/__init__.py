"""Misattribution repair: what would support an answer's statements, and which citations can go."""

from __future__ import annotations

from citemeter.repair.counts import REPAIR_RATE, REPAIR_RATIOS, count_repairs, summarize_repairs
from citemeter.repair.models import (
    PROBLEMS,
    SCORES,
    Outcome,
    Problem,
    Removal,
    RepairResult,
    RepairSummary,
    StatementRepair,
    Suggestion,
    Way,
)
from citemeter.repair.prefilter import Prefilter
from citemeter.repair.suggest import repairing, suggest_all, suggest_citations

__all__ = [
    "PROBLEMS",
    "REPAIR_RATE",
    "REPAIR_RATIOS",
    "SCORES",
    "Outcome",
    "Prefilter",
    "Problem",
    "Removal",
    "RepairResult",
    "RepairSummary",
    "StatementRepair",
    "Suggestion",
    "Way",
    "count_repairs",
    "repairing",
    "suggest_all",
    "suggest_citations",
    "summarize_repairs",
]
