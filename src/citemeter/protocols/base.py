"""A protocol: a named set of rules over the same answers, judged by the same judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from citemeter.metrics.alce import count_support, premise_text
from citemeter.metrics.base import Ratio
from citemeter.models import Response, Source, Statement
from citemeter.results import StatementResult

__all__ = ["Protocol"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How citations are judged and counted.

    Args:
        name: The name by which ``score`` finds it.
        recall: The ratio that it calls citation recall.
        precision: The ratio that it calls citation precision.
        count: What it counts of the results of one response's statements.
        cut: How it cuts an answer into statements, if by rules of its own: it returns them, and
            the sources by the ids that its statements cite.
        duplicates: How it counts an id repeated in one statement, if it leaves no choice.
        premise: What the judge reads of a source.
    """

    name: str
    recall: Ratio
    precision: Ratio
    count: Callable[[Sequence[StatementResult]], dict[str, int]] = count_support
    cut: Callable[[Response], tuple[list[Statement], dict[str, Source]]] | None = None
    duplicates: Literal["set", "occurrences"] | None = None
    premise: Callable[[Source], str] = premise_text
