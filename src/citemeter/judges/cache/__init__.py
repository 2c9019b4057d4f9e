"""A table of verdicts in a file, and the judge that looks there first."""

from __future__ import annotations

from citemeter.judges.cache.judge import CachedJudge
from citemeter.judges.cache.store import CachedVerdict, JudgeRow, VerdictStore

__all__ = ["CachedJudge", "CachedVerdict", "JudgeRow", "VerdictStore"]
