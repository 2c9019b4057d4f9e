"""A parser's report beside the citations' failures: joined by document."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.grounding import (
    GroundingResult,
    ParserLinkage,
    citation_grounding,
    link_parser_report,
    read_parser_report,
)


def gold(doc_id: str) -> dict[str, Any]:
    return {"doc_id": doc_id, "page_number": 1, "bbox": [0, 0, 100, 100]}


def boxed(doc_id: str, page: int, bbox: list[int] | None) -> dict[str, Any]:
    return {"doc_id": doc_id, "regions": [{"page_number": page, "bbox": bbox}]}


@pytest.fixture
def results() -> list[GroundingResult]:
    """Six regions, none hit; by document:

    missing: no box. shifted: a bad box. lost: no box. strange: no box. turned: another page.
    uncited: not cited.
    """
    citations = [
        boxed("missing", 1, None),
        boxed("shifted", 1, [90, 90, 190, 190]),
        {"doc_id": "lost"},
        {"doc_id": "strange"},
        boxed("turned", 2, [0, 0, 100, 100]),
    ]
    documents = ["missing", "shifted", "lost", "strange", "turned", "uncited"]
    record = {
        "id": "q1",
        "citations": citations,
        "expected_citation_regions": [gold(name) for name in documents],
        "expected_citation_pages": [{"doc_id": "turned", "pages": [1]}],
    }
    return [citation_grounding(record)]


REPORT: dict[str, Any] = {
    "summary": {"documents": 5},
    "documents": [
        {"doc_id": "missing", "failure_counts": {"bbox_missing": 2, "table_lost": 1}},
        {"doc_id": "shifted", "failure_counts": {"bbox_misaligned": 1}},
        {"doc_id": "lost", "failure_counts": {"bbox_missing": 0, "bbox_misaligned": 4}},
        {"doc_id": "turned", "failure_counts": {"bbox_missing": 3}},
        {"doc_id": "uncited", "failure_counts": {"bbox_missing": 3}},
        {"doc_id": "harmless", "failure_counts": {"bbox_missing": 1}},
    ],
}


@pytest.fixture
def linked(results: list[GroundingResult]) -> ParserLinkage:
    return link_parser_report(results, REPORT)


def test_each_failure_has_an_origin(linked: ParserLinkage) -> None:
    assert {f.error.doc_id: (f.origin, f.parser_code, f.parser_count) for f in linked.failures} == {
        "missing": ("parser", "bbox_missing", 2),
        "shifted": ("parser", "bbox_misaligned", 1),
        # The parser has another failure there, not the matching one.
        "lost": ("citation", "bbox_missing", 0),
        "strange": ("unknown", "bbox_missing", None),
        # A citation of another page or document is its own doing.
        "turned": ("citation", "bbox_missing", 3),
        "uncited": ("citation", "bbox_missing", 3),
    }
    assert {f.record for f in linked.failures} == {"q1"}


def test_counts_of_both(linked: ParserLinkage) -> None:
    assert linked.counts == {"parser": 2, "citation": 3, "unknown": 1}
    assert linked.by_code == {
        "region_unavailable": {"parser": 1, "citation": 3, "unknown": 1},
        "region_misaligned": {"parser": 1, "citation": 0, "unknown": 0},
    }
    assert linked.not_linked == 1  # the page_mismatch of "turned"


def test_documents_of_either_report_are_there(linked: ParserLinkage) -> None:
    assert list(linked.documents) == [
        "harmless",
        "lost",
        "missing",
        "shifted",
        "strange",
        "turned",
        "uncited",
    ]
    assert linked.documents["harmless"].grounding == {}
    assert linked.documents["strange"].parser is None
    assert linked.documents["turned"].grounding == {"page_mismatch": 1, "region_unavailable": 1}
    assert linked.documents["missing"].parser == {"bbox_missing": 2, "table_lost": 1}
    assert linked.documents["missing"].origins == {"parser": 1, "citation": 0, "unknown": 0}


def test_it_survives_json(linked: ParserLinkage) -> None:
    assert ParserLinkage.model_validate_json(linked.model_dump_json()) == linked


SHAPES: list[Any] = [
    {"documents": [{"doc_id": "d", "failure_counts": {"bbox_missing": 2}}]},
    {"results": [{"doc_id": "d", "failure_counts": {"bbox_missing": 2}}]},
    [{"doc_id": "d", "failure_counts": {"bbox_missing": 2}, "pages": 4}],
    [{"doc_id": "d", "failure_counts": {"bbox_missing": 1}}] * 2,
    {"d": {"failure_counts": {"bbox_missing": 2}}},
    {"d": {"bbox_missing": 2}},
]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: Any) -> None:
    assert read_parser_report(shape) == {"d": {"bbox_missing": 2}}


@pytest.mark.parametrize("empty", [{}, [], {"documents": []}])
def test_an_empty_report_knows_no_document(empty: Any) -> None:
    assert read_parser_report(empty) == {}


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ({"failure_counts": {"bbox_missing": 2}}, "totals only"),
        ({"documents": [{"failure_counts": {}}]}, "the document is not named"),
        ({"documents": [{"doc_id": "d"}]}, "no counts of failures"),
        ({"documents": ["d"]}, "expected an object, got str"),
        ({"d": 2}, "no counts of failures"),
        ({"d": {"bbox_missing": -1}}, "no whole number"),
        ({"d": {"bbox_missing": 1.5}}, "no whole number"),
        ({"d": {"bbox_missing": True}}, "no whole number"),
        ("report.json", "got str"),
        (None, "got NoneType"),
    ],
)
def test_other_shapes_are_errors(shape: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        read_parser_report(shape)
    assert caught.value.record == "parser report"
    assert caught.value.fix


def test_without_failures_there_is_nothing_to_link() -> None:
    linked = link_parser_report([citation_grounding({})], REPORT)
    assert linked.failures == ()
    assert linked.counts == {"parser": 0, "citation": 0, "unknown": 0}
