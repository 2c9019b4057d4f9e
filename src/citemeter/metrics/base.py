"""What every metric shares: named counts, ratios of them, and the way in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias

from citemeter.errors import InputError
from citemeter.models import Model, Response
from citemeter.results import Bounds, Score

JUDGE_FAILED = "the judge failed"

__all__ = ["Counts", "CountsSummary", "Derived", "Metric", "Ratio", "RecordLike", "Terms"]

Counts: TypeAlias = Mapping[str, int]
"""Named counts of one response, such as ``{"statements": 4, "supported": 2}``."""

RecordLike: TypeAlias = Response | Mapping[str, Any]
"""A ``Response``, or a plain record that validates as one."""


class CountsSummary(Model):
    """What is said of a data set beside its metrics, such as a table of counts."""

    @classmethod
    @abstractmethod
    def of(cls, counts: Counts) -> Self:
        """Return it from summed counts."""

    def anew(self, counts: Counts) -> Self:
        """Return the same of other counts: those of a data set that this one is a part of."""
        return self.of(counts)


class Metric(Protocol):
    """A metric of named counts, whatever it makes of them."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def lower_is_better(self) -> bool:
        """Whether its lowest value is its best."""

    def score(self, counts: Counts, zero_division: float | None = None) -> Score:
        """Return its value for one response, or why it is undefined, with what it is made of."""

    def pooled(self, counts: Counts, withheld: tuple[int, int] = (0, 0)) -> float | None:
        """Return its value over summed counts, less those that the judge left incomplete."""

    def withheld(self, counts: Counts) -> tuple[int, int]:
        """Return what of one response's counts must not be pooled if the judge failed on it."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A metric that divides one count by another.

    Args:
        name: The metric's name.
        numerator: The count on top.
        denominator: The count below.
        empty: Why the metric is undefined when the denominator is 0.
        blocked_by: A count that makes the metric undefined when it is not 0: what the judge
            failed on.
        bounds: The lowest and the highest value then. By default none or all of what
            ``blocked_by`` counts would be in the numerator.
        needs: A count that must not be 0 for the metric to exist at all.
        missing: Why it does not exist then.
        at_zero: The value at 0/0 in rule sets that define one.
        lower_is_better: Whether 0 is the best value.
    """

    name: str
    numerator: str
    denominator: str
    empty: str
    blocked_by: str | None = None
    bounds: Callable[[Counts], Bounds | None] | None = None
    needs: str | None = None
    missing: str | None = None
    at_zero: float | None = None
    lower_is_better: bool = False

    def value(
        self, counts: Counts, zero_division: float | None = None
    ) -> tuple[float | None, str | None]:
        """Return the quotient, and why it is undefined or that something stands in for it.

        Args:
            counts: The response's counts.
            zero_division: The value at 0/0. It never stands in for a failed judge.
        """
        if self.needs is not None and not counts.get(self.needs, 0):
            return None, self.missing
        if self.blocked_by is not None and counts.get(self.blocked_by, 0):
            return None, JUDGE_FAILED
        bottom = counts.get(self.denominator, 0)
        if bottom:
            return counts.get(self.numerator, 0) / bottom, None
        if self.at_zero is not None:
            return self.at_zero, None
        return zero_division, self.empty

    def bounded(self, counts: Counts, zero_division: float | None = None) -> Bounds | None:
        """Return the values that missing verdicts could give; ``None`` if none is missing.

        >>> recall = Ratio("recall", "supported", "statements", empty="", blocked_by="unjudged")
        >>> recall.bounded({"supported": 1, "unjudged": 1, "statements": 4})
        Bounds(low=0.25, high=0.5, certain=True)
        """
        missing = counts.get(self.blocked_by, 0) if self.blocked_by is not None else 0
        if not missing:
            return None
        if self.bounds is None:
            top, bottom = counts.get(self.numerator, 0), counts[self.denominator]
            return Bounds(top / bottom, (top + missing) / bottom)
        found = self.bounds(counts)
        if zero_division is None or found is None or found.certain:
            return found
        return Bounds(min(found.low, zero_division), max(found.high, zero_division))

    def score(self, counts: Counts, zero_division: float | None = None) -> Score:
        """Return the value with its counts and bounds; see ``value`` for the arguments.

        Raises:
            InputError: If ``zero_division`` is no score.
        """
        check_zero_division(zero_division)
        value, reason = self.value(counts, zero_division)
        return Score.trusted(
            {
                "name": self.name,
                "value": value,
                "numerator": float(counts.get(self.numerator, 0)),
                "denominator": float(counts.get(self.denominator, 0)),
                "reason": reason,
                "bounds": self.bounded(counts, zero_division) if reason == JUDGE_FAILED else None,
            }
        )

    def pooled(self, counts: Counts, withheld: tuple[int, int] = (0, 0)) -> float | None:
        """Return the quotient of summed counts.

        Args:
            counts: Counts summed over responses. Those where it is 0/0 add nothing to either.
            withheld: What to take from numerator and denominator.
        """
        bottom = counts.get(self.denominator, 0) - withheld[1]
        return (counts.get(self.numerator, 0) - withheld[0]) / bottom if bottom else None

    def withheld(self, counts: Counts) -> tuple[int, int]:
        """Return numerator and denominator of one response."""
        return counts.get(self.numerator, 0), counts.get(self.denominator, 0)


