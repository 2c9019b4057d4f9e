"""The cache file: what it holds, and which files it leaves alone."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from citemeter.errors import CitemeterWarning, JudgeError
from citemeter.judges.base import Pair, Premise
from citemeter.judges.cache import CachedJudge, CachedVerdict, VerdictStore
from citemeter.judges.cache.store import pair_digest
from citemeter.judges.recorded import RecordedJudge
from citemeter.judges.toy import ContainsJudge, KeywordJudge
from citemeter.verdicts import JudgeIdentity, Verdict
from support import write_jsonl

ODD: list[Pair] = [
    ("Cats purr.", "Cats purr."),
    ("", ""),
    ("", "Cats purr."),
    ("nul\0nul", "\0"),
    ("lone \ud800 surrogate", "\udfff"),
    ("a\ud83d", "\ude00b"),
    ("a\ud83d\ude00b", "x"),
    ("a😀b", "x"),
    ("line\r\nends\n", "\u2028"),
    ("long " * 50_000, "Cats purr."),
    (Premise(["Cats", "purr."]), "Cats\npurr."),
    (Premise(["a\nb", "c"]), "x"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verdicts.sqlite"


def fill(path: Path, *keywords: str, pairs: list[Pair] | None = None) -> None:
    for keyword in keywords:
        judge = CachedJudge(KeywordJudge(keyword), path)
        judge.judge(pairs or [("Cats purr.", f"{n}") for n in range(10)])
        judge.close()


def test_stats_export_and_clear(path: Path) -> None:
    started = time.time()
    fill(path, "cats", "dogs")
    fill(path, "cats", pairs=[("Dogs bark.", "x")])
    with VerdictStore(path) as store:
        cats, dogs = store.stats()
        assert (cats.judge, cats.pairs, cats.supported) == ("toy:keyword,keyword=cats", 11, 10)
        assert (dogs.judge, dogs.pairs, dogs.supported) == ("toy:keyword,keyword=dogs", 10, 0)
        assert dogs.key == KeywordJudge("dogs").identity.key
        assert dogs.bytes == len("Cats purr.") + 10
        assert started <= dogs.first_used <= dogs.last_used <= time.time()
        assert cats.last_used > dogs.first_used
        assert (store.count(), store.count(cats.key), store.count("{}")) == (21, 11, 0)
        assert store.size >= 4096
        assert [row["hypothesis"] for row in store.export(dogs.key)] == [str(n) for n in range(10)]
        assert len(list(store.export())) == 21
        assert store.clear(cats.key) == 11
        assert store.clear(cats.key) == 0
        assert [row.judge for row in store.stats()] == [dogs.judge]
        assert store.count() == 10
        texts = {row["hypothesis"] for row in store.export()}
        assert texts == {str(n) for n in range(10)}
        assert store.clear() == 10
        assert (store.stats(), list(store.export()), store.count()) == ([], [], 0)


def test_texts_are_kept_once_and_compressed(path: Path) -> None:
    premise = "The museum was founded in 1905 by the city. " * 2000
    fill(path, "a", "b", pairs=[(premise, f"{n}") for n in range(300)])
    assert path.stat().st_size < 3 * len(premise)
    with VerdictStore(path) as store:
        assert {row["premise"] for row in store.export()} == {premise}
        before = store.size
        store.clear()
        assert store.size < before / 2


def test_export_is_replayed_by_a_recorded_judge(path: Path, tmp_path: Path) -> None:
    # JSON has one writing for a character outside the basic plane and for two lone surrogates
    # that would make it.
    pairs = [pair for pair in ODD if "\ud83d\ude00" not in pair[0]]
    judge = CachedJudge(ContainsJudge(), path)
    verdicts = judge.judge(pairs)
    with VerdictStore(path) as store:
        lines = write_jsonl(tmp_path / "export.jsonl", store.export())
    assert RecordedJudge.from_file(lines).judge(pairs) == verdicts
    # At another threshold too: scores are exported.
    assert all(v.supported for v in RecordedJudge.from_file(lines, threshold=0).judge(pairs))


def test_an_exported_row_says_all_there_is(path: Path) -> None:
    verdict = Verdict(
        supported=True, score=0.7, label="entailment", reason="caf\ud800é", long_premise="chunked"
    )
    identity = JudgeIdentity(name="mine", version="3", parameters={"seed": 1})
    premise = Premise(["one", "two\nthree"])
    with VerdictStore(path, create=True) as store:
        store.keep([CachedVerdict(identity.key, premise, "h", verdict, threshold=0.5)])
        assert list(store.export()) == [
            {
                "premise": ["one", "two\nthree"],
                "hypothesis": "h",
                "verdict": True,
                "score": 0.7,
                "label": "entailment",
                "reason": "caf\ud800é",
                "long_premise": "chunked",
                "threshold": 0.5,
                "judge": {"name": "mine", "version": "3", "parameters": {"seed": 1}},
            }
        ]


def test_pairs_are_told_apart_exactly() -> None:
    pairs: list[Pair] = [
        *ODD,
        ("a", "bc"),
        ("ab", "c"),
        ("abc", ""),
        ("", "abc"),
        ("cafe\u0301", ""),
        ("caf\u00e9", ""),
        ("Cats purr. ", "Cats purr."),
        (Premise(["Cats", "purr.", ""]), "x"),
        (Premise(["1", "2"]), "1 2"),
        ("1 2 1,1\n1\n2", "1 2"),
    ]
    assert len({pair_digest(*pair) for pair in pairs}) == len(pairs)


def test_reading_creates_nothing(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path / "absent.sqlite")
    for use in (store.stats, store.clear, store.count, lambda: list(store.export())):
        with pytest.raises(JudgeError, match=r"there is no cache .*absent"):
            use()
    assert list(tmp_path.iterdir()) == []


def test_looking_leaves_nothing_behind(path: Path) -> None:
    fill(path, "a")
    before = path.read_bytes()
    with VerdictStore(path) as store:
        store.stats()
        list(store.export())
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE verdicts (id INTEGER)")


def marked(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA application_id = 1234")


def newer(path: Path) -> None:
    fill(path, "a")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 99")


def garbage(path: Path) -> None:
    path.write_bytes(b'{"premise": "Cats purr."}\n' * 500)


def cut_short(path: Path) -> None:
    fill(path, "a")
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (foreign, "another program's database: give another file"),
        (marked, "another program's database: give another file"),
        (
            newer,
            r"written by a newer citemeter \(format 99, this one reads up to 1\): update citemeter",
        ),
        (garbage, "is no cache of verdicts: give another file"),
        (cut_short, "is damaged: move it away"),
        (Path.mkdir, "is a folder: give a file's name"),
    ],
)
def test_other_files_are_refused_and_left_as_they_are(
    path: Path, make: object, message: str
) -> None:
    make(path)  # type: ignore[operator]
    before = None if path.is_dir() else path.read_bytes()
    for use in (lambda: CachedJudge(ContainsJudge(), path), VerdictStore(path).stats):
        with pytest.raises(JudgeError, match=message):
            use()
    assert before is None or path.read_bytes() == before


def test_an_empty_file_becomes_a_cache_but_is_none(path: Path) -> None:
    path.touch()
    with pytest.raises(JudgeError, match="is empty, not a cache"):
        VerdictStore(path).stats()
    assert CachedJudge(ContainsJudge(), path)("a", "a") is True
    assert VerdictStore(path).count() == 1


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"no-such-folder.*check that its folder exists"):
        CachedJudge(ContainsJudge(), tmp_path / "no-such-folder" / "cache.sqlite")


@pytest.mark.parametrize("name", ["a b?c#d%41&mode=ro.db", ":memory:", "файл", 'it\'s "quoted"'])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    assert CachedJudge(ContainsJudge(), tmp_path / name)("a", "a") is True
    assert (tmp_path / name).is_file()
    assert VerdictStore(tmp_path / name).count() == 1


def test_a_relative_path_holds_when_the_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cached = CachedJudge(ContainsJudge(), "cache.sqlite")
    cached.close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cached("a", "a") is True
    assert list((tmp_path / "elsewhere").iterdir()) == []


@contextmanager
def read_only_folder() -> Iterator[Path]:
    """A folder that this process may read but not write, even if root runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "cache.sqlite", "cats")
        folder.chmod(0o555)
        (folder / "cache.sqlite").chmod(0o444)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if user == 0:
                os.seteuid(0)
            folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_read_only_cache_can_be_looked_at_but_not_used() -> None:
    with read_only_folder() as folder:
        with pytest.raises(JudgeError, match="is read-only: give a file in a folder"):
            CachedJudge(KeywordJudge("cats"), folder / "cache.sqlite")
        with pytest.raises(JudgeError, match="check that its folder exists and is yours"):
            CachedJudge(KeywordJudge("cats"), folder / "new.sqlite")
        with VerdictStore(folder / "cache.sqlite") as store:
            assert [row.pairs for row in store.stats()] == [10]
            assert len(list(store.export())) == 10
            with pytest.raises(JudgeError, match="read-only"):
                store.clear()
            assert store.count() == 10


