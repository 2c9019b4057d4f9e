"""Answering the questions that metrics ask: one by one, or many responses in lock-step.

A metric that needs verdicts is a generator: it yields lists of pairs and is sent lists of verdicts.
It is written once. ``gather`` makes one of many, which then advance in lock-step; ``run``
puts what it yields to a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from citemeter.errors import JudgeError
from citemeter.judges.base import Entails, Judge, Pair, as_judge, every_verdict
from citemeter.verdicts import Verdict

__all__ = ["JudgeSession", "VerdictRequests"]

Result = TypeVar("Result")
VerdictRequests: TypeAlias = Generator[list[Pair], Sequence[Verdict], Result]
"""A computation that yields pairs to be judged, receives their verdicts, and returns a result."""


PAIR_COUNTS = ("needed", "judged", "failed", "chunked", "truncated")
"""What a session counts of the pairs it is asked about, by the names in a report."""


class JudgeSession:
    """Puts pairs to a judge, each distinct pair once, and keeps the verdicts.

    A verdict is kept under the two strings' 64-bit hashes, not the strings: premises are long and a
    run has many. Two different premises of one statement would have to share a hash to be mixed up.

    Args:
        judge: The judge asked.
        limit: How many verdicts are kept, the oldest forgotten first; ``None`` keeps all.
        on_verdict: Called after each verdict, to show progress.

    Attributes:
        needed: Verdicts that were asked for.
        judged: Distinct pairs that the judge has answered.
        failed: Pairs that it failed on.
        chunked: Pairs whose premise it read in windows.
        truncated: Pairs whose premise it cut short.
    """

    def __init__(
        self,
        judge: Judge | Entails,
        limit: int | None = None,
        on_verdict: Callable[[], None] | None = None,
    ) -> None:
        self.judge = as_judge(judge)
        self.limit = limit
        self.on_verdict = on_verdict
        self.needed = self.judged = self._given = 0
        self.failed = self.chunked = self.truncated = 0
        self._usage = self.judge.usage()
        self._kept: dict[tuple[int, int], Verdict] = {}

    def ask(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return a verdict for each pair; only pairs not seen before reach the judge."""
        kept = self._kept
        keys = [(hash(premise), hash(hypothesis)) for premise, hypothesis in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in kept}
        self.needed += len(pairs)
        if new:
            kept.update(zip(new, self._judge(list(new.values())), strict=True))
        answers = [kept[key] for key in keys]
        if self.limit is not None:
            for key in list(islice(kept, max(0, len(kept) - self.limit))):
                del kept[key]
        return answers

    @property
    def waiting(self) -> int:
        """Distinct pairs that the judge has still to answer."""
        return self._given - self.judged

    @property
    def counts(self) -> dict[str, int]:
        """What was asked and what became of it, by name."""
        return {name: getattr(self, name) for name in PAIR_COUNTS}

    def usage(self) -> dict[str, float]:
        """Return what the judge has used up or saved in answering these questions."""
        before = self._usage
        return {name: value - before.get(name, 0) for name, value in self.judge.usage().items()}

    def _judge(self, pairs: list[Pair]) -> list[Verdict]:
        self._given += len(pairs)
        verdicts: dict[int, Verdict] = {}
        for place, verdict in every_verdict(self.judge, pairs, fatal=(JudgeError,)):
            verdicts[place] = verdict
            self.judged += 1
            self.failed += verdict.supported is None
            self.chunked += verdict.long_premise == "chunked"
            self.truncated += verdict.long_premise == "truncated"
            if self.on_verdict is not None:
                self.on_verdict()
        return [verdicts[place] for place in range(len(pairs))]


def run(requests: VerdictRequests[Result], judge: Judge | Entails | JudgeSession) -> Result:
    """Put what a computation asks for to a judge, and return its result.

    Args:
        requests: The computation; ``gather`` makes one of many.
        judge: Who is asked; a session counts and remembers.

    >>> def both(p, q, h):
    ...     first, second = yield [(p, h), (q, h)]
    ...     return first.supported and second.supported
    >>> run(both("a b", "b c", "b"), lambda premise, hypothesis: hypothesis in premise)
    True
    """
    session = judge if isinstance(judge, JudgeSession) else JudgeSession(judge)
    verdicts: Any = None  # to begin with
    while True:
        try:
            pairs = requests.send(verdicts)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        verdicts = session.ask(pairs)


def result_of(requests: VerdictRequests[Result]) -> Result:
    """Return the result of a computation that happens to need no verdict.

    Raises:
        JudgeError: If it needs one.
    """
    try:
        pairs = next(requests)
    except StopIteration as stop:
        result: Result = stop.value
        return result
    raise JudgeError(f"{len(pairs)} pairs must be judged, and there is no judge")


def gather(several: Iterable[VerdictRequests[Result]]) -> VerdictRequests[list[Result]]:
    """Make one computation of several, each of whose requests holds the next of all of them.

    >>> def supports(premise, hypothesis):
    ...     [verdict] = yield [(premise, hypothesis)]
    ...     return verdict.supported
    >>> both = gather([supports("a b", "a"), supports("a b", "c")])
    >>> run(both, lambda premise, hypothesis: hypothesis in premise)
    [True, False]
    """
    results: dict[int, Result] = {}
    going = list(enumerate(several))
    answers: dict[int, list[Verdict]] = {}  # none to begin with
    while going:
        asked: list[tuple[int, VerdictRequests[Result], list[Pair]]] = []
        for place, requests in going:
            answer: Any = answers.get(place)
            try:
                asked.append((place, requests, requests.send(answer)))
            except StopIteration as stop:
                results[place] = stop.value
        if not asked:
            break
        verdicts = iter((yield [pair for _, _, pairs in asked for pair in pairs]))
        answers = {place: list(islice(verdicts, len(pairs))) for place, _, pairs in asked}
        going = [(place, requests) for place, requests, _ in asked]
    return [results[place] for place in range(len(results))]
