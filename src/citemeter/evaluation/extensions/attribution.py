"""The attribution of whole answers to what they cite, where people's labels are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from citemeter.attribution.classify import ask_class
from citemeter.attribution.labels import CAQA, parse_complexity
from citemeter.attribution.matrix import Classification, Confusion
from citemeter.attribution.relevance import LexicalRelevance
from citemeter.attribution.rows import row_of_response
from citemeter.attribution.scores import (
    ATTRIBUTION_MICRO_F1,
    class_scores,
    complexity_ratio,
    count_attribution,
)
from citemeter.evaluation.extensions.base import Found, Part
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts
from citemeter.models import Response

__all__ = ["AttributionPart"]

_ROWS = "attribution_rows_"


class _Row(NamedTuple):
    label: str
    prediction: str | Classification | None
    complexity: str | None


class AttributionPart(Part):
    """Whether answers are attributed as people say, if ``attribution_label`` is given.

    The class is ``attribution_prediction`` if the record has that field, and otherwise what the
    judge and a check of relevance make of the answer and the sources it cites.
    """

    name = "attribution"
    ratios = (ATTRIBUTION_MICRO_F1,)

    def __init__(self) -> None:
        self._relevant = LexicalRelevance()

    def applies(self, response: Response) -> bool:
        """Whether there is a label."""
        return response.attribution_label is not None

    def prepare(self, response: Response, name: str) -> _Row:
        """Read label, prediction and level."""
        label = CAQA.parse(response.attribution_label, record=name, field="attribution_label")
        prediction = CAQA.parse_prediction(
            response.attribution_prediction, record=name, field="attribution_prediction"
        )
        return _Row(label, prediction, parse_complexity(response.complexity))

    def ask(self, response: Response, prepared: _Row) -> VerdictRequests[_Row] | None:
        """Ask for the class, unless one is given."""
        if "attribution_prediction" in response.model_fields_set:
            return None
        return self._asking(response, prepared)

    def _asking(self, response: Response, prepared: _Row) -> VerdictRequests[_Row]:
        found = yield from ask_class(row_of_response(response), self._relevant)
        return prepared._replace(prediction=found)

    def find(self, response: Response, cited: Sequence[str], prepared: _Row) -> Found:
        """Count the row's cell of the confusion matrix."""
        label, prediction, complexity = prepared
        counts = count_attribution(prediction, label, complexity=complexity)
        details: dict[str, Any] = {"label": label, "complexity": complexity}
        if isinstance(prediction, Classification):
            details |= prediction.model_dump(mode="json", exclude_none=True)
            details["prediction"] = prediction.label
        else:
            details["prediction"] = prediction
        return Found(counts, details)

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return the scores of each class, the confusion matrix, and micro-F1 by level."""
        scores = class_scores(Confusion.of_counts(counts))
        levels = sorted(n.removeprefix(_ROWS) for n in counts if n.startswith(_ROWS))
        return {
            **scores.model_dump(mode="json"),
            "by_complexity": {level: complexity_ratio(level).value(counts)[0] for level in levels},
        }
