"""The attribution of whole answers to what they cite, where people's labels are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from citemeter.attribution.classify import ask_attribution
from citemeter.attribution.matrix import AttributionOutcome, Confusion
from citemeter.attribution.relevance import LexicalRelevance
from citemeter.attribution.scores import (
    ATTRIBUTION_MICRO_F1,
    class_scores,
    complexity_ratio,
    count_attribution,
)
from citemeter.evaluation.extensions.base import Found, Part
from citemeter.judges.asking import VerdictRequests, result_of
from citemeter.metrics.base import Counts
from citemeter.models import Response
from citemeter.text.parsed import Reading

__all__ = ["AttributionPart"]

_ROWS = "attribution_rows_"


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

    def prepare(self, reading: Reading, name: str) -> Any:
        """Read label, prediction and level, and compare them if there is a prediction."""
        predicted = "attribution_prediction" in reading.given.model_fields_set
        asking = ask_attribution(reading.response(), self._relevant, predicted=predicted, name=name)
        return result_of(asking) if predicted else asking

    def ask(self, reading: Reading, prepared: Any) -> VerdictRequests[AttributionOutcome] | None:
        """Ask for the class, unless one is given."""
        return None if isinstance(prepared, AttributionOutcome) else prepared

    def find(self, reading: Reading, cited: Sequence[str], prepared: AttributionOutcome) -> Found:
        """Count the row's cell of the confusion matrix."""
        counts = count_attribution(
            prepared.predicted, prepared.label, complexity=prepared.complexity
        )
        details = prepared.model_dump(mode="json", exclude={"classification", "state"})
        if prepared.classification is not None:
            details |= prepared.classification.model_dump(
                mode="json", exclude={"label"}, exclude_none=True
            )
        return Found(counts, details)

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return the scores of each class, the confusion matrix, and micro-F1 by level."""
        scores = class_scores(Confusion.of_counts(counts))
        levels = sorted(n.removeprefix(_ROWS) for n in counts if n.startswith(_ROWS))
        return {
            **scores.model_dump(mode="json"),
            "by_complexity": {level: complexity_ratio(level).value(counts)[0] for level in levels},
        }
