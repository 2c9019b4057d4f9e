"""Many searches of one answer as one, so that a judge sees their questions together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from citemeter.judges.asking import VerdictRequests
from citemeter.judges.base import Pair

__all__ = ["together"]

Result = TypeVar("Result")


def together(askings: Iterable[VerdictRequests[Result]]) -> VerdictRequests[list[Result]]:
    """Advance several computations in lock-step and return their results, in order.

    >>> def one(pair):
    ...     [verdict] = yield [pair]
    ...     return verdict.supported
    >>> from citemeter.judges.asking import run
    >>> both = together([one(("a b", "a")), one(("a b", "c"))])
    >>> run(both, lambda premise, hypothesis: hypothesis in premise)
    [True, False]
    """
    results: dict[int, Result] = {}
    waiting: list[tuple[int, VerdictRequests[Result], list[Pair]]] = []
    for place, asking in enumerate(askings):
        try:
            waiting.append((place, asking, next(asking)))
        except StopIteration as stop:
            results[place] = stop.value
    while waiting:
        verdicts = yield [pair for _, _, pairs in waiting for pair in pairs]
        start = 0
        still: list[tuple[int, VerdictRequests[Result], list[Pair]]] = []
        for place, asking, pairs in waiting:
            end = start + len(pairs)
            try:
                still.append((place, asking, asking.send(verdicts[start:end])))
            except StopIteration as stop:
                results[place] = stop.value
            start = end
        waiting = still
    return [results[place] for place in range(len(results))]
