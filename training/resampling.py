"""Measures on many resamples at once: every function takes weights and gives a value for each.

Weights have one line a resample: how often each row was drawn. The first line is the sample
itself, so that the first value is the measure and the others are its bootstrap distribution.
Differences of two steps on the same weights are paired.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from citemeter.statistics.agreement import Bools, Floats

RESAMPLES = 1000
BINS = 10  # of equal count, for the calibration error


def draws(
    groups: Sequence[Sequence[str]], name: str, *, resamples: int = RESAMPLES
) -> list[Floats]:
    """Draw units with replacement for sets that share them, and weigh each set's rows.

    Rows of one unit, as a claim with several passages, are drawn together, in every set.

    Args:
        groups: For each set, the unit that each row belongs to.
        name: What the random numbers hang on beside the seed, which is 0.
        resamples: How many are drawn.

    Returns:
        For each set the weights, of shape (1 + resamples, rows), the first line all ones.
    """
    units = {unit: at for at, unit in enumerate(dict.fromkeys(u for g in groups for u in g))}
    random = np.random.default_rng([0, zlib.crc32(name.encode())])
    size = len(units)
    counts = np.ones((resamples + 1, size))
    for line in counts[1:]:
        line[:] = np.bincount(random.integers(0, size, size), minlength=size)
    return [counts[:, [units[unit] for unit in group]] for group in groups]


def value_and_interval(values: Floats) -> tuple[float, float, float]:
    """Return the first value and the 95 % percentile interval of the others."""
    low, high = np.nanpercentile(values[1:], [2.5, 97.5])
    return float(values[0]), float(low), float(high)


def _share(weights: Floats, part: Bools, whole: Bools) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Floats = weights[:, part].sum(1) / weights[:, whole].sum(1)
    return share


def balanced_accuracy(truth: Bools, said: Bools, weights: Floats) -> Floats:
    """Return ``citemeter.statistics.agreement.balanced_accuracy`` of each resample."""
    return (_share(weights, truth & said, truth) + _share(weights, ~truth & ~said, ~truth)) / 2


def macro_f1(truth: Bools, said: Bools, weights: Floats) -> Floats:
    """Return ``citemeter.statistics.agreement.macro_f1`` of each resample."""
    total = np.zeros(len(weights))
    for actual, given in ((truth, said), (~truth, ~said)):
        there = weights[:, actual].sum(1)
        there[there == 0] = np.nan  # undefined without one of the labels
        total += 2 * weights[:, actual & given].sum(1) / (there + weights[:, given].sum(1))
    return total / 2


def auroc(truth: Bools, scores: Floats, weights: Floats) -> Floats:
    """Return ``citemeter.statistics.agreement.auroc`` of each resample."""
    order = np.argsort(scores, kind="stable")
    _, starts = np.unique(scores[order], return_index=True)
    ordered = weights[:, order]
    good = np.add.reduceat(ordered * truth[order], starts, axis=1)
    bad = np.add.reduceat(ordered * ~truth[order], starts, axis=1)
    below = np.cumsum(bad, axis=1) - bad
    pairs = good.sum(1) * bad.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        area: Floats = (good * (below + bad / 2)).sum(1) / pairs
    return area


def calibration_error(truth: Bools, scores: Floats, weights: Floats) -> Floats:
    r"""Return the expected calibration error of each resample.

    .. math:: \sum_b \frac{n_b}{n} \left| \bar{y}_b - \bar{s}_b \right|

    over bins of equal count, with the share of supported rows and the mean score of each. Rows of
    equal score are in one bin; the bins are the sample's in every resample. Small samples are
    called worse calibrated than they are.
    """
    edges = np.quantile(scores, np.linspace(0, 1, BINS + 1)[1:-1])
    bins = np.searchsorted(edges, scores, side="left")
    off = weights * (truth - scores)
    total = np.zeros(len(weights))
    for chosen in range(BINS):
        total += np.abs(off[:, bins == chosen].sum(1))
    error: Floats = total / weights.sum(1)
    return error


def brier(truth: Bools, scores: Floats, weights: Floats) -> Floats:
    """Return the mean squared distance of the score from 1 or 0, of each resample."""
    score: Floats = (weights * (truth - scores) ** 2).sum(1) / weights.sum(1)
    return score
