"""Measure what late interaction and a network's logit add to the lexical features.

Usage:
    python training/late_interaction_gain.py LEXICAL LATE [--logits LOGITS]

Each is a folder with features_SET.npz (``names``, ``x``) for all sets, in the order of their rows,
as ``late_interaction.py features`` writes them. Everything is fitted on the held rows, each source
and each class in it weighing the same; the penalty and the threshold are chosen on the development
set. What is printed of other sets is measured once, for what was so fitted.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import resampling
from citemeter.statistics.agreement import Bools, Floats, auroc, best_threshold
from late_interaction import HELD, SETS, rows_of
from measures import CONTRAST, DATA, DEVELOPMENT, REPORTED, Row, markdown_table
from resampling import draws, value_and_interval

Matrix = npt.NDArray[np.float64]

STRENGTHS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
RESAMPLES = 2000


class Logistic:
    """A logistic regression on standardised features with an L2 penalty, by Newton's method.

    Args:
        x: Features, of shape (n, d).
        y: Labels, of shape (n,).
        weights: Of the rows, of shape (n,); scaled to sum to n.
        strength: Of the penalty, in rows.
    """

    def __init__(self, x: Matrix, y: Bools, weights: Floats, strength: float) -> None:
        weights = weights * (len(y) / weights.sum())
        self.mean = np.average(x, axis=0, weights=weights)
        spread = np.sqrt(np.average((x - self.mean) ** 2, axis=0, weights=weights))
        self.scale = np.where(spread > 1e-9, spread, 1.0)
        z = np.column_stack([(x - self.mean) / self.scale, np.ones(len(y))])
        penalty = np.full(z.shape[1], strength)
        penalty[-1] = 1e-9  # none on the intercept
        self.beta = np.zeros(z.shape[1])
        for _ in range(50):
            p = 1 / (1 + np.exp(-z @ self.beta))
            slope = z.T @ (weights * (p - y)) + penalty * self.beta
            curve = (z * (weights * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
            step = np.linalg.solve(curve, slope)
            self.beta -= step
            if np.abs(step).max() < 1e-9:
                break

    def __call__(self, x: Matrix) -> Floats:
        """Return the probability of support of each row."""
        z = (x - self.mean) / self.scale @ self.beta[:-1] + self.beta[-1]
        return np.asarray(1 / (1 + np.exp(-z)))


def even_weights(y: Bools, sources: Sequence[str]) -> Floats:
    """Weigh rows so that each source counts the same, and each class in it."""
    weights = np.zeros(len(y))
    of = np.array(sources)
    for name in np.unique(of):
        for value in (True, False):
            chosen = (of == name) & (y == value)
            weights[chosen] = 1 / max(1, chosen.sum())
    return weights


class Block(NamedTuple):
    """Features of all sets."""

    names: list[str]
    x: dict[str, Matrix]


def read_block(folder: Path) -> Block:
    """Read the features that a folder has of every set."""
    names: list[str] = []
    x = {}
    for name in SETS:
        with np.load(folder / f"features_{name}.npz") as kept:
            names = [str(n) for n in kept["names"]]
            x[name] = kept["x"].astype(np.float64)
    return Block(names, x)


def joined(*blocks: Block) -> Block:
    """Set the features of several blocks side by side."""
    x = {name: np.column_stack([block.x[name] for block in blocks]) for name in SETS}
    return Block([name for block in blocks for name in block.names], x)


class Fitted(NamedTuple):
    """A logistic over a block, and what was chosen for it on the development set."""

    model: Logistic
    strength: float
    threshold: float
    development: float


class Bench:
    """The rows of all sets, and what is fitted on them."""

    def __init__(self, data: Path) -> None:
        self.rows: dict[str, list[Row]] = {name: rows_of(data, name) for name in SETS}
        self.y = {n: np.array([row.supported for row in rows]) for n, rows in self.rows.items()}
        self._weights = even_weights(self.y[HELD], [row.source for row in self.rows[HELD]])
        claims = [[row.hypothesis for row in self.rows[name]] for name in REPORTED]
        drawn = draws(claims, "late interaction", resamples=RESAMPLES)
        self.resamples = dict(zip(REPORTED, drawn, strict=True))

    def fit(self, block: Block, strengths: Sequence[float] = STRENGTHS) -> Fitted:
        """Fit a logistic; take the penalty that orders the development set best."""
        found = []
        for strength in strengths:
            model = Logistic(block.x[HELD], self.y[HELD], self._weights, strength)
            found.append((self.on_development(model, block), -strength, model))
        reached, strength, model = max(found, key=lambda one: one[:2])
        scores = model(block.x[DEVELOPMENT])
        threshold = best_threshold(self.y[DEVELOPMENT], scores)
        return Fitted(model, -strength, threshold, reached)

    def on_development(self, model: Logistic, block: Block) -> float:
        """Return how well a model orders the development set."""
        return auroc(self.y[DEVELOPMENT], model(block.x[DEVELOPMENT]))

    def accuracies(self, fitted: Fitted, block: Block) -> dict[str, Floats]:
        """Return balanced accuracy on each reported set and on its resamples."""
        return {
            name: resampling.balanced_accuracy(
                self.y[name],
                fitted.model(block.x[name]) >= fitted.threshold,
                self.resamples[name],
            )
            for name in REPORTED
        }


def shown(values: Floats, *, gain: bool = False) -> str:
    value, low, high = (100 * v for v in value_and_interval(values))
    sign = "+" if gain else ""
    return f"{value:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


def means(values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the means over all sets, over the contrast sets and over the natural ones."""
    groups = {
        "mean": list(REPORTED),
        "mean, contrast": list(CONTRAST),
        "mean, natural": [name for name in REPORTED if name not in CONTRAST],
    }
    return {
        title: np.mean([values[name] for name in names], axis=0) for title, names in groups.items()
    }


