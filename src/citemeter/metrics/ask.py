"""Answering the questions that metrics ask: one by one, or many responses in lock-step.

A metric that needs verdicts is a generator: it yields lists of pairs and is sent lists of verdicts.
It is written once; ``run`` and ``run_all`` only differ in how many advance at a time.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TypeAlias, TypeVar

from citemeter.judges.base import Entails, Judge, Pair, as_judge
from citemeter.results import Verdict

__all__ = ["Asking", "Clerk", "no_collection", "run", "run_all"]

Result = TypeVar("Result")
Asking: TypeAlias = Generator[list[Pair], Sequence[Verdict], Result]
"""A computation that yields pairs to be judged, receives their verdicts, and returns a result."""


class Clerk:
    """Puts pairs to a judge, each distinct pair once, and keeps the verdicts.

    A verdict is kept under the two strings' 64-bit hashes, not the strings: premises are long and a
    run has many. Two different premises of one statement would have to share a hash to be mixed up.

    Args:
        judge: The judge asked.
        limit: How many verdicts are kept, the oldest forgotten first; ``None`` keeps all.
    """

    def __init__(self, judge: Judge | Entails, limit: int | None = None) -> None:
        self.judge = as_judge(judge)
        self.limit = limit
        self.requested = 0
        self.judged = 0
        self.failed = 0
        self._kept: dict[tuple[int, int], Verdict] = {}

    def ask(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return a verdict for each pair; only pairs not seen before reach the judge."""
        kept = self._kept
        keys = [(hash(premise), hash(hypothesis)) for premise, hypothesis in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in kept}
        self.requested += len(pairs)
        if new:
            verdicts = self._judge(list(new.values()))
            self.judged += len(new)
            self.failed += sum(1 for verdict in verdicts if verdict.supported is None)
            kept.update(zip(new, verdicts, strict=True))
        answers = [kept[key] for key in keys]
        if self.limit is not None:
            for key in list(islice(kept, max(0, len(kept) - self.limit))):
                del kept[key]
        return answers

    def _judge(self, pairs: list[Pair]) -> list[Verdict]:
        """Judge a batch; one that raises is halved until the pair at fault stands alone."""
        try:
            verdicts = self.judge.judge(pairs)
            if len(verdicts) != len(pairs):
                message = f"the judge gave {len(verdicts)} verdicts for {len(pairs)} pairs"
                return [Verdict.failed(message)] * len(pairs)
        except Exception as error:  # noqa: BLE001 - whatever a judge raises is a failed verdict
            if len(pairs) == 1:
                return [Verdict.failed(f"{type(error).__name__}: {error}")]
            half = len(pairs) // 2
            return self._judge(pairs[:half]) + self._judge(pairs[half:])
        if all(type(verdict) is Verdict for verdict in verdicts):
            return verdicts
        return [
            v if isinstance(v, Verdict) else Verdict.failed(f"the judge gave {type(v).__name__}")
            for v in verdicts
        ]


@contextmanager
def no_collection() -> Iterator[None]:
    """Hold off the cycle collector while many objects are built.

    They are short-lived and free of cycles; looking for cycles among them again and again
    would take as long as the work itself. A judge never runs inside.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def run(asking: Asking[Result], judge: Judge | Entails) -> Result:
    """Answer one computation's questions and return its result.

    >>> def both(p, q, h):
    ...     first, second = yield [(p, h), (q, h)]
    ...     return first.supported and second.supported
    >>> run(both("a b", "b c", "b"), lambda premise, hypothesis: hypothesis in premise)
    True
    """
    return run_all([asking], Clerk(judge))[0]


def run_all(askings: Iterable[Asking[Result]], clerk: Clerk) -> list[Result]:
    """Advance many computations in lock-step, so that the judge sees them as one batch.

    Args:
        askings: The computations; all are held at once.
        clerk: Who asks the judge.

    Returns:
        Their results, in the order given.
    """
    results: dict[int, Result] = {}
    waiting: list[tuple[int, Asking[Result], list[Pair]]] = []
    with no_collection():
        for place, asking in enumerate(askings):
            try:
                waiting.append((place, asking, next(asking)))
            except StopIteration as stop:
                results[place] = stop.value
    while waiting:
        verdicts = clerk.ask([pair for _, _, pairs in waiting for pair in pairs])
        start = 0
        still: list[tuple[int, Asking[Result], list[Pair]]] = []
        with no_collection():
            for place, asking, pairs in waiting:
                end = start + len(pairs)
                try:
                    still.append((place, asking, asking.send(verdicts[start:end])))
                except StopIteration as stop:
                    results[place] = stop.value
                start = end
        waiting = still
    return [results[place] for place in range(len(results))]
