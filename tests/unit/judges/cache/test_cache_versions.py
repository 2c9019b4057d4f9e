"""Cache files of every version are read; an older one is brought up, a newer one refused."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from citemeter.errors import JudgeError
from citemeter.judges.base import Judge, Pair, Premise
from citemeter.judges.cache import CachedJudge, VerdictStore, store
from citemeter.judges.toy import ContainsJudge
from citemeter.verdicts import JudgeIdentity, Verdict
from support import ROOT

# Written by the first version with caches, as SQL: what a file of that version holds.
VERSION_1 = ROOT / "tests" / "data" / "caches" / "version_1.sql"
GIVEN: dict[Pair, Verdict] = {
    ("Cats purr.", "Cats purr."): Verdict(
        supported=True, score=0.7, label="entailment", reason="caf\ud800é", long_premise="chunked"
    ),
    (Premise(["one", "two\nthree"]), "one"): Verdict(supported=False, score=0.2),
    ("The museum was founded in 1905 by the city. " * 12, "The museum is old."): Verdict(
        supported=True, reason="by 1905"
    ),
    ("lone \ud800 surrogate", "nul\0"): Verdict(supported=False, score=0.1, label="é"),
}
NEXT = (
    "ALTER TABLE verdicts ADD COLUMN seconds REAL",
    "CREATE INDEX by_time ON verdicts (seconds)",
)


class Recorder(Judge):
    """The judge whose verdicts are in the old file; it gives no new ones."""

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(
            name="recorded-by-hand", version="3", threshold=0.5, parameters={"seed": 1}
        )

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        raise AssertionError("a kept pair was judged again")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1.read_text("utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    return path


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_verdicts_of_an_older_file_are_given(old: Path) -> None:
    cached = CachedJudge(Recorder(), old)
    assert cached.judge(list(GIVEN)) == list(GIVEN.values())
    assert (cached.hits, cached.misses, cached.size) == (4, 0, 4)
    cached.close()
    again = CachedJudge(ContainsJudge(), old)
    again.judge([*GIVEN, ("new", "new")])
    assert (again.hits, again.misses, again.size) == (2, 3, 5)


def test_an_older_file_is_exported_and_counted(old: Path) -> None:
    with VerdictStore(old) as kept:
        first, second = kept.stats()
        assert first.judge == "recorded-by-hand-3,seed=1"
        assert (first.pairs, first.supported, first.first_used) == (4, 2, 1750000000.5)
        assert (second.judge, second.pairs, second.last_used) == ("toy:contains", 2, 1750000001.5)
        records = list(kept.export(first.key))
        assert kept.clear(second.key) == 2
        assert list(kept.export()) == records
    for record, ((premise, hypothesis), verdict) in zip(records, GIVEN.items(), strict=True):
        passages = list(premise.passages) if isinstance(premise, Premise) else premise
        assert (record["premise"], record["hypothesis"]) == (passages, hypothesis)
        assert record["verdict"] is verdict.supported
        for name in ("score", "label", "reason", "long_premise"):
            assert record.get(name) == getattr(verdict, name)
        assert record["threshold"] == 0.5
        assert record["judge"] == {
            "name": "recorded-by-hand",
            "version": "3",
            "parameters": {"seed": 1},
        }


def test_an_older_file_is_brought_up_and_then_newer(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store, "_VERSIONS", (*store._VERSIONS, NEXT))
        cached = CachedJudge(Recorder(), old)
        assert cached.judge(list(GIVEN)) == list(GIVEN.values())
        cached.close()
        assert version(old) == len(store._VERSIONS)
        with closing(sqlite3.connect(old)) as connection:
            assert connection.execute("SELECT count(*), max(seconds) FROM verdicts").fetchall() == [
                (6, None)
            ]
    before = old.read_bytes()
    for use in (lambda: CachedJudge(Recorder(), old), VerdictStore(old).stats):
        with pytest.raises(JudgeError, match=r"newer citemeter .*: update citemeter, or give"):
            use()
    assert old.read_bytes() == before


def test_an_upgrade_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = version(old)
    with monkeypatch.context() as patch:
        patch.setattr(store, "_VERSIONS", (*store._VERSIONS, (NEXT[0], "no SQL")))
        with pytest.raises(JudgeError, match="syntax error"):
            VerdictStore(old).stats()
    assert version(old) == before
    cached = CachedJudge(Recorder(), old)
    assert cached.judge(list(GIVEN)) == list(GIVEN.values())


def test_many_bring_one_file_up_at_once(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_VERSIONS", (*store._VERSIONS, NEXT))
    barrier = threading.Barrier(6)
    counts: list[int] = []

    def look() -> None:
        with VerdictStore(old) as kept:
            barrier.wait()
            counts.append(kept.count())

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [6] * 6
