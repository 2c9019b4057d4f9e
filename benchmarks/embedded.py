"""The embedded judge: cold start, a full ALCE run over real answers, memory, and pairs per second.

In one process, turn by turn, the answers of HAGRID are scored under ALCE's protocol with

(a) ``lexical``: no network;
(b) ``embedded``: chosen evidence, equal pairs read once;
(c) the same network as a cross-encoder is used elsewhere: every pair that ALCE's rules ask for,
    the whole premise as far as the network reads it, nothing remembered.

A cold start is a new process that imports the package, loads the judge and prints one verdict.

Usage: python benchmarks/embedded.py [--smoke] [--rounds 3] [--threads N] [--check]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import citemeter
from citemeter.judges.base import Judge, Pair
from citemeter.judges.embedded.encoder import Network
from citemeter.judges.embedded.judge import EmbeddedJudge
from citemeter.judges.lexical.judge import LexicalJudge
from citemeter.verdicts import JudgeIdentity, Verdict

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "answers" / "hagrid.jsonl"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "hagrid.jsonl"
BARS = {
    "cold start, s": 1.5,
    "run of 900 answers, s": 60.0,
    "memory, MiB": 400.0,
    "lexical, ms": 1.0,
}
COLD = """
import time; begun = time.perf_counter()
import citemeter
judge = citemeter.load_judge("embedded")
judge("Ole Berg sold the yard in 1948.", "The yard was sold in 1948.")
print(time.perf_counter() - begun)
"""
SCORE = """
import json, re, resource, sys
from pathlib import Path
import citemeter
records = json.loads(sys.stdin.read())
citemeter.score(records, judge="embedded")
status = Path("/proc/self/status")
if status.exists():  # the other figure begins with that of the process that started this one
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) / 1024)
else:
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
"""

Record = dict[str, Any]


class EveryPair(Judge):
    """The network asked as a cross-encoder is: each pair as it comes, nothing remembered."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.pairs = 0

    @property
    def identity(self) -> JudgeIdentity:
        """A name."""
        return JudgeIdentity(name="every-pair", version="1")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Read the whole premise as far as the network goes."""
        self.pairs += len(pairs)
        return [Verdict(supported=bool(logit > 0)) for logit in self._network.logits(pairs)]


class Keeping(Judge):
    """A judge that keeps the pairs it was asked."""

    def __init__(self, inner: Judge) -> None:
        self._inner = inner
        self.asked: list[Pair] = []

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's own."""
        return self._inner.identity

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Pass the pairs on."""
        self.asked += pairs
        return self._inner.judge(pairs)


def a_pair(judge: Judge, pairs: Sequence[Pair]) -> float:
    """Return the milliseconds that a judge takes for a pair, seen for the first time."""
    begun = time.perf_counter()
    judge.judge(pairs)
    return (time.perf_counter() - begun) / len(pairs) * 1e3


def load(count: int | None) -> list[Record]:
    """Return answers with their passages as records."""
    path = DATA if DATA.exists() else EXAMPLE
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:count]
    return [
        {
            "id": row["id"],
            "question": row["question"],
            "answer": row["answer"],
            "sources": row.get("sources")
            or [{"id": passage["id"], "text": passage["text"]} for passage in row["passages"]],
        }
        for row in rows
    ]


def run(code: str, given: str = "") -> float:
    """Run Python code in a new process and return the number it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def timed(records: Sequence[Record], judge: Judge) -> tuple[float, float, Any]:
    """Return seconds by the clock and of the processors, and the report."""
    clock, used = time.perf_counter(), time.process_time()
    report = citemeter.score(records, judge=judge)
    return time.perf_counter() - clock, time.process_time() - used, report


def shown(values: Sequence[float], digits: int = 2) -> str:
    """Return the median and the range."""
    middle = statistics.median(values)
    return f"{middle:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few answers, one round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--check", action="store_true", help="fail where a bar is missed")
    options = parser.parse_args()
    rounds = 1 if options.smoke else options.rounds
    records = load(12 if options.smoke else None)
    network = Network(options.threads)
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, ONNX Runtime {onnxruntime.__version__}, {network.threads} "
        f"threads, {len(records)} answers, {rounds} rounds"
    )
    network.logits([("a", "b")])
    keeping = Keeping(LexicalJudge())
    citemeter.score(records, judge=keeping)  # also loads what all of them need
    times: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for _ in range(rounds):
        for name, judge in (
            ("(a) lexical", LexicalJudge()),
            ("(b) embedded", EmbeddedJudge(threads=options.threads)),
            ("(c) every pair", EveryPair(network)),
        ):
            clock, used, report = timed(records, judge)
            times.setdefault(name, []).append(clock)
            times.setdefault(f"{name}, processor", []).append(used)
            counts[name] = report.pair_counts["judged"]
            if isinstance(judge, EmbeddedJudge):
                counts["read by the network"] = judge._network.logit.cache_info().misses
    for name, values in times.items():
        print(f"{name}: {shown(values)} s")
    for name, count in counts.items():
        print(f"{name}: {count} pairs")
    ratio = np.median(np.array(times["(c) every pair"]) / np.array(times["(b) embedded"]))
    print(f"(c) / (b) {ratio:.2f}")
    cold = [run(COLD) for _ in range(1 if options.smoke else 7)]
    print(f"cold start: {shown(cold)} s")
    memory = run(SCORE, json.dumps(records))
    print(f"peak memory of a process that scores them: {memory:.0f} MiB")
    lexical = a_pair(LexicalJudge(), keeping.asked)
    whole = a_pair(EmbeddedJudge(threads=options.threads), keeping.asked)
    print(f"milliseconds a pair, judging alone: lexical {lexical:.2f}, embedded {whole:.2f}")
    reached = {
        "cold start, s": statistics.median(cold),
        "run of 900 answers, s": statistics.median(times["(b) embedded"]),
        "memory, MiB": memory,
        "lexical, ms": lexical,
    }
    missed = [name for name, bar in BARS.items() if reached[name] > bar]
    for name in missed:
        print(f"missed: {name}: {reached[name]:.2f}, not under {BARS[name]:g}")
    if options.check and missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
