"""The file in which verdicts are kept: SQLite, one table each of judges, texts and verdicts."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import weakref
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

from pydantic import ValidationError

from citemeter.errors import JudgeError, writable
from citemeter.judges.base import passages_of
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["CachedVerdict", "JudgeRow", "VerdictStore"]

PATIENCE = 60.0
"""Seconds to wait for other programs that write to the file."""
_PORTION = 512
"""Rows exported at a time."""
_COMPRESSED = 400
"""Texts of more bytes than this are compressed: shorter ones gain too little."""

_APPLICATION = 0x63_6D_74_72  # "cmtr"
_VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE judges (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE,
            first_used REAL NOT NULL,
            last_used REAL NOT NULL
        )""",
        """CREATE TABLE texts (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            compressed INTEGER NOT NULL,
            body BLOB NOT NULL
        )""",
        """CREATE TABLE verdicts (
            id INTEGER PRIMARY KEY,
            judge INTEGER NOT NULL REFERENCES judges(id),
            pair BLOB NOT NULL,
            premise INTEGER NOT NULL REFERENCES texts(id),
            hypothesis INTEGER NOT NULL REFERENCES texts(id),
            passages TEXT,
            supported INTEGER NOT NULL,
            score REAL,
            label,
            reason,
            long_premise TEXT,
            threshold REAL,
            UNIQUE (judge, pair)
        )""",
    ),
)
"""What makes a file of one version one of the next; a new file has version 0.

Append to it, and change nothing in it: files of every version are about.
"""

# Judges are found by their key each time: another process may have cleared a judge meanwhile, and
# its id be another's.
_FIND = """
    SELECT supported, score, CAST(label AS TEXT), CAST(reason AS TEXT), long_premise, threshold
    FROM verdicts
    WHERE judge = (SELECT id FROM judges WHERE key = ?) AND pair = ?
"""
_KEEP = """
    INSERT INTO verdicts (judge, pair, premise, hypothesis, passages, supported, score, label,
        reason, long_premise, threshold)
    VALUES ((SELECT id FROM judges WHERE key = ?), ?, ?, ?, ?, ?, ?, CAST(? AS TEXT),
        CAST(? AS TEXT), ?, ?)
    ON CONFLICT (judge, pair) DO UPDATE SET supported = excluded.supported,
        score = excluded.score, label = excluded.label, reason = excluded.reason,
        long_premise = excluded.long_premise, threshold = excluded.threshold
"""
_USE = """
    INSERT INTO judges (key, first_used, last_used) VALUES (?, ?2, ?2)
    ON CONFLICT (key) DO UPDATE SET last_used = max(last_used, excluded.last_used)
"""
_EXPORT = """
    SELECT v.id, CAST(j.key AS TEXT), p.compressed, p.body, h.compressed, h.body, v.passages,
        v.supported, v.score, CAST(v.label AS TEXT), CAST(v.reason AS TEXT), v.long_premise,
        v.threshold
    FROM verdicts v JOIN judges j ON j.id = v.judge JOIN texts p ON p.id = v.premise
        JOIN texts h ON h.id = v.hypothesis
    WHERE v.id > ? AND (?2 IS NULL OR j.key = ?2) ORDER BY v.id LIMIT ?
"""
_OF_JUDGE = "(?1 IS NULL OR judge = (SELECT id FROM judges WHERE key = ?1))"
_STATS = """
    SELECT CAST(j.key AS TEXT), count(v.id), coalesce(sum(v.supported), 0),
        (SELECT coalesce(sum(length(t.body)), 0) FROM texts t WHERE t.id IN
            (SELECT premise FROM verdicts WHERE judge = j.id
             UNION SELECT hypothesis FROM verdicts WHERE judge = j.id)), j.first_used, j.last_used
    FROM judges j LEFT JOIN verdicts v ON v.judge = j.id GROUP BY j.id ORDER BY j.id
"""

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


class CachedVerdict(NamedTuple):
    """A verdict and the question it answers, as they go into the file.

    Args:
        judge_key: ``JudgeIdentity.key`` of who gave it.
        premise: The premise.
        hypothesis: The hypothesis.
        verdict: The verdict; never a failed one.
        threshold: The threshold it was given at, if the judge has one.
    """

    judge_key: str
    premise: str
    hypothesis: str
    verdict: Verdict
    threshold: float | None


