"""Measure whether the citations in an answer hold.

``parse`` cuts an answer into statements and citations; ``score`` measures a data set, an
``Evaluator`` any number of them; the metric functions take one response each; ``load_judge`` finds
what decides entailment.
"""

from __future__ import annotations

from citemeter._version import __version__
from citemeter.errors import CitemeterError, CitemeterWarning, InputError, JudgeError
from citemeter.evaluation.score import Evaluator, score
from citemeter.evaluation.settings import Settings
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
from citemeter.results import Report, ResponseResult, Score
from citemeter.text.parse import parse
from citemeter.verdicts import Verdict

__all__ = [
    "Citation",
    "CitemeterError",
    "CitemeterWarning",
    "Entails",
    "Evaluator",
    "InputError",
    "Judge",
    "JudgeError",
    "Report",
    "Response",
    "ResponseResult",
    "Score",
    "Settings",
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
