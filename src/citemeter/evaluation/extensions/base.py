"""What an extension is: counts, metrics and details that only some records ask for.

It is written once, for one response. Adding up, bounds, means and merging come from the engine, as
for every metric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.base import Counts, Derived, Metric
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
        name: What its details are called in results and reports.
        needs_judge: Whether it cannot do without a judge.
    """

    name: ClassVar[str]
    needs_judge: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """What a signature calls it."""
        return self.name

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

    @classmethod
    def summarize(cls, counts: Counts) -> Model | None:
        """Return what it says of the data set beside its metrics, from the summed counts."""
        return None

    @classmethod
    def details_model(cls) -> type[Model] | None:
        """Return the class of one response's details."""
        return None

    @classmethod
    def summary_model(cls) -> type[Model] | None:
        """Return the class of a data set's summary."""
        return None
