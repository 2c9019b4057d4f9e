"""Scores of attribution classes equal scikit-learn's on forty sets of labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.attribution import attribution_micro_f1, class_scores, confusion
from support import read_jsonl


@pytest.fixture(scope="module")
def sets(shared: Path) -> list[dict[str, Any]]:
    found = read_jsonl(shared / "reference" / "caqa_sklearn.jsonl")
    aggregate = json.loads((shared / "reference" / "caqa_sklearn_aggregate.json").read_text())
    assert len(found) == aggregate["sets"] == 40
    return found


def near(value: float) -> Any:
    return pytest.approx(value, rel=0, abs=1e-12)


def test_every_value(sets: list[dict[str, Any]]) -> None:
    for row in sets:
        matrix = confusion(row["y_pred"], row["y_true"])
        assert list(matrix.labels) == row["labels"]
        assert [list(line) for line in matrix.table] == row["confusion_matrix"], row["id"]
        expected = row["expected"]
        scores = class_scores(matrix, zero_division=0)
        micro = scores.attribution_micro_f1.value
        assert micro == near(expected["micro_f1"]), row["id"]
        assert micro == near(expected["accuracy"]), row["id"]
        assert micro == near(row["caqa_own"]["micro_f1"]), row["id"]
        assert attribution_micro_f1(row["y_pred"], row["y_true"]).value == micro
        assert scores.attribution_macro_f1 == near(expected["macro_f1"]), row["id"]
        assert set(expected["per_class"]) == set(matrix.labels)
        for label, values in expected["per_class"].items():
            one = scores[label]
            assert one.precision.value == near(values["precision"]), (row["id"], label)
            assert one.recall.value == near(values["recall"]), (row["id"], label)
            assert one.f1.value == near(values["f1"]), (row["id"], label)
            assert one.support == values["support"], (row["id"], label)
        weighted = sum(c.support * (c.f1.value or 0.0) for c in scores.classes)
        assert weighted / matrix.rows == near(expected["weighted_f1"]), row["id"]


def test_undefined_classes_are_left_out_of_macro_f1_by_default(sets: list[dict[str, Any]]) -> None:
    # scikit-learn without a list of labels takes those that occur; so does ours at 0/0.
    for row in sets:
        scores = class_scores(confusion(row["y_pred"], row["y_true"]))
        present = row["expected"]["macro_f1_present_labels_only"]
        assert scores.attribution_macro_f1 == near(present), row["id"]
        occurring = {*row["y_true"], *row["y_pred"]}
        assert {c.label for c in scores.classes if c.f1.value is not None} == occurring


def test_where_the_published_script_has_no_value(sets: list[dict[str, Any]]) -> None:
    # Its macro-F1 is NaN as soon as one class has no right prediction; ours never is.
    broken = [row for row in sets if row["caqa_own"]["macro_f1"] is None]
    assert len(broken) == 30
    for row in broken:
        scores = class_scores(confusion(row["y_pred"], row["y_true"]))
        assert scores.attribution_macro_f1 is not None
        assert any(one.correct == 0 for one in scores.classes)
