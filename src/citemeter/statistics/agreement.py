"""How often a judge is wrong: its verdicts against labels that people gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from citemeter.errors import InputError
from citemeter.models import Model
from citemeter.verdicts import JudgeIdentity, Verdict

__all__ = [
    "Agreement",
    "JudgingSummary",
    "agreement",
    "auroc",
    "balanced_accuracy",
    "balanced_accuracy_interval",
    "best_threshold",
    "bootstrap_interval",
    "macro_f1",
    "wilson_interval",
]

Bools: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Interval: TypeAlias = tuple[float, float]

_LOW, _HIGH = 2.5, 97.5  # percentiles of a 95 % interval
_Z = 1.959963984540054  # and the normal distribution's


class Agreement(Model):
    """A judge's verdicts beside people's labels of the same pairs.

    Args:
        pairs: How many pairs have a label and a verdict.
        failed: How many labelled pairs the judge gave no verdict on; they are in nothing below.
        hits: Supported pairs called supported.
        misses: Supported pairs called unsupported.
        false_alarms: Unsupported pairs called supported.
        rejections: Unsupported pairs called unsupported.
        accuracy: The share of pairs where both agree.
        balanced_accuracy: See ``balanced_accuracy``; ``None`` without pairs of both labels.
        balanced_accuracy_interval: Its 95 % interval; see ``balanced_accuracy_interval``.
        macro_f1: See ``macro_f1``; ``None`` without pairs of both labels.
        macro_f1_interval: Its 95 % interval, by ``bootstrap_interval``.
        auroc: See ``auroc``; ``None`` without pairs of both labels, or if a verdict has no score.
        auroc_interval: Its 95 % interval, by ``bootstrap_interval``.
    """

    pairs: int
    failed: int
    hits: int
    misses: int
    false_alarms: int
    rejections: int
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    balanced_accuracy_interval: Interval | None = None
    macro_f1: float | None = None
    macro_f1_interval: Interval | None = None
    auroc: float | None = None
    auroc_interval: Interval | None = None


class JudgingSummary(Model):
    """What a judge said of a set of pairs.

    Args:
        judge: Who judged.
        pairs: How many verdicts were ``needed``, how many distinct pairs were ``judged``, on how
            many the judge ``failed``, how many premises were ``chunked`` or ``truncated``; and by
            verdict: ``supported``, ``unsupported``, ``unjudged``.
        usage: What the judge used up or saved.
        agreement: The verdicts beside people's labels, if there are any.
        open_labels: How many pairs people left open.
        best_threshold: The threshold that agrees best with the labels, if asked for.
    """

    judge: JudgeIdentity
    pairs: dict[str, int]
    usage: dict[str, float]
    agreement: Agreement | None = None
    open_labels: int = 0
    best_threshold: float | None = None


def balanced_accuracy(gold: Bools, said: Bools) -> float:
    r"""Return the mean of the two classes' recalls.

    .. math:: \frac{1}{2} \left( \frac{TP}{TP + FN} + \frac{TN}{TN + FP} \right)

    with the positives :math:`P` the pairs that ``gold`` calls supported. A judge that answers
    without looking has 0.5, however unequal the classes are.

    Args:
        gold: Whether each pair is supported, of shape (n,).
        said: Whether the judge calls it supported, of shape (n,).

    Returns:
        A number in [0, 1], higher is better; ``nan`` if ``gold`` lacks one of the classes.

    >>> gold = np.array([True, True, False, False])
    >>> balanced_accuracy(gold, np.array([True, False, False, False]))
    0.75
    """
    if gold.all() or not gold.any():
        return float("nan")
    return float((said[gold].mean() + (~said[~gold]).mean()) / 2)


def balanced_accuracy_interval(
    hits: int, supported: int, rejections: int, unsupported: int
) -> Interval:
    r"""Return the 95 % interval of balanced accuracy, from the Wilson intervals of both recalls.

    .. math:: \frac{p + q}{2} \pm \frac{1}{2} \sqrt{\delta_p^2 + \delta_q^2}

    with :math:`p`, :math:`q` the recalls of the two classes and :math:`\delta` the distance from
    each to that end of its Wilson interval. Unlike a bootstrap, it does not shrink to a point where
    a small sample has no error.

    Args:
        hits: Supported pairs called supported.
        supported: Supported pairs, at least one.
        rejections: Unsupported pairs called unsupported.
        unsupported: Unsupported pairs, at least one.

    >>> low, high = balanced_accuracy_interval(50, 50, 50, 50)
    >>> round(low, 3), high
    (0.95, 1.0)

    Reference: Newcombe (1998), Statistics in Medicine 17, method 10; Zou and Donner (2008),
    Statistics in Medicine 27.
    """
    p, q = hits / supported, rejections / unsupported
    low_p, high_p = wilson_interval(hits, supported)
    low_q, high_q = wilson_interval(rejections, unsupported)
    middle = (p + q) / 2
    return (
        middle - hypot(p - low_p, q - low_q) / 2,
        middle + hypot(high_p - p, high_q - q) / 2,
    )


def wilson_interval(successes: int, trials: int) -> Interval:
    """Return Wilson's 95 % interval of a proportion.

    Args:
        successes: How many of the trials succeeded.
        trials: How many there were, at least one.

    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]

    Reference: Wilson (1927), Journal of the American Statistical Association 22.
    """
    share, z2 = successes / trials, _Z * _Z
    middle = share + z2 / (2 * trials)
    half = _Z * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    # At 0 and 1 the ends are exact; rounding must not take them past.
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == trials else (middle + half) / scale
    return low, high


def macro_f1(gold: Bools, said: Bools) -> float:
    r"""Return the mean of the F1 of *supported* and the F1 of *unsupported*.

    .. math:: \frac{1}{2} \left( \frac{2 TP}{2 TP + FP + FN} + \frac{2 TN}{2 TN + FN + FP} \right)

    Args:
        gold: Whether each pair is supported, of shape (n,).
        said: Whether the judge calls it supported, of shape (n,).

    Returns:
        A number in [0, 1], higher is better; ``nan`` if ``gold`` lacks one of the classes.

    >>> round(macro_f1(np.array([True, True, False]), np.array([True, False, False])), 4)
    0.6667
    """
    if gold.all() or not gold.any():
        return float("nan")
    scores = []
    for actual, given in ((gold, said), (~gold, ~said)):
        scores.append(2 * float((actual & given).sum()) / float(actual.sum() + given.sum()))
    return float(np.mean(scores))


def auroc(gold: Bools, scores: Floats) -> float:
    r"""Return the chance that a supported pair scores higher than an unsupported one.

    .. math:: \frac{\sum_{i \in P} r_i - |P|(|P| + 1)/2}{|P|\,|N|}

    with :math:`r_i` the rank of pair :math:`i` by score, ties sharing their mean rank.

    Args:
        gold: Whether each pair is supported, of shape (n,).
        scores: The judge's scores, of shape (n,).

    Returns:
        A number in [0, 1]; 0.5 if the scores say nothing; ``nan`` if ``gold`` lacks a class.

    >>> auroc(np.array([True, False, True, False]), np.array([0.9, 0.1, 0.4, 0.4]))
    0.875
    """
    positive = int(gold.sum())
    negative = len(gold) - positive
    if not positive or not negative:
        return float("nan")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    total = float(ranks[gold].sum())
    return (total - positive * (positive + 1) / 2) / (positive * negative)


def best_threshold(gold: Bools, scores: Floats, spread: float = 0.03) -> float:
    """Return the threshold, to two places, with the best balanced accuracy around it.

    The mean over ``spread`` on both sides is compared, so that one lucky step does not decide. Use
    it on pairs set aside for that: on the pairs it was fitted to, a judge looks better than it is.

    Args:
        gold: Whether each pair is supported, of shape (n,).
        scores: The judge's scores in [0, 1], of shape (n,).
        spread: How far around a threshold the curve is averaged.

    >>> best_threshold(np.array([True, True, False, False]), np.array([0.9, 0.8, 0.3, 0.2]))
    0.34
    """
    grid = np.round(np.arange(0.0, 1.0001, 0.01), 2)
    curve = np.array([balanced_accuracy(gold, scores >= t) for t in grid])
    width = round(spread * 100)
    padded = np.pad(curve, width, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * width + 1) / (2 * width + 1), mode="valid")
    return float(grid[int(np.argmax(np.round(smooth, 12)))])


def bootstrap_interval(
    measure: Callable[[Bools, Floats], float],
    gold: Bools,
    values: Floats,
    *,
    seed: int = 0,
    resamples: int = 1000,
) -> Interval:
    """Return the 95 % percentile bootstrap interval of a measure, pairs drawn with replacement.

    Resamples in which the measure is undefined are left out.

    Args:
        measure: From labels and the judge's answers, of shape (n,) each, to a number.
        gold: The labels.
        values: The judge's verdicts or scores.
        seed: Of the random draws.
        resamples: How many.

    Reference: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    draw = np.random.default_rng(seed)
    size = len(gold)
    found = []
    for _ in range(resamples):
        chosen = draw.integers(0, size, size)
        found.append(measure(gold[chosen], values[chosen]))
    low, high = np.nanpercentile(found, [_LOW, _HIGH])
    return float(low), float(high)


