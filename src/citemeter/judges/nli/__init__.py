"""Entailment models as judges."""

from __future__ import annotations

from citemeter.judges.nli.judge import NLIJudge

__all__ = ["NLIJudge"]
