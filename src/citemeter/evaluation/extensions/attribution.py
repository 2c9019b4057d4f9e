"""The attribution of whole answers to what they cite, where people's labels are given."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

from citemeter.errors import check_choice
from citemeter.evaluation.extensions.base import Extension, Measured, changed
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, CountsSummary, Metric
from citemeter.models import Model, Response

if TYPE_CHECKING:
    from citemeter.attribution import LabelSet
    from citemeter.attribution.relevance import Relevance
    from citemeter.attribution.scores import AttributionSummary

__all__ = ["AttributionExtension"]


class AttributionExtension(Extension):
    """Whether answers are attributed as people say, if ``attribution_label`` is given.

    The class is ``attribution_prediction`` if the record has that field, and otherwise what the
    judge and a check of relevance make of the answer and the sources it cites.

    Args:
        label_set: The classes: ``"caqa"``, ``"attributionbench"``, or a ``LabelSet``.
        unlabelled: Whether a prediction that names no class is a wrong one or left out.
        relevance: ``(question, answer, citation) -> bool``; by default the words that they share.
    """

    name = "attribution"

    def __init__(
        self,
        *,
        label_set: str | LabelSet = "caqa",
        unlabelled: Literal["wrong", "exclude"] = "wrong",
        relevance: Relevance | None = None,
    ) -> None:
        check_choice("unlabelled", unlabelled, ("wrong", "exclude"))
        self._label_set, self._unlabelled, self._relevance = label_set, unlabelled, relevance
        self.options = changed(
            label_set=(label_set, "caqa"),
            unlabelled=(unlabelled, "wrong"),
            relevance=(relevance, None),
        )
        if self.options:
            self._classes  # noqa: B018 - raises if there is none of that name

    @cached_property
    def _classes(self) -> LabelSet:
        from citemeter.attribution.labels import label_set_named

        return label_set_named(self._label_set)

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

        found = yield from ask_attribution(
            response,
            self._relevance or LexicalRelevance(),
            predicted="attribution_prediction" in response.model_fields_set,
            label_set=self._classes,
            name=place,
        )
        return Measured(count_attribution(found, self._unlabelled), found)

    def summarize(self, counts: Counts) -> CountsSummary:
        """Return the scores of each class, the confusion matrix, and micro-F1 by level."""
        return self.models()[1].of(counts, self._classes.labels)

    @classmethod
    def models(cls) -> tuple[type[Model], type[AttributionSummary]]:
        """Return one row, and the scores of each class."""
        from citemeter.attribution.matrix import AttributionOutcome
        from citemeter.attribution.scores import AttributionSummary

        return AttributionOutcome, AttributionSummary
