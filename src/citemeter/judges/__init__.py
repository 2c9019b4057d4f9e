"""Judges: what decides whether a premise entails a hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citemeter.judges.base import CallableJudge, Entails, Judge, Pair, Premise, as_judge
from citemeter.judges.registry import load_judge

if TYPE_CHECKING:
    from citemeter.judges.cache import CachedJudge
    from citemeter.judges.embedded.judge import EmbeddedJudge
    from citemeter.judges.ensemble import EnsembleJudge
    from citemeter.judges.lexical.judge import LexicalJudge
    from citemeter.judges.llm.judge import LLMJudge
    from citemeter.judges.nli.judge import NLIJudge
    from citemeter.judges.recorded import RecordedJudge
    from citemeter.judges.thresholded import ThresholdedJudge
    from citemeter.judges.toy import ContainsJudge, KeywordJudge

__all__ = [
    "CachedJudge",
    "CallableJudge",
    "ContainsJudge",
    "EmbeddedJudge",
    "EnsembleJudge",
    "Entails",
    "Judge",
    "KeywordJudge",
    "LLMJudge",
    "LexicalJudge",
    "NLIJudge",
    "Pair",
    "Premise",
    "RecordedJudge",
    "ThresholdedJudge",
    "as_judge",
    "load_judge",
]

_LAZY_MODULES = {
    "CachedJudge": "cache",
    "ContainsJudge": "toy",
    "EmbeddedJudge": "embedded",
    "EnsembleJudge": "ensemble",
    "KeywordJudge": "toy",
    "LLMJudge": "llm",
    "LexicalJudge": "lexical",
    "NLIJudge": "nli",
    "RecordedJudge": "recorded",
    "ThresholdedJudge": "thresholded",
}
"""Judges that are imported when they are first asked for: most runs use one of them."""


def __getattr__(name: str) -> Any:
    if name in _LAZY_MODULES:
        from importlib import import_module

        return getattr(import_module(f"citemeter.judges.{_LAZY_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
