"""Classes of attribution: is a citation supportive, insufficient, contradictory or irrelevant."""

from __future__ import annotations

from citemeter.attribution.classify import (
    CallableClassifier,
    Classifier,
    NLIClassifier,
    as_classifier,
    ask_attribution,
    ask_class,
)
from citemeter.attribution.labels import ATTRIBUTION_BENCH, CAQA, LabelSet
from citemeter.attribution.matrix import (
    AttributionOutcome,
    Classification,
    Confusion,
    confusion,
)
from citemeter.attribution.relevance import LexicalRelevance
from citemeter.attribution.report import AttributionReport, AttributionResult, attribution_report
from citemeter.attribution.rows import AttributionRow, read_attribution_rows, row_of_response
from citemeter.attribution.scores import (
    ATTRIBUTION_MICRO_F1,
    ClassScores,
    attribution_micro_f1,
    class_scores,
    complexity_ratio,
    count_attribution,
)

__all__ = [
    "ATTRIBUTION_BENCH",
    "ATTRIBUTION_MICRO_F1",
    "CAQA",
    "AttributionOutcome",
    "AttributionReport",
    "AttributionResult",
    "AttributionRow",
    "CallableClassifier",
    "ClassScores",
    "Classification",
    "Classifier",
    "Confusion",
    "LabelSet",
    "LexicalRelevance",
    "NLIClassifier",
    "as_classifier",
    "ask_attribution",
    "ask_class",
    "attribution_micro_f1",
    "attribution_report",
    "class_scores",
    "complexity_ratio",
    "confusion",
    "count_attribution",
    "read_attribution_rows",
    "row_of_response",
]
