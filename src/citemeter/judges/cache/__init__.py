"""A table of verdicts in a file, and the judge that looks there first."""

from __future__ import annotations

from citemeter.judges.cache.judge import CachedJudge

__all__ = ["CachedJudge"]