def agreement(
    gold: Sequence[bool], verdicts: Sequence[Verdict], *, seed: int = 0, resamples: int = 1000
) -> Agreement:
    """Compare a judge's verdicts with people's labels of the same pairs.

    Args:
        gold: Whether each pair is supported, by people.
        verdicts: What the judge said of it.
        seed: Of the bootstrap's random draws.
        resamples: How many it makes.

    Raises:
        InputError: If there are not as many labels as verdicts.

    >>> found = agreement([True, False, False], [Verdict(supported=True), Verdict(supported=True),
    ...     Verdict(supported=False)])
    >>> found.balanced_accuracy, found.false_alarms
    (0.75, 1)
    """
    if len(gold) != len(verdicts):
        raise InputError(
            f"there are {len(gold)} labels and {len(verdicts)} verdicts.",
            fix="give one label for each verdict.",
        )
    known = [(g, v) for g, v in zip(gold, verdicts, strict=True) if v.supported is not None]
    truth = np.array([g for g, _ in known], dtype=np.bool_)
    said = np.array([v.supported for _, v in known], dtype=np.bool_)
    counts = {
        "pairs": len(known),
        "failed": len(verdicts) - len(known),
        "hits": int((truth & said).sum()),
        "misses": int((truth & ~said).sum()),
        "false_alarms": int((~truth & said).sum()),
        "rejections": int((~truth & ~said).sum()),
    }
    if not known:
        return Agreement(**counts)
    accuracy = float((truth == said).mean())
    if truth.all() or not truth.any():
        return Agreement(**counts, accuracy=accuracy)

    def interval(measure: Callable[[Bools, Floats], float], values: Floats) -> Interval:
        return bootstrap_interval(measure, truth, values, seed=seed, resamples=resamples)

    answers = said.astype(np.float64)
    found = Agreement(
        **counts,
        accuracy=accuracy,
        balanced_accuracy=balanced_accuracy(truth, said),
        balanced_accuracy_interval=balanced_accuracy_interval(
            counts["hits"],
            counts["hits"] + counts["misses"],
            counts["rejections"],
            counts["rejections"] + counts["false_alarms"],
        ),
        macro_f1=macro_f1(truth, said),
        macro_f1_interval=interval(lambda g, v: macro_f1(g, v > 0), answers),
    )
    given = [v.score for _, v in known]
    if None in given:
        return found
    scores = np.array(given, dtype=np.float64)
    return found.model_copy(
        update={"auroc": auroc(truth, scores), "auroc_interval": interval(auroc, scores)}
    )
