"""What parts say of a data set and of one response, as a reader sees it."""

from __future__ import annotations

from typing import Any

import citemeter
from citemeter.report.terminal import render_report, render_response

SOURCES = ["Cats purr.", "Dogs bark."]


def shown(record: dict[str, Any], **options: Any) -> tuple[str, str]:
    report = citemeter.score([record], judge="toy:contains", strict=True, **options)
    return render_report(report, width=160), render_response(report.results[0], width=160)


def test_a_response_without_parts_has_no_line_for_them() -> None:
    _, response = shown({"answer": "Cats purr [1].", "sources": SOURCES})
    assert response.rstrip().endswith("the only citation of a supported statement")


def test_repair_contract_attribution_and_conduct() -> None:
    record = {
        "answer": "Cats purr [2]. Dogs bark. Fish swim [1].",
        "sources": SOURCES,
        "answerable": True,
        "attribution_label": "supportive",
        "attribution_prediction": "irrelevant",
        "complexity": "union",
    }
    report, response = shown(
        record, repair=True, contract=[{"id": "c", "rule": "every_claim_cited"}]
    )
    assert "answerable questions: 0 abstained, 1 answered, 0 empty" in report
    assert "repair, unsupported: 1 repaired, 1 unrepaired" in report
    assert "repair, uncited: 1 repaired" in report
    assert "instruction c: 0 of 1 followed, 0 loosely" in report
    assert "attribution_micro_f1, union: 0.000" in report
    assert "outcome: answered" in response
    assert "attribution: people say supportive, predicted irrelevant" in response
    assert "instruction c: not followed: 1 of 3 claims lack a valid citation" in response
    assert "repaired answer: Cats purr [1]. Dogs bark [2]. Fish swim [1]." in response
    assert "repair of 3: no source supports it" in response
    assert "scores then: citation_recall 0.667, citation_precision 0.667" in response


def test_grounding_errors_with_their_words() -> None:
    record = {
        "answer": "Cats purr [1].",
        "sources": [
            {"id": "1", "text": "Cats purr.", "metadata": {"doc_id": "d", "page_span": [2, 2]}}
        ],
        "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
        "expected_claim_citations": [{"target": "Cats", "expected_terms": ["softly"]}],
    }
    report, response = shown(record)
    assert "citation_grounding_error_counts: 1 × page_mismatch" in report
    assert "claim_citation_error_counts: 1 × expected_claim_terms_missing" in report
    assert "page_mismatch: " in response
    assert "'softly'" in response
