"""Where citations point: by their own word, by their source, or nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter import score
from citemeter.errors import InputError
from citemeter.grounding import (
    GroundingRules,
    ask_grounding,
    citation_grounding,
    read_answer,
    read_record,
)
from citemeter.grounding.cited import cited_places
from citemeter.judges.asking import result_of
from citemeter.models import ExpectedPages, Region, Response

CATS = "Cats purr when they are content."
PLACED = {"id": "c", "text": CATS, "metadata": {"doc_id": "d", "page_span": [3, 4]}}


def places(citation: Any, *sources: dict[str, Any], inherit: bool = False) -> list[Any]:
    response = Response.from_record(
        {"statements": [{"text": CATS, "citations": [citation]}], "sources": sources}
    )
    [[one]], _ = cited_places(response, inherit)
    return [one.doc_id, one.page_span, [chunk.id for chunk in one.chunks]]


def test_an_id_alone_points_where_its_source_lies() -> None:
    assert places("c", PLACED) == ["d", (3, 4), ["c"]]
    assert places({"chunk_id": "c", "regions": []}, PLACED) == ["d", (3, 4), ["c"]]


def test_a_citation_that_says_where_it_points_is_taken_at_its_word() -> None:
    assert places({"chunk_id": "c", "page_span": 1}, PLACED) == ["d", (1, 1), ["c"]]
    assert places({"chunk_id": "c", "doc_id": "d"}, PLACED) == ["d", None, ["c"]]
    assert places({"chunk_id": "c", "doc_id": "d"}, PLACED, inherit=True) == ["d", (3, 4), ["c"]]
    assert places({"chunk_id": "c", "doc_id": "e"}, PLACED) == ["e", None, []]


def test_a_source_is_of_the_document_that_it_is_cited_with() -> None:
    assert places({"chunk_id": "c", "doc_id": "d"}, {"id": "c", "text": CATS}) == [
        "d",
        None,
        ["c"],
    ]
    assert places("c", {"id": "c", "text": CATS}) == ["c", None, ["c"]]


def test_a_document_alone_stands_for_all_its_sources() -> None:
    other = {"id": "c2", "text": "Cats sleep.", "metadata": {"doc_id": "d"}}
    assert places({"doc_id": "d"}, PLACED, other) == ["d", None, ["c", "c2"]]
    assert places({"doc_id": "d"}, PLACED, inherit=True) == ["d", None, ["c"]]


def test_an_id_that_names_no_source_has_no_place() -> None:
    assert places("x", PLACED) == [None, None, []]


def test_chunks_of_two_documents_may_share_an_id() -> None:
    answer = read_answer(
        {
            "claims": [
                [CATS, ["c"]],
                {"text": CATS, "citations": [{"chunk_id": "c", "doc_id": "e"}]},
            ],
            "evidence": [
                {"chunk_id": "c", "doc_id": "d", "text": CATS},
                {"chunk_id": "c", "doc_id": "e", "text": "Dogs bark."},
            ],
        }
    )
    assert [source.id for source in answer.sources] == ["c", "c@e"]
    statements, _ = cited_places(answer)
    assert [(some[0].doc_id, some[0].chunks[0].id) for some in statements] == [
        ("d", "c"),
        ("e", "c@e"),
    ]


def test_expectations_and_places_are_typed_in_the_response() -> None:
    response = Response.from_record(
        {
            "statements": [
                {
                    "text": CATS,
                    "citations": [
                        {"chunk_id": "c", "regions": [{"page_number": 2, "bbox": [0, 0, 9, 9]}]}
                    ],
                }
            ],
            "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
        }
    )
    assert response.expected_citation_pages == (ExpectedPages(doc_id="d", pages=(1,)),)
    assert response.citations[0].regions == (Region(page_number=2, bbox=(0, 0, 9, 9)),)
    assert Response.model_validate_json(response.model_dump_json()) == response


@pytest.mark.parametrize(
    ("record", "field"),
    [
        (
            {"statements": [{"text": "x", "citations": [{"doc_id": "d", "page_span": [2, 1]}]}]},
            "statements.0.citations.0.page_span",
        ),
        (
            {"answer": "x", "expected_citation_pages": [{"doc_id": "d", "pages": [0]}]},
            "expected_citation_pages.0.pages.0",
        ),
        (
            {"answer": "x", "expected_citation_regions": [{"doc_id": "d", "bbox": [1]}]},
            "expected_citation_regions.0.page_number",
        ),
        (
            {"answer": "x", "expected_claim_citations": [{"target": "…"}]},
            "expected_claim_citations.0.target",
        ),
    ],
)
def test_what_is_malformed_is_said_with_the_record(record: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        Response.from_record({"id": "r", **record})
    assert (caught.value.record, caught.value.field) == ("r", field)
    assert caught.value.fix
    report = score([{"id": "r", **record}], judge=None)
    assert field in report.errors[0].message


def test_a_record_in_claims_is_told_of_its_own_fields() -> None:
    for record, field in (
        (
            {"evidence": [{"chunk_id": "c", "text": "x", "page_span": [2, 1]}]},
            "evidence.0.page_span",
        ),
        ({"claims": [{"text": "x", "citations": [{"doc_id": "d", "page_span": 0}]}]}, "claims.0."),
        ({"claims": [{"text": 7}]}, "claims.0.text"),
    ):
        with pytest.raises(InputError) as caught:
            read_answer({"id": "r", **record})
        assert (caught.value.field or "").startswith(field)


def test_other_fields_are_kept_where_there_is_room() -> None:
    answer = read_answer(
        {
            "id": "r",
            "run": 3,
            "claims": [{"text": CATS, "citations": [{"chunk_id": "c", "score": 0.5}], "rank": 1}],
            "evidence": [{"chunk_id": "c", "text": CATS, "lang": "en"}],
        }
    )
    assert answer.metadata == {"run": 3}
    with pytest.raises(InputError, match="field 'metadata'"):
        read_answer({"run": 3, "claims": [], "metadata": 7})
    assert answer.sources[0].metadata == {"lang": "en"}
    assert answer.citations[0].source_id == "c"


def test_a_response_without_sources_has_no_claims_to_check() -> None:
    record = {"statements": [(CATS, ["c"])]}
    result = citation_grounding(record)
    assert result.claim_citation_alignment.reason == "the evidence is not given"
    empty = citation_grounding({**record, "sources": []})
    assert empty.claim_citation_errors[0].code == "citation_not_in_evidence"


def test_what_is_malformed_shows_before_anything_is_asked() -> None:
    case, answer = read_record(
        {
            "citations": [{"doc_id": "d", "regions": [{"page_number": 1, "bbox": [9, 0, 1, 5]}]}],
            "expected_citation_regions": [{"doc_id": "d", "page_number": 1, "bbox": [2, 2, 9, 9]}],
        }
    )
    with pytest.raises(InputError) as caught:
        next(ask_grounding(case, answer, GroundingRules(claim_support="judge")))
    assert caught.value.field == "unattached.0.regions.0.bbox"


def test_claims_are_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import citemeter.grounding.claims as claims

    compared: list[str] = []
    text_support = claims.text_support

    def counting(claim: str, *rest: Any) -> Any:
        compared.append(claim)
        return text_support(claim, *rest)

    monkeypatch.setattr(claims, "text_support", counting)
    record = {
        "answer": f"{CATS[:-1]} [c].",
        "sources": [PLACED],
        "expected_citation_pages": [{"doc_id": "d", "pages": [3]}],
    }
    assert score([record], judge="toy:contains")["claim_citation_alignment"] == 1.0
    assert len(compared) == 1
    report = score([record], judge="toy:contains", claim_support="judge")
    assert report["claim_citation_alignment"] == 1.0
    assert len(compared) == 1


def test_tokens_need_no_judge() -> None:
    case, answer = read_record({"claims": [[CATS, ["c"]]], "evidence": [PLACED]})
    assert result_of(ask_grounding(case, answer, GroundingRules())).counts["aligned_claims"] == 1
