"""Reports of schema version 1, as citemeter wrote them before version 2."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from citemeter.errors import InputError
from citemeter.results import Report
from support import ROOT

TEXT = (ROOT / "tests" / "data" / "report_version_1.json").read_text(encoding="utf-8")


def test_every_number_stays() -> None:
    old, report = json.loads(TEXT), Report.model_validate_json(TEXT)
    for name, summary in old["metrics"].items():
        for field, value in summary.items():
            new = getattr(report.metrics[name], field)
            assert (list(new) if field == "bounds" and new else new) == value, (name, field)
    assert report.record_counts == old["responses"] == {"records": 6, "scored": 5, "failed": 1}
    assert report.pair_counts == old["pairs"]
    for was, result in zip(old["results"], report.results, strict=True):
        assert {name: score.value for name, score in result.scores.items()} == was["scores"]
        assert result.scores["citation_validity"].denominator == was["counts"].get("occurrences", 0)
    assert report.signature.segmenter == "citemeter"
    assert report.signature.changed == (
        "recall_over",
        "zero_division",
        "contract",
        "repair",
        "describe",
    )


def test_details_have_their_types() -> None:
    report = Report.model_validate_json(TEXT)
    assert report.details["abstention"].unanswerable.empty == 1
    assert report.details["contract"].instructions["short"].applies == 5
    assert report.details["repair"].problems["invalid"]["unjudged"] == 1
    by_id = {result.id: result.details for result in report.results}
    assert by_id["b"]["abstention"].outcome == "abstained"
    assert by_id["d"]["attribution"].state == "failed"
    assert by_id["e"]["grounding"].pages[1].code == "page_mismatch"
    again = Report.model_validate_json(report.model_dump_json())
    assert again == report
    assert again.merge(report).record_counts["scored"] == 10


def test_without_results_it_can_be_read_but_not_merged() -> None:
    report = Report.model_validate({**json.loads(TEXT), "results": []})
    assert report["citation_validity"] == 0.75
    with pytest.raises(InputError, match="score its records again"):
        report.merge(report)


def test_a_later_version_is_refused() -> None:
    with pytest.raises(ValidationError, match="pip install -U citemeter"):
        Report.model_validate({"schema_version": 3})