def test_a_writer_waits_for_another_program(path: Path) -> None:
    fill(path, "cats")
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.4, other.execute, ("COMMIT",))
    timer.start()
    cached = CachedJudge(KeywordJudge("cats"), path)
    assert cached("cats", "new") is True
    timer.join()
    other.close()
    assert cached.size == 11


def test_a_file_held_for_good_is_given_up_in_the_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, "cats")
    cached = CachedJudge(KeywordJudge("cats"), path)
    monkeypatch.setattr("citemeter.judges.cache.judge.PATIENCE", 0.2)
    cached.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert len(cached.judge([("Cats purr.", f"{n}") for n in range(10)])) == 10  # reads go on
        with pytest.warns(CitemeterWarning, match="held by another program"):
            assert cached("cats", "new") is True
        other.execute("ROLLBACK")
    cached.flush()
    assert cached.size == 11


def test_many_at_once_make_one_file(path: Path) -> None:
    barrier = threading.Barrier(8)
    errors: list[Exception] = []

    def make(number: int) -> None:
        try:
            barrier.wait()
            fill(path, f"word{number}")
        except Exception as error:  # noqa: BLE001 - a thread's errors are shown by the test
            errors.append(error)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with VerdictStore(path) as store:
        assert [row.pairs for row in store.stats()] == [10] * 8


def test_an_interrupted_transaction_leaves_no_trace(path: Path) -> None:
    fill(path, "cats")
    good = CachedVerdict("{}", "a", "b", Verdict(supported=True), None)
    bad = CachedVerdict("{}", "c", "d", Verdict.model_construct(supported=True, label=3), None)
    with VerdictStore(path) as store:
        with pytest.raises(AttributeError):
            store.keep([good, bad])
        assert store.count() == 10
        assert [row.judge for row in store.stats()] == ["toy:keyword,keyword=cats"]
        store.keep([good])
        assert store.count() == 11


def test_a_key_of_another_shape_is_shown_as_it_is(path: Path) -> None:
    with VerdictStore(path, create=True) as store:
        store.use('{"kind": "of later"}')
        assert [row.judge for row in store.stats()] == ['{"kind": "of later"}']
