"""A protocol: a named set of rules over the same answers, judged by the same judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from citemeter.metrics.ask import Asking
from citemeter.metrics.base import Ratio
from citemeter.metrics.support import Finding, Rules
from citemeter.models import Response

__all__ = ["Protocol"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How citations are judged and counted.

    Args:
        name: The name by which ``score`` finds it.
        assess: The computation that gives every statement and citation its state.
        count: What it counts of them.
        recall: The ratio that it calls citation recall.
        precision: The ratio that it calls citation precision.
        cuts_answers: Whether it cuts the answer into statements by rules of its own, instead of
            using the parsed statements.
    """

    name: str
    assess: Callable[[Response, Rules], Asking[list[Finding]]]
    count: Callable[[Sequence[Finding]], dict[str, int]]
    recall: Ratio
    precision: Ratio
    cuts_answers: bool = False
