"""From one score per response to the macro and micro means of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import fsum

from citemeter.metrics.base import JUDGE_FAILED, Ratio
from citemeter.metrics.citation_f1 import harmonic_mean
from citemeter.results import MetricSummary

__all__ = ["F1_PER_RESPONSE", "Aggregator", "macro_mean"]

F1_PER_RESPONSE = "citation_f1_per_response"


def macro_mean(values: Mapping[float, int]) -> float | None:
    r"""Return the mean of per-response values, given how often each occurs.

    .. math:: \frac{1}{n} \sum_{i=1}^{n} v_i

    over the responses where the metric is defined. The sum is rounded once, so the order of the
    responses changes nothing.

    Args:
        values: The number of responses for each value.

    Undefined when:
        There is no response with a value.

    >>> macro_mean({0.5: 1, 1.0: 3})
    0.875
    """
    count = sum(values.values())
    return fsum(value * times for value, times in values.items()) / count if count else None


class Aggregator:
    """Adds up responses as they come, in memory that does not grow with their number.

    Args:
        ratios: The metrics summed up, in report order.
    """

    def __init__(self, ratios: Sequence[Ratio]) -> None:
        self.ratios = tuple(ratios)
        self.counts: Counter[str] = Counter()
        self.responses = 0
        self._values: dict[str, Counter[float]] = {}
        self._reasons: dict[str, Counter[str]] = {}
        self._pooled: dict[str, list[int]] = {ratio.name: [0, 0] for ratio in ratios}

    def add(
        self,
        counts: Mapping[str, int],
        scores: Mapping[str, float | None],
        undefined: Mapping[str, str],
    ) -> None:
        """Take in one response's counts and scores."""
        self.responses += 1
        totals = self.counts
        for name, count in counts.items():
            if count:
                totals[name] += count
        for metric, value in scores.items():
            # The data set's citation_f1 is made of its means; see summaries.
            name = F1_PER_RESPONSE if metric == "citation_f1" else metric
            if value is None:
                self._reasons.setdefault(name, Counter())[undefined[metric]] += 1
            else:
                self._values.setdefault(name, Counter())[value] += 1
        for ratio in self.ratios:
            if ratio.name not in undefined:
                pooled = self._pooled[ratio.name]
                pooled[0] += counts.get(ratio.numerator, 0)
                pooled[1] += counts.get(ratio.denominator, 0)

    def summaries(self, names: Sequence[str]) -> dict[str, MetricSummary]:
        """Return the summary of each metric named; one never seen is undefined throughout."""
        by_name = {ratio.name: ratio for ratio in self.ratios}
        summaries = {}
        for name in names:
            values = self._values.get(name, Counter())
            reasons = self._reasons.get(name, Counter())
            top, bottom = self._pooled.get(name, (0, 0))
            failed = reasons.get(JUDGE_FAILED, 0)
            summaries[name] = MetricSummary(
                name=name,
                macro=macro_mean(values),
                micro=top / bottom if bottom else None,
                scored=sum(values.values()),
                undefined=sum(reasons.values()) - failed,
                failed=failed,
                reasons=dict(sorted(reasons.items())),
                lower_is_better=name in by_name and by_name[name].lower_is_better,
            )
        self._set_f1(summaries)
        return summaries

    @staticmethod
    def _set_f1(summaries: dict[str, MetricSummary]) -> None:
        """Make ``citation_f1`` the harmonic mean of the two means; its own mean keeps its name."""
        precision, recall = summaries.get("citation_precision"), summaries.get("citation_recall")
        own = summaries.get(F1_PER_RESPONSE)
        if precision is None or recall is None or own is None:
            return
        micro = harmonic_mean(precision.micro, recall.micro)
        summaries[F1_PER_RESPONSE] = own.model_copy(update={"micro": micro})
        summaries["citation_f1"] = own.model_copy(
            update={
                "name": "citation_f1",
                "macro": harmonic_mean(precision.macro, recall.macro),
                "micro": micro,
            }
        )
