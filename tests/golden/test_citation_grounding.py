"""A citation that points at the right page and box, and one that drifts; each value by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import citemeter
from citemeter.grounding import (
    CLAIM_CODES,
    GROUNDING_CODES,
    GroundingCase,
    GroundingResult,
    citation_grounding,
    join_cases,
    read_answers,
    read_cases,
    region_svg,
    summarize_grounding,
)

CASE = """\
- id: security
  query: 기관 A의 보안 요구사항은?
  expected_citation_pages:
    - doc_id: parser-fixture-doc
      pages: [1]
  expected_citation_regions:
    - doc_id: parser-fixture-doc
      page_number: 1
      bbox: [10, 40, 280, 100]
      min_iou: 0.5
  expected_claim_citations:
    - target: 기관 A
      expected_doc_ids: [rfp-agency-a-ai-quality]
      expected_terms: ["보안 통제", "로그"]
"""

GROUNDED: dict[str, Any] = {
    "doc_id": "parser-fixture-doc",
    "chunk_id": "parser-fixture-doc::chunk-001",
    "page_span": [1, 1],
    "regions": [
        {
            "page_number": 1,
            "bbox": [10, 40, 280, 100],
            "block_id": "parser-fixture-doc::p001::b002",
        }
    ],
}
DRIFTING: dict[str, Any] = {
    "doc_id": "parser-fixture-doc",
    "chunk_id": "parser-fixture-doc::chunk-003",
    "page_span": [2, 2],
    "regions": [{"page_number": 2, "bbox": [200, 200, 260, 260]}],
}
RFP: dict[str, Any] = {
    "doc_id": "rfp-agency-a-ai-quality",
    "chunk_id": "rfp-agency-a-ai-quality::chunk-001",
    "text": "기관 A는 보안 통제를 적용하고 접근 로그를 1년간 보관하여야 한다.",
}


@pytest.fixture
def case(tmp_path: Path) -> GroundingCase:
    pytest.importorskip("yaml")
    path = tmp_path / "cases.yaml"
    path.write_text(CASE, encoding="utf-8")
    [found] = read_cases([path])
    assert isinstance(found, GroundingCase)
    return found


def answer(citation: dict[str, Any]) -> dict[str, Any]:
    """A claim that its own citation supports, and the citation in question beside it."""
    return {
        "id": "security",
        "claims": [
            {
                "text": "기관 A는 보안 통제와 로그 보관을 요구한다.",
                "citations": [{"doc_id": RFP["doc_id"], "chunk_id": RFP["chunk_id"]}],
            }
        ],
        "citations": [citation],
        "evidence": [RFP],
    }


def test_the_case_is_read_as_it_is_written(case: GroundingCase) -> None:
    assert case.metadata == {"query": "기관 A의 보안 요구사항은?"}
    [pages], [region], [claim] = (
        case.expected_citation_pages or (),
        case.expected_citation_regions or (),
        case.expected_claim_citations or (),
    )
    assert (pages.doc_id, pages.pages) == ("parser-fixture-doc", (1,))
    assert region.bbox == (10, 40, 280, 100)
    assert region.min_iou == 0.5
    assert (claim.target, claim.expected_doc_ids, claim.expected_terms) == (
        "기관 A",
        ("rfp-agency-a-ai-quality",),
        ("보안 통제", "로그"),
    )


class TestGroundedCitation:
    """Page 1 is in [1, 1]; the boxes are equal, IoU 1. One claim, of whose words all are cited."""

    @pytest.fixture
    def result(self, case: GroundingCase) -> GroundingResult:
        return citation_grounding(answer(GROUNDED), case)

    def test_everything_passes(self, result: GroundingResult) -> None:
        assert result.citation_page_precision.value == 1.0
        assert result.citation_region_precision.value == 1.0
        assert result.citation_grounding.value == 1.0
        assert result.claim_citation_alignment.value == 1.0
        assert result.regions[0].iou == 1.0

    def test_no_error(self, result: GroundingResult) -> None:
        assert result.citation_grounding_errors == ()
        assert result.claim_citation_errors == ()
        assert result.citation_grounding_error_counts == dict.fromkeys(GROUNDING_CODES, 0)
        assert result.claim_citation_error_counts == dict.fromkeys(CLAIM_CODES, 0)


class TestDriftingCitation:
    """Page 1 is not in [2, 2]: 0 of 1. No box on page 1: 0 of 1. The mean of 0 and 0 is 0."""

    @pytest.fixture
    def result(self, case: GroundingCase) -> GroundingResult:
        return citation_grounding(answer(DRIFTING), case)

    def test_page_and_region_fail(self, result: GroundingResult) -> None:
        assert result.citation_page_precision.value == 0.0
        assert result.citation_region_precision.value == 0.0
        assert result.citation_grounding.value == 0.0

    def test_codes(self, result: GroundingResult) -> None:
        assert [(e.code, e.reason, e.kind) for e in result.citation_grounding_errors] == [
            ("page_mismatch", "other_page", "drift"),
            ("region_unavailable", "other_page", "drift"),
        ]
        assert result.citation_grounding_error_counts == {
            "page_missing": 0,
            "page_mismatch": 1,
            "region_unavailable": 1,
            "region_misaligned": 0,
        }

    def test_the_claims_are_measured_apart(self, result: GroundingResult) -> None:
        assert result.claim_citation_alignment.value == 1.0

    def test_the_document_is_right_all_the_same(self) -> None:
        record = {
            "statements": [("It is so.", ["parser-fixture-doc"])],
            "sources": {"parser-fixture-doc": "It is so."},
            "gold_source_ids": ["parser-fixture-doc"],
        }
        assert citemeter.source_overlap(record).precision.value == 1.0

    def test_another_box_on_the_right_page_is_misaligned(self, case: GroundingCase) -> None:
        # [200, 200, 260, 260] starts 100 below the gold box's end: IoU 0.
        moved = {**DRIFTING, "page_span": [1, 1]}
        moved["regions"] = [{"page_number": 1, "bbox": [200, 200, 260, 260]}]
        result = citation_grounding(answer(moved), case)
        assert result.citation_page_precision.value == 1.0
        assert result.citation_region_precision.value == 0.0
        assert result.citation_grounding.value == 0.5  # (1 + 0) / 2
        [error] = result.citation_grounding_errors
        assert (error.code, error.iou) == ("region_misaligned", 0.0)

    def test_it_can_be_seen(self, result: GroundingResult) -> None:
        picture = region_svg(result.regions[0])
        assert picture.count('class="gold"') == 1
        assert picture.count('class="cited"') == 1


def test_without_the_fields_nothing_is_measured_or_penalised() -> None:
    result = citation_grounding({"citations": [DRIFTING]}, {"id": "old", "query": "?"})
    assert result.citation_page_precision.value is None
    assert result.citation_region_precision.value is None
    assert result.citation_grounding.value is None
    assert result.citation_grounding.reason == "no expected page or region is given"
    assert result.citation_grounding_error_counts == {}
    assert result.citation_grounding_errors == ()


def test_a_text_only_run_is_told_apart_from_a_wrong_one(case: GroundingCase) -> None:
    text_only = {"doc_id": "parser-fixture-doc", "chunk_id": "parser-fixture-doc::chunk-001"}
    result = citation_grounding(answer(text_only), case)
    assert [(e.code, e.reason, e.kind) for e in result.citation_grounding_errors] == [
        ("page_missing", "text_only", "coverage"),
        ("region_unavailable", "text_only", "coverage"),
    ]
    # Both citations of the answer are text-only: the claim's and the one in question.
    assert result.counts["text_only_citations"] == 2
    assert result.counts["grounding_drifts"] == 0
    left_out = citation_grounding(answer(text_only), case, text_only="leave_out")
    assert left_out.citation_grounding.value is None
    assert left_out.citation_grounding.reason == "every expected document is cited by text alone"


def test_cases_and_answers_meet_and_add_up(tmp_path: Path, case: GroundingCase) -> None:
    import json

    good, bad = answer(GROUNDED), answer(DRIFTING) | {"id": "second"}
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in (good, bad)), encoding="utf-8")
    second = case.model_copy(update={"id": "second"})
    joined = join_cases([case, second], read_answers([path]))  # type: ignore[arg-type]
    summary = summarize_grounding(citation_grounding(a, c) for c, a in joined.pairs)
    assert summary.citation_page_precision == 0.5
    assert summary.citation_region_precision == 0.5
    assert summary.citation_grounding == 0.5
    assert summary.claim_citation_alignment == 1.0
    assert summary.citation_grounding_error_counts == {
        "page_missing": 0,
        "page_mismatch": 1,
        "region_unavailable": 1,
        "region_misaligned": 0,
    }
    assert set(summary.claim_citation_error_counts) == set(CLAIM_CODES)