Terms: TypeAlias = tuple[float | None, float, float]
"""``(value, numerator, denominator)``."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric of other metrics' values.

    Args:
        name: Its name.
        parts: The metrics it is made of.
        combine: From their values, ``None`` where undefined, to its own, with what it divides. It
            must not fall where one of them rises, so that bounds go together.
        mean_name: If given, ``name`` is combined from the parts' means over the data set, and the
            mean of the responses' own values is called this; if not, ``name`` is that mean.
    """

    name: str
    parts: tuple[str, ...]
    combine: Callable[[Sequence[float | None]], Terms]
    mean_name: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What a data set's report calls it, and the mean of the responses' values."""
        return (self.name,) if self.mean_name is None else (self.name, self.mean_name)

    def score(self, scores: Mapping[str, Score]) -> Score:
        """Return its value for one response, given the response's other scores."""
        parts = [scores[part] for part in self.parts]
        value, numerator, denominator = self.combine([part.value for part in parts])
        reasons = [part.reason for part in parts if part.value is None and part.reason]
        failed = JUDGE_FAILED in reasons
        return Score.trusted(
            {
                "name": self.name,
                "value": value,
                "numerator": numerator,
                "denominator": denominator,
                "reason": None if value is not None else JUDGE_FAILED if failed else reasons[0],
                "bounds": None
                if value is not None
                else self.bounds([(part.value, part.bounds) for part in parts]),
            }
        )

    def bounds(self, parts: Sequence[tuple[float | None, Bounds | None]]) -> Bounds | None:
        """Return its bounds, given the parts' values and bounds, if any part has some.

        Args:
            parts: ``(value, bounds)`` of each.
        """
        known = [bounds for _, bounds in parts if bounds is not None]
        low, *_ = self.combine([value if own is None else own.low for value, own in parts])
        high, *_ = self.combine([value if own is None else own.high for value, own in parts])
        if not known or low is None or high is None:
            return None
        return Bounds(low, high, all(bounds.certain for bounds in known))


def check_zero_division(value: float | None) -> None:
    """Refuse a value for 0/0 that is no score.

    Raises:
        InputError: If it is neither ``None`` nor in [0, 1].
    """
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"zero_division is {value}.", fix="give a score between 0 and 1, or None.")


def ready(record: RecordLike) -> Response:
    """Return the response behind ``record``, its answer cut into statements if it was not yet.

    Raises:
        InputError: If the record does not validate.
    """
    response = record if isinstance(record, Response) else Response.from_record(record)
    if response.statements is None:
        from citemeter.text.parse import ParseOptions, parse_response

        response = parse_response(response, ParseOptions())
    return response
