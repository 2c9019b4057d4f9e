"""A run that is killed and started again judges nothing twice but the batch it was at."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

from citemeter.judges.cache import VerdictStore
from support import EXAMPLE

RUN = Path(__file__).with_name("cache_run.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kills processes as Linux does")


class Trial:
    """Runs over one file with one cache and one log."""

    def __init__(self, folder: Path, file: Path, seconds: float) -> None:
        folder.mkdir(exist_ok=True)
        self.cache, self.log = folder / "cache.sqlite", folder / "log"
        self.output = folder / "output"
        self.file, self.seconds = file, seconds
        self.runs = 0

    def start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "error", RUN, self.file, self.cache, self.log]
        with self.output.open("w") as output:  # not a pipe, which would fill and hold it up
            run = subprocess.Popen(
                [*command, str(self.runs), str(self.seconds)],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.runs += 1
        return run

    def kill(self, batches: int, delay: float) -> None:
        """Start a run and kill it so long after it began so many batches."""
        run = self.start()
        mine = str(self.runs - 1)
        end = time.monotonic() + 60
        while len(self.asked().get(mine, {})) < batches and run.poll() is None:
            assert time.monotonic() < end, "the run does not get going"
            time.sleep(0.002)
        time.sleep(delay)
        os.kill(run.pid, signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, "the run was over before it was killed"

    def finish(self) -> str:
        run = self.start()
        assert run.wait(300) == 0, self.output.read_text()
        return self.output.read_text()

    def asked(self) -> dict[str, dict[int, list[str]]]:
        """Return the pairs asked, by run and batch; a line that was cut off is no batch yet."""
        found: dict[str, dict[int, list[str]]] = defaultdict(dict)
        if self.log.exists():
            for line in self.log.read_text().splitlines():
                run, batch, pair = line.split()
                found[run].setdefault(int(batch), []).append(pair)
        return found

    def repeated(self) -> None:
        """Check that a pair was asked again only if it was in the batch at which a run died."""
        asked = self.asked()
        before: set[str] = set()
        free: set[str] = set()
        for run in map(str, range(self.runs)):
            batches = asked.get(run, {})
            now = [pair for batch in batches.values() for pair in batch]
            assert len(now) == len(set(now))
            assert set(now) & before <= free, "a decided pair was judged again"
            before |= set(now)
            free = (free - set(now)) | set(batches[max(batches)] if batches else ())


def check(tmp_path: Path, file: Path, seconds: float, kills: list[tuple[int, float]]) -> Trial:
    whole, broken = (Trial(tmp_path / name, file, seconds) for name in ("whole", "broken"))
    expected = whole.finish()
    for batches, delay in kills:
        broken.kill(batches, delay)
    assert broken.finish() == expected
    broken.repeated()
    pairs = {pair for run in whole.asked().values() for batch in run.values() for pair in batch}
    again = {pair for run in broken.asked().values() for batch in run.values() for pair in batch}
    assert again == pairs
    for trial in (whole, broken):
        with VerdictStore(trial.cache) as store:
            assert store.count() == len(pairs)
    return broken


def test_a_killed_run_is_taken_up_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = EXAMPLE.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:20]), "utf-8")
    check(tmp_path, file, 0.05, [(3, 0.02)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_killed_at_random_moments(tmp_path: Path, shared: Path, seed: int) -> None:
    lines = (shared / "data" / "answers" / "hagrid.jsonl").read_text("utf-8").splitlines()
    random.seed(seed)
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(random.sample(lines, 120)) + "\n", "utf-8")
    kills = [(random.randint(1, 5), random.uniform(0, 0.1)) for _ in range(4)]
    trial = check(tmp_path, file, 0.08, kills)
    # With everything in the file, the judge is not asked at all.
    trial.finish()
    assert str(trial.runs - 1) not in trial.asked()
