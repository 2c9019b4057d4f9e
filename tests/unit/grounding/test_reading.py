"""Records of several kinds lead to the same case and answer."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter import score
from citemeter.errors import InputError
from citemeter.grounding import (
    GroundingResult,
    GroundingRules,
    PageInfo,
    ask_grounding,
    case_of,
    citation_grounding,
    read_answer,
    read_pages,
    read_record,
)
from citemeter.grounding.cited import cited_places
from citemeter.judges.asking import result_of
from citemeter.models import Response

PLACE: dict[str, Any] = {
    "doc_id": "d",
    "page_span": [1, 1],
    "regions": [{"page_number": 1, "bbox": [10, 40, 280, 100], "block_id": "b"}],
}
EXPECTED: dict[str, Any] = {
    "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
    "expected_citation_regions": [
        {"doc_id": "d", "page_number": 1, "bbox": [10, 40, 280, 100]},
    ],
    "expected_claim_citations": [{"target": "Cats", "expected_doc_ids": ["d"]}],
}
TEXT = "Cats purr when they are content."
MARKED = {"id": "r", "answer": f"{TEXT} [d::1]"}

RECORDS: dict[str, dict[str, Any]] = {
    "markers, and sources with metadata": {
        **MARKED,
        "sources": [{"id": "d::1", "text": TEXT, "metadata": PLACE}],
    },
    "markers, and evidence": {**MARKED, "evidence": [{"chunk_id": "d::1", "text": TEXT, **PLACE}]},
    "statements, and sources": {
        "id": "r",
        "statements": [(TEXT, ["d::1"])],
        "sources": [{"id": "d::1", "text": TEXT, "metadata": PLACE}],
    },
    "claims with objects": {
        "id": "r",
        "claims": [{"text": TEXT, "citations": [{"chunk_id": "d::1", **PLACE}]}],
        "evidence": [{"chunk_id": "d::1", "doc_id": "d", "text": TEXT}],
    },
    "claims with names": {
        "id": "r",
        "claims": [{"claim": TEXT, "citations": ["d::1"]}],
        "evidence": [{"id": "d::1", "text": TEXT, "metadata": PLACE}],
    },
    "pairs": {
        "id": "r",
        "claims": [[TEXT, ["d::1"]]],
        "sources": {"d::1": {"text": TEXT, **PLACE}},
    },
}


@pytest.mark.parametrize("name", list(RECORDS))
def test_every_kind_of_record_is_measured_alike(name: str) -> None:
    result = citation_grounding({**RECORDS[name], **EXPECTED})
    assert result.id == "r"
    assert result.citation_grounding.value == 1.0
    assert result.claim_citation_alignment.value == 1.0
    assert result.regions[0].cited[0].block_id == "b"


def test_a_response_with_expectations_in_its_metadata() -> None:
    record = {**RECORDS["markers, and sources with metadata"], "metadata": EXPECTED}
    response = Response.from_record(record)
    case = case_of(response)
    assert case.expected_citation_pages is not None
    result = result_of(ask_grounding(case, read_answer(response), GroundingRules()))
    assert result.citation_grounding.value == 1.0
    assert citation_grounding(response) == result
    assert score([response], judge=None)["citation_grounding"] == 1.0


def test_a_response_without_expectations_is_not_measured() -> None:
    response = Response.from_record(RECORDS["statements, and sources"])
    assert not response.expectations
    assert "citation_grounding" not in score([response], judge=None).metrics


def test_a_fabricated_id_has_no_place() -> None:
    record = {"answer": "Cats purr [d::1]. Dogs bark [d::9].", "sources": {"d::1": "Cats purr."}}
    statements, _ = cited_places(citemeter.parse(record["answer"], {"d::1": "Cats purr."}))
    assert [one.doc_id for some in statements for one in some] == ["d::1", None]
    result = citation_grounding(record)
    assert [e.code for e in result.claim_citation_errors] == ["citation_not_in_evidence"]


def test_what_needs_no_citation_is_no_claim() -> None:
    record = {"answer": "Hello! Cats purr [1].", "sources": ["Cats purr."]}
    result = citation_grounding(record)
    assert result.counts["checked_claims"] == 1
    assert result.claim_citation_alignment.value == 1.0


def test_a_refusal_cites_nothing_and_has_no_claim() -> None:
    record = {"answer": "I could not find that in the documents.", "sources": ["Cats purr."]}
    result = citation_grounding(record)
    assert result.claim_citation_alignment.value is None


def test_answer_level_citations_beside_markers() -> None:
    record = {
        **RECORDS["statements, and sources"],
        "citations": [{"doc_id": "e", "page_span": [3, 4]}],
    }
    record["expected_citation_pages"] = [{"doc_id": "e", "pages": [4]}]
    assert citation_grounding(record).citation_page_precision.value == 1.0


def test_expected_pages_of_citations_alone() -> None:
    case, answer = read_record({"citations": [PLACE], **EXPECTED})
    assert case.expected_citation_regions is not None
    assert answer.statements == ()
    assert "sources" not in answer.model_fields_set


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (
            {**MARKED, "sources": [{"id": "a", "text": "x", "metadata": {"page_span": "1-2"}}]},
            "sources.0.metadata.page_span",
        ),
        (
            {
                **MARKED,
                "sources": [
                    {"id": "a", "text": "x", "metadata": {"regions": [{"page_number": "1"}]}}
                ],
            },
            "sources.0.metadata.regions.0.page_number",
        ),
        ({**MARKED, "evidence": [{"chunk_id": "a"}]}, "evidence.0.text"),
        ({**MARKED, "citations": 7}, "citations"),
        ({"answer": 7, "id": "r"}, "answer"),
    ],
)
def test_a_malformed_record_is_an_error_with_its_field(record: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        read_answer(record)
    assert caught.value.record == "r"
    assert caught.value.field == field


def test_two_names_for_the_evidence() -> None:
    with pytest.raises(InputError, match="both 'evidence' and 'sources'"):
        read_answer({**MARKED, "evidence": [], "sources": []})
    with pytest.raises(InputError, match="both 'evidence' and 'sources'"):
        read_answer({"claims": [], "evidence": [], "sources": []})


@pytest.mark.parametrize("record", [None, 7, "text", [1]])
def test_what_is_no_record(record: Any) -> None:
    with pytest.raises(InputError, match="expected an object"):
        citation_grounding(record)
    with pytest.raises(InputError, match="expected an object"):
        citation_grounding({}, record or 7)


def test_pages() -> None:
    table = read_pages(
        {
            "a": {"width": 612, "height": 792},
            "b": {"1": {"image": "b1.png"}, 2: PageInfo(width=1, height=2, rotation=90)},
            "c": PageInfo(),
        }
    )
    assert table["a"] == PageInfo(width=612, height=792)
    assert isinstance(table["b"], dict)
    assert sorted(table["b"]) == [1, 2]
    assert read_pages(table) == table


@pytest.mark.parametrize(
    ("pages", "problem"),
    [
        ({"a": {"width": 612}}, "only one of width and height"),
        ({"a": {"width": 0, "height": 1}}, "greater than 0"),
        ({"a": {"1": {"rotation": 45}}}, "0, 90, 180 or 270"),
        ({"a": 7}, "expected an object"),
        ([], "expected an object"),
    ],
)
def test_pages_that_are_none(pages: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_pages(pages)


def test_results_do_not_depend_on_the_order_of_fields() -> None:
    record = {**RECORDS["claims with objects"], **EXPECTED}
    backwards = dict(reversed(record.items()))
    first, second = citation_grounding(record), citation_grounding(backwards)
    assert isinstance(first, GroundingResult)
    assert first == second
