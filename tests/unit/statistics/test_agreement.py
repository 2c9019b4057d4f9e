"""A judge against labels: values worked out by hand, and a brute-force AUROC."""

from __future__ import annotations

import math

import numpy as np
import pytest

from citemeter.errors import InputError
from citemeter.statistics.agreement import (
    agreement,
    auroc,
    balanced_accuracy,
    best_threshold,
    bootstrap_interval,
    macro_f1,
)
from citemeter.verdicts import Verdict


def verdicts(*given: bool | None, scores: list[float] | None = None) -> list[Verdict]:
    found = []
    for number, supported in enumerate(given):
        if supported is None:
            found.append(Verdict.failed("no answer"))
        else:
            found.append(Verdict(supported=supported, score=scores[number] if scores else None))
    return found


def test_values_worked_out_by_hand() -> None:
    # People: 4 supported, 2 not. Judge: 3 of the 4 and 1 of the 2 called supported.
    gold = [True, True, True, True, False, False]
    found = agreement(gold, verdicts(True, True, True, False, True, False))
    assert (found.hits, found.misses, found.false_alarms, found.rejections) == (3, 1, 1, 1)
    assert found.accuracy == pytest.approx(4 / 6)
    assert found.balanced_accuracy == pytest.approx((3 / 4 + 1 / 2) / 2)
    # F1 of supported: 2*3 / (2*3 + 1 + 1) = 6/8; of unsupported: 2*1 / (2*1 + 1 + 1) = 2/4.
    assert found.macro_f1 == pytest.approx((6 / 8 + 2 / 4) / 2)
    assert found.auroc is None  # no scores
    low, high = found.balanced_accuracy_interval or (math.nan, math.nan)
    assert 0 <= low < found.balanced_accuracy < high <= 1


def test_a_failed_verdict_is_neither_right_nor_wrong() -> None:
    whole = agreement([True, False], verdicts(True, False))
    found = agreement([True, False, True, False], verdicts(True, False, None, None))
    assert (found.pairs, found.failed) == (2, 2)
    assert found.balanced_accuracy == whole.balanced_accuracy == 1.0
    nothing = agreement([True], verdicts(None))
    assert (nothing.pairs, nothing.failed, nothing.accuracy) == (0, 1, None)


@pytest.mark.parametrize("label", [True, False])
def test_labels_all_alike_leave_only_accuracy(label: bool) -> None:
    found = agreement([label, label], verdicts(True, False, scores=[0.9, 0.1]))
    assert found.accuracy == 0.5
    assert (found.balanced_accuracy, found.macro_f1, found.auroc) == (None, None, None)
    assert math.isnan(balanced_accuracy(np.array([label]), np.array([True])))
    assert math.isnan(macro_f1(np.array([label]), np.array([True])))
    assert math.isnan(auroc(np.array([label]), np.array([0.5])))


def test_nothing_to_compare() -> None:
    assert agreement([], []).pairs == 0
    with pytest.raises(InputError, match="2 labels and 1 verdicts"):
        agreement([True, False], verdicts(True))


def test_auroc_is_the_share_of_pairs_in_order() -> None:
    random = np.random.default_rng(3)
    gold = random.random(80) < 0.4
    scores = random.integers(0, 9, 80) / 8  # many ties
    wins = [1.0 if p > n else 0.5 if p == n else 0.0 for p in scores[gold] for n in scores[~gold]]
    assert auroc(gold, scores) == pytest.approx(sum(wins) / len(wins))
    found = agreement(
        list(gold), verdicts(*(bool(s >= 0.5) for s in scores), scores=[float(s) for s in scores])
    )
    assert found.auroc == pytest.approx(sum(wins) / len(wins))
    assert found.auroc_interval is not None


def test_the_best_threshold_separates() -> None:
    gold = np.array([False] * 10 + [True] * 10)
    scores = np.array([0.3] * 10 + [0.8] * 10)
    found = best_threshold(gold, scores)
    assert 0.3 < found <= 0.8
    assert balanced_accuracy(gold, scores >= found) == 1.0


def test_intervals_repeat_and_narrow_with_more_pairs() -> None:
    gold = np.array([True, False] * 50)
    said = np.array([1.0, 0.0, 1.0, 1.0] * 25)

    def measure(truth: np.ndarray, values: np.ndarray) -> float:  # type: ignore[type-arg]
        return balanced_accuracy(truth, values > 0)

    few = bootstrap_interval(measure, gold, said, seed=1)
    assert few == bootstrap_interval(measure, gold, said, seed=1)
    many = bootstrap_interval(measure, np.tile(gold, 16), np.tile(said, 16), seed=1)
    # Sixteen times the pairs, a quarter of the width.
    assert (many[1] - many[0]) == pytest.approx((few[1] - few[0]) / 4, rel=0.2)
    # Normal approximation: recalls 1 and 1/2, so the variance is (1/2 * 1/2 / 50) / 4.
    width = 2 * 1.96 * math.sqrt(0.25 / 50 / 4)
    assert few[1] - few[0] == pytest.approx(width, rel=0.2)