class JudgeRow(NamedTuple):
    """What a file holds of one judge.

    Args:
        judge: Its identity, for people to read.
        key: Its ``JudgeIdentity.key``, which ``clear`` and ``export`` take.
        pairs: How many verdicts are kept.
        supported: How many of them are a yes, each at the threshold it was given at.
        bytes: The size of the texts they are about; judges share texts.
        first_used: When it was first used here, in seconds since 1970.
        last_used: When it was last used here.
    """

    judge: str
    key: str
    pairs: int
    supported: int
    bytes: int
    first_used: float
    last_used: float


class VerdictStore:
    """A cache file: verdicts by judge and pair, with the texts they are about.

    One connection a process, guarded by a lock, serves all threads. Writers in several processes
    take turns; readers never wait. Every method opens the file if it is not open, and raises a
    ``JudgeError`` that says what to do if it cannot be used.

    Args:
        path: The file. One of an older version is brought up to this one when it is opened.
        create: Whether to make it if it is not there.

    Attributes:
        path: The file.
        lock: Held during every use of the file, and during a fork.

    >>> import tempfile
    >>> from citemeter.judges import CachedJudge, load_judge
    >>> path = tempfile.mkdtemp() + "/verdicts.sqlite"
    >>> CachedJudge(load_judge("toy:contains"), path)("Note: cats purr.", "Cats purr.")
    True
    >>> with VerdictStore(path) as store:
    ...     [(row.judge, row.pairs, row.supported) for row in store.stats()]
    ...     [row["hypothesis"] for row in store.export()]
    [('toy:contains', 1, 1)]
    ['Cats purr.']
    """

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        self.path = Path(os.path.abspath(path))
        self.lock = RLock()
        self._name = writable(self.path)
        self._log = self.path.with_name(self.path.name + "-wal")
        self._create = create
        self._connection: sqlite3.Connection | None = None
        _stores.add(self)

    def __enter__(self) -> VerdictStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def size(self) -> int:
        """The size on disk, with what waits in the write-ahead log."""
        return sum(file.stat().st_size for file in (self.path, self._log) if file.exists())

    def use(self, judge_key: str) -> None:
        """Note that a judge is used; shows at once whether the file can be written."""
        with self._writing() as connection:
            connection.execute(_USE, (_bytes(judge_key), time.time()))

    def find(
        self, judge_key: str, digests: Sequence[bytes]
    ) -> list[tuple[Verdict, float | None] | None]:
        """Return the verdict kept for each pair and the threshold it was given at, if there is one.

        Args:
            judge_key: ``JudgeIdentity.key`` of whose verdicts are looked for.
            digests: ``pair_digest`` of each pair.
        """
        key = _bytes(judge_key)
        with self._using() as connection, connection:
            connection.execute("BEGIN")  # one look at the file for all
            rows = [connection.execute(_FIND, (key, digest)).fetchone() for digest in digests]
        return [None if row is None else _found(*row) for row in rows]

    def keep(self, kept: Sequence[CachedVerdict], patience: float = PATIENCE) -> None:
        """Add verdicts in one transaction; one that is there already is replaced.

        Args:
            kept: The verdicts.
            patience: For how many seconds to wait for other writers.

        Raises:
            JudgeError: If the file cannot be written; nothing is added then.
        """
        ids: dict[str, int] = {}
        with self._writing(patience) as connection:
            for key in {row.judge_key for row in kept}:
                connection.execute(_USE, (_bytes(key), time.time()))
            for key, premise, hypothesis, verdict, threshold in kept:
                for text in (premise, hypothesis):
                    if text not in ids:
                        ids[text] = _text_id(connection, _bytes(text))
                values = (
                    _bytes(key),
                    pair_digest(premise, hypothesis),
                    ids[premise],
                    ids[hypothesis],
                    _lengths(premise),
                    int(verdict.supported is True),
                    verdict.score,
                    _bytes(verdict.label),
                    _bytes(verdict.reason),
                    verdict.long_premise,
                    threshold,
                )
                connection.execute(_KEEP, values)

    def count(self, judge_key: str | None = None) -> int:
        """Return how many verdicts are kept, of one judge or of all."""
        query = f"SELECT count(*) FROM verdicts WHERE {_OF_JUDGE}"
        with self._using() as connection:
            return int(connection.execute(query, (_bytes(judge_key),)).fetchone()[0])

    def stats(self) -> list[JudgeRow]:
        """Return what is kept of each judge, in the order of their first use."""
        with self._using() as connection:
            rows = connection.execute(_STATS).fetchall()
        return [JudgeRow(_shown(key), key, *row) for key, *row in rows]

    def clear(self, judge_key: str | None = None) -> int:
        """Delete the verdicts of one judge, or all, and the texts that no verdict needs.

        Returns:
            How many verdicts were deleted.
        """
        key = (_bytes(judge_key),)
        with self._writing() as connection:
            deleted = connection.execute(f"DELETE FROM verdicts WHERE {_OF_JUDGE}", key).rowcount
            connection.execute("DELETE FROM judges WHERE ?1 IS NULL OR key = ?1", key)
            connection.execute(
                "DELETE FROM texts WHERE id NOT IN "
                "(SELECT premise FROM verdicts UNION SELECT hypothesis FROM verdicts)"
            )
        # The room is given back if nobody else is at work, and used again later otherwise.
        with suppress(JudgeError), self._using() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return deleted

    def export(self, judge_key: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield each verdict with its texts, as a record that ``RecordedJudge.from_file`` reads.

        A premise of several passages is a list of them. ``json.dumps`` writes them in ASCII, lone
        surrogates included. Records come in the order in which they were judged.
        """
        last = 0
        while True:
            with self._using() as connection:
                rows = connection.execute(_EXPORT, (last, _bytes(judge_key), _PORTION)).fetchall()
            if not rows:
                return
            yield from map(_record, rows)
            last = rows[-1][0]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self.lock:
            if self._connection is not None:
                self._connection = None
                self._finalizer()

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        with self.lock:
            try:
                if self._connection is None:
                    self._connection = connection = self._opened()
                    # Also when this object goes unclosed, and at the interpreter's end.
                    self._finalizer = weakref.finalize(self, connection.close)
                yield self._connection
            except sqlite3.Error as error:
                cause = _CAUSES.get(_cause(error), "cannot be used: give another file")
                raise JudgeError(f"the cache {self._name} {cause} ({error})") from error

    @contextmanager
    def _writing(self, patience: float = PATIENCE) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction, which is undone if anything is raised."""
        with self._using() as connection, connection:
            connection.execute(f"PRAGMA busy_timeout = {1000 * patience:.0f}")
            connection.execute("BEGIN IMMEDIATE")
            yield connection

    def _opened(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise JudgeError(f"the cache {self._name} is a folder: give a file's name")
        if not self._create and not self.path.exists():
            raise JudgeError(f"there is no cache {self._name}: check the path")
        try:
            return self._connect("rwc" if self._create else "rw")
        except sqlite3.OperationalError as error:
            # A database that may not be written can be read if nothing waits in its log.
            unwritable = _cause(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
            waits = self._log.exists() and self._log.stat().st_size
            if self._create or not unwritable or waits:
                raise
            return self._connect("ro&immutable=1")

    def _connect(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.as_uri()}?mode={mode}",
            uri=True,
            timeout=PATIENCE,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.text_factory = _text
        try:
            version = self._version(connection)
            if self._create:
                # So that readers and writers do not wait for one another. The switch is refused
                # while another process looks at the file; whoever opens it next tries again.
                with suppress(sqlite3.OperationalError):
                    connection.execute("PRAGMA journal_mode = WAL")
            # Of a power failure the last verdicts may be lost, of a killed process none.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 4000")  # pages: each waits for the disk
            if version < len(_VERSIONS):
                self._upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        """Return the schema's version; refuse what another program or a later version wrote."""
        # In one statement: another process may make the tables between two looks.
        application, version, tables = connection.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
            "FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if application != _APPLICATION and (application or version or tables):
            raise JudgeError(
                f"{self._name} is another program's database: give another file, it is left as "
                "it is"
            )
        if version > len(_VERSIONS):
            raise JudgeError(
                f"the cache {self._name} was written by a newer citemeter (format {version}, this "
                f"one reads up to {len(_VERSIONS)}): update citemeter, or give another file"
            )
        if version == 0 and not self._create:
            raise JudgeError(f"{self._name} is empty, not a cache of verdicts: check the path")
        return int(version)

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            # Looked at again: another process may have been quicker.
            for version in _VERSIONS[self._version(connection) :]:
                for statement in version:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {len(_VERSIONS)}")


_stores: weakref.WeakSet[VerdictStore] = weakref.WeakSet()
_forking: list[VerdictStore] = []


def _before_fork() -> None:
    """Close every file: SQLite's locks do not survive a fork, and a child would lose writes."""
    for store in list(_stores):
        store.lock.acquire()
        _forking.append(store)
        store.close()


def _after_fork() -> None:
    while _forking:
        _forking.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )


def pair_digest(premise: str, hypothesis: str) -> bytes:
    r"""Return what a pair is known by: SHA-256 over both texts, with their lengths before them.

    Where a premise's passages begin belongs to it: a judge that cannot read a long premise at
    once reads its passages in windows, so that equal text can get another verdict.

    >>> from citemeter.judges.base import Premise
    >>> pair_digest("a", "bc") == pair_digest("ab", "c")
    False
    >>> pair_digest(Premise(["a", "b"]), "c") == pair_digest("a\nb", "c")
    False
    """
    head = f"{len(premise)} {len(hypothesis)} {_lengths(premise) or ''}\n"
    return sha256(_bytes(head + premise + hypothesis)).digest()


def _text_id(connection: sqlite3.Connection, body: bytes) -> int:
    """Return the id of a text, which is added if it is not there: premises come again and again."""
    digest = sha256(body).digest()
    found = connection.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
    if found is not None:
        return int(found[0])
    packed = zlib.compress(body, 1) if len(body) > _COMPRESSED else body
    values = (digest, 1, packed) if len(packed) < len(body) else (digest, 0, body)
    insert = "INSERT INTO texts (digest, compressed, body) VALUES (?, ?, ?)"
    return connection.execute(insert, values).lastrowid or 0


def _found(supported: int, *row: Any) -> tuple[Verdict, float | None]:
    *values, threshold = row
    given = dict(zip(("score", "label", "reason", "long_premise"), values, strict=True))
    return Verdict.trusted({"supported": supported == 1, "error": None, **given}), threshold


def _record(row: Sequence[Any]) -> dict[str, Any]:
    _, key, packed, premise, packed_too, hypothesis, lengths, supported, *values = row
    names = ("score", "label", "reason", "long_premise", "threshold")
    premise = _unpacked(packed, premise)
    record = {
        "premise": premise if lengths is None else _passages(premise, lengths),
        "hypothesis": _unpacked(packed_too, hypothesis),
        "verdict": supported == 1,
        **dict(zip(names, values, strict=True)),
        "judge": json.loads(key),
    }
    return {name: value for name, value in record.items() if value is not None}


def _lengths(premise: str) -> str | None:
    """Say how long each passage of a premise is, if there are several."""
    passages = passages_of(premise)
    return None if len(passages) < 2 else ",".join([str(len(passage)) for passage in passages])


def _passages(premise: str, lengths: str) -> list[str]:
    text = StringIO(premise, newline="")
    return [text.read(length + 1)[:length] for length in map(int, lengths.split(","))]


def _bytes(text: str | None) -> Any:
    # Lone surrogates are no UTF-8, but they occur, and are part of the exact text.
    return None if text is None else text.encode("utf-8", "surrogatepass")


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogatepass")


def _unpacked(compressed: int, body: bytes) -> str:
    return _text(zlib.decompress(body) if compressed else body)


def _shown(key: str) -> str:
    try:
        return str(JudgeIdentity.model_validate_json(key))
    except ValidationError:
        return key


def _cause(error: sqlite3.Error) -> int:
    """Return the primary result code."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
