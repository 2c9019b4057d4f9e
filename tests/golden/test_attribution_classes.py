"""Micro-F1 of attribution classes, against the recipe of the CAQA evaluation, by hand."""

from __future__ import annotations

import pytest

from citemeter.attribution import attribution_micro_f1, attribution_report

S, N, C, R = "supportive", "insufficient", "contradictory", "irrelevant"


@pytest.mark.parametrize(
    ("predictions", "labels", "expected"),
    [
        # TP 4, FP = FN = 0: P = R = 1.
        ([S, N, C, R], [S, N, C, R], 1.0),
        # TP 0, FP = FN = 4: P = R = 0, and the recipe gives 0.0, a value and not an absence.
        ([N, C, R, S], [S, N, C, R], 0.0),
        # TP 3, FP = FN = 1: P = R = 3/4, F1 = 2 * 9/16 / (6/4) = 3/4.
        ([S, S, C, R], [S, N, C, R], 0.75),
        # Unbalanced, and one class guessed throughout: TP 5 of 6. Macro-F1 would be
        # (10/11 + 0) / 2 = 5/11 over the two classes that occur.
        ([S, S, S, S, S, S], [S, S, S, S, S, R], 5 / 6),
        # A prediction that names no class equals no label: TP 1, FP = FN = 1.
        ([S, None], [S, R], 0.5),
    ],
)
def test_micro_f1(predictions: list[str | None], labels: list[str], expected: float) -> None:
    assert attribution_micro_f1(predictions, labels).value == pytest.approx(expected, abs=1e-15)


def test_the_recipe_gives_zero_for_no_rows_and_we_do_so_on_request() -> None:
    assert attribution_micro_f1([], [], zero_division=0.0).value == 0.0
    assert attribution_micro_f1([], []).value is None


def test_macro_f1_misleads_where_the_classes_are_unbalanced() -> None:
    rows = [{"label": label, "prediction": S} for label in (S, S, S, S, S, R)]
    report = attribution_report(rows)
    assert report["attribution_micro_f1"] == pytest.approx(5 / 6)
    # F1 of supportive: 2 * 5 / (6 + 5) = 10/11; of irrelevant: 0.
    assert report["attribution_macro_f1"] == pytest.approx(5 / 11)


def test_three_published_ways_to_treat_a_reply_that_names_no_class() -> None:
    # Two right, one wrong, one reply without a class.
    predictions, labels = [S, N, S, None], [S, N, C, R]
    # The recipe: the reply is no match, 2 of 4.
    assert attribution_micro_f1(predictions, labels).value == 2 / 4
    # CAQA's script drops it from the confusion matrix, 2 of 3.
    assert attribution_micro_f1(predictions, labels, unlabelled="exclude").value == 2 / 3
    # scikit-learn's f1_score(average="micro") over the four classes counts it as missed and not as
    # given: P = 2/3, R = 2/4, F1 = 2 * 2 / (2 * 2 + 1 + 2) = 4/7; between the two.
    precision, recall = 2 / 3, 2 / 4
    assert 2 / 4 < 2 * precision * recall / (precision + recall) < 2 / 3
