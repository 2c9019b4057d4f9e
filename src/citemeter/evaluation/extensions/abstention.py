"""Whether answers decline where they should, if ``answerable`` is given."""

from __future__ import annotations

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.metrics.abstention import ABSTENTION_RATIOS, count_abstention
from citemeter.metrics.base import Counts, CountsSummary, Metric
from citemeter.models import Model, Response
from citemeter.text.phrases.refusals import AnswerOutcome, answer_outcome


class AbstentionDetails(Model):
    """What one answer does."""

    outcome: AnswerOutcome


class OutcomeCounts(Model):
    """How many answers abstained, answered and said nothing."""

    abstained: int = 0
    answered: int = 0
    empty: int = 0


class AbstentionSummary(CountsSummary):
    """The answers' outcomes, by whether the question can be answered."""

    answerable: OutcomeCounts
    unanswerable: OutcomeCounts

    @classmethod
    def of(cls, counts: Counts) -> AbstentionSummary:
        """Return the table from summed counts."""
        return cls(
            **{
                side: OutcomeCounts(
                    **{name: counts.get(f"{side}_{name}", 0) for name in OutcomeCounts.model_fields}
                )
                for side in cls.model_fields
            }
        )


class AbstentionExtension(Extension):
    """The table of answerability and outcome, and its rates."""

    name = "abstention"

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return the abstention rates."""
        return ABSTENTION_RATIOS

    def applies(self, response: Response, judged: bool) -> bool:
        """Whether it is known if the question can be answered."""
        return response.answerable is not None

    def measure(self, response: Response, place: str) -> Measured:
        """Count the response's cell of the table."""
        outcome = answer_outcome(response)
        counts = count_abstention(outcome, response.answerable, bool(response.citations))
        return Measured(counts, AbstentionDetails(outcome=outcome))

    @classmethod
    def models(cls) -> tuple[type[Model], type[CountsSummary]]:
        """Return the outcome, and the table."""
        return AbstentionDetails, AbstentionSummary
