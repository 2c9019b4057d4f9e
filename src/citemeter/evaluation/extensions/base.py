"""What an extension is: counts, metrics and details that only some records ask for.

It is written once, for one response. Adding up, bounds, means and merging come from the engine, as
for every metric.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

from citemeter.errors import callable_name
from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, CountsSummary, Derived, Metric
from citemeter.models import Model, Response

__all__ = ["Extension", "Measured"]


class Measured(NamedTuple):
    """What an extension makes of one response.

    Args:
        counts: Named counts.
        details: What is behind them; ``None`` for nothing.
    """

    counts: dict[str, int]
    details: Model | None = None


class Extension(ABC):
    """One extension. What it needs beyond this module is imported when it is first used.

    Attributes:
        name: What its details are called in results and reports. One given in ``Settings`` takes
            the place of the one that ships under its name.
        needs_judge: Whether it cannot do without a judge.
        options: Its choices that are not the default, by name, for the signature.
    """

    name: ClassVar[str]
    needs_judge: bool = False
    options: Mapping[str, Any] = {}

    @property
    def label(self) -> str:
        """What a signature calls it: its name and its options."""
        options = ",".join(f"{name}={_shown(value)}" for name, value in self.options.items())
        return f"{self.name}({options})" if options else self.name

    @classmethod
    def metrics(cls) -> Sequence[Metric]:
        """Return its metrics of counts, in report order."""
        return ()

    @classmethod
    def derived(cls) -> Sequence[Derived]:
        """Return its metrics of other metrics."""
        return ()

    @classmethod
    def metric_names(cls) -> tuple[str, ...]:
        """Return the names of all its metrics."""
        own = [metric.name for metric in cls.metrics()]
        return (*own, *(name for derived in cls.derived() for name in derived.names))

    @abstractmethod
    def applies(self, response: Response, judged: bool) -> bool:
        """Whether a response asks for it.

        Args:
            response: The response as it came.
            judged: Whether there is a judge.
        """

    @abstractmethod
    def measure(self, response: Response, place: str) -> Measured | VerdictRequests[Measured]:
        """Count one response, at once or by a generator that asks for verdicts.

        Args:
            response: The response, cut into statements.
            place: What to call it in an error.

        Raises:
            InputError: If a field is malformed, before the first verdict is asked for; the record
                is then set aside.
        """

    def summarize(self, counts: Counts) -> CountsSummary | None:
        """Return what it says of the data set beside its metrics, from the summed counts."""
        _, summary = self.models()
        return None if summary is None else summary.of(counts)

    @classmethod
    def models(cls) -> tuple[type[Model] | None, type[CountsSummary] | None]:
        """Return the class of one response's details, and that of a data set's summary."""
        return None, None


def changed(**choices: tuple[Any, Any]) -> dict[str, Any]:
    """Return the choices that are not the default.

    Args:
        choices: Each choice and its default, by name.
    """
    return {name: value for name, (value, default) in choices.items() if value != default}


def _shown(value: Any) -> str:
    """Return a choice in a form that is short, and another for another choice."""
    if value is None or isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, (tuple, list)):
        return "+".join(map(_shown, value))
    if callable(value):
        return f"callable:{callable_name(value)}"
    told = re.sub(r" at 0x\w+", "", repr(value))  # an address is another in the next run
    return f"sha256-{sha256(told.encode('utf-8', 'replace')).hexdigest()[:12]}"
