"""What every metric shares: named counts, ratios of them, and the way in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from citemeter.errors import InputError
from citemeter.models import Response
from citemeter.results import Bounds, Score

JUDGE_FAILED = "the judge failed"

__all__ = [
    "JUDGE_FAILED",
    "Counts",
    "Metric",
    "Ratio",
    "RecordLike",
    "check_zero_division",
    "ready",
]

Counts: TypeAlias = Mapping[str, int]
"""Named counts of one response, such as ``{"statements": 4, "supported": 2}``."""

RecordLike: TypeAlias = Response | Mapping[str, Any]
"""A ``Response``, or a plain record that validates as one."""


class Metric(Protocol):
    """A metric of named counts, whatever it makes of them."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def lower_is_better(self) -> bool:
        """Whether its lowest value is its best."""

    def value(
        self, counts: Counts, zero_division: float | None = None
    ) -> tuple[float | None, str | None]:
        """Return its value, and why it is undefined or that something stands in for it."""

    def bounded(self, counts: Counts, zero_division: float | None = None) -> Bounds | None:
        """Return the values that missing verdicts could give; ``None`` if none is missing."""


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
        """Return the value with its counts; see ``value`` for the arguments.

        Raises:
            InputError: If ``zero_division`` is no score.
        """
        check_zero_division(zero_division)
        value, reason = self.value(counts, zero_division)
        top, bottom = counts.get(self.numerator, 0), counts.get(self.denominator, 0)
        return Score(name=self.name, value=value, numerator=top, denominator=bottom, reason=reason)


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
