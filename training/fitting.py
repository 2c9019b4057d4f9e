"""Logistics over named features: fitted with signs that may not turn, then calibrated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from citemeter.judges.lexical.features import FEATURES, Logistic
from citemeter.judges.lexical.judge import analyse_pair
from citemeter.statistics.agreement import Bools, Floats, auroc, balanced_accuracy, best_threshold
from hard_negatives import Example, altered, content, names_in

EDITS = 2.0  # how much all pairs of one kind of edit weigh, where a labelled set weighs 1
PENALTY = 5.0  # of the squared weights of standardised features
LONGEST = 400  # words of a premise whose claim is changed
STEPS = 4000
DIGITS = 4


class Table(NamedTuple):
    """Rows to fit on: features, whether they are supported, and to which group they belong."""

    features: Floats
    truth: Bools
    groups: Sequence[str]


def with_edits(examples: Sequence[Example], seed: int = 0) -> list[Example]:
    """Return the examples, and supported ones again beside a copy with one thing changed.

    People's labels seldom turn on one number or one "not"; a judge that is to notice must be shown.
    """
    draw = random.Random(seed)
    names = sorted(
        {
            match.group()
            for example in examples
            for match in names_in(example.hypothesis)
            if len(match.group().split()) <= 4
        }
    )
    found = [example._replace(kind=example.source) for example in examples]
    for example in examples:
        if example.supported and len(example.premise.split()) < LONGEST:
            changed = altered(example, names, draw)
            if changed is not None and _told(example, changed):
                kind = f"edit: {changed.kind}"
                found += [changed._replace(kind=kind), example._replace(kind=kind)]
    return found


def _told(example: Example, changed: Example) -> bool:
    """Whether the premise has what was changed: else nobody can tell that the change is wrong."""
    gone = content(example.hypothesis) - content(changed.hypothesis)
    return gone <= content(example.premise)


def lexical_features(pairs: Sequence[tuple[str, str]], width: int) -> Floats:
    """Return ``FEATURES`` of each ``(premise, hypothesis)``; zeros where nothing can be read."""
    found = np.zeros((len(pairs), len(FEATURES)))
    for row, pair in enumerate(pairs):
        analysis = analyse_pair(*pair, width)
        if not isinstance(analysis, str):
            found[row] = analysis.features
    return found


def row_weights(table: Table) -> Floats:
    """Return weights by which every group counts alike, and in it both answers."""
    groups = np.array(table.groups)
    weights = np.zeros(len(groups))
    for group in sorted(set(table.groups)):
        for answer in (True, False):
            chosen = (groups == group) & (table.truth == answer)
            weights[chosen] = (EDITS if group.startswith("edit") else 1.0) / max(1, chosen.sum())
    return weights * (len(weights) / weights.sum())


def constrained(features: Floats, truth: Bools, weights: Floats, signs: Sequence[int]) -> Floats:
    """Fit a logistic whose weights keep their signs (0: free); return the weights, the bias last.

    Accelerated projected gradient on standardised features with a quadratic penalty.
    """
    mean, spread = features.mean(0), features.std(0)
    spread[spread == 0] = 1.0
    design = np.c_[(features - mean) / spread, np.ones(len(features))]
    sign = np.array([*signs, 0])
    bound = np.linalg.eigvalsh((design.T * weights) @ design / 4).max() + PENALTY
    found = ahead = np.zeros(design.shape[1])
    pace = 1.0
    for _ in range(STEPS):
        told = 1 / (1 + np.exp(-np.clip(design @ ahead, -30, 30)))
        slope = design.T @ (weights * (told - truth)) + PENALTY * np.r_[ahead[:-1], 0.0]
        new = ahead - slope / bound
        new[(sign * new) < 0] = 0.0
        faster = (1 + np.sqrt(1 + 4 * pace * pace)) / 2
        ahead, found, pace = new + (pace - 1) / faster * (new - found), new, faster
    raw = found[:-1] / spread
    return np.r_[raw, found[-1] - raw @ mean]


def calibrated(fit: Floats, features: Floats, truth: Bools) -> Floats:
    """Scale and shift a logistic so that its probabilities fit these rows."""
    told = features @ fit[:-1] + fit[-1]
    scale = constrained(told[:, None], truth, np.ones(len(truth)), [1])  # a scale and a shift
    return np.r_[fit[:-1] * scale[0], fit[-1] * scale[0] + scale[1]]


def finished(
    names: Sequence[str],
    fit: Floats,
    development: Floats,
    truth: Bools,
    constants: dict[str, float],
) -> Logistic:
    """Calibrate on the development set, round, and put the threshold where it is best there."""
    fit = np.round(calibrated(fit, development, truth), DIGITS)
    shipped = Logistic(tuple(names), tuple(map(float, fit[:-1])), float(fit[-1]), 0.5, constants)
    scores = np.array([shipped.probability(row) for row in development])
    return shipped._replace(threshold=round(best_threshold(truth, scores), DIGITS))


class Fitted(NamedTuple):
    """A logistic as it is to be shipped, the rows it was fitted on, and the development set's."""

    logistic: Logistic
    table: Table
    development: Table

    def described(self) -> str:
        """Say what it reaches on each group of rows."""
        lines = []
        for table in (self.table, self.development):
            for group in sorted(set(table.groups)):
                chosen = np.array(table.groups) == group
                told = described(self.logistic, table.features[chosen], table.truth[chosen])
                lines.append(f"{group}: {told}")
        return "\n".join([*lines, str(self.logistic)])


def described(fit: Logistic, features: Floats, truth: Bools) -> str:
    """Say what a logistic reaches on some rows."""
    scores = np.array([fit.probability(row) for row in features])
    reached = balanced_accuracy(truth, scores >= fit.threshold)
    return f"AUROC {auroc(truth, scores):.3f}, balanced accuracy {reached:.3f}"


def write(fit: Logistic, path: Path, script: str) -> None:
    """Write what ``citemeter.judges.lexical.features.read_logistic`` reads."""
    lines = [f"# Written by training/{script}; each feature: judges/lexical/features.py."]
    lines += [f"{name} {value:g}" for name, value in fit.constants.items()]
    lines += [f"threshold {fit.threshold:g}", f"bias {fit.bias:g}"]
    lines += [f"weight {n} {w:g}" for n, w in zip(fit.names, fit.weights, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
