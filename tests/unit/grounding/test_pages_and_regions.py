"""Which citation meets which expected page and region, and which code it gets if none does."""

from __future__ import annotations

from time import process_time
from typing import Any, ClassVar

import pytest

from citemeter.errors import InputError
from citemeter.grounding import BoxFormat, GroundingResult, citation_grounding

D1: dict[str, Any] = {"doc_id": "d", "page_span": [1, 1]}
GOLD = {"doc_id": "d", "page_number": 1, "bbox": [0, 0, 100, 100]}


def boxed(*regions: tuple[int, list[float] | None], **fields: Any) -> dict[str, Any]:
    places = [{"page_number": page, "bbox": bbox} for page, bbox in regions]
    return {"doc_id": "d", "regions": places, **fields}


def measure(
    citations: list[Any],
    expected: list[int] | None = None,
    regions: list[Any] | None = None,
    **options: Any,
) -> GroundingResult:
    record: dict[str, Any] = {"id": "r", "citations": citations}
    if expected is not None:
        record["expected_citation_pages"] = [{"doc_id": "d", "pages": expected}]
    if regions is not None:
        record["expected_citation_regions"] = regions
    return citation_grounding(record, **options)


def errors(result: GroundingResult) -> list[tuple[str, str, str]]:
    return [(e.code, e.reason, e.kind) for e in result.citation_grounding_errors]


PAGES: dict[str, tuple[list[Any], list[tuple[str, str, str]]]] = {
    "in a span": ([{"doc_id": "d", "page_span": [1, 3]}], []),
    "at a span's end": ([{"doc_id": "d", "page_span": [2, 2]}], []),
    "a span as one number": ([{"doc_id": "d", "page_span": 2}], []),
    "in a region only": ([boxed((2, [0, 0, 9, 9]))], []),
    "in a region without a box": ([boxed((2, None))], []),
    "in a region, though the span says otherwise": (
        [boxed((2, None), page_span=[1, 1])],
        [],
    ),
    "by the second citation": ([D1, {"doc_id": "d", "page_span": [2, 2]}], []),
    "before the span": (
        [{"doc_id": "d", "page_span": [3, 9]}],
        [("page_mismatch", "other_page", "drift")],
    ),
    "by text alone": (
        [{"doc_id": "d", "chunk_id": "c"}],
        [("page_missing", "text_only", "coverage")],
    ),
    "by text alone, and by a wrong page": (
        [{"doc_id": "d"}, D1],
        [("page_mismatch", "other_page", "drift")],
    ),
    "of another document": (
        [{"doc_id": "e", "page_span": [2, 2]}],
        [("page_missing", "document_not_cited", "drift")],
    ),
    "of no document": (
        [{"chunk_id": "c", "page_span": [2, 2]}],
        [("page_missing", "document_not_cited", "drift")],
    ),
    "not at all": ([], [("page_missing", "document_not_cited", "drift")]),
}


@pytest.mark.parametrize("name", list(PAGES))
def test_page_2_is_cited(name: str) -> None:
    citations, expected = PAGES[name]
    result = measure(citations, [2])
    assert errors(result) == expected
    assert result.citation_page_precision.value == float(not expected)
    assert result.citation_grounding.value == float(not expected)
    assert result.citation_region_precision.value is None


def test_each_expected_page_counts_or_each_entry_does() -> None:
    # Pages 1 and 2 expected, 1 cited: 1 of 2 pages, 1 of 1 entry.
    assert measure([D1], [1, 2]).citation_page_precision.value == 0.5
    assert measure([D1], [1, 2], page_anchors="entries").citation_page_precision.value == 1.0
    missed = measure([D1], [2, 3], page_anchors="entries")
    assert missed.citation_page_precision.value == 0.0
    assert missed.citation_grounding_errors[0].pages == (2, 3)


def test_a_page_expected_twice_counts_once() -> None:
    assert measure([D1], [1, 1, 2]).citation_page_precision.denominator == 2


