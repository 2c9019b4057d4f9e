"""Memory stays flat over a stream of responses, and a stream is read as it comes."""

from __future__ import annotations

import gc
import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

import citemeter
from citemeter.evaluation import engine
from citemeter.io import read_records
from citemeter.judges.asking import JudgeSession


def records(count: int, distinct: int) -> Iterator[dict[str, Any]]:
    """Small responses of three statements; texts differ for the first so many, then repeat."""
    for number in range(count):
        name = number % distinct
        yield {
            "id": f"r{number}",
            "question": "What?",
            "answer": f"The cat purrs {name} [1][2]. The dog barks {name} [2]. "
            f"“Fish do swim {name}” [7].",
            "sources": [f"The cat purrs {name}.", f"Fish swim {name}."],
            "gold_source_ids": ["1"],
            "metadata": {"number": number},
        }


def measured(stream: Iterator[Any], at: list[int], sizes: list[int]) -> Iterator[Any]:
    """Pass a stream on, noting the memory in use when it has come to the given places."""
    for number, item in enumerate(stream):
        if number in at:
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])
        yield item


@pytest.fixture
def traced() -> Iterator[None]:
    # What is loaded at first use is none of the stream's.
    citemeter.score(records(20, distinct=20))
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.slow
def test_a_short_stream(traced: None, monkeypatch: pytest.MonkeyPatch) -> None:
    # The verdicts remembered are few here, so that they are all there at the first measurement.
    monkeypatch.setattr(engine, "STREAM_LIMIT", 256)
    growth = {}
    for keep, places in ((False, [512, 1536]), (True, [0, 512])):
        sizes: list[int] = []
        report = citemeter.score(
            measured(records(places[1] + 1, distinct=3_000), places, sizes),
            judge=lambda premise, hypothesis: hypothesis.rstrip(".") in premise,
            keep_results=keep,
        )
        assert report.record_counts["scored"] == places[1] + 1
        growth[keep] = (sizes[1] - sizes[0]) / (places[1] - places[0])
    # Bytes a response. Kept results do grow, and show that the measurement would tell.
    assert growth[True] > 2_000
    assert growth[False] < 200


@pytest.mark.slow
def test_a_stream_that_repeats_itself_forgets_no_verdict(traced: None) -> None:
    sizes: list[int] = []
    report = citemeter.score(
        measured(records(1_537, distinct=10), [512, 1_536], sizes),
        judge="lexical",
        keep_results=False,
    )
    assert (sizes[1] - sizes[0]) / 1024 < 200  # bytes a response
    # Both passages together, each of the two alone, and another alone: 4 for each of 10.
    assert report.pair_counts["judged"] <= 50
    assert report.pair_counts["needed"] >= 3_000


RSS = """
import sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_memory import records
import citemeter
from citemeter.evaluation import engine

engine.STREAM_LIMIT = 1 << 16

def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 // 1024

def measured(stream):
    for number, record in enumerate(stream):
        if number in {at!r}:
            print(resident(), flush=True)
        yield record

report = citemeter.score(
    measured(records({count}, {distinct})), judge={judge!r}, keep_results=False
)
assert report.record_counts["scored"] == {count}
"""


def resident_at(at: list[int], distinct: int, judge: str) -> list[float]:
    """Run a stream in a process of its own; return its resident memory in MiB at the places."""
    code = RSS.format(
        here=str(Path(__file__).parent), at=at, count=at[-1] + 1, distinct=distinct, judge=judge
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return [int(line) / 1024 for line in done.stdout.split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("distinct", [100, 80_000])
def test_a_long_stream(distinct: int) -> None:
    # With 4 distinct pairs a response, the verdicts that a stream remembers are all there
    # after 16,384 responses. At most 175 bytes a response are left.
    first, last = resident_at([20_000, 79_999], distinct, "toy:contains")
    assert last - first < 10


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_command_line_without_out_keeps_nothing() -> None:
    code = (
        "import sys, resource\n"
        "from citemeter.cli import main\n"
        "sys.argv = ['citemeter', 'score', '-', '--judge', 'toy:contains']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as done:\n"
        "    assert not done.code, done.code\n"
        "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak(count: int) -> float:
        lines = "".join(json.dumps(r) + "\n" for r in records(count, distinct=50))
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=lines,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert f"{count} responses scored" in done.stdout
        return int(done.stdout.split("peak")[1]) / 1024

    # Twenty times as much input; the input alone is 9 MiB.
    assert peak(40_000) - peak(2_000) < 7


class Pipe(io.StringIO):
    """Lines as they come through a pipe; counts how many were taken out."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.lines = (json.dumps(r) + "\n" for r in records(count, distinct=5))
        self.taken = 0

    def readline(self, size: int | None = -1, /) -> str:
        line = next(self.lines, "")
        self.taken += bool(line)
        return line

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def read(self, size: int | None = -1, /) -> str:
        raise AssertionError("the pipe was read to its end")


def test_json_lines_in_a_pipe_are_scored_before_it_ends() -> None:
    pipe = Pipe(1_500)
    taken: list[int] = []
    report = citemeter.score(
        read_records(["-"], stdin=pipe),
        judge="toy:contains",
        keep_results=False,
        on_result=lambda result: taken.append(pipe.taken),
    )
    assert report.record_counts["scored"] == pipe.taken == 1_500
    assert taken[0] <= 500
    assert taken[749] <= 1_250


@pytest.mark.slow
def test_forgetting_verdicts_takes_no_longer_than_keeping_them() -> None:
    def seconds(limit: int | None) -> float:
        session = JudgeSession(lambda premise, hypothesis: True, limit)
        start = process_time()
        for batch in range(100):
            session.ask([(f"{batch} {number}", "It is so.") for number in range(1_000)])
        assert session.judged == 100_000
        return process_time() - start

    assert seconds(16_384) < 4 * seconds(None) + 0.2
