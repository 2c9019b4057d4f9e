"""What holds of every box, text and record, whatever is in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citemeter.errors import InputError
from citemeter.grounding import BoxFormat, PageSize, citation_grounding, iou, text_support
from citemeter.grounding.boxes import Box, comparable, read_box, turned
from citemeter.grounding.claims import CLAIM_CODES
from citemeter.grounding.place_results import GROUNDING_CODES
from citemeter.grounding.text_check import holds_phrase
from citemeter.text.quotations.folding import fold

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

coordinate = st.floats(-1e4, 1e4, allow_nan=False)
extent = st.floats(1e-3, 1e4, allow_nan=False)
box = st.builds(lambda x, y, w, h: Box(x, y, x + w, y + h), coordinate, coordinate, extent, extent)
grid = st.integers(1, 99)
on_page = st.builds(
    lambda x, y, w, h: Box(float(x), float(y), float(x + w), float(y + h)),
    grid,
    grid,
    st.integers(1, 101),
    st.integers(1, 101),
)
PAGE = PageSize(200, 200)


@patient
@given(box, box)
def test_overlap_is_symmetric_and_a_share(first: Box, second: Box) -> None:
    value = iou(first, second)
    assert 0 <= value <= 1
    assert iou(second, first) == value
    assert iou(first, first) == 1


@patient
@given(on_page, on_page)
def test_overlap_equals_counting_cells(first: Box, second: Box) -> None:
    def cells(b: Box) -> set[tuple[int, int]]:
        return {(x, y) for x in range(int(b.x0), int(b.x1)) for y in range(int(b.y0), int(b.y1))}

    one, two = cells(first), cells(second)
    assert iou(first, second) == pytest.approx(len(one & two) / len(one | two))


@patient
@given(
    on_page,
    on_page,
    st.sampled_from(["top-left", "bottom-left"]),
    st.sampled_from(["points", "fraction", "thousandths"]),
    st.sampled_from(["displayed", "unturned"]),
    st.sampled_from([0, 90, 180, 270]),
    st.integers(201, 1000),
    st.integers(201, 1000),
)
def test_overlap_does_not_depend_on_how_boxes_are_written(
    first: Box,
    second: Box,
    origin: Any,
    unit: Any,
    frame: Any,
    rotation: int,
    width: int,
    height: int,
) -> None:
    """Boxes written in any format come back to the same overlap."""
    page = PageSize(width, height, rotation)
    written = BoxFormat(origin=origin, unit=unit, frame=frame)
    own = page if frame == "unturned" else page.displayed
    full = written.full

    def write(b: Box) -> list[float]:
        if origin == "bottom-left":
            b = Box(b.x0, own.height - b.y1, b.x1, own.height - b.y0)
        if full is None:
            return list(b)
        x, y = full / own.width, full / own.height
        return [b.x0 * x, b.y0 * y, b.x1 * x, b.y1 * y]

    boxes = [comparable(read_box(write(b), written), written, page) for b in (first, second)]
    assert iou(*boxes) == pytest.approx(iou(first, second), abs=1e-9)
    shown = page.displayed
    for b in boxes:
        assert -1e-6 <= b.x0 < b.x1 <= shown.width + 1e-6
        assert -1e-6 <= b.y0 < b.y1 <= shown.height + 1e-6


@patient
@given(on_page, st.sampled_from([90, 180, 270]))
def test_turning_all_the_way_round_changes_nothing(b: Box, step: int) -> None:
    turns = {90: 4, 180: 2, 270: 4}[step]
    size, now = PageSize(300, 500, step), b
    for _ in range(turns):
        now = turned(now, size)
        shown = size.displayed
        size = PageSize(shown.width, shown.height, step)
    assert now == b


@patient
@given(st.lists(st.floats() | st.integers() | st.none() | st.booleans() | st.text(), max_size=5))
def test_what_is_no_box_is_an_error(value: list[Any]) -> None:
    region = {"doc_id": "d", "page_number": 1, "bbox": value}
    found, error = None, None
    try:
        [check] = citation_grounding({"id": "r", "expected_citation_regions": [region]}).regions
        found = check.bbox
    except InputError as caught:
        error = caught
    if found is None:
        assert error is not None
        where = "expected_citation_regions.0.bbox"
        assert (error.record, error.field, bool(error.fix)) == ("r", where, True)
    else:
        assert found.x0 < found.x1
        assert found.y0 < found.y1
        assert iou(found, found) == 1


words = st.text(
    st.sampled_from("aAbé1 2.,'’-\n가나기관는はカ猫鱼。!\u0e01\u0e33\u0301\u00adＡ①²"), max_size=30
)


@patient
@given(words, words)
def test_support_is_a_share_and_certain_of_itself(claim: str, text: str) -> None:
    found = text_support(claim, text)
    assert 0 <= found.share <= 1
    assert bool(found.missing) is (found.share < 1) or not found.share
    own = text_support(claim, claim)
    assert own.supported is any(map(str.isalnum, fold(claim)))


@patient
@given(words, words, words)
def test_more_text_never_holds_fewer_tokens(claim: str, text: str, more: str) -> None:
    assert text_support(claim, f"{text}\n\n{more}").share >= text_support(claim, text).share - 1e-12


@patient
@given(words)
def test_every_text_holds_itself(text: str) -> None:
    assert holds_phrase(text, text) is any(map(str.isalnum, fold(text)))


doc = st.sampled_from(["a", "b"])
page = st.integers(1, 3)
region = st.fixed_dictionaries(
    {"page_number": page, "bbox": st.none() | on_page.map(lambda b: [v + 2 for v in b])}
)
span = st.none() | st.tuples(page, page).map(sorted)
citation = st.fixed_dictionaries(
    {
        "doc_id": st.none() | doc,
        "chunk_id": st.none() | st.sampled_from(["c1", "c2", "c9"]),
        "page_span": span,
        "regions": st.lists(region, max_size=2),
    }
)
record = st.fixed_dictionaries(
    {
        "claims": st.lists(
            st.fixed_dictionaries(
                {
                    "text": st.sampled_from(["Cats purr.", "Dogs bark.", "기관 A는 로그를 둔다."]),
                    "citations": st.lists(citation, max_size=3),
                }
            ),
            max_size=3,
        ),
        "citations": st.lists(citation, max_size=2),
        "evidence": st.none()
        | st.just(
            [
                {"chunk_id": "c1", "doc_id": "a", "text": "Cats purr."},
                {"chunk_id": "c1", "doc_id": "b", "text": "Cats bark."},
                {"chunk_id": "c2", "doc_id": "b", "text": "기관 A: 로그"},
            ]
        ),
    },
    optional={
        "expected_citation_pages": st.lists(
            st.fixed_dictionaries({"doc_id": doc, "pages": st.lists(page, min_size=1, max_size=3)}),
            max_size=3,
        ),
        "expected_citation_regions": st.lists(
            st.fixed_dictionaries(
                {
                    "doc_id": doc,
                    "page_number": page,
                    "bbox": on_page.map(lambda b: [v + 2 for v in b]),
                    "min_iou": st.floats(0.01, 1),
                }
            ),
            max_size=3,
        ),
        "expected_claim_citations": st.lists(
            st.fixed_dictionaries(
                {
                    "target": st.sampled_from(["cats", "기관 A", "hens"]),
                    "expected_doc_ids": st.lists(doc, max_size=2),
                    "expected_terms": st.lists(st.sampled_from(["로그", "purr", "moon"])),
                }
            ),
            max_size=3,
        ),
    },
)


@patient
@given(record)
def test_every_state_is_counted_once_and_the_counts_add_up(given_record: dict[str, Any]) -> None:
    result = citation_grounding(given_record)
    counts = result.counts
    for checks in (result.pages, result.regions):
        for check in checks:
            assert check.hit is (check.code is None) is (check.reason is None)
    assert len(result.citation_grounding_errors) == sum(
        not check.hit for check in (*result.pages, *result.regions)
    )
    for errors, by_code, codes in (
        (result.citation_grounding_errors, result.citation_grounding_error_counts, GROUNDING_CODES),
        (result.claim_citation_errors, result.claim_citation_error_counts, CLAIM_CODES),
    ):
        assert sum(by_code.values()) == len(errors)
        assert set(by_code) in (set(codes), set())
    if counts.get("claims_measured"):
        states = ("aligned_claims", "misaligned_claims", "missing_claims", "unjudged_claims")
        assert sum(counts[state] for state in states) == counts["checked_claims"]
        assert counts["missing_claims"] == counts["expected_claim_missing"]
    for score in (
        result.citation_page_precision,
        result.citation_region_precision,
        result.citation_grounding,
        result.claim_citation_alignment,
    ):
        assert score.value is None or 0 <= score.value <= 1
        assert (score.value is None) is bool(score.reason)
    parts = [
        score.value
        for score in (result.citation_page_precision, result.citation_region_precision)
        if score.value is not None
    ]
    expected = sum(parts) / len(parts) if parts else None
    assert result.citation_grounding.value == pytest.approx(expected)


@patient
@given(record, citation)
def test_another_citation_never_lowers_page_and_region(
    given_record: dict[str, Any], more: dict[str, Any]
) -> None:
    before = citation_grounding(given_record)
    extended = {**given_record, "citations": [*given_record["citations"], more]}
    after = citation_grounding(extended)
    for name in ("citation_page_precision", "citation_region_precision"):
        old, new = getattr(before, name).value, getattr(after, name).value
        assert (old is None) is (new is None)
        assert old is None or new >= old


@patient
@given(record)
def test_the_order_of_citations_changes_no_score(given_record: dict[str, Any]) -> None:
    turned_round = {**given_record, "citations": given_record["citations"][::-1]}
    turned_round["claims"] = [
        {**claim, "citations": claim["citations"][::-1]} for claim in given_record["claims"]
    ]
    first, second = citation_grounding(given_record), citation_grounding(turned_round)
    assert first.counts == second.counts