def forward(bench: Bench, base: Block, late: Block, most: int) -> list[tuple[str, float]]:
    """Add late features to a block one by one, each the best for the development set's order."""
    chosen: list[int] = []
    path = []
    while len(chosen) < most:
        tried = []
        for at in range(len(late.names)):
            if at not in chosen:
                part = Block(
                    [late.names[i] for i in (*chosen, at)],
                    {name: x[:, [*chosen, at]] for name, x in late.x.items()},
                )
                tried.append((bench.fit(joined(base, part), (10.0,)).development, at))
        reached, at = max(tried)
        chosen.append(at)
        path.append((late.names[at], reached))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lexical", type=Path)
    parser.add_argument("late", type=Path)
    parser.add_argument("--logits", type=Path, help="of a cross-encoder, one feature")
    parser.add_argument("--steps", type=int, default=0, help="show a forward selection")
    parser.add_argument("--only", help="use these late features alone, comma-separated")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    bench = Bench(options.data)
    lexical, late = read_block(options.lexical), read_block(options.late)
    if options.only:
        at = [late.names.index(name) for name in options.only.split(",")]
        late = Block([late.names[i] for i in at], {n: x[:, at] for n, x in late.x.items()})
    blocks = {"lexical": lexical, "late": late, "lexical + late": joined(lexical, late)}
    compared = [("lexical", "lexical + late")]
    if options.logits:
        logits = read_block(options.logits)
        blocks |= {
            "network": logits,
            "lexical + network": joined(lexical, logits),
            "all": joined(lexical, late, logits),
        }
        compared += [("lexical", "lexical + network"), ("lexical + network", "all")]
    for name, reached in forward(bench, lexical, late, options.steps):
        print(f"+ {name}: AUROC on the development set {reached:.4f}")
    accuracies = {}
    order = {}
    for title, block in blocks.items():
        fitted = bench.fit(block)
        accuracies[title] = bench.accuracies(fitted, block)
        order[title] = {n: auroc(bench.y[n], fitted.model(block.x[n])) for n in REPORTED}
        print(
            f"{title}: penalty {fitted.strength:g}, threshold {fitted.threshold:.2f}, "
            f"AUROC on the development set {fitted.development:.3f}"
        )
    print("\nAUROC")
    lines = [[n, *[f"{order[title][n]:.3f}" for title in blocks]] for n in REPORTED]
    print(markdown_table(["set", *blocks], lines))
    print("\nBalanced accuracy, %")
    lines = [[n, *[shown(accuracies[title][n]) for title in blocks]] for n in REPORTED]
    averages = {title: means(values) for title, values in accuracies.items()}
    groups = list(averages["lexical"])
    lines += [[group, *[shown(averages[title][group]) for title in blocks]] for group in groups]
    print(markdown_table(["set", *blocks], lines))
    print("\nGain, points of balanced accuracy")
    gained = [
        {name: accuracies[after][name] - accuracies[before][name] for name in REPORTED}
        for before, after in compared
    ]
    gained = [values | means(values) for values in gained]
    lines = [[n, *[shown(values[n], gain=True) for values in gained]] for n in gained[0]]
    print(markdown_table(["set", *[f"{a} → {b}" for a, b in compared]], lines))


if __name__ == "__main__":
    main()
