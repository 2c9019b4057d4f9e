"""Rows in, report out: labels or a classifier, files, errors by record, levels of reasoning."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from citemeter import parse
from citemeter.attribution import (
    CAQA,
    AttributionReport,
    AttributionRow,
    Classification,
    NLIClassifier,
    attribution_report,
    read_attribution_rows,
    row_of_response,
)
from citemeter.errors import InputError
from citemeter.results import Bounds


def labelled(label: Any, prediction: Any, **more: Any) -> dict[str, Any]:
    return {"label": label, "prediction": prediction, **more}


def test_from_labels() -> None:
    report = attribution_report(
        [
            labelled("Support", "supportive", id="a", complexity="S"),
            labelled("Missing", "supportive", id="b", complexity="union"),
            labelled("irrelevant", "Irrelevant", complexity="u"),
            labelled("contradictory", None),
        ]
    )
    # 2 of 4; union: 1 of 2.
    assert report["attribution_micro_f1"] == 0.5
    assert report["attribution_micro_f1/union"] == 0.5
    assert report["attribution_micro_f1/single"] == 1.0
    assert report["attribution_recall_contradictory"] == 0.0
    assert report["attribution_precision_supportive/union"] == 0.0
    assert list(report.by_complexity) == ["single", "union"]
    assert report.rows == {
        "records": 4,
        "scored": 4,
        "error": 0,
        "right": 2,
        "wrong": 1,
        "unlabelled": 1,
        "failed": 0,
        "without_complexity": 1,
    }
    assert [(r.id, r.state) for r in report.results] == [
        ("a", "right"),
        ("b", "wrong"),
        ("2", "right"),
        ("3", "unlabelled"),
    ]
    assert report.results[1].label == "insufficient"
    assert report.classifier is None
    with pytest.raises(KeyError, match="this report has attribution_micro_f1"):
        report["accuracy"]
    assert AttributionReport.model_validate_json(report.model_dump_json()) == report


def test_with_a_classifier() -> None:
    def classify(question: str, answer: str, citation: str) -> str | None:
        if "fail" in citation:
            raise TimeoutError("too slow")
        return {"good": "Support", "silent": None, "odd": "perhaps"}.get(citation, "irrelevant")

    rows = [
        {"answer": "a", "citation": "good", "label": "supportive"},
        {"answer": "a", "citation": "other", "label": "supportive"},
        {"answer": "a", "citation": "silent", "label": "missing"},
        {"answer": "a", "citation": "fail", "label": "missing"},
        # A word that is no label of the set: the classifier failed, nothing is guessed.
        {"answer": "a", "citation": "odd", "label": "missing"},
    ]
    report = attribution_report(rows, classify)
    # Right 1, wrong 1, without a label 1: 1/3. Two failed: from 1/5 to 3/5.
    assert report["attribution_micro_f1"] == pytest.approx(1 / 3)
    assert report.scores.bounds == Bounds(1 / 5, 3 / 5)
    assert [r.state for r in report.results] == [
        "right",
        "wrong",
        "unlabelled",
        "failed",
        "failed",
    ]
    assert report.results[3].classification == Classification.failed("TimeoutError: too slow")
    assert report.results[4].classification is not None
    assert "'perhaps' is no label of caqa" in str(report.results[4].classification.error)
    assert report.results[0].prediction == "supportive"
    assert report.classifier is not None
    assert report.classifier.name.startswith("callable:")
    assert attribution_report(rows, classify, unlabelled="exclude")["attribution_micro_f1"] == 0.5


def test_the_classifier_counts_not_a_prediction_that_came_along() -> None:
    rows = [{"answer": "a", "citation": "c", "label": "supportive", "prediction": "irrelevant"}]
    assert attribution_report(rows, lambda *_: "supportive")["attribution_micro_f1"] == 1.0


def test_usage_is_that_of_the_run() -> None:
    classifier = NLIClassifier(lambda premise, hypothesis: True)
    rows = [{"answer": "a", "citation": "c", "label": "supportive"}]
    assert attribution_report(rows, classifier).usage["pairs_judged"] == 1
    again = attribution_report(rows, classifier).usage
    assert (again["pairs_needed"], again["pairs_judged"]) == (1, 0)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"label": "good", "prediction": "supportive"}, r"field 'label': 'good' is no label"),
        ({"label": "supportive", "prediction": "good"}, r"field 'prediction': 'good' is no label"),
        ({"prediction": "supportive"}, r"field 'label': the true label is missing"),
        ({"label": None, "prediction": "supportive"}, r"the true label is missing"),
        ({"label": "supportive"}, r"neither a prediction nor a classifier"),
        ({"label": "supportive", "gold": 1, "prediction": None}, r"field 'gold': unknown field"),
        ({"label": 1, "prediction": None}, r"field 'label': expected a string, got int"),
        ({"label": "supportive", "prediction": "a\udce9"}, r"lone surrogate"),
        ("text", r"expected an object, got str"),
        (None, r"expected an object, got NoneType"),
    ],
)
def test_one_bad_row_does_not_lose_the_others(row: Any, message: str) -> None:
    good = labelled("irrelevant", "irrelevant")
    report = attribution_report([good, row, good])
    assert report["attribution_micro_f1"] == 1.0
    assert (report.rows["records"], report.rows["scored"], report.rows["error"]) == (3, 2, 1)
    [error] = report.errors
    assert error.index == 1
    with pytest.raises(InputError, match=message) as caught:
        attribution_report([good, row, good], strict=True)
    assert str(caught.value) == error.message
    assert "number 1" in error.message
    report.model_dump_json()


@pytest.mark.parametrize("field", ["answer", "citation"])
def test_what_is_classified_needs_an_answer_and_a_citation(field: str) -> None:
    row = {"id": "r", "answer": "a", "citation": "c", "label": "supportive"}
    del row[field]
    with pytest.raises(InputError, match=f"record 'r', field '{field}': there is nothing"):
        attribution_report([row], lambda *_: "supportive", strict=True)


def test_a_set_without_rows_has_no_score() -> None:
    report = attribution_report([])
    assert report["attribution_micro_f1"] is None
    assert report.scores.attribution_micro_f1.reason is not None
    assert attribution_report([], zero_division=0)["attribution_micro_f1"] == 0.0
    assert report.by_complexity == {}


def test_bad_options() -> None:
    with pytest.raises(InputError, match="put the row in a list"):
        attribution_report({"label": "supportive"})
    with pytest.raises(InputError, match="label_set is 'fever'"):
        attribution_report([], label_set="fever")
    with pytest.raises(InputError, match="unlabelled is 'skip'"):
        attribution_report([], unlabelled="skip")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="zero_division"):
        attribution_report([], zero_division=-1)


def test_rows_from_files(tmp_path: Path) -> None:
    lines = [
        {"claim": "a", "evidence": ["c", "d"], "label": "attributable", "src": "ExpertQA"},
        {"claim": "b", "evidence": "d", "label": "not attributable", "metadata": {"x": 1}},
    ]
    path = tmp_path / "rows.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join([json.dumps(lines[0]), "{broken", json.dumps(lines[1])]))
    names = {"answer": "claim", "citation": "evidence"}
    rows = list(read_attribution_rows([path], names, extra="metadata"))
    report = attribution_report(
        rows,
        lambda q, a, c: "supportive" if a == "a" else "irrelevant",
        label_set="attributionbench",
    )
    assert report["attribution_micro_f1"] == 1.0
    assert report.rows["error"] == 1
    assert f"{path}:2" in report.errors[0].message
    assert [r.id for r in report.results] == [f"{path}:1", f"{path}:3"]
    assert report.results[0].citation == ("c", "d")
    row = AttributionRow.from_record(rows[2])
    assert row.metadata == {"x": 1}
    assert AttributionRow.from_record(rows[0]).metadata == {"src": "ExpertQA"}
    # By default a field that is not known is an error, and it can be dropped.
    with pytest.raises(InputError, match=r"rows\.jsonl\.gz:1.*field 'src': unknown field"):
        attribution_report(read_attribution_rows([path], names), lambda *_: None, strict=True)
    dropped = list(read_attribution_rows([path], names, extra="drop"))
    assert "metadata" not in dropped[0]
    with pytest.raises(InputError, match="there is no field 'reply'"):
        list(read_attribution_rows([path], {"reply": "claim"}))


def test_rows_from_csv(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("label,prediction,complexity\nSupport,None,S\nMissing,Missing,C\n", "utf-8")
    report = attribution_report(read_attribution_rows([path]))
    assert report["attribution_micro_f1"] == 0.5
    assert report.rows["unlabelled"] == 1
    assert report["attribution_micro_f1/concatenation"] == 1.0


def test_a_response_as_a_row() -> None:
    response = parse(
        "Cats purr [b]. Dogs bark [a][b][9].",
        [{"id": "a", "text": "A."}, {"id": "b", "text": "B.", "title": "T"}],
        id="r",
        question="What?",
    ).model_copy(update={"attribution_label": "Support", "complexity": "union"})
    row = row_of_response(response)
    assert (row.id, row.question, row.label, row.complexity) == ("r", "What?", "Support", "union")
    assert row.answer == "Cats purr. Dogs bark."
    assert row.citation == ("Title: T\nB.", "A.")
    # An answer without markers is held against all its sources.
    assert row_of_response(parse("Cats purr.", ["A.", "B."])).citation == ("A.", "B.")
    assert row_of_response(parse("Cats purr.")).citation == ()


def test_models_are_rows_too() -> None:
    row = AttributionRow(id=7, label="Support", prediction="support")  # type: ignore[arg-type]
    report = attribution_report(iter([row]), label_set=CAQA)
    assert report.results[0].id == "7"
