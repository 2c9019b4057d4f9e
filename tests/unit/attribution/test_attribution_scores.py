"""Scores from a confusion matrix: micro-F1, classes, rows without a label, failures."""

from __future__ import annotations

from collections import Counter

import pytest

from citemeter.attribution.labels import ATTRIBUTION_BENCH, CAQA
from citemeter.attribution.matrix import Classification, Confusion, confusion, outcome_of_row
from citemeter.attribution.scores import (
    ATTRIBUTION_MICRO_F1,
    attribution_micro_f1,
    class_scores,
    complexity_ratio,
    count_attribution,
)
from citemeter.errors import InputError
from citemeter.results import Bounds
from citemeter.statistics.aggregate import Aggregator

S, N, C, R = CAQA.labels
FAILED = Classification.failed("no answer")

# Ten rows, by (true class, predicted class):
#   supportive: 3 right, 1 as insufficient;  insufficient: 1 right, 1 as supportive, 1 as irrelevant
#   contradictory: 1 as insufficient, 1 as contradictory;  irrelevant: 1 right
GOLD = [S, S, S, S, N, N, N, C, C, R]
SAID = [S, S, S, N, N, S, R, N, C, R]


def test_by_hand() -> None:
    scores = class_scores(confusion(SAID, GOLD))
    # 3 + 1 + 1 + 1 = 6 of 10 are right.
    assert scores.attribution_micro_f1.value == 0.6
    assert (scores.attribution_micro_f1.numerator, scores.attribution_micro_f1.denominator) == (
        6,
        10,
    )
    assert scores.confusion.table == ((3, 1, 0, 0), (1, 1, 0, 1), (0, 1, 1, 0), (0, 0, 0, 1))
    by_class = {
        # given: 4, true: 4, right: 3.
        S: (3 / 4, 3 / 4, 6 / 8, 4, 4, 3),
        # given: 3, true: 3, right: 1.
        N: (1 / 3, 1 / 3, 2 / 6, 3, 3, 1),
        # given: 1, true: 2, right: 1.
        C: (1.0, 1 / 2, 2 / 3, 2, 1, 1),
        # given: 2, true: 1, right: 1.
        R: (1 / 2, 1.0, 2 / 3, 1, 2, 1),
    }
    for label, (precision, recall, f1, support, predicted, correct) in by_class.items():
        one = scores[label]
        assert one.precision.value == pytest.approx(precision)
        assert one.recall.value == pytest.approx(recall)
        assert one.f1.value == pytest.approx(f1)
        assert (one.support, one.predicted, one.correct) == (support, predicted, correct)
    # (3/4 + 1/3 + 2/3 + 2/3) / 4 = 29/48.
    assert scores.attribution_macro_f1 == pytest.approx(29 / 48)
    assert scores.bounds is None
    with pytest.raises(KeyError, match="the classes are supportive"):
        scores["other"]


def test_classes_that_do_not_occur_are_undefined_or_zero() -> None:
    # Supportive right, insufficient called supportive: contradictory and irrelevant do not occur.
    matrix = confusion([S, S], [S, N])
    open_ended = class_scores(matrix)
    assert open_ended[C].f1.value is None
    assert open_ended[C].f1.reason == "no row has this class or was given it"
    assert open_ended[N].precision.value is None  # never given
    assert open_ended[N].precision.reason == "no row was given this class"
    assert open_ended[N].f1.value == 0.0  # but missed
    assert open_ended[C].recall.reason == "no row has this class"
    # F1 of supportive: 2 * 1 / (2 + 1); of insufficient: 0. Two classes occur.
    assert open_ended.attribution_macro_f1 == pytest.approx((2 / 3 + 0) / 2)
    zero = class_scores(matrix, zero_division=0)
    assert zero[C].f1.value == 0.0
    assert zero[N].precision.value == 0.0
    assert zero.attribution_macro_f1 == pytest.approx((2 / 3 + 0) / 4)


def test_all_wrong_is_zero_and_nothing_is_undefined() -> None:
    assert attribution_micro_f1([S, N], [N, S]).value == 0.0
    empty = attribution_micro_f1([], [])
    assert empty.value is None
    assert empty.reason == "there is no row with a label and a prediction"
    assert attribution_micro_f1([], [], zero_division=0).value == 0.0
    assert class_scores(confusion([], [])).attribution_macro_f1 is None
    assert class_scores(confusion([], []), zero_division=0).attribution_macro_f1 == 0.0


def test_a_prediction_without_a_label_is_a_wrong_one_unless_left_out() -> None:
    # Two right, one wrong, one without: 2/4. The recipe compares None with the label: wrong.
    said, gold = [S, N, S, None], [S, N, C, R]
    assert attribution_micro_f1(said, gold).value == 0.5
    assert attribution_micro_f1(said, gold, unlabelled="exclude").value == pytest.approx(2 / 3)
    matrix = confusion(said, gold)
    assert matrix.unlabelled == (0, 0, 0, 1)
    wrong = class_scores(matrix)
    # Its class misses it: recall of irrelevant is 0 of 1.
    assert (wrong[R].recall.value, wrong[R].support) == (0.0, 1)
    out = class_scores(matrix, unlabelled="exclude")
    assert (out[R].recall.value, out[R].support) == (None, 0)
    # No class is given it, so no precision changes.
    assert wrong[S].precision.value == out[S].precision.value == 0.5


