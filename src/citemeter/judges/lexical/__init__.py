"""Words compared: a judge without a model."""

from __future__ import annotations

from citemeter.judges.lexical.judge import LexicalJudge

__all__ = ["LexicalJudge"]
