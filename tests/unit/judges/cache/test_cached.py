"""Verdicts are kept, read again at the present threshold, and never mixed up or lost."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import CitemeterWarning, JudgeError
from citemeter.judges.base import CallableJudge, Judge, Pair, Premise
from citemeter.judges.cache import CachedJudge, VerdictStore
from citemeter.judges.ensemble import EnsembleJudge
from citemeter.judges.thresholded import ThresholdedJudge
from citemeter.judges.toy import ContainsJudge
from citemeter.verdicts import JudgeIdentity, Verdict

PAIRS = [(f"premise {n}", f"hypothesis {n}") for n in range(200)]


class Scorer(Judge):
    """Scores by the hypothesis's last number, and counts what it is asked."""

    def __init__(
        self, threshold: float | None = 0.5, version: str = "1", by_score: bool = True
    ) -> None:
        self.threshold = threshold
        self.version = version
        self.by_score = by_score
        self.asked: list[Pair] = []
        self.closed = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="scorer", version=self.version, threshold=self.threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        return [self.one(premise, hypothesis) for premise, hypothesis in pairs]

    def one(self, premise: str, hypothesis: str) -> Verdict:
        score = int(hypothesis.split()[-1]) % 101 / 100
        return Verdict(
            supported=score >= (self.threshold or 0.5),
            score=score if self.by_score else None,
            label="entailment",
            reason=f"by {premise}",
            long_premise="chunked" if score > 0.9 else None,
        )

    def usage(self) -> dict[str, float]:
        return {"tokens": 3.0 * len(self.asked)}

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "verdicts.sqlite"


def kept(path: Path) -> int:
    with VerdictStore(path) as store:
        return store.count()


def test_no_pair_is_judged_twice(path: Path) -> None:
    first = CachedJudge(Scorer(), path)
    verdicts = first.judge(PAIRS)
    assert verdicts == Scorer().judge(PAIRS)
    assert (first.hits, first.misses, first.hit_rate, first.size) == (0, 200, 0.0, 200)
    first.close()
    second = CachedJudge(Scorer(), path)
    assert second.hit_rate is None
    assert second.judge(PAIRS) == verdicts
    assert second.inner.asked == []  # type: ignore[attr-defined]
    assert (second.hits, second.misses, second.hit_rate, second.size) == (200, 0, 1.0, 200)


def test_what_is_kept_comes_first_and_new_pairs_as_they_are_decided(path: Path) -> None:
    CachedJudge(Scorer(), path).judge(PAIRS[5:8])
    cached = CachedJudge(Scorer(), path)
    order = [position for position, _ in cached.stream(PAIRS[:10])]
    assert order == [5, 6, 7, 0, 1, 2, 3, 4, 8, 9]
    assert cached.inner.asked == [*PAIRS[:5], *PAIRS[8:10]]  # type: ignore[attr-defined]


