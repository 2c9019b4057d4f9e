"""The file in which verdicts are kept: SQLite, one table each of judges, texts and verdicts."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeAlias

from pydantic import ValidationError

from citemeter.errors import JudgeError
from citemeter.judges.base import passages_of
from citemeter.judges.cache import schema
from citemeter.judges.cache.sqlite import SqliteFile
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = ["JudgeRow", "Kept", "VerdictStore", "pair_digest"]

_PORTION = 512
"""Pairs looked up, and rows exported, at a time."""
_COMPRESSED = 400
"""Texts of more bytes than this are compressed: shorter ones gain too little."""

_Digest: TypeAlias = bytes
_Body: TypeAlias = bytes


class Kept(NamedTuple):
    """A verdict and the question it answers, as they go into the file.

    Args:
        judge_key: ``JudgeIdentity.key`` of who gave it.
        digest: ``pair_digest`` of the pair.
        premise: The premise.
        hypothesis: The hypothesis.
        verdict: The verdict; never a failed one.
        threshold: The threshold it was given at, if the judge has one.
    """

    judge_key: str
    digest: bytes
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
    return sha256((head + premise + hypothesis).encode("utf-8", "surrogatepass")).digest()


class VerdictStore:
    """A cache file: verdicts by judge and pair, with the texts they are about.

    Args:
        path: The file.
        create: Whether to make it if it is not there.

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
        self._file = SqliteFile(
            path,
            schema=schema.SCHEMA,
            application_id=schema.APPLICATION,
            version=schema.VERSION,
            create=create,
        )
        self._counted: tuple[Any, ...] | None = None
        self._number = 0

    def __enter__(self) -> VerdictStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def lock(self) -> RLock:
        """Held during every use of the file, and during a fork."""
        return self._file.lock

    @property
    def bytes(self) -> int:
        """The size on disk, with what waits in the write-ahead log."""
        sizes = 0
        for suffix in ("", "-wal"):
            with suppress(OSError):
                sizes += self.path.with_name(self.path.name + suffix).stat().st_size
        return sizes

    def use(self, judge_key: str) -> None:
        """Note that a judge is used; shows at once whether the file can be written."""
        now = time.time()
        with self._file.writing(60.0) as connection:
            connection.execute(schema.USE, (_bytes(judge_key), now, now))

    def find(
        self, judge_key: str, digests: Sequence[_Digest]
    ) -> dict[_Digest, tuple[Verdict, float | None]]:
        """Return the verdicts kept for a judge's pairs, and the threshold each was given at."""
        found: dict[_Digest, tuple[Verdict, float | None]] = {}
        key = _bytes(judge_key)
        for start in range(0, len(digests), _PORTION):
            some = digests[start : start + _PORTION]
            # As many question marks as a power of two, so that few statements are compiled.
            room = 1 << (len(some) - 1).bit_length()
            query = schema.FIND.format(",".join("?" * room))
            with self._file.reading() as connection:
                rows = connection.execute(
                    query, (key, *some, *[None] * (room - len(some)))
                ).fetchall()
            for pair, supported, score, label, reason, long_premise, threshold in rows:
                verdict = Verdict.trusted(
                    {
                        "supported": supported == 1,
                        "score": score,
                        "label": _text(label),
                        "reason": _text(reason),
                        "error": None,
                        "long_premise": long_premise,
                    }
                )
                found[pair] = (verdict, threshold)
        return found

    def keep(self, kept: Sequence[Kept], patience: float = 5.0) -> None:
        """Add verdicts in one transaction; one that is there already is replaced.

        Args:
            kept: The verdicts.
            patience: For how many seconds to wait for other writers.

        Raises:
            JudgeError: If the file cannot be written; nothing is added then.
        """
        now = time.time()
        texts: dict[str, _Digest] = {}
        bodies: dict[_Digest, _Body] = {}
        for row in kept:
            for text in (row.premise, row.hypothesis):
                if text not in texts:
                    body = _bytes(text)
                    texts[text] = digest = sha256(body).digest()
                    bodies[digest] = body
        with self._file.writing(patience) as connection:
            self._counted = None
            connection.executemany(
                schema.USE, [(_bytes(key), now, now) for key in {row.judge_key for row in kept}]
            )
            # Compressing costs more than looking, and premises come again and again.
            there = "SELECT 1 FROM texts WHERE digest = ?"
            new = [d for d in bodies if connection.execute(there, (d,)).fetchone() is None]
            connection.executemany(
                "INSERT INTO texts (digest, compressed, body) VALUES (?, ?, ?)",
                [(digest, *_packed(bodies[digest])) for digest in new],
            )
            connection.executemany(schema.KEEP, [_row(row, texts) for row in kept])

    def count(self, judge_key: str | None = None) -> int:
        """Return how many verdicts are kept, of one judge or of all."""
        with self._file.reading() as connection:
            # Counting reads all there is; nobody else has written while this number is the same.
            (changes,) = connection.execute("PRAGMA data_version").fetchone()
            state = (connection, changes, judge_key)
            if self._counted != state:
                key = None if judge_key is None else _bytes(judge_key)
                (self._number,) = connection.execute(schema.COUNT, (key,)).fetchone()
                self._counted = state
            return self._number

    def stats(self) -> list[JudgeRow]:
        """Return what is kept of each judge, in the order of their first use."""
        with self._file.reading() as connection:
            rows = connection.execute(schema.STATS).fetchall()
        return [
            JudgeRow(_shown(_text(key)), _text(key), pairs, supported, size, first, last)
            for key, pairs, supported, first, last, size in rows
        ]

    def clear(self, judge_key: str | None = None) -> int:
        """Delete the verdicts of one judge, or all, and the texts that no verdict needs.

        Returns:
            How many verdicts were deleted.
        """
        with self._file.writing(60.0) as connection:
            self._counted = None
            if judge_key is None:
                deleted = connection.execute("DELETE FROM verdicts").rowcount
                connection.execute("DELETE FROM judges")
            else:
                key = (_bytes(judge_key),)
                deleted = connection.execute(
                    "DELETE FROM verdicts WHERE judge = (SELECT id FROM judges WHERE key = ?)", key
                ).rowcount
                connection.execute("DELETE FROM judges WHERE key = ?", key)
            connection.execute(
                "DELETE FROM texts WHERE id NOT IN "
                "(SELECT premise FROM verdicts UNION SELECT hypothesis FROM verdicts)"
            )
        # The room is given back if nobody else is at work, and used again later otherwise.
        with suppress(JudgeError), self._file.reading() as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return deleted

    def export(self, judge_key: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield each verdict with its texts, as a record that ``RecordedJudge.from_file`` reads.

        A premise of several passages is a list of them. ``json.dumps`` writes them in ASCII, lone
        surrogates included. Records come in the order in which they were judged.
        """
        last = 0
        key = None if judge_key is None else _bytes(judge_key)
        while True:
            with self._file.reading() as connection:
                rows = connection.execute(schema.EXPORT, (last, key, _PORTION)).fetchall()
            for row in rows:
                yield _record(row)
            if not rows:
                return
            last = rows[-1][0]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()


def _row(kept: Kept, texts: dict[str, bytes]) -> tuple[Any, ...]:
    verdict = kept.verdict
    return (
        _bytes(kept.judge_key),
        kept.digest,
        texts[kept.premise],
        texts[kept.hypothesis],
        _lengths(kept.premise),
        int(verdict.supported is True),
        verdict.score,
        _storable(verdict.label),
        _storable(verdict.reason),
        verdict.long_premise,
        kept.threshold,
    )


def _record(row: tuple[Any, ...]) -> dict[str, Any]:
    _, key, packed, premise, packed_too, hypothesis, lengths, supported, *rest = row
    score, label, reason, long_premise, threshold = rest
    premise = _unpacked(packed, premise)
    record: dict[str, Any] = {
        "premise": premise if lengths is None else _passages(premise, lengths),
        "hypothesis": _unpacked(packed_too, hypothesis),
        "verdict": supported == 1,
        "score": score,
        "label": _text(label),
        "reason": _text(reason),
        "long_premise": long_premise,
        "threshold": threshold,
        "judge": json.loads(_text(key)),
    }
    return {name: value for name, value in record.items() if value is not None}


def _lengths(premise: str) -> str | None:
    """Say how long each passage of a premise is, if there are several."""
    passages = passages_of(premise)
    return None if len(passages) < 2 else ",".join([str(len(passage)) for passage in passages])


def _passages(premise: str, lengths: str) -> list[str]:
    passages = []
    start = 0
    for length in map(int, lengths.split(",")):
        passages.append(premise[start : start + length])
        start += length + 1
    return passages


def _bytes(text: str) -> bytes:
    # Lone surrogates are no UTF-8, but they occur, and are part of the exact text.
    return text.encode("utf-8", "surrogatepass")


def _storable(text: str | None) -> str | bytes | None:
    """Return words as text that other programs can read, where they can be written as such."""
    if text is None or text.isascii():
        return text
    body = _bytes(text)
    return body if body.decode("utf-8", "ignore") != text else text


def _text(stored: str | bytes | None) -> Any:
    return stored.decode("utf-8", "surrogatepass") if isinstance(stored, bytes) else stored


def _packed(body: bytes) -> tuple[int, bytes]:
    if len(body) > _COMPRESSED:
        packed = zlib.compress(body, 1)
        if len(packed) < len(body):
            return 1, packed
    return 0, body


def _unpacked(compressed: int, body: bytes) -> str:
    return (zlib.decompress(body) if compressed else body).decode("utf-8", "surrogatepass")


def _shown(key: str) -> str:
    try:
        return str(JudgeIdentity.model_validate_json(key))
    except ValidationError:
        return key
