"""Rows of the labelled sets, and the measures that the scripts here print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_WORD = re.compile(r"\w+")
DEVELOPMENT = "attributionbench_dev"


class Row(NamedTuple):
    """One labelled pair: evidence, claim, whether it is fully supported, and whence it comes."""

    premise: str
    hypothesis: str
    supported: bool
    source: str


def read_rows(data: Path, name: str) -> list[Row]:
    """Read ``labelled/NAME.jsonl``; rows that people left undecided are left out."""
    path = data / "labelled" / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [
        Row(record["evidence"], record["claim"], record["y"] == 1, record.get("src", ""))
        for record in records
        if record["y"] is not None
    ]


def ranks(values: Floats) -> Floats:
    """Return ranks from 1, ties sharing their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts).astype(np.float64)
    mean: Floats = last - (counts - 1) / 2
    return mean[inverse]


def auroc(truth: Bools, scores: Floats) -> float:
    """Return the chance that a supported pair scores higher than another; ties count half."""
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    total = float(ranks(scores)[truth].sum())
    return (total - positive * (positive + 1) / 2) / (positive * negative)


def balanced_accuracy(truth: Bools, said: Bools) -> float:
    """Return the mean of the two classes' recalls."""
    return float((said[truth].mean() + (~said[~truth]).mean()) / 2)


def macro_f1(truth: Bools, said: Bools) -> float:
    """Return the mean of the two classes' F1."""
    scores = []
    for actual, given in ((truth, said), (~truth, ~said)):
        hits = float((actual & given).sum())
        scores.append(2 * hits / max(1.0, float(actual.sum() + given.sum())))
    return float(np.mean(scores))


def best_threshold(truth: Bools, scores: Floats, spread: float = 0.03) -> float:
    """Return the threshold, to two places, with the best balanced accuracy around it.

    The mean over ``spread`` on both sides is compared, so that one lucky step does not decide.
    """
    grid = np.round(np.arange(0.0, 1.0001, 0.01), 2)
    curve = np.array([balanced_accuracy(truth, scores >= t) for t in grid])
    width = round(spread * 100)
    padded = np.pad(curve, width, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * width + 1) / (2 * width + 1), mode="valid")
    return float(grid[int(np.argmax(smooth))])


def interval(
    measure: Callable[[Bools, Floats], float],
    truth: Bools,
    values: Floats,
    *,
    seed: int = 0,
    resamples: int = 1000,
) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of a measure, rows drawn with replacement."""
    draw = np.random.default_rng(seed)
    size = len(truth)
    found = []
    for _ in range(resamples):
        chosen = draw.integers(0, size, size)
        found.append(measure(truth[chosen], values[chosen]))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def token_overlap(premise: str, hypothesis: str) -> float:
    """Return the share of the hypothesis' distinct words that the premise has: the baseline."""
    words = set(_WORD.findall(hypothesis.lower()))
    return len(words & set(_WORD.findall(premise.lower()))) / len(words) if words else 0.0


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
