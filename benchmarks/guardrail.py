"""Measure how long the guardrail takes for an answer.

Each answer is checked several times and its best time is taken, since a busy machine can only make
a check slower; the table shows the distribution of these times over the answers, in microseconds.
``fresh`` makes a guardrail for each answer, as ``check_citations`` does, ``reused`` has one ready;
``ids`` knows the sources' ids alone, ``texts`` checks quotations too; ``stream`` feeds the answer
in tokens of four characters and sums up. The bar is a median under a millisecond for each set
and way but the stream (``--at-most 1000``).

Usage: python benchmarks/guardrail.py [--rounds 7] [--smoke] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from citemeter.guardrail import Guardrail, GuardrailStream, check_citations

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "answers"
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "hagrid.jsonl"
FILES = ("hagrid", "expertqa", "scholarqa", "crowdrag25_llm")
TOKEN = 4


def load(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of each set, or the example's where those are not at hand."""
    found = {name: folder / f"{name}.jsonl" for name in FILES}
    if not all(path.is_file() for path in found.values()):
        found = {"hagrid (example)": EXAMPLE}
    sets: dict[str, list[dict[str, Any]]] = {}
    for name, path in found.items():
        with path.open(encoding="utf-8") as lines:
            sets[name] = [record(line) for line in lines]
    return sets


def record(line: str) -> dict[str, Any]:
    """Return an answer and the texts that it could cite."""
    row = json.loads(line)
    passages = row["passages"] if "passages" in row else row["sources"]
    texts = {p["id"]: p["text"] if isinstance(p["text"], str) else "" for p in passages}
    return {"answer": row["answer"], "texts": texts, "ids": set(texts)}


def stream(guardrail: Guardrail, answer: str) -> None:
    """Check an answer token by token."""
    run = GuardrailStream(guardrail)
    for start in range(0, len(answer), TOKEN):
        run.feed(answer[start : start + TOKEN])
    run.finish()


def best(check: Callable[[], Any], rounds: int) -> float:
    """Return the least time that a check took, in microseconds."""
    least = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        check()
        least = min(least, time.perf_counter() - start)
    return least * 1e6


def measure(rows: list[dict[str, Any]], rounds: int) -> dict[str, list[float]]:
    """Return the times of each way to check, one for each answer."""
    times: dict[str, list[float]] = {}
    for row in rows:
        answer = row["answer"]
        for kind in ("ids", "texts"):
            sources = row[kind]
            ready = Guardrail(sources)
            ways: dict[str, Callable[[], Any]] = {
                "fresh": lambda a=answer, s=sources: check_citations(a, s),
                "reused": lambda a=answer, g=ready: g.check(a),
            }
            if kind == "texts":
                ways["stream"] = lambda a=answer, g=ready: stream(g, a)
            for way, check in ways.items():
                times.setdefault(f"{kind}, {way}", []).append(best(check, rounds))
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--smoke", action="store_true", help="Few answers once, to see it run.")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--at-most", type=float, help="Fail if a median check takes longer (µs).")
    arguments = parser.parse_args()
    sets = load(arguments.data)
    check_citations("Warm [1].", {"1": "Warm."})
    gc.collect()
    gc.freeze()  # the collector's walks over the answers read above are no part of a check
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores;"
        " microseconds"
    )
    print(f"{'':18} {'':14} {'answers':>7} {'chars':>6} {'median':>7} {'p95':>7} {'max':>7}")
    worst = 0.0
    for name, rows in sets.items():
        chosen = rows[:5] if arguments.smoke else rows
        length = statistics.median(len(row["answer"]) for row in chosen)
        for way, values in measure(chosen, 1 if arguments.smoke else arguments.rounds).items():
            ranked = sorted(values)
            middle = statistics.median(ranked)
            if "stream" not in way:
                worst = max(worst, middle)
            print(
                f"{name:18} {way:14} {len(ranked):7} {length:6.0f} {middle:7.0f}"
                f" {ranked[int(0.95 * (len(ranked) - 1))]:7.0f} {ranked[-1]:7.0f}"
            )
    if arguments.at_most and worst > arguments.at_most:
        sys.exit(f"the median {worst:.0f} is above {arguments.at_most:.0f}")


if __name__ == "__main__":
    main()
