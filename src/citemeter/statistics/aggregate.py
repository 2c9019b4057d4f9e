"""From the counts of each response to its scores, and to the means of a data set."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from citemeter.metrics.base import JUDGE_FAILED, Counts, Derived, Metric
from citemeter.results import Bounds, MetricSummary, Score

__all__ = ["Aggregator"]

_HELD = 4096
"""How many distinct sets of counts are held before they are added up."""


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


def macro_bounds(values: Mapping[float, int], missing: Mapping[Bounds, int]) -> Bounds | None:
    r"""Return the lowest and highest mean that the responses without a value could lead to.

    A response that may turn out to have no value at all enters where it moves the mean further.

    Args:
        values: The number of responses for each value.
        missing: The number of responses for each pair of bounds.

    Returns:
        The bounds, or ``None`` if no value is missing.

    >>> macro_bounds({1.0: 1}, {Bounds(0.0, 0.5): 1})
    Bounds(low=0.5, high=0.75, certain=True)
    >>> macro_bounds({1.0: 1}, {Bounds(0.25, 0.5, certain=False): 1})
    Bounds(low=0.625, high=1.0, certain=True)
    """
    if not missing:
        return None
    fixed = sum(values.values()) + sum(n for bounds, n in missing.items() if bounds.certain)

    def extreme(end: int, sign: int) -> float:
        known = [sign * value * n for value, n in values.items()]
        known += [sign * bounds[end] * n for bounds, n in missing.items() if bounds.certain]
        total, count = fsum(known), fixed
        # Doubtful responses, those that move the mean furthest first, while they move it.
        doubtful = sorted((sign * b[end], n) for b, n in missing.items() if not b.certain)
        for value, n in doubtful:
            if count and value * count >= total:
                break
            total, count = total + value * n, count + n
        return sign * total / count + 0.0  # no negative zero

    return Bounds(extreme(0, 1), extreme(1, -1), certain=fixed > 0)


class Aggregator:
    """Scores responses from their counts and adds them up as they come, in bounded memory.

    Many responses have the same counts; their scores are worked out once. Two aggregators of the
    same metrics add up to one, exactly and in any order: see ``merge``.

    Args:
        metrics: The metrics, in report order.
        zero_division: The value of a metric at 0/0.
        derived: Metrics made of their values.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        zero_division: float | None = None,
        derived: Sequence[Derived] = (),
    ) -> None:
        self.metrics: tuple[Metric, ...] = tuple(metrics)
        self.derived: tuple[Derived, ...] = tuple(derived)
        self.zero_division = zero_division
        self.responses = 0
        self._held: dict[tuple[tuple[str, ...], tuple[int, ...]], list[dict[str, Score] | int]]
        self._held = {}
        self._counts: Counter[str] = Counter()
        self._values: defaultdict[str, Counter[float]] = defaultdict(Counter)
        self._reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._possible: defaultdict[str, Counter[Bounds]] = defaultdict(Counter)
        self._withheld: dict[str, tuple[int, int]] = {}

    def extend(self, metrics: Sequence[Metric], derived: Sequence[Derived] = ()) -> None:
        """Take in further metrics; responses added before have none of their counts.

        Args:
            metrics: The metrics.
            derived: Metrics made of their values.
        """
        self._settle()
        if self.responses:
            more = Aggregator(metrics, self.zero_division, derived)
            more._settle_one({}, more._score({}), self.responses)
            self._add_tables(more)
        self.metrics, self.derived = (*self.metrics, *metrics), (*self.derived, *derived)

    def add(self, counts: Counts, scores: Mapping[str, Score] | None = None) -> Mapping[str, Score]:
        """Take in one response's counts and return its scores.

        Args:
            counts: Its counts.
            scores: The scores of all metrics, if they were worked out before.
        """
        self.responses += 1
        if scores is not None:
            self._settle_one(counts, scores, 1)
            return scores
        key = (tuple(counts), tuple(counts.values()))
        held = self._held.get(key)
        if held is None:
            if len(self._held) >= _HELD:
                self._settle()
            held = self._held[key] = [self._score(counts), 0]
        held[1] += 1  # type: ignore[operator]
        return held[0]  # type: ignore[return-value]

    def _score(self, counts: Counts) -> dict[str, Score]:
        scores = {metric.name: metric.score(counts, self.zero_division) for metric in self.metrics}
        for derived in self.derived:
            scores[derived.name] = derived.score(scores)
        return scores

    def _settle(self) -> None:
        """Add up what is held."""
        for (names, numbers), (scores, times) in self._held.items():
            self._settle_one(dict(zip(names, numbers, strict=True)), scores, times)  # type: ignore[arg-type]
        self._held.clear()

    def _settle_one(self, counts: Counts, scores: Mapping[str, Score], times: int) -> None:
        for name, count in counts.items():
            self._counts[name] += count * times
        for name, score in scores.items():
            if score.value is not None:
                self._values[name][score.value] += times
                continue
            self._reasons[name][score.reason or ""] += times
            if score.bounds is not None:
                self._possible[name][score.bounds] += times
        for metric in self.metrics:
            if scores[metric.name].value is None and scores[metric.name].reason == JUDGE_FAILED:
                self._withhold(metric.name, metric.withheld(counts), times)

    def _withhold(self, name: str, terms: tuple[int, int], times: int = 1) -> None:
        """Note counts that must not enter a micro mean: the judge left them incomplete."""
        top, bottom = self._withheld.get(name, (0, 0))
        self._withheld[name] = (top + terms[0] * times, bottom + terms[1] * times)

    def merge(self, other: Aggregator) -> None:
        """Take in all that another has added up.

        A metric that only one of them has is undefined, or at its value for 0/0, in the responses
        of the other.

        Args:
            other: An aggregator with the same value at 0/0.
        """
        for one, two in ((self, other), (other, self)):
            known = {metric.name for metric in one.metrics} | {d.name for d in one.derived}
            one.extend(
                [metric for metric in two.metrics if metric.name not in known],
                [derived for derived in two.derived if derived.name not in known],
            )
        self.responses += other.responses
        self._add_tables(other)

    def _add_tables(self, other: Aggregator) -> None:
        self._settle()
        other._settle()
        self._counts.update(other._counts)
        for name, values in other._values.items():
            self._values[name].update(values)
        for name, reasons in other._reasons.items():
            self._reasons[name].update(reasons)
        for name, possible in other._possible.items():
            self._possible[name].update(possible)
        for name, terms in other._withheld.items():
            self._withhold(name, terms)

    def restore(
        self, responses: int, counts: Counts, summaries: Mapping[str, MetricSummary]
    ) -> None:
        """Take in what an earlier aggregator of these metrics had added up, from its summaries.

        Args:
            responses: How many responses there were.
            counts: Their summed counts.
            summaries: The summaries of all metrics.
        """
        self.responses += responses
        self._counts.update(counts)
        names = {metric.name: metric.name for metric in self.metrics}
        names |= {derived.name: derived.names[-1] for derived in self.derived}
        for name, summary_name in names.items():
            summary = summaries[summary_name]
            self._values[name].update(summary.values)
            self._reasons[name].update(summary.reasons)
            self._possible[name].update(dict(summary.possible))
            if summary.failed:
                self._withhold(name, summary.withheld)

    @property
    def counts(self) -> dict[str, int]:
        """Every named count, summed over the responses."""
        self._settle()
        return dict(self._counts)

    def summaries(self, names: Sequence[str]) -> dict[str, MetricSummary]:
        """Return the summary of each metric named.

        Args:
            names: Names of the metrics, in the order of the report.
        """
        self._settle()
        found = {metric.name: self._summary(metric.name, metric) for metric in self.metrics}
        for derived in self.derived:
            parts = [found[part] for part in derived.parts]
            micro = derived.combine([part.micro for part in parts])[0]
            update = {"name": derived.names[-1], "micro": micro}
            found[derived.names[-1]] = self._summary(derived.name).model_copy(update=update)
            if derived.mean_name is not None:
                # It has a value where all means have one, so the rarest says how many it rests on.
                rarest = min(parts, key=lambda part: part.scored)
                found[derived.name] = rarest.model_copy(
                    update={
                        "name": derived.name,
                        "macro": derived.combine([part.macro for part in parts])[0],
                        "micro": micro,
                        "bounds": derived.bounds([(part.macro, part.bounds) for part in parts]),
                        "values": {},
                        "possible": (),
                        "withheld": (0, 0),
                    }
                )
        return {name: found[name] for name in names}

    def _summary(self, name: str, metric: Metric | None = None) -> MetricSummary:
        values, reasons, possible = self._values[name], self._reasons[name], self._possible[name]
        withheld = self._withheld.get(name, (0, 0))
        failed = reasons[JUDGE_FAILED]
        return MetricSummary(
            name=name,
            macro=macro_mean(values),
            micro=None if metric is None else metric.pooled(self._counts, withheld),
            scored=sum(values.values()),
            undefined=sum(reasons.values()) - failed,
            failed=failed,
            bounds=macro_bounds(values, possible),
            reasons=dict(sorted(reasons.items())),
            lower_is_better=metric is not None and metric.lower_is_better,
            values=dict(sorted(values.items())),
            possible=tuple(sorted(possible.items())),
            withheld=withheld,
        )