def test_an_empty_list_expects_nothing() -> None:
    record = {"citations": [D1], "expected_citation_pages": [], "expected_citation_regions": []}
    result = citation_grounding(record, zero_division=0.0)
    assert result.citation_page_precision.value is None
    assert result.citation_grounding.value is None


REGIONS: dict[str, tuple[list[Any], float | None, list[tuple[str, str, str]]]] = {
    "equal": ([boxed((1, [0, 0, 100, 100]))], 1.0, []),
    # exactly the bar: 5000 / 10000
    "at the bar": ([boxed((1, [0, 0, 50, 100]))], 0.5, []),
    # 4900 / 10000
    "just below": (
        [boxed((1, [0, 0, 49, 100]))],
        0.49,
        [("region_misaligned", "low_overlap", "drift")],
    ),
    "the better of two boxes of one citation": (
        [boxed((1, [0, 0, 10, 10]), (1, [0, 0, 80, 100]))],
        0.8,
        [],
    ),
    "the better of two citations": (
        [boxed((1, [200, 200, 300, 300])), boxed((1, [0, 0, 80, 100]))],
        0.8,
        [],
    ),
    "a touching box": (
        [boxed((1, [100, 0, 200, 100]))],
        0.0,
        [("region_misaligned", "low_overlap", "drift")],
    ),
    "the same box on another page": (
        [boxed((2, [0, 0, 100, 100]))],
        None,
        [("region_unavailable", "other_page", "drift")],
    ),
    "the same box of another document": (
        [boxed((1, [0, 0, 100, 100]), doc_id="e")],
        None,
        [("region_unavailable", "document_not_cited", "drift")],
    ),
    "the page without a box": (
        [boxed((1, None))],
        None,
        [("region_unavailable", "no_box", "coverage")],
    ),
    "the page by its span, the box on another": (
        [boxed((2, [0, 0, 100, 100]), page_span=[1, 2])],
        None,
        [("region_unavailable", "no_box", "coverage")],
    ),
    "the span only": ([D1], None, [("region_unavailable", "no_box", "coverage")]),
    "by text alone": (
        [{"doc_id": "d"}],
        None,
        [("region_unavailable", "text_only", "coverage")],
    ),
    "not at all": ([], None, [("region_unavailable", "document_not_cited", "drift")]),
    "without a box, and with a bad one": (
        [boxed((1, None)), boxed((1, [0, 0, 9, 9]))],
        0.0081,
        [("region_misaligned", "low_overlap", "drift")],
    ),
}


@pytest.mark.parametrize("name", list(REGIONS))
def test_region_is_cited(name: str) -> None:
    citations, overlap, expected = REGIONS[name]
    result = measure(citations, regions=[GOLD])
    assert errors(result) == expected
    assert result.citation_region_precision.value == float(not expected)
    assert result.regions[0].iou == (None if overlap is None else pytest.approx(overlap))
    assert result.citation_page_precision.value is None


def test_each_region_has_a_bar_of_its_own() -> None:
    cited = [boxed((1, [0, 0, 60, 100]))]  # IoU 0.6
    regions = [{**GOLD, "min_iou": bar} for bar in (0.5, 0.6, 0.7)]
    result = measure(cited, regions=regions)
    assert [check.hit for check in result.regions] == [True, True, False]
    assert result.citation_region_precision.value == pytest.approx(2 / 3)


def test_the_mean_of_page_and_region() -> None:
    # Pages 1 and 2 expected and 1 cited: 1/2. The region is hit: 1. Mean 3/4.
    result = measure([boxed((1, [0, 0, 100, 100]))], [1, 2], [GOLD])
    assert result.citation_grounding.value == 0.75
    assert (result.citation_grounding.numerator, result.citation_grounding.denominator) == (1.5, 2)


