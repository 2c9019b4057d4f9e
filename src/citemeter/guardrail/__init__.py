"""A guardrail for use online: checks an answer's citations before it is shown, without a model."""

from __future__ import annotations

from citemeter.guardrail.check import Guardrail, check_citations
from citemeter.guardrail.offsets import Edit
from citemeter.guardrail.policy import Policy
from citemeter.guardrail.streaming import GuardrailStream
from citemeter.guardrail.verdict import Checked, Finding, GuardrailVerdict, StreamVerdict

Verdict = GuardrailVerdict
"""The same class by its short name; ``citemeter.Verdict`` is a judge's verdict, another class."""

__all__ = [
    "Checked",
    "Edit",
    "Finding",
    "Guardrail",
    "GuardrailStream",
    "GuardrailVerdict",
    "Policy",
    "StreamVerdict",
    "Verdict",
    "check_citations",
]
