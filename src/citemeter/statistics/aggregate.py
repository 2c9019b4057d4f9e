"""From the counts of each response to its scores, and to the means of a data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from types import MappingProxyType
from typing import NamedTuple

from citemeter.metrics.base import JUDGE_FAILED, Counts, Metric, Ratio
from citemeter.metrics.citation_f1 import harmonic_mean
from citemeter.results import Bounds, MetricSummary

__all__ = ["F1_PER_RESPONSE", "Aggregator", "Derived", "Values", "macro_bounds", "macro_mean"]

F1_PER_RESPONSE = "citation_f1_per_response"

_HELD = 4096
"""How many distinct sets of counts are held before they are added up."""


_NO_BOUNDS: Mapping[str, Bounds] = MappingProxyType({})


class Values(NamedTuple):
    """One response's value for each metric, and the reason for each that is undefined.

    Where the reason is a failed judge, ``bounds`` has what the value could have been.
    """

    scores: dict[str, float | None]
    undefined: dict[str, str]
    bounds: Mapping[str, Bounds] = _NO_BOUNDS


class Derived(NamedTuple):
    """A metric of other metrics' values.

    Args:
        name: Its name.
        parts: The metrics it is made of.
        combine: From their values of one response, ``None`` where undefined, to its own.
    """

    name: str
    parts: tuple[str, ...]
    combine: Callable[[Sequence[float | None]], float | None]


class _Held:
    """The values of responses with the same counts, and how many there are."""

    __slots__ = ("times", "values")

    def __init__(self, values: Values) -> None:
        self.values = values
        self.times = 0


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

    Many responses have the same counts; their scores are worked out once.

    Args:
        ratios: The metrics, in report order.
        zero_division: The value of a metric at 0/0.
        derived: Metrics made of their values.
    """

    def __init__(
        self,
        ratios: Sequence[Metric],
        zero_division: float | None = None,
        derived: Sequence[Derived] = (),
    ) -> None:
        self.ratios = tuple(ratios)
        self.derived = tuple(derived)
        self.zero_division = zero_division
        self.responses = 0
        self._held: dict[tuple[tuple[str, ...], tuple[int, ...]], _Held] = {}
        self._counts: dict[str, int] = {}
        self._values: dict[str, dict[float, int]] = {}
        self._reasons: dict[str, dict[str, int]] = {}
        self._withheld: dict[str, list[int]] = {}
        self._bounds: dict[str, dict[Bounds, int]] = {}

    def extend(self, ratios: Sequence[Metric], derived: Sequence[Derived] = ()) -> None:
        """Take in further metrics; responses added before have none of their counts.

        Args:
            ratios: The metrics.
            derived: Metrics made of their values.
        """
        self._settle()
        before, self.responses = self.responses, 0
        whole = self.ratios, self.derived
        self.ratios, self.derived = tuple(ratios), tuple(derived)
        if before:
            held = self._held[(), ()] = _Held(self._score({}))
            held.times = before
            self._settle()
        self.responses = before
        self.ratios, self.derived = (*whole[0], *ratios), (*whole[1], *derived)

    def add(self, counts: Counts) -> Values:
        """Take in one response's counts and return its values."""
        self.responses += 1
        key = (tuple(counts), tuple(counts.values()))
        held = self._held.get(key)
        if held is None:
            if len(self._held) >= _HELD:
                self._settle()
            held = self._held[key] = _Held(self._score(counts))
        held.times += 1
        return held.values

    def _score(self, counts: Counts) -> Values:
        scores: dict[str, float | None] = {}
        undefined: dict[str, str] = {}
        bounds: dict[str, Bounds] = {}
        for ratio in self.ratios:
            value, reason = ratio.value(counts, self.zero_division)
            scores[ratio.name] = value
            if value is None:
                undefined[ratio.name] = reason or ""
                if reason == JUDGE_FAILED:
                    found = ratio.bounded(counts, self.zero_division)
                    if found is not None:
                        bounds[ratio.name] = found
        if "citation_precision" in scores and "citation_recall" in scores:
            scores["citation_f1"] = harmonic_mean(
                scores["citation_precision"], scores["citation_recall"]
            )
            if scores["citation_f1"] is None:
                reasons = [undefined.get("citation_precision"), undefined.get("citation_recall")]
                undefined["citation_f1"] = (
                    JUDGE_FAILED if JUDGE_FAILED in reasons else next(filter(None, reasons))
                )
                f1 = _f1_bounds(scores, bounds)
                if f1 is not None:
                    bounds["citation_f1"] = f1
        for derived in self.derived:
            scores[derived.name] = derived.combine([scores.get(part) for part in derived.parts])
            if scores[derived.name] is None:
                known = filter(None, map(undefined.get, derived.parts))
                undefined[derived.name] = next(known, "")
        return Values(scores, undefined, bounds or _NO_BOUNDS)

    def _settle(self) -> None:
        """Add up what is held."""
        for key, held in self._held.items():
            times, (scores, undefined, _) = held.times, held.values
            for name, count in zip(*key, strict=True):
                self._counts[name] = self._counts.get(name, 0) + count * times
            for name, value in scores.items():
                if value is None:
                    reasons = self._reasons.setdefault(name, {})
                    reasons[undefined[name]] = reasons.get(undefined[name], 0) + times
                else:
                    values = self._values.setdefault(name, {})
                    values[value] = values.get(value, 0) + times
            if JUDGE_FAILED in undefined.values():
                self._withhold(dict(zip(*key, strict=True)), undefined, times)
                for name, bounds in held.values.bounds.items():
                    known = self._bounds.setdefault(name, {})
                    known[bounds] = known.get(bounds, 0) + times
        self._held.clear()

    def _withhold(self, counts: Counts, undefined: Mapping[str, str], times: int) -> None:
        """Note counts that must not enter a micro mean: the judge left them incomplete."""
        for ratio in self.ratios:
            if undefined.get(ratio.name) == JUDGE_FAILED and isinstance(ratio, Ratio):
                pair = self._withheld.setdefault(ratio.name, [0, 0])
                pair[0] += counts.get(ratio.numerator, 0) * times
                pair[1] += counts.get(ratio.denominator, 0) * times

    def _micro(self, metric: Metric) -> float | None:
        """Return a metric's value over the pooled counts of the responses where it is defined.

        A response where it is 0/0 adds nothing to either count.
        """
        if not isinstance(metric, Ratio):
            return metric.value(self._counts)[0]
        top, bottom = self._withheld.get(metric.name, (0, 0))
        bottom = self._counts.get(metric.denominator, 0) - bottom
        return (self._counts.get(metric.numerator, 0) - top) / bottom if bottom else None

    @property
    def counts(self) -> dict[str, int]:
        """Every named count that is not 0, summed over the responses."""
        self._settle()
        return {name: count for name, count in sorted(self._counts.items()) if count}

    def summaries(self, names: Sequence[str]) -> dict[str, MetricSummary]:
        """Return the summary of each metric named; one never seen is undefined throughout."""
        self._settle()
        by_name = {ratio.name: ratio for ratio in self.ratios}
        summaries = {}
        for name in names:
            # The data set's citation_f1 is made of its means; the mean of F1s has its own name.
            key = "citation_f1" if name == F1_PER_RESPONSE else name
            values, reasons = self._values.get(key, {}), self._reasons.get(key, {})
            failed = reasons.get(JUDGE_FAILED, 0)
            summaries[name] = MetricSummary(
                name=name,
                macro=macro_mean(values),
                micro=self._micro(by_name[name]) if name in by_name else None,
                scored=sum(values.values()),
                undefined=sum(reasons.values()) - failed,
                failed=failed,
                bounds=macro_bounds(values, self._bounds.get(key, {})),
                reasons=dict(sorted(reasons.items())),
                lower_is_better=name in by_name and by_name[name].lower_is_better,
            )
        self._set_f1(summaries)
        for derived in self.derived:
            if derived.name in summaries:
                micro = derived.combine([self._micro(by_name[part]) for part in derived.parts])
                own = summaries[derived.name]
                summaries[derived.name] = own.model_copy(update={"micro": micro})
        return summaries

    @staticmethod
    def _set_f1(summaries: dict[str, MetricSummary]) -> None:
        """Make ``citation_f1`` the harmonic mean of the two means."""
        precision, recall = summaries.get("citation_precision"), summaries.get("citation_recall")
        own = summaries.get(F1_PER_RESPONSE)
        if precision is None or recall is None or own is None:
            return
        micro = harmonic_mean(precision.micro, recall.micro)
        summaries[F1_PER_RESPONSE] = own.model_copy(update={"micro": micro})
        # It has a value where both means have one, so the rarer of them says how many it rests on.
        rarer = precision if precision.scored <= recall.scored else recall
        summaries["citation_f1"] = rarer.model_copy(
            update={
                "name": "citation_f1",
                "macro": harmonic_mean(precision.macro, recall.macro),
                "bounds": _f1_bounds(
                    {"citation_precision": precision.macro, "citation_recall": recall.macro},
                    {
                        summary.name: summary.bounds
                        for summary in (precision, recall)
                        if summary.bounds is not None
                    },
                ),
                "micro": micro,
            }
        )


def _f1_bounds(values: Mapping[str, float | None], bounds: Mapping[str, Bounds]) -> Bounds | None:
    """Return the bounds of the harmonic mean of precision and recall, if either has any.

    Both are lowest under the same verdicts, and highest too, so their ends go together.
    """
    ends = []
    for name in ("citation_precision", "citation_recall"):
        value, own = values.get(name), bounds.get(name)
        if own is None and value is None:
            return None
        ends.append(own or Bounds(value or 0.0, value or 0.0))
    precision, recall = ends
    low = harmonic_mean(precision.low, recall.low)
    high = harmonic_mean(precision.high, recall.high)
    if not bounds or low is None or high is None:
        return None
    return Bounds(low, high, precision.certain and recall.certain)
