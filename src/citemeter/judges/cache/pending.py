"""Verdicts on their way into a file: when they are written, and what if they cannot be."""

from __future__ import annotations

import os
import time
from collections import deque

from citemeter.errors import JudgeError
from citemeter.judges.cache.store import Kept, VerdictStore

__all__ = ["Pending"]

_MOST = 64
"""Verdicts written in one transaction, at most."""
_OLDEST = 1.0
"""Seconds that a verdict waits for others to be written with, at most."""
_PATIENCE = 60.0
"""Seconds that the last write of a run waits for other processes."""
_RETRY = 5.0
"""Seconds between attempts to write to a file that refuses."""
_HELD = 10_000
"""Verdicts held in memory for a file that refuses."""


class Pending:
    """Verdicts that wait to be written into a store.

    Args:
        store: The store.

    Attributes:
        problem: Why the last attempt failed, until one succeeds.
        unsaved: Verdicts that were given up.
    """

    def __init__(self, store: VerdictStore) -> None:
        self._store = store
        self.problem: JudgeError | None = None
        self.unsaved = 0
        self._waiting: deque[Kept] = deque()
        self._since = self._not_before = 0.0
        self._process = os.getpid()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, kept: Kept, *, at_once: bool) -> None:
        """Take a verdict, and write what waits if it is time.

        Args:
            kept: The verdict.
            at_once: Whether it is worth a transaction of its own.
        """
        with self._store.lock:
            self._forget_parent()
            now = time.monotonic()
            if not self._waiting:
                self._since = now
            self._waiting.append(kept)
            due = at_once or len(self._waiting) >= _MOST or now - self._since >= _OLDEST
            if due and (self.problem is None or now >= self._not_before):
                self._write(5.0)
            elif len(self._waiting) > _HELD:
                self._drop()

    def flush(self) -> None:
        """Write what waits, with patience."""
        self._write(_PATIENCE)

    def give_up(self) -> None:
        """Count what still waits as lost."""
        with self._store.lock:
            self.unsaved += len(self._waiting)
            self._waiting.clear()

    def _write(self, patience: float) -> None:
        with self._store.lock:
            self._forget_parent()
            waiting = self._waiting
            while waiting:
                rows = [waiting.popleft() for _ in range(min(_MOST, len(waiting)))]
                try:
                    self._store.keep(rows, patience)
                except BaseException as error:
                    waiting.extendleft(reversed(rows))
                    if not isinstance(error, JudgeError):
                        raise
                    self.problem = error
                    self._not_before = time.monotonic() + _RETRY
                    self._drop()
                    return
                self.problem = None

    def _drop(self) -> None:
        """Give up the oldest verdicts that a file refuses, before they fill the memory."""
        while len(self._waiting) > _HELD:
            self._waiting.popleft()
            self.unsaved += 1

    def _forget_parent(self) -> None:
        """In a forked process, leave what waited at the fork to the parent."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._waiting.clear()
