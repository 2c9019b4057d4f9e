"""The figures that the page on attribution classes gives, on labels that people set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citemeter.attribution import (
    CAQA,
    AttributionReport,
    NLIClassifier,
    attribution_report,
    read_attribution_rows,
)
from citemeter.attribution.classify import Hypothesis
from support import ROOT

NAMES = {"answer": "claim", "citation": "evidence"}
STANCE = CAQA.with_spellings(
    {
        "completely-support": "supportive",
        "partially-support": "insufficient",
        "refute": "contradictory",
    }
)
PAGE = ROOT / "docs" / "metrics" / "attribution-classes.md"


def on_page(figure: str) -> bool:
    """Whether the page says so; where it is not beside the tests, there is nothing to compare."""
    return not PAGE.exists() or figure in PAGE.read_text(encoding="utf-8")


def two_classes(shared: Path, hypothesis: Hypothesis) -> AttributionReport:
    rows = read_attribution_rows(
        [shared / "data" / "labelled" / "attributionbench_test500.jsonl"], NAMES, extra="metadata"
    )
    classifier = NLIClassifier("lexical", hypothesis=hypothesis)
    return attribution_report(rows, classifier, label_set="attributionbench", strict=True)


def shown(value: Any) -> str:
    if not value:
        return "undefined" if value is None else "0"
    return f"{value:.2f}".lstrip("0")


@pytest.mark.slow
@pytest.mark.parametrize("hypothesis", ["answer", "question_and_answer"])
def test_attribution_bench(shared: Path, hypothesis: Hypothesis) -> None:
    report = two_classes(shared, hypothesis)
    assert report.rows["scored"] == 500
    cells = " | ".join(
        shown(report[name])
        for name in (
            "attribution_micro_f1",
            "attribution_macro_f1",
            "attribution_f1_attributable",
            "attribution_f1_not_attributable",
        )
    )
    assert on_page(f"| `{hypothesis}` | {cells} |"), cells


@pytest.mark.slow
def test_stance_of_evidence(shared: Path) -> None:
    path = shared / "data" / "labelled" / "factcheckgpt_stance.jsonl"
    rows = list(read_attribution_rows([path], NAMES, extra="metadata"))[1::2]
    report = attribution_report(rows, NLIClassifier("lexical"), label_set=STANCE, strict=True)
    assert report.rows["scored"] == 1552
    for label in CAQA.labels:
        one = report.scores[label]
        scores = " | ".join(shown(s.value) for s in (one.precision, one.recall, one.f1))
        assert on_page(f"| {label} | {one.support} | {one.predicted} | {scores} |"), scores
    assert on_page(f"`attribution_micro_f1` {shown(report['attribution_micro_f1'])}")
    most = max(one.support for one in report.scores.classes) / 1552
    assert on_page(f"irrelevant* throughout has {shown(most)}"), most