@pytest.mark.parametrize("mode", ["wrong", "exclude"])
def test_rows_that_the_classifier_failed_on_are_bounded(mode: str) -> None:
    # One right, one wrong, two failed: 1/2, but from 1/4 to 3/4 had they been classified.
    said = [S, S, FAILED, FAILED]
    scores = class_scores(confusion(said, [S, N, C, C]), unlabelled=mode)  # type: ignore[arg-type]
    assert scores.attribution_micro_f1.value == 0.5
    assert scores.bounds == Bounds(0.25, 0.75)
    assert scores.confusion.failed == (0, 0, 2, 0)
    assert scores[C].support == 0


def test_where_every_row_failed_there_is_no_value_whatever_zero_division() -> None:
    scores = class_scores(confusion([FAILED], [S]), zero_division=0)
    assert scores.attribution_micro_f1.value is None
    assert scores.attribution_micro_f1.reason == "the judge failed"
    assert scores.bounds == Bounds(0.0, 1.0)


def test_every_row_is_in_one_cell_and_the_counts_give_the_matrix_back() -> None:
    matrix = confusion([*SAID, None, FAILED], [*GOLD, S, R])
    assert matrix.rows == 12
    counts = Counter(outcome_of_row(S, S).cell for _ in range(3))
    counts.update(outcome_of_row(g, s).cell for s, g in zip(SAID[3:], GOLD[3:], strict=True))
    counts.update([outcome_of_row(S, None).cell, outcome_of_row(R, FAILED).cell])
    assert counts["attribution_insufficient_as_irrelevant"] == 1
    assert counts["attribution_supportive_unlabelled"] == 1
    assert counts["attribution_irrelevant_failed"] == 1
    assert Confusion.of_counts({**counts, "statements": 5}) == matrix
    assert Confusion.model_validate_json(matrix.model_dump_json()) == matrix


def test_two_classes_read_four() -> None:
    matrix = confusion(
        [S, N, Classification(label="irrelevant")],
        ["attributable", "not attributable", "attributable"],
        label_set=ATTRIBUTION_BENCH,
    )
    assert matrix.table == ((1, 1), (0, 1))
    outcome = outcome_of_row(N, C, label_set=ATTRIBUTION_BENCH)
    assert outcome.cell == "attribution_not_attributable_as_not_attributable"


def test_counts_of_rows_add_up_to_the_scores_of_the_set() -> None:
    totals = Aggregator([ATTRIBUTION_MICRO_F1])
    rows = [*zip(SAID, GOLD, strict=True), (None, S), (FAILED, S)]
    for said, gold in rows:
        totals.add(count_attribution(outcome_of_row(gold, said)))
    summary = totals.summaries(["attribution_micro_f1"])["attribution_micro_f1"]
    scores = class_scores(confusion(*zip(*rows, strict=True)))
    # 6 right of 10 and one without a label.
    assert summary.micro == summary.macro == scores.attribution_micro_f1.value == 6 / 11
    assert (summary.scored, summary.failed) == (11, 1)
    assert summary.bounds is not None
    assert scores.bounds is not None
    assert summary.bounds[:2] == pytest.approx(scores.bounds[:2])  # 6/12 and 7/12
    assert Confusion.of_counts(totals.counts) == scores.confusion


def test_levels_of_reasoning_have_counts_of_their_own() -> None:
    totals = Aggregator([ATTRIBUTION_MICRO_F1, complexity_ratio("union"), complexity_ratio("x y")])
    for said, gold, level in ((S, S, "U"), (S, N, "union"), (S, S, "single"), (FAILED, S, "u")):
        totals.add(count_attribution(outcome_of_row(gold, said, level)))
    totals.add(count_attribution(outcome_of_row(S, S, "X_Y")))
    totals.add(count_attribution(outcome_of_row(S, S)))
    found = totals.summaries([ratio.name for ratio in totals.metrics])
    # Union: one of two right, one failed. All: 4 of 5.
    assert found["attribution_micro_f1_union"].micro == 0.5
    assert found["attribution_micro_f1_union"].failed == 1
    assert found["attribution_micro_f1_union"].undefined == 3
    assert found["attribution_micro_f1_x_y"].micro == 1.0
    assert found["attribution_micro_f1"].micro == 4 / 5


def test_left_out_rows_have_no_score() -> None:
    counts = count_attribution(outcome_of_row(S, None), "exclude")
    assert ATTRIBUTION_MICRO_F1.value(counts) == (
        None,
        "there is no row with a label and a prediction",
    )
    assert counts["attribution_supportive_unlabelled"] == 1
    assert ATTRIBUTION_MICRO_F1.value(count_attribution(outcome_of_row(S, None)))[0] == 0.0


def test_bad_input() -> None:
    with pytest.raises(InputError, match="there are 1 predictions and 2 labels"):
        attribution_micro_f1([S], [S, S])
    with pytest.raises(InputError, match=r"record '1', field 'prediction': 'maybe' is no label"):
        attribution_micro_f1([S, "maybe"], [S, S])
    with pytest.raises(InputError, match=r"record 'q-7', field 'label'"):
        outcome_of_row("maybe", S, record="q-7")
    with pytest.raises(InputError, match="unlabelled is 'ignore'"):
        attribution_micro_f1([S], [S], unlabelled="ignore")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="zero_division is 2"):
        attribution_micro_f1([S], [S], zero_division=2)
    with pytest.raises(InputError, match="is no label"):
        attribution_micro_f1([S], [None])  # type: ignore[list-item]
