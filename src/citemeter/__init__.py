"""Measure whether the citations in an answer hold.

``parse`` cuts an answer into statements and citations; ``score`` measures a data set; the metric
functions take one response each; ``load_judge`` finds what decides entailment.
"""

from __future__ import annotations

from citemeter._version import __version__
from citemeter.errors import CitemeterError, InputError, JudgeError
from citemeter.evaluation.score import score
from citemeter.judges import Entails, Judge, load_judge
from citemeter.metrics import (
    citation_coverage,
    citation_f1,
    citation_precision,
    citation_recall,
    citation_validity,
    overcitation,
    quote_verification,
    source_overlap,
    support,
    support_rate,
)
from citemeter.models import Citation, Response, Source, Span, Statement
from citemeter.results import Report, Score
from citemeter.text.parse import parse
from citemeter.verdicts import Verdict

__all__ = [
    "Citation",
    "CitemeterError",
    "Entails",
    "InputError",
    "Judge",
    "JudgeError",
    "Report",
    "Response",
    "Score",
    "Source",
    "Span",
    "Statement",
    "Verdict",
    "__version__",
    "citation_coverage",
    "citation_f1",
    "citation_precision",
    "citation_recall",
    "citation_validity",
    "load_judge",
    "overcitation",
    "parse",
    "quote_verification",
    "score",
    "source_overlap",
    "support",
    "support_rate",
]
