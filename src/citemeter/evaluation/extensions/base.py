"""Parts of an evaluation that are there for the records that have their fields.

A part adds counts to a response, metrics made of them, and details for a reader. It is written
once for a response; adding up, bounds and means come from the aggregator like those of any metric.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from citemeter.judges.asking import VerdictRequests
from citemeter.metrics.abstention import ABSTENTION_RATIOS, count_abstention
from citemeter.metrics.amounts import AMOUNT_RATIOS, count_amounts
from citemeter.metrics.base import Counts, Metric
from citemeter.metrics.positions import CVCP, INSIDE_RATE, count_positions
from citemeter.models import Response
from citemeter.statistics.aggregate import Derived
from citemeter.text.phrases.refusals import answer_outcome

__all__ = ["AbstentionPart", "DescriptionPart", "Found", "Part"]


class Found(NamedTuple):
    """What a part finds in one response.

    Args:
        counts: Named counts.
        details: What is behind them, as plain data; ``None`` for nothing.
    """

    counts: dict[str, int]
    details: Any = None


class Part(ABC):
    """One optional part.

    Attributes:
        name: What its details are called in results and reports.
        ratios: Its metrics, in report order.
        derived: Metrics made of those.
        judged: Whether it needs a judge.
    """

    name: str
    ratios: tuple[Metric, ...] = ()
    derived: tuple[Derived, ...] = ()
    judged: bool = False

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of its metrics."""
        return (*(ratio.name for ratio in self.ratios), *(metric.name for metric in self.derived))

    @abstractmethod
    def applies(self, response: Response) -> bool:
        """Whether the response has the fields that this part needs."""

    def prepare(self, response: Response, name: str) -> Any:
        """Read the part's fields, once the answer has been read.

        Raises:
            InputError: If one of them is malformed; the record is then set aside.
        """
        return None

    def ask(self, response: Response, prepared: Any) -> VerdictRequests[Any] | None:
        """Return what must be judged before the response can be counted, if anything."""
        return None

    @abstractmethod
    def find(self, response: Response, cited: Sequence[str], prepared: Any) -> Found:
        """Count one response.

        Args:
            response: The response, cut into statements.
            cited: Every id it cites, in order.
            prepared: What ``ask`` came to, or else ``prepare``.
        """

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return what the part says of the data set beside its metrics, from the summed counts."""
        return {}


class AbstentionPart(Part):
    """Whether answers decline where they should, if ``answerable`` is given."""

    name = "abstention"
    ratios = ABSTENTION_RATIOS

    def applies(self, response: Response) -> bool:
        """Whether it is known if the question can be answered."""
        return response.answerable is not None

    def find(self, response: Response, cited: Sequence[str], prepared: Any) -> Found:
        """Count the response's cell of the table."""
        outcome = answer_outcome(response)
        counts = count_abstention(outcome, response.answerable, bool(cited))
        return Found(counts, {"outcome": outcome})

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return the table of answerability and outcome."""
        return {
            side: {
                outcome: counts.get(f"{side}_{outcome}", 0)
                for outcome in ("abstained", "answered", "empty")
            }
            for side in ("answerable", "unanswerable")
        }


class DescriptionPart(Part):
    """How much is cited and where in the statements; on request, for every response."""

    name = "description"
    ratios = (*AMOUNT_RATIOS, CVCP, INSIDE_RATE)

    def applies(self, response: Response) -> bool:
        """Always."""
        return True

    def find(self, response: Response, cited: Sequence[str], prepared: Any) -> Found:
        """Count citations by number and place."""
        return Found({**count_amounts(response), **count_positions(response)})