def test_text_only_can_be_left_out_of_the_score() -> None:
    record = {
        "citations": [D1, {"doc_id": "e"}],
        "expected_citation_pages": [
            {"doc_id": "d", "pages": [1]},
            {"doc_id": "e", "pages": [1]},
            {"doc_id": "f", "pages": [1]},
        ],
    }
    # d is hit, e is cited by text alone, f is not cited: 1 of 3, or 1 of 2.
    counted = citation_grounding(record)
    assert counted.citation_page_precision.value == pytest.approx(1 / 3)
    left_out = citation_grounding(record, text_only="leave_out")
    assert left_out.citation_page_precision.value == 0.5
    assert left_out.citation_grounding_errors == counted.citation_grounding_errors
    assert left_out.counts["page_missing"] == 2
    assert left_out.counts["grounding_coverage_limits"] == 1
    assert left_out.counts["text_only_citations"] == 1
    assert left_out.counts["located_citations"] == 1


def test_a_citation_may_take_its_chunks_place() -> None:
    record = {
        "citations": [{"doc_id": "d", "chunk_id": "c"}],
        "evidence": [{"chunk_id": "c", "doc_id": "d", "text": "x", "page_span": [1, 1]}],
        "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
    }
    assert citation_grounding(record).citation_page_precision.value == 0.0
    assert citation_grounding(record, inherit=True).citation_page_precision.value == 1.0
    # A citation that is only a chunk's name has no other place than that chunk's.
    named = {**record, "citations": ["c"]}
    assert citation_grounding(named).citation_page_precision.value == 1.0


def test_a_citations_document_is_filled_in_from_its_chunk() -> None:
    evidence = [{"chunk_id": "c", "doc_id": "d", "text": "x"}]
    record = {
        "citations": [{"chunk_id": "c", "page_span": [1, 1]}],
        "evidence": evidence,
        "expected_citation_pages": [{"doc_id": "d", "pages": [1]}],
    }
    assert citation_grounding(record).citation_page_precision.value == 1.0
    # With the same chunk id in two documents it is not known which is meant.
    ambiguous = {**record, "evidence": [*evidence, {"chunk_id": "c", "doc_id": "e", "text": "x"}]}
    assert citation_grounding(ambiguous).citation_page_precision.value == 0.0


class TestFormats:
    """The page is 200 by 400; the gold box is [20, 40, 100, 100] from its top left."""

    gold: ClassVar[Any] = [{"doc_id": "d", "page_number": 1, "bbox": [20, 40, 100, 100]}]
    pages: ClassVar[Any] = {"d": {"1": {"width": 200, "height": 400}}}

    @pytest.mark.parametrize(
        ("bbox", "written"),
        [
            ([20, 300, 100, 360], BoxFormat(origin="bottom-left")),
            ([0.1, 0.1, 0.5, 0.25], BoxFormat(unit="fraction")),
            ([100, 100, 500, 250], BoxFormat(unit="thousandths")),
            ([20, 40, 80, 60], BoxFormat(form="xywh")),
        ],
    )
    def test_cited_boxes_of_another_format(self, bbox: Any, written: BoxFormat) -> None:
        cited = [boxed((1, bbox))]
        result = measure(cited, regions=self.gold, cited_boxes=written, pages=self.pages)
        assert result.regions[0].iou == pytest.approx(1.0)
        assert result.regions[0].cited[0].bbox == pytest.approx((20, 40, 100, 100))

    def test_without_the_page_that_is_an_error(self) -> None:
        with pytest.raises(InputError) as caught:
            measure(
                [boxed((1, [0.1, 0.1, 0.5, 0.25]))],
                regions=self.gold,
                cited_boxes=BoxFormat(unit="fraction"),
            )
        assert caught.value.record == "r"
        assert caught.value.field == "citations.0.regions.0.bbox"

    def test_with_the_same_format_on_both_sides_it_is_not_needed(self) -> None:
        written = BoxFormat(unit="fraction", origin="bottom-left")
        gold = [{"doc_id": "d", "page_number": 1, "bbox": [0.1, 0.7, 0.5, 0.9]}]
        cited = [boxed((1, [0.1, 0.8, 0.5, 0.9]))]  # its upper half
        result = measure(cited, regions=gold, gold_boxes=written, cited_boxes=written)
        assert result.regions[0].iou == pytest.approx(0.5)
        assert result.regions[0].bbox == pytest.approx((0.1, 0.1, 0.5, 0.3))  # from the top
        points = BoxFormat(origin="bottom-left")
        gold = [{"doc_id": "d", "page_number": 1, "bbox": [10, 70, 50, 90]}]
        cited = [boxed((1, [10, 80, 50, 90]))]
        result = measure(cited, regions=gold, gold_boxes=points, cited_boxes=points)
        assert result.regions[0].iou == 0.5


