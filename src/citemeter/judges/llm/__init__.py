"""Language models behind an endpoint as judges."""

from __future__ import annotations

from citemeter.judges.llm.judge import LLMJudge

__all__ = ["LLMJudge"]
