"""The attribution of whole answers to what they cite, where people's labels are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, Metric
from citemeter.models import Model, Response

if TYPE_CHECKING:
    from citemeter.attribution.scores import AttributionSummary

__all__ = ["AttributionExtension"]


class AttributionExtension(Extension):
    """Whether answers are attributed as people say, if ``attribution_label`` is given.

    The class is ``attribution_prediction`` if the record has that field, and otherwise what the
    judge and a check of relevance make of the answer and the sources it cites.
    """

    name = "attribution"

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return micro-F1."""
        from citemeter.attribution.scores import ATTRIBUTION_MICRO_F1

        return (ATTRIBUTION_MICRO_F1,)

    def applies(self, response: Response, judged: bool) -> bool:
        """Whether there is a label, and a prediction or somebody to make one."""
        return response.attribution_label is not None and (
            judged or "attribution_prediction" in response.model_fields_set
        )

    def measure(self, response: Response, place: str) -> VerdictRequests[Measured]:
        """Count the row's cell of the confusion matrix; the judge is asked unless there is one."""
        from citemeter.attribution.classify import ask_attribution
        from citemeter.attribution.relevance import LexicalRelevance
        from citemeter.attribution.scores import count_attribution

        predicted = "attribution_prediction" in response.model_fields_set
        found = yield from ask_attribution(
            response, LexicalRelevance(), predicted=predicted, name=place
        )
        counts = count_attribution(found.predicted, found.label, complexity=found.complexity)
        return Measured(counts, found)

    @classmethod
    def summarize(cls, counts: Counts) -> AttributionSummary:
        """Return the scores of each class, the confusion matrix, and micro-F1 by level."""
        from citemeter.attribution.scores import AttributionSummary

        return AttributionSummary.of(counts)

    @classmethod
    def details_model(cls) -> type[Model]:
        """Return one row."""
        from citemeter.attribution.matrix import AttributionOutcome

        return AttributionOutcome

    @classmethod
    def summary_model(cls) -> type[Model]:
        """Return the scores of each class."""
        from citemeter.attribution.scores import AttributionSummary

        return AttributionSummary
