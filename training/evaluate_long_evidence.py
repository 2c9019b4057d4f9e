"""Measure what a judge makes of evidence that is longer than its model can read.

Usage: ``python training/evaluate_long_evidence.py MODEL [--data DATA] [--also-joint] [--window N]``

MODEL is what ``NLIJudge`` loads. WiCE's development claims are judged with all the text of their
cited pages (about a thousand words) under each ``long_premise``, and, as the upper reference, with
the sentences that annotators chose. Each way has its threshold fitted on AttributionBench's
development set, judged in the same way; WiCE itself fits nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from citemeter.judges import NLIJudge
from citemeter.judges.base import Pair
from citemeter.statistics.agreement import (
    Bools,
    Floats,
    auroc,
    balanced_accuracy,
    best_threshold,
    bootstrap_interval,
)
from measures import DATA, DEVELOPMENT, markdown_table, read_rows, token_overlap

FULL, ORACLE = "wice_claim_dev_full", "wice_claim_dev_oracle"
RESAMPLES = 2000
Measure = Callable[[Bools, Floats], float]


class Judged(NamedTuple):
    """One set under one rule: a score for each pair, NaN where the judge failed."""

    truth: Bools
    scores: Floats
    kinds: list[str]
    inputs: float
    tokens: float
    seconds: float

    @property
    def long(self) -> dict[str, int]:
        """How many pairs were not read whole, by what became of them."""
        counts = {kind: self.kinds.count(kind) for kind in ("chunked", "truncated", "failed")}
        return {kind: count for kind, count in counts.items() if count}

    def told(self) -> tuple[Bools, Floats]:
        """Return truth and scores of the pairs that have a score."""
        fine = ~np.isnan(self.scores)
        return self.truth[fine], self.scores[fine]


def judged(
    model: str, data: Path, name: str, options: dict[str, Any], known: Judged | None = None
) -> Judged:
    """Judge a set with a judge made for it; what another read whole need not be judged again."""
    rows = read_rows(data, name)
    again = [at for at in range(len(rows)) if known is None or known.kinds[at] != "whole"]
    pairs: list[Pair] = [(rows[at].premise, rows[at].hypothesis) for at in again]
    judge = NLIJudge(model, device="cpu", **options)
    judge.judge(pairs[:1])
    before = judge.usage()
    begun = time.perf_counter()
    verdicts = judge.judge(pairs)
    taken = time.perf_counter() - begun
    used = {key: count - before[key] for key, count in judge.usage().items()}
    judge.close()
    scores = np.full(len(rows), np.nan) if known is None else known.scores.copy()
    kinds = ["whole"] * len(rows)
    for at, verdict in zip(again, verdicts, strict=True):
        scores[at] = np.nan if verdict.score is None else verdict.score
        kinds[at] = "failed" if verdict.supported is None else verdict.long_premise or "whole"
    truth = np.array([row.supported for row in rows])
    return Judged(truth, scores, kinds, used["model_inputs"], used["model_tokens"], taken)


def accuracy_at(threshold: float) -> Measure:
    """Return balanced accuracy at a threshold as a measure."""
    return lambda truth, scores: balanced_accuracy(truth, scores >= threshold)


def with_interval(measure: Measure, truth: Bools, scores: Floats) -> str:
    low, high = bootstrap_interval(measure, truth, scores, resamples=RESAMPLES)
    return f"{measure(truth, scores):.3f} [{low:.3f}, {high:.3f}]"


def line_of(label: str, found: Judged, threshold: float) -> list[str]:
    """Return one line of the table."""
    truth, scores = found.told()
    both = truth.any() and not truth.all()
    return [
        label,
        f"{len(truth)} of {len(found.truth)} ({int(truth.sum())})",
        with_interval(auroc, truth, scores) if both else "–",
        f"{threshold:.2f}",
        with_interval(accuracy_at(threshold), truth, scores) if both else "–",
        with_interval(accuracy_at(0.5), truth, scores) if both else "–",
        ", ".join(f"{count} {kind}" for kind, count in found.long.items()) or "none",
        f"{found.inputs:,.0f}",
        f"{found.tokens / 1000:,.0f}",
        f"{found.seconds:.0f}",
    ]


def difference(
    first: tuple[Floats, Measure], second: tuple[Floats, Measure], truth: Bools
) -> tuple[float, float, float]:
    """Return how much more the first reaches than the second, with the paired 95 % interval."""

    def gain(rows: Any) -> float:
        found = [measure(truth[rows], scores[rows]) for scores, measure in (first, second)]
        return found[0] - found[1]

    draw = np.random.default_rng(0)
    size = len(truth)
    gains = [gain(draw.integers(0, size, size)) for _ in range(RESAMPLES)]
    low, high = np.nanpercentile(gains, [2.5, 97.5])
    return gain(np.arange(size)), float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds labelled/")
    parser.add_argument("--also-joint", action="store_true", help='also chunk with joint="always"')
    parser.add_argument("--window", type=int, action="append", default=[], help="also chunk so")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scores", type=Path, help="where to keep the scores, as .npz")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    ways: dict[str, dict[str, Any]] = {
        f"`{rule}`": {"long_premise": rule} for rule in ("chunk", "truncate", "error")
    }
    if options.also_joint:
        ways['`chunk`, `joint="always"`'] = {"joint": "always"}
    for size in options.window:
        ways[f"`chunk`, `window={size}`"] = {"window": size}
    found: dict[str, Judged] = {}
    thresholds: dict[str, float] = {}
    table: list[list[str]] = []
    kept: dict[str, Floats] = {}

    def add(label: str, way: str, name: str) -> Judged:
        result = judged(options.model, options.data, name, ways[way])
        table.append(line_of(label, result, thresholds[way]))
        print(" | ".join(table[-1]), flush=True)
        kept[f"{name} {way}"] = result.scores
        return result

    whole: Judged | None = None  # the development set under the first rule
    for way, chosen in ways.items():
        same = whole if "long_premise" in chosen else None
        development = judged(options.model, options.data, DEVELOPMENT, chosen, same)
        whole = whole or development
        kept[f"{DEVELOPMENT} {way}"] = development.scores
        thresholds[way] = best_threshold(*development.told())
        print(f"{way}: {development.long}, threshold {thresholds[way]}", flush=True)
        found[way] = add(f"whole pages, {way}", way, FULL)
    add("chosen sentences", "`chunk`", ORACLE)
    for name, label in ((FULL, "whole pages"), (ORACLE, "chosen sentences")):
        rows = read_rows(options.data, name)
        truth = np.array([row.supported for row in rows])
        overlap = np.array([token_overlap(row.premise, row.hypothesis) for row in rows])
        line = [f"{label}, token overlap", f"{len(rows)} of {len(rows)} ({int(truth.sum())})"]
        table.append([*line, with_interval(auroc, truth, overlap), *["–"] * 7])
    if options.scores:
        np.savez(options.scores, allow_pickle=False, **kept)
    head = ["evidence", "judged (supported)", "AUROC", "threshold", "balanced accuracy there"]
    head += ["at 0.5", "long", "inputs", "thousand tokens", "s"]
    print(f"\n{markdown_table(head, table)}\n")
    base = "`truncate`"
    for way in ways:
        if way in (base, "`error`"):
            continue
        for label, measures in {
            "AUROC": (auroc, auroc),
            "balanced accuracy": (accuracy_at(thresholds[way]), accuracy_at(thresholds[base])),
            "balanced accuracy at 0.5": (accuracy_at(0.5), accuracy_at(0.5)),
        }.items():
            value, low, high = difference(
                (found[way].scores, measures[0]),
                (found[base].scores, measures[1]),
                found[way].truth,
            )
            print(f"- {way} − {base}, {label}: {value:+.3f} [{low:+.3f}, {high:+.3f}]")


if __name__ == "__main__":
    main()
