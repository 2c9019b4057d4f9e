"""One SQLite file that several threads, processes and their forks share."""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from citemeter.errors import JudgeError, writable

__all__ = ["SqliteFile"]

Result = TypeVar("Result")

_BUSY_SECONDS = 5.0
"""How long SQLite itself waits for another writer; ours take milliseconds."""

_READ_ONLY = (
    "is read-only: give a file in a folder that you may write to. To replay its verdicts without "
    "writing, export it ('citemeter cache export') and use 'recorded:FILE' as the judge"
)
_CAUSES = {
    sqlite3.SQLITE_BUSY: "is held by another program: wait for it to end, or give another file",
    sqlite3.SQLITE_LOCKED: "is held by another program: wait for it to end, or give another file",
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_IOERR: "cannot be read or written: check that its disk is not full or failing",
    sqlite3.SQLITE_FULL: "cannot grow: make room on its disk, or give another file",
    sqlite3.SQLITE_CORRUPT: "is damaged: move it away, or give another file",
    sqlite3.SQLITE_NOTADB: "is no cache of verdicts: give another file, it is left as it is",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that its folder exists and is yours to write",
}
_open_files: weakref.WeakSet[SqliteFile] = weakref.WeakSet()


class SqliteFile:
    """A SQLite database with one schema, opened when needed and safe to share.

    One connection a process, guarded by a lock, serves all threads. It is closed before a fork:
    SQLite's locks do not survive one, and a child that inherits a connection may lose what it
    writes. Both sides open it anew. Writers in several processes take turns, in write-ahead mode,
    so that readers never wait.

    Args:
        path: The file.
        schema: The statements that make a new database.
        application_id: The number that marks the file as ours.
        version: The schema's version.
        create: Whether a file that is not there is made.

    Attributes:
        lock: Held during every use of the connection; may be taken again by who holds it.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        schema: tuple[str, ...],
        application_id: int,
        version: int,
        create: bool,
    ) -> None:
        self.path = Path(os.path.abspath(path))
        self.schema = schema
        self.application_id = application_id
        self.version = version
        self.create = create
        self.lock = RLock()
        self._connections: list[sqlite3.Connection] = []
        # Closes what is open when this object goes, and at the interpreter's end.
        weakref.finalize(self, _close_all, self._connections, self.lock)
        _open_files.add(self)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for a query.

        Raises:
            JudgeError: If the file cannot be read; the message says what to do.
        """
        with self.lock:
            try:
                yield self._connection()
            except sqlite3.Error as error:
                raise self._problem(error) from error

    @contextmanager
    def writing(self, patience: float = _BUSY_SECONDS) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction, which is undone if anything is raised.

        Args:
            patience: For how many seconds to wait for other writers.

        Raises:
            JudgeError: If the file cannot be written; the message says what to do.
        """
        with self.lock:
            try:
                connection = self._connection()
                _patiently(lambda: connection.execute("BEGIN IMMEDIATE"), patience)
                try:
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    # SQLite has already rolled back after some errors (a full disk).
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._problem(error) from error

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        _close_all(self._connections, self.lock)

    def _connection(self) -> sqlite3.Connection:
        if not self._connections:
            self._connections.append(self._opened())
        return self._connections[0]

    def _opened(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise JudgeError(f"the cache {self._name} is a folder: give a file's name")
        if not self.create and not self.path.exists():
            raise JudgeError(f"there is no cache {self._name}: check the path")
        try:
            return self._checked("rwc" if self.create else "rw")
        except sqlite3.OperationalError as error:
            # A database that may not be written can be read if nothing waits in its log.
            log = self.path.with_name(self.path.name + "-wal")
            if self.create or _cause(error) not in (
                sqlite3.SQLITE_READONLY,
                sqlite3.SQLITE_CANTOPEN,
            ):
                raise
            if log.exists() and log.stat().st_size:
                raise
            return self._checked("ro&immutable=1")

    def _checked(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # Of a power failure the last verdicts may be lost, of a killed process none.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 4000")  # pages: each waits for the disk
            if not _patiently(lambda: self._is_ours(connection)):
                self._make(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Return whether the schema is there; refuse what another program or version wrote."""
        # In one transaction: another process may make the tables between two looks.
        own = not connection.in_transaction
        if own:
            connection.execute("BEGIN")
        try:
            (marked,) = connection.execute("PRAGMA application_id").fetchone()
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        finally:
            if own:
                connection.execute("ROLLBACK")
        if marked == self.application_id:
            if version != self.version:
                older = "a newer" if version > self.version else "an older"
                raise JudgeError(
                    f"the cache {self._name} was written by {older} citemeter (format {version}, "
                    f"this one reads {self.version}): use that version, or give another file"
                )
            return True
        if marked or version or tables:
            raise JudgeError(
                f"{self._name} is another program's database: give another file, it is left as "
                "it is"
            )
        if not self.create:
            raise JudgeError(f"{self._name} is empty, not a cache of verdicts: check the path")
        return False

    def _make(self, connection: sqlite3.Connection) -> None:
        # Several processes may come here at once: the first makes the tables.
        _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        _patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
        try:
            if not self._is_ours(connection):
                for statement in self.schema:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {self.application_id}")
                connection.execute(f"PRAGMA user_version = {self.version}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    @property
    def _name(self) -> str:
        return writable(self.path)

    def _problem(self, error: sqlite3.Error) -> JudgeError:
        cause = _CAUSES.get(_cause(error), "cannot be used: give another file")
        return JudgeError(f"the cache {self._name} {cause} ({error})")


def _cause(error: sqlite3.Error) -> int:
    """Return the primary result code."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _patiently(action: Callable[[], Result], seconds: float = 60.0) -> Result:
    """Try again while another process is in the way.

    Some steps (the switch to write-ahead mode, recovery after a crash) fail at once rather than
    wait, whatever the timeout.
    """
    end = time.monotonic() + seconds
    pause = 0.001
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            busy = _cause(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > end:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 0.1)


def _close_all(connections: list[sqlite3.Connection], lock: RLock) -> None:
    with lock:
        while connections:
            with suppress(sqlite3.Error):
                connections.pop().close()


_held: list[SqliteFile] = []


def _before_fork() -> None:
    for file in list(_open_files):
        file.lock.acquire()
        _held.append(file)
        _close_all(file._connections, file.lock)


def _after_fork() -> None:
    while _held:
        _held.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )
