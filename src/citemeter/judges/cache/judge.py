"""A judge whose verdicts are kept in a file, so that no pair is judged twice."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from citemeter.errors import CitemeterWarning, JudgeError
from citemeter.judges.base import Entails, Judge, Pair, as_judge, in_order
from citemeter.judges.cache.store import PATIENCE, CachedVerdict, VerdictStore, pair_digest
from citemeter.judges.thresholded import ThresholdedJudge, at_threshold
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["CachedJudge"]

_PORTION = 512
"""Pairs looked up at a time."""
_FAST = 0.001
"""Seconds a verdict under which a transaction for each would cost more than it saves."""
_TOGETHER = 64
"""Verdicts written in one transaction, at most."""
_OLDEST = 1.0
"""Seconds that a verdict waits for others to be written with, at most."""
_PATIENCE_IN_A_RUN = 5.0
"""Seconds to wait for other writers while verdicts can still be written later."""
_RETRY = 5.0
"""Seconds between attempts to write to a file that refuses."""
_HELD = 10_000
"""Verdicts held in memory for a file that refuses."""


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
        self._buffer = WriteBuffer(self._store)

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
        return in_order(self.stream(pairs), len(pairs))

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield the verdicts in the file, then the judge's as they come."""
        identity = self.inner.identity
        unknown: dict[bytes, list[int]] = {}
        for start in range(0, len(pairs), _PORTION):
            digests = [pair_digest(*pair) for pair in pairs[start : start + _PORTION]]
            hits: list[tuple[int, Verdict]] = []
            for position, found in enumerate(self._store.find(identity.key, digests), start):
                verdict = None if found is None else _reread(*found, identity.threshold)
                if verdict is None:
                    unknown.setdefault(digests[position - start], []).append(position)
                else:
                    hits.append((position, self._viewed(verdict)))
            self._count(hits=len(hits))
            yield from hits
        if not unknown:
            return
        places = list(unknown.values())
        verdicts = iter(self.inner.stream([pairs[positions[0]] for positions in places]))
        answered: set[int] = set()
        began = last = time.perf_counter()
        try:
            for place, verdict in verdicts:
                now = time.perf_counter()
                if place in answered:
                    continue
                answered.add(place)
                positions = places[place]
                self._count(hits=len(positions) - 1, misses=1)
                if isinstance(verdict, Verdict):
                    if verdict.supported is not None and verdict.score == verdict.score:
                        pair = pairs[positions[0]]
                        self._buffer.add(
                            CachedVerdict(identity.key, *pair, verdict, identity.threshold),
                            # By its own time, or as one of a batch that took its time.
                            at_once=max(now - last, (now - began) / len(answered)) > _FAST,
                        )
                    verdict = self._viewed(verdict)
                for position in positions:
                    yield position, verdict
                last = time.perf_counter()
        finally:
            # However this ends: done, interrupted, failed, or given up by who asked.
            self.flush()
            if close := getattr(verdicts, "close", None):
                close()

    def flush(self) -> None:
        """Write what waits to be written; only needed by who wants to look at the file in mid-run.

        Warns if that is not possible.
        """
        self._buffer.write(PATIENCE)

    @property
    def unsaved(self) -> int:
        """Verdicts that could not be written and will not be."""
        return self._buffer.unsaved

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
            self._buffer.write(PATIENCE)
            self._buffer.give_up()
        finally:
            self._store.close()
            self.inner.close()

    def _viewed(self, verdict: Verdict) -> Verdict:
        return verdict if self._view is None else at_threshold(verdict, self._view)

    def _count(self, hits: int = 0, misses: int = 0) -> None:
        with self._store.lock:
            self.hits += hits
            self.misses += misses


class WriteBuffer:
    """Verdicts on their way into a file; held in memory, with a warning, while it refuses them.

    Args:
        store: The file.

    Attributes:
        unsaved: Verdicts that were given up.
    """

    def __init__(self, store: VerdictStore) -> None:
        self._store = store
        self.unsaved = 0
        self._waiting: list[CachedVerdict] = []
        self._since = self._not_before = 0.0  # the latter while the file refuses them
        self._process = os.getpid()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, verdict: CachedVerdict, *, at_once: bool) -> None:
        """Take a verdict, and write what waits if it is time or worth a transaction ``at_once``."""
        with self._store.lock:
            self._forget_parent()
            now = time.monotonic()
            if not self._waiting:
                self._since = now
            self._waiting.append(verdict)
            due = at_once or len(self._waiting) >= _TOGETHER or now - self._since >= _OLDEST
            if due and now >= self._not_before:
                self.write(_PATIENCE_IN_A_RUN)
            self.give_up(beyond=_HELD)

    def write(self, patience: float) -> None:
        """Write what waits; warn if that fails, once until it succeeds."""
        with self._store.lock:
            self._forget_parent()
            while self._waiting:
                rows = self._waiting[:_TOGETHER]
                try:
                    self._store.keep(rows, patience)
                except JudgeError as error:
                    known, self._not_before = self._not_before, time.monotonic() + _RETRY
                    if not known:
                        message = f"verdicts are not being kept, the run goes on: {error}"
                        warnings.warn(message, CitemeterWarning, stacklevel=3)
                    return
                del self._waiting[: len(rows)]
                self._not_before = 0.0

    def give_up(self, beyond: int = 0) -> None:
        """Count the oldest verdicts as unsaved, but for so many: memory is no place to keep all."""
        with self._store.lock:
            lost = max(0, len(self._waiting) - beyond)
            del self._waiting[:lost]
            self.unsaved += lost

    def _forget_parent(self) -> None:
        """In a forked process, leave what waited at the fork to the parent."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._waiting.clear()


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
