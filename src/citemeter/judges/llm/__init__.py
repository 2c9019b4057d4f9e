"""Language models behind an endpoint as judges."""

from __future__ import annotations

from citemeter.judges.llm.judge import LLMJudge
from citemeter.judges.llm.prompt import Prompt

__all__ = ["LLMJudge", "Prompt"]