def test_a_pair_that_comes_twice_is_asked_once(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    verdicts = cached.judge([PAIRS[1], PAIRS[2], PAIRS[1], PAIRS[1]])
    assert verdicts == Scorer().judge([PAIRS[1], PAIRS[2], PAIRS[1], PAIRS[1]])
    assert (cached.hits, cached.misses) == (2, 2)


def test_failed_verdicts_are_asked_again(path: Path) -> None:
    answers = iter([Verdict.failed("timeout"), Verdict(supported=True)])

    class Unsteady(Scorer):
        def one(self, premise: str, hypothesis: str) -> Verdict:
            return next(answers)

    cached = CachedJudge(Unsteady(), path)
    assert cached.judge(PAIRS[:1])[0].error == "timeout"
    assert cached.size == 0
    assert cached.judge(PAIRS[:1])[0].supported is True
    assert cached.size == 1
    assert cached.judge(PAIRS[:1])[0].supported is True


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_another_threshold_costs_nothing(path: Path, threshold: float) -> None:
    CachedJudge(Scorer(0.5), path).judge(PAIRS)
    cached = CachedJudge(Scorer(threshold), path)
    supported = [verdict.supported for verdict in cached.judge(PAIRS)]
    assert supported == [n % 101 / 100 >= threshold for n in range(200)]
    assert cached.misses == 0


def test_without_a_score_another_threshold_must_ask_again(path: Path) -> None:
    CachedJudge(Scorer(0.5, by_score=False), path).judge(PAIRS)
    again = CachedJudge(Scorer(0.5, by_score=False), path)
    again.judge(PAIRS)
    assert again.misses == 0
    other = CachedJudge(Scorer(0.9, by_score=False), path)
    assert other.judge(PAIRS) == Scorer(0.9, by_score=False).judge(PAIRS)
    assert (other.hits, other.misses) == (0, 200)
    # What was asked at the new threshold is what is kept now.
    assert CachedJudge(Scorer(0.9, by_score=False), path).judge(PAIRS) == other.judge(PAIRS)


def test_a_verdict_against_its_own_score_is_not_read_at_another_threshold(path: Path) -> None:
    class Stubborn(Scorer):
        def one(self, premise: str, hypothesis: str) -> Verdict:
            return Verdict(supported=True, score=0.1)

    CachedJudge(Stubborn(0.5), path).judge(PAIRS[:1])
    same, other = CachedJudge(Stubborn(0.5), path), CachedJudge(Stubborn(0.6), path)
    assert same.judge(PAIRS[:1])[0].supported is True
    assert other.judge(PAIRS[:1])[0].supported is True
    assert (same.misses, other.misses) == (0, 1)


def test_a_judge_without_a_threshold_is_not_given_verdicts_at_one(path: Path) -> None:
    CachedJudge(Scorer(0.9), path).judge(PAIRS)
    cached = CachedJudge(Scorer(None), path)
    assert cached.judge(PAIRS) == Scorer(None).judge(PAIRS)
    assert cached.misses == 200


def test_a_view_keeps_what_the_judge_itself_says(path: Path) -> None:
    inside = CachedJudge(ThresholdedJudge(Scorer(None), 0.9), path)
    assert inside.identity.threshold == 0.9
    expected = ThresholdedJudge(Scorer(None), 0.9).judge(PAIRS)
    assert inside.judge(PAIRS) == expected
    plain = CachedJudge(Scorer(None), path)
    assert plain.judge(PAIRS) == Scorer(None).judge(PAIRS)
    assert plain.misses == 0
    outside = ThresholdedJudge(CachedJudge(Scorer(None), path), 0.9)
    assert outside.judge(PAIRS) == expected
    assert outside.identity == inside.identity


def test_a_view_of_a_judge_without_scores_fails_without_asking_again(path: Path) -> None:
    CachedJudge(Scorer(None, by_score=False), path).judge(PAIRS)
    view = CachedJudge(ThresholdedJudge(Scorer(None, by_score=False), 0.9), path)
    assert {verdict.supported for verdict in view.judge(PAIRS)} == {None}
    assert view.misses == 0


def test_another_judges_verdicts_are_never_read(path: Path) -> None:
    CachedJudge(Scorer(version="1"), path).judge(PAIRS)
    other = CachedJudge(Scorer(version="2"), path)
    assert other.size == 0
    other.judge(PAIRS)
    assert (other.hits, other.misses, other.size) == (0, 200, 200)
    assert kept(path) == 400


def test_a_clearing_in_mid_run_does_not_mix_judges_up(path: Path) -> None:
    first, second = CachedJudge(Scorer(version="1"), path), CachedJudge(Scorer(version="2"), path)
    first.judge(PAIRS)
    with VerdictStore(path) as store:
        store.clear()
    CachedJudge(ContainsJudge(), path).judge(PAIRS)
    assert first.judge(PAIRS) == Scorer().judge(PAIRS)
    assert second.judge(PAIRS[:3]) == Scorer().judge(PAIRS[:3])
    assert (first.hits, second.hits) == (0, 0)


def test_passages_joined_otherwise_are_another_pair(path: Path) -> None:
    class Counting(Scorer):
        def one(self, premise: str, hypothesis: str) -> Verdict:
            passages = premise.passages if isinstance(premise, Premise) else (premise,)
            return Verdict(supported=True, reason=f"{len(passages)} passages")

    pairs: list[Pair] = [
        ("a\nb\nc", "h"),
        (Premise(["a", "b\nc"]), "h"),
        (Premise(["a\nb", "c"]), "h"),
        (Premise(["a", "b", "c"]), "h"),
        (Premise(["a\nb\nc"]), "h"),
    ]
    cached = CachedJudge(Counting(), path)
    assert cached.judge(pairs) == Counting().judge(pairs)
    assert cached.misses == 4  # one passage is plain text
    assert CachedJudge(Counting(), path).judge(pairs) == Counting().judge(pairs)


def test_an_error_in_mid_run_keeps_what_was_decided(path: Path) -> None:
    class Breaking(Scorer):
        def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
            for position, (premise, hypothesis) in enumerate(pairs):
                if position == 30:
                    raise self.error
                yield position, self.one(premise, hypothesis)

        error: BaseException = RuntimeError("out of memory")

    for error in (RuntimeError("out of memory"), KeyboardInterrupt(), SystemExit(2)):
        breaking = Breaking(version=type(error).__name__)
        breaking.error = error
        cached = CachedJudge(breaking, path)
        with pytest.raises(type(error)):
            cached.judge(PAIRS)
        assert cached.size == 30


def test_a_run_given_up_keeps_what_was_decided(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    stream = cached.stream(PAIRS)
    for _ in range(21):
        next(stream)
    cached.close()  # before the generator, as in an interrupted program
    assert kept(path) == 21
    next(stream)
    del stream
    assert kept(path) == 22


def test_an_error_of_who_asks_keeps_what_was_decided(path: Path) -> None:
    def ask() -> None:
        for position, _ in CachedJudge(Scorer(), path).stream(PAIRS):
            if position == 40:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask()
    assert kept(path) == 41


def test_a_slow_judges_verdicts_are_in_the_file_before_it_goes_on(path: Path) -> None:
    seen: list[int] = []

    class Slow(Scorer):
        def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
            for start in range(0, len(pairs), 8):
                seen.append(kept(path))
                time.sleep(0.03)
                yield from enumerate(self.judge(pairs[start : start + 8]), start)

    CachedJudge(Slow(), path).judge(PAIRS[:40])
    assert seen == [0, 8, 16, 24, 32]


def test_a_fast_judges_verdicts_are_written_together(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    keep = VerdictStore.keep

    def counting(self: VerdictStore, rows: Any, patience: float = 5.0) -> None:
        sizes.append(len(rows))
        keep(self, rows, patience)

    monkeypatch.setattr(VerdictStore, "keep", counting)
    # Seconds: fast enough on a busy machine too.
    monkeypatch.setattr("citemeter.judges.cache.judge._FAST", 60.0)
    pairs = [(f"p {n}", f"h {n}") for n in range(5000)]
    CachedJudge(Scorer(), path).judge(pairs)
    assert sum(sizes) == 5000
    assert max(sizes) == 64
    assert len(sizes) < 400


@pytest.mark.parametrize(
    "judge",
    [
        lambda premise, hypothesis: True,
        CallableJudge(lambda p, h: True),
        CallableJudge(lambda p, h: True, name="mine"),
        ThresholdedJudge(CallableJudge(lambda p, h: True, name="mine"), 0.5),
        EnsembleJudge([ContainsJudge(), lambda p, h: True]),
        EnsembleJudge([EnsembleJudge([lambda p, h: True])]),
    ],
)
def test_a_callable_without_a_version_is_refused(path: Path, judge: Any) -> None:
    with pytest.raises(JudgeError, match=r"CallableJudge\(function, name=.*version="):
        CachedJudge(judge, path)
    assert not path.exists()


def test_a_callable_with_name_and_version_is_kept(path: Path) -> None:
    def judge(answer: bool, version: str) -> CachedJudge:
        return CachedJudge(CallableJudge(lambda p, h: answer, name="mine", version=version), path)

    assert judge(True, "1")("p", "h") is True
    assert judge(False, "1")("p", "h") is True
    assert judge(False, "2")("p", "h") is False


def test_usage_and_closing(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    cached.judge(PAIRS[:10])
    cached.judge(PAIRS[:15])
    assert cached.usage() == {"tokens": 45, "cached": 10, "asked": 15}
    cached.close()
    assert cached.inner.closed == 1  # type: ignore[attr-defined]
    assert cached.size == 15  # opened again when needed


def test_size_sees_what_others_add(path: Path) -> None:
    one, other = CachedJudge(Scorer(), path), CachedJudge(Scorer(), path)
    one.judge(PAIRS[:10])
    assert (one.size, other.size) == (10, 10)
    other.judge(PAIRS[:20])
    assert (one.size, other.size) == (20, 20)
    one.close()
    other.judge(PAIRS[:30])
    assert one.size == 30


def test_odd_answers_are_passed_on_and_not_kept(path: Path) -> None:
    class Odd(Scorer):
        def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Any]]:
            yield 0, "yes"
            yield 1, Verdict(supported=True, score=float("nan"))
            yield 2, Verdict(supported=True, score=float("inf"), reason="\ud800 x\0y")
            yield 2, Verdict(supported=False)
            # nothing about 3

    cached = CachedJudge(Odd(), path)
    verdicts = cached.judge(PAIRS[:4])
    assert verdicts[0] == "yes"
    assert verdicts[3].error == "the judge gave no verdict for this pair"
    assert cached.size == 1
    assert CachedJudge(Odd(), path).judge([PAIRS[2]])[0] == Verdict(
        supported=True, score=float("inf"), reason="\ud800 x\0y"
    )


def limit(cached: CachedJudge, pages: int) -> None:
    """Let the file grow to so many pages, as on a full disk."""
    with cached._store._using() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_costs_no_verdict(path: Path) -> None:
    pairs = [(f"{n} " + os.urandom(1000).hex(), f"h {n}") for n in range(300)]
    cached = CachedJudge(Scorer(), path)
    limit(cached, 150)
    with pytest.warns(CitemeterWarning, match="the run goes on: .*make room") as caught:
        verdicts = cached.judge(pairs)
    assert len(caught) == 1
    assert verdicts == Scorer().judge(pairs)
    assert 0 < cached.size < 300
    limit(cached, 1 << 30)  # room was made
    cached.flush()
    assert cached.size == 300
    assert cached.unsaved == 0
    assert CachedJudge(Scorer(), path).judge(pairs) == verdicts


def test_verdicts_that_could_not_be_written_are_counted(path: Path) -> None:
    pairs = [(f"{n} " + os.urandom(1000).hex(), f"h {n}") for n in range(300)]
    cached = CachedJudge(Scorer(), path)
    limit(cached, 150)
    with pytest.warns(CitemeterWarning):
        cached.judge(pairs)
    written = kept(path)
    for _ in range(2):
        cached.close()
        assert cached.unsaved == 300 - written
    assert cached.usage()["cache_unsaved"] == cached.unsaved


def test_what_is_held_for_a_full_disk_is_bounded(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citemeter.judges.cache.judge._HELD", 50)
    monkeypatch.setattr("citemeter.judges.cache.judge._RETRY", 0.0)
    pairs = [(f"{n} " + os.urandom(1000).hex(), f"h {n}") for n in range(200)]
    cached = CachedJudge(Scorer(), path)
    limit(cached, 8)
    with pytest.warns(CitemeterWarning):
        verdicts = cached.judge(pairs)
    assert verdicts == Scorer().judge(pairs)
    assert len(cached._buffer) <= 50
    assert cached.unsaved + len(cached._buffer) + kept(path) == 200


def test_a_file_that_breaks_in_mid_run_is_not_paid_for_again_unasked(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    cached.judge(PAIRS)
    cached.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with pytest.raises(JudgeError, match="is damaged: move it away"):
        CachedJudge(Scorer(), path).judge(PAIRS)


def test_threads_share_one_cache(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    expected = Scorer().judge(PAIRS)
    wrong: list[Any] = []

    def work(offset: int) -> None:
        mine = PAIRS[offset:] + PAIRS[:offset]
        if cached.judge(mine) != expected[offset:] + expected[:offset]:
            wrong.append(offset)

    threads = [threading.Thread(target=work, args=(n * 20,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert cached.size == 200
    assert cached.hits + cached.misses == 8 * 200


def forked(work: Callable[[], object]) -> int:
    """Do something in a forked process and return its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fork warns of threads that other tests have left
        child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return child


def succeeded(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
def test_a_fork_in_mid_run_loses_and_repeats_nothing(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    stream = cached.stream(PAIRS[:100])
    for _ in range(30):
        next(stream)
    written = kept(path)
    assert written < 30

    def work() -> bool:
        cached.flush()
        if kept(path) != written:  # what waited at the fork is the parent's to write
            return False
        right = cached.judge(PAIRS[100:]) == Scorer().judge(PAIRS[100:])
        cached.close()
        return right

    assert succeeded(forked(work))
    assert kept(path) == written + 100
    for _ in stream:
        pass
    assert cached.size == 200
    assert CachedJudge(Scorer(), path).judge(PAIRS) == Scorer().judge(PAIRS)


@needs_fork
def test_a_forked_child_writes_on_when_the_parent_has_closed(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    cached.judge(PAIRS[:10])
    inside, outside = os.pipe()

    def work() -> bool:
        cached.judge(PAIRS[10:20])
        os.read(inside, 1)  # the parent has closed the file, and was the last to hold it
        cached.judge(PAIRS[20:30])
        os._exit(0)

    child = forked(work)
    time.sleep(0.2)
    cached.close()
    os.write(outside, b"x")
    assert succeeded(child)
    os.close(inside)
    os.close(outside)
    assert kept(path) == 30


def _forked(cached: CachedJudge, start: int) -> int:
    return sum(v.supported is True for v in cached.judge(PAIRS[start : start + 100]))


@needs_fork
def test_forked_workers_share_the_parents_judge(path: Path) -> None:
    cached = CachedJudge(Scorer(), path)
    cached.judge(PAIRS[:10])
    context = multiprocessing.get_context("fork")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        workers = [context.Process(target=_forked, args=(cached, n)) for n in (0, 30, 60, 100)]
        for worker in workers:
            worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert cached.size == 200


WORKER = """
import sys
from citemeter.judges import CachedJudge, Judge
from citemeter.verdicts import JudgeIdentity, Verdict

path, number = sys.argv[1], int(sys.argv[2])
pairs = [(f"premise {n}", f"hypothesis {n}") for n in range(number * 150, number * 150 + 450)]

class Parity(Judge):
    identity = JudgeIdentity(name="scorer", version=str(number % 2))
    def judge(self, pairs):
        return [Verdict(supported=hypothesis[-1] in "02468") for _, hypothesis in pairs]

for round in range(2):
    cached = CachedJudge(Parity(), path)
    for start in range(0, 450, 9):  # many small writes, in one another's way
        some = pairs[start : start + 9]
        assert cached.judge(some) == Parity().judge(some)
    assert cached.unsaved == 0
    cached.close()
print("done")
"""


@pytest.mark.parametrize(
    ("processes", "expected"),
    [
        # Of each judge the pairs 0..750 and 150..600; 0..1050 and 150..900.
        (3, {"scorer-0": 750, "scorer-1": 450}),
        pytest.param(5, {"scorer-0": 1050, "scorer-1": 750}, marks=pytest.mark.slow),
    ],
)
def test_processes_share_one_file(path: Path, processes: int, expected: dict[str, int]) -> None:
    workers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WORKER, path, str(n)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    for worker in workers:
        out, errors = worker.communicate(timeout=120)
        assert (out, worker.returncode) == ("done\n", 0), errors
    with VerdictStore(path) as store:
        assert {row.judge: row.pairs for row in store.stats()} == expected
        assert {row["hypothesis"] for row in store.export()} == {
            f"hypothesis {n}" for n in range(300 + 150 * processes)
        }
