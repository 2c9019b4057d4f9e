"""A judge whose verdicts are kept in a file, so that no pair is judged twice."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citemeter.errors import JudgeError
from citemeter.judges.base import Entails, Judge, Pair, as_judge
from citemeter.judges.cache.pending import Pending
from citemeter.judges.cache.store import Kept, VerdictStore, pair_digest
from citemeter.judges.thresholded import ThresholdedJudge, at_threshold
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["CachedJudge"]

_PORTION = 512
"""Pairs looked up at a time."""
_FAST = 0.001
"""Seconds a verdict under which a transaction for each would cost more than it saves."""


class CachedJudge(Judge):
    """Another judge, asked only about pairs whose verdict is not yet in a file.

    A verdict is kept under the judge's identity without its threshold, and the exact pair. It is
    read at the judge's present threshold by its score; where that would not say what the judge
    would (there is no score, or the verdict went against it), the judge is asked again. Failed
    verdicts are not kept.

    Each verdict is written before the judge goes on to the next: a process that is killed has lost
    no more than the batch it was at. Verdicts of a judge that takes less than a millisecond for
    one are written by 64, or once a second; those few can be lost as well. Several processes and
    threads can use one file at once.

    If the file cannot be written in mid-run (a full disk), the run goes on with a warning, and
    what is not in the file is tried again later and at the end: the verdicts are worth more than
    their copy. If it cannot be read, that is an error: nothing is paid for twice unasked.

    Args:
        judge: The judge asked. Of a ``ThresholdedJudge`` its judge's own verdicts are kept.
        path: The file, made if it is not there.

    Attributes:
        inner: The judge asked.
        hits: Verdicts given without asking it.
        misses: Verdicts it gave.

    Raises:
        JudgeError: If the file cannot be opened and written, or the judge cannot be told apart
            from others.

    >>> import tempfile
    >>> from citemeter.judges import load_judge
    >>> path = tempfile.mkdtemp() + "/verdicts.sqlite"
    >>> judge = CachedJudge(load_judge("toy:contains"), path)
    >>> judge("Note: cats purr.", "Cats purr."), judge("Note: cats purr.", "Cats purr.")
    (True, True)
    >>> judge.hits, judge.misses, judge.size
    (1, 1, 1)
    """

    def __init__(self, judge: Judge | Entails, path: str | Path) -> None:
        self._judge = as_judge(judge)
        view = self._judge if isinstance(self._judge, ThresholdedJudge) else None
        self._view = None if view is None else view.threshold
        self.inner = self._judge if view is None else view.inner
        identity = self.inner.identity
        _check_told_apart(identity.model_dump(mode="python"))
        self.hits = self.misses = 0
        self._store = VerdictStore(path, create=True)
        self._store.use(identity.key)
        self._pending = Pending(self._store)
        self._seconds = self._last = 0.0
        self._warned = False

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's own: keeping its verdicts changes none."""
        return self._judge.identity

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def hit_rate(self) -> float | None:
        """The share of verdicts given without asking the judge; ``None`` before the first."""
        given = self.hits + self.misses
        return self.hits / given if given else None

    @property
    def size(self) -> int:
        """How many of the judge's verdicts are in the file."""
        return self._store.count(self.inner.identity.key)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        verdicts = [Verdict.failed("the judge gave no verdict for this pair")] * len(pairs)
        for position, verdict in self.stream(pairs):
            verdicts[position] = verdict
        return verdicts

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield the verdicts in the file, then the judge's as they come."""
        identity = self.inner.identity
        key, threshold, view = identity.key, identity.threshold, self._view
        unknown: dict[bytes, list[int]] = {}
        for start in range(0, len(pairs), _PORTION):
            digests = [pair_digest(*pair) for pair in pairs[start : start + _PORTION]]
            found = self._store.find(key, digests)
            hits: list[tuple[int, Verdict]] = []
            for position, digest in enumerate(digests, start):
                kept = found.get(digest)
                verdict = None if kept is None else _reread(*kept, threshold)
                if verdict is None:
                    unknown.setdefault(digest, []).append(position)
                else:
                    hits.append(
                        (position, verdict if view is None else at_threshold(verdict, view))
                    )
            self._count(hits=len(hits))
            yield from hits
        if not unknown:
            return
        places = list(unknown.items())
        verdicts = iter(self.inner.stream([pairs[positions[0]] for _, positions in places]))
        answered: set[int] = set()
        try:
            while (given := self._next(verdicts)) is not None:
                place, verdict = given
                if place in answered:
                    continue
                answered.add(place)
                digest, positions = places[place]
                self._count(hits=len(positions) - 1, misses=1)
                if isinstance(verdict, Verdict):
                    if verdict.supported is not None and verdict.score == verdict.score:
                        premise, hypothesis = pairs[positions[0]]
                        self._pending.add(
                            Kept(key, digest, premise, hypothesis, verdict, threshold),
                            # By its own time, or as one of a batch that took its time.
                            at_once=max(self._last, self._seconds / self.misses) > _FAST,
                        )
                        self._warn()
                    if view is not None:
                        verdict = at_threshold(verdict, view)
                for position in positions:
                    yield position, verdict
        finally:
            # However this ends: done, interrupted, failed, or given up by who asked.
            self.flush()
            if close := getattr(verdicts, "close", None):
                close()

    def flush(self) -> None:
        """Write what waits to be written; only needed by who wants to look at the file in mid-run.

        Warns if that is not possible.
        """
        self._pending.flush()
        self._warn()

    @property
    def unsaved(self) -> int:
        """Verdicts that could not be written and will not be."""
        return self._pending.unsaved

    def usage(self) -> dict[str, float]:
        """Return what the judge has used up, and how many verdicts the file saved.

        ``cached`` verdicts were in the file, the judge was ``asked`` for the others.
        ``cache_unsaved`` could not be written, if there are any.
        """
        usage = {**self.inner.usage(), "cached": self.hits, "asked": self.misses}
        return {**usage, "cache_unsaved": self.unsaved} if self.unsaved else usage

    def close(self) -> None:
        """Write what waits to be written and close the file and the judge."""
        try:
            self.flush()
            self._pending.give_up()
        finally:
            self._store.close()
            self.inner.close()

    def _count(self, hits: int = 0, misses: int = 0) -> None:
        with self._store.lock:
            self.hits += hits
            self.misses += misses

    def _next(self, verdicts: Iterator[tuple[int, Verdict]]) -> tuple[int, Verdict] | None:
        began = time.perf_counter()
        try:
            return next(verdicts, None)
        finally:
            self._last = time.perf_counter() - began
            self._seconds += self._last

    def _warn(self) -> None:
        problem = self._pending.problem
        if problem is None:
            self._warned = False
        elif not self._warned:
            self._warned = True
            message = f"verdicts are not being kept, the run goes on: {problem}"
            warnings.warn(message, RuntimeWarning, stacklevel=3)


def _reread(verdict: Verdict, given_at: float | None, threshold: float | None) -> Verdict | None:
    """Return a kept verdict at the present threshold; ``None`` if the judge must be asked.

    With another threshold it can be read by its score, unless the judge went by something else.
    """
    if given_at == threshold:
        return verdict
    if threshold is None or verdict.score is None:
        return None
    if given_at is not None and verdict.supported is not (verdict.score >= given_at):
        return None
    return at_threshold(verdict, threshold)


def _check_told_apart(identity: Mapping[str, Any]) -> None:
    """Refuse a callable of which only the name is known, also inside another judge.

    Its verdicts would be given to the next function of that name, or to its own next version.
    """
    name = str(identity.get("name", ""))
    if name.startswith("callable:") and identity.get("version") is None:
        function = name.removeprefix("callable:")
        raise JudgeError(
            f"verdicts of the callable {function!r} cannot be kept, since nothing tells it from "
            "another or from its next version: wrap it as "
            'CallableJudge(function, name="...", version="1") and change the version with it'
        )
    parameters = identity.get("parameters")
    for value in parameters.values() if isinstance(parameters, Mapping) else ():
        for part in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(part, Mapping) and "name" in part:
                _check_told_apart(part)