@pytest.mark.parametrize(
    ("citation", "field"),
    [
        (boxed((1, [9, 0, 1, 5])), "citations.0.regions.0.bbox"),
        (boxed((3, [9, 0, 1, 5]), doc_id="elsewhere"), "citations.0.regions.0.bbox"),
        ({"regions": [{"page_number": 1, "bbox": [9, 0, 1, 5]}]}, "citations.0.regions.0.bbox"),
        (boxed((1, [1, 2, 3])), "citations.0.regions.0.bbox"),
        (boxed((0, [1, 2, 3, 4])), "citations.0.regions.0.page_number"),
        ({"doc_id": "d", "page_span": [3, 1]}, "citations.0.page_span"),
        ({"doc_id": "d", "page_span": "1-2"}, "citations.0.page_span"),
        ({"doc_id": "d", "page_span": [1, 2.5]}, "citations.0.page_span"),
        ({"doc_id": "d", "page_spans": [1, 2]}, "citations.0.page_spans"),
        ({"doc_id": "d", "regions": {"page_number": 1}}, "citations.0.regions"),
    ],
)
def test_a_bad_citation_is_an_error_with_its_field(citation: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        measure([citation], regions=[GOLD])
    assert caught.value.record == "r"
    assert caught.value.field == field
    assert caught.value.fix


def test_a_bad_gold_box_is_an_error_with_its_field() -> None:
    with pytest.raises(InputError) as caught:
        measure([D1], regions=[GOLD, {**GOLD, "bbox": [5, 5, 5, 9]}])
    assert caught.value.field == "expected_citation_regions.1.bbox"


def test_options_that_are_no_choice() -> None:
    with pytest.raises(InputError, match="page_anchors is 'each'"):
        measure([D1], [1], page_anchors="each")
    with pytest.raises(InputError, match="text_only is 'ignore'"):
        measure([D1], [1], text_only="ignore")


def test_messages_say_what_happened() -> None:
    result = measure([boxed((1, [0, 0, 10, 100]))], [2], [GOLD])
    assert [e.message for e in result.citation_grounding_errors] == [
        "page 2 of 'd' is expected, and its citations are on other pages",
        "the best box on page 1 of 'd' overlaps 0.100, below 0.5",
    ]


def test_the_result_survives_json() -> None:
    result = measure([boxed((1, [0, 0, 10, 100]))], [2], [GOLD])
    assert GroundingResult.model_validate_json(result.model_dump_json()) == result


MANY_BOXES = [boxed(*[(1 + n % 2, [0.0, 0.0, 10.0 + n, 100.0]) for n in range(100)])] * 100
MANY_REGIONS = [{**GOLD, "bbox": [0, 0, 90 + n, 100]} for n in range(20)]


@pytest.mark.slow
def test_many_cited_boxes_take_linear_time() -> None:
    began = process_time()
    measure(MANY_BOXES, regions=MANY_REGIONS)
    assert process_time() - began < 10


def test_many_cited_boxes_take_little_room() -> None:
    result = measure(MANY_BOXES, regions=MANY_REGIONS)
    check = result.regions[0]
    # Boxes of even n are on page 1: the widths 10, 12, ..., 108, each a hundred times; 90 is best.
    assert (check.cited_here, check.cited_elsewhere, check.iou) == (5000, 5000, 1.0)
    assert len(check.cited) == 23
    assert check.cited[0].bbox == (0, 0, 90, 100)
