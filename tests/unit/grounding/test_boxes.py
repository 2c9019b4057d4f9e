"""Boxes: overlaps by hand, and what is no box."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.fields import four_numbers
from citemeter.grounding import citation_grounding
from citemeter.grounding.boxes import (
    Box,
    BoxFormat,
    PageSize,
    comparable,
    iou,
    read_box,
    turned,
)

OVERLAPS = {
    "equal": ([0, 0, 4, 2], [0, 0, 4, 2], 1.0),
    # 2 of 4 units wide in common, 2 high: 4 / (8 + 8 - 4)
    "half shifted": ([0, 0, 4, 2], [2, 0, 6, 2], 4 / 12),
    # 1 by 1 in common: 1 / (4 + 4 - 1)
    "corner": ([0, 0, 2, 2], [1, 1, 3, 3], 1 / 7),
    # the smaller area over the larger: 4 / 16
    "contained": ([0, 0, 4, 4], [1, 1, 3, 3], 4 / 16),
    # a cross: 2 by 2 in common, 6 by 2 and 2 by 6: 4 / (12 + 12 - 4)
    "crossed": ([0, 2, 6, 4], [2, 0, 4, 6], 4 / 20),
    "touching at an edge": ([0, 0, 1, 1], [1, 0, 2, 1], 0.0),
    "touching at a corner": ([0, 0, 1, 1], [1, 1, 2, 2], 0.0),
    "disjoint": ([0, 0, 1, 1], [5, 5, 6, 6], 0.0),
    "side by side in one axis only": ([0, 0, 1, 9], [3, 0, 4, 9], 0.0),
    "half of it": ([0, 0, 2, 1], [0, 0, 1, 1], 0.5),
}


@pytest.mark.parametrize("name", list(OVERLAPS))
def test_overlap(name: str) -> None:
    first, second, expected = OVERLAPS[name]
    assert iou(Box(*first), Box(*second)) == pytest.approx(expected, abs=0)
    assert iou(Box(*second), Box(*first)) == iou(Box(*first), Box(*second))


def test_overlap_at_the_limits_of_floats() -> None:
    assert iou(Box(0, 0, 1e-150, 1e-150), Box(0, 0, 1e-150, 1e-150)) == 1.0
    assert iou(Box(-1e9, -1e9, 1e9, 1e9), Box(-1e9, -1e9, 1e9, 1e9)) == 1.0


NO_BOXES: dict[str, tuple[Any, str]] = {
    "inverted in x": ([280, 40, 10, 100], "inverted: its x0 280 is right of its x1 10"),
    "inverted in y": ([10, 100, 280, 40], "inverted: its y0 100 is beyond its y1 40"),
    "no width": ([10, 40, 10, 100], "no area: it is 0 wide and 60 high"),
    "no height": ([10, 40, 280, 40], "no area: it is 270 wide and 0 high"),
    "a point": ([10, 40, 10, 40], "no area"),
    "no area left in floats": ([1, 1, 1 + 1e-16, 2], "no area"),
    "not a number": ([10, nan, 280, 100], "a coordinate is nan"),
    "infinite": ([10, 40, inf, 100], "a coordinate is inf"),
    "too large for a float": ([10, 40, 10**400, 100], "a coordinate is inf"),
    "too large for a page": ([10, 40, 1e12, 100], "on no page"),
    "three numbers": ([10, 40, 280], "got 3"),
    "five numbers": ([10, 40, 280, 100, 1], "got 5"),
    "none": ([], "got 0"),
    "corners as pairs": ([[10, 40], [280, 100]], "got 2"),
    "words": (["10", "40", "280", "100"], "got str among them"),
    "truth values": ([False, False, True, True], "got bool among them"),
    "null inside": ([10, None, 280, 100], "got NoneType among them"),
    "a string": ("1234", "got str"),
    "a mapping": ({"x0": 1}, "got dict"),
    "null": (None, "got NoneType"),
    "normalised, though points are meant": ([0.1, 0.2, 0.5, 0.6], "normalised, not in points"),
}


@pytest.mark.parametrize("name", list(NO_BOXES))
def test_what_is_no_box_is_an_error_with_record_field_and_mend(name: str) -> None:
    value, problem = NO_BOXES[name]
    region = {"doc_id": "d", "page_number": 1, "bbox": value}
    with pytest.raises(InputError) as caught:
        citation_grounding({"id": "case-7", "expected_citation_regions": [region]})
    assert problem in str(caught.value)
    assert caught.value.record == "case-7"
    assert caught.value.field == "expected_citation_regions.0.bbox"
    assert caught.value.fix


def test_numbers_of_other_types_are_numbers() -> None:
    import numpy

    assert four_numbers((numpy.float64(1), numpy.int64(2), 3, 4.0)) == (1.0, 2.0, 3.0, 4.0)


def test_width_and_height_in_place_of_a_corner() -> None:
    written = BoxFormat(form="xywh")
    assert read_box([10, 40, 270, 60], written) == (10, 40, 280, 100)
    with pytest.raises(InputError, match="its width is -1"):
        read_box([10, 40, -1, 60], written)
    with pytest.raises(InputError, match="no area"):
        read_box([10, 40, 0, 60], written)


@pytest.mark.parametrize(("unit", "full"), [("fraction", 1.0), ("thousandths", 1000.0)])
def test_normalised_boxes_stay_on_the_page(unit: Any, full: float) -> None:
    written = BoxFormat(unit=unit)
    assert read_box([0, 0, full, full], written).area == full * full
    read_box([-0.005 * full, 0, full, 1.005 * full], written)  # rounding
    for bad in ([0, 0, 1.2 * full, full], [-0.2 * full, 0, full, full]):
        with pytest.raises(InputError, match=f"not in {unit}"):
            read_box(bad, written)


def test_origins_and_units_lead_to_the_same_box() -> None:
    """On a page of 200 by 400: from x 20 to 100, and from 40 to 100 below its top."""
    page = PageSize(200, 400)
    expected = Box(20, 40, 100, 100)
    for numbers, written in (
        ([20, 40, 100, 100], BoxFormat()),
        ([20, 40, 80, 60], BoxFormat(form="xywh")),
        ([20, 300, 100, 360], BoxFormat(origin="bottom-left")),  # 400 - 100, 400 - 40
        ([20, 300, 80, 60], BoxFormat(origin="bottom-left", form="xywh")),
        ([0.1, 0.1, 0.5, 0.25], BoxFormat(unit="fraction")),  # 20/200, 40/400, ...
        ([100, 100, 500, 250], BoxFormat(unit="thousandths")),
        ([0.1, 0.75, 0.5, 0.9], BoxFormat(unit="fraction", origin="bottom-left")),
    ):
        assert comparable(read_box(numbers, written), written, page) == pytest.approx(expected)


def test_turned_pages() -> None:
    """A page of 200 by 400; what is at its top left goes to the top right when it is turned 90°."""
    corner = Box(0, 0, 20, 10)
    assert turned(corner, PageSize(200, 400, 90)) == (390, 0, 400, 20)
    assert turned(corner, PageSize(200, 400, 180)) == (180, 390, 200, 400)
    assert turned(corner, PageSize(200, 400, 270)) == (0, 180, 10, 200)
    assert turned(corner, PageSize(200, 400)) == corner
    assert PageSize(200, 400, 90).displayed == PageSize(400, 200)
    assert PageSize(200, 400, 180).displayed == PageSize(200, 400)


def test_a_box_as_the_pdf_has_it_and_as_it_is_shown() -> None:
    """Turned by 90°, bottom left: (x, y) is shown at (y, x) from the top left."""
    page = PageSize(200, 400, 90)
    pdf = BoxFormat(origin="bottom-left", frame="unturned")
    assert comparable(Box(20, 300, 100, 360), pdf, page) == (300, 20, 360, 100)
    assert comparable(Box(300, 20, 360, 100), BoxFormat(), page) == (300, 20, 360, 100)
    # As shares of the page shown, which is 400 by 200.
    shares = BoxFormat(unit="fraction")
    assert comparable(Box(0.75, 0.1, 0.9, 0.5), shares, page) == (300, 20, 360, 100)


def test_the_page_size_is_asked_for_where_it_is_needed() -> None:
    assert comparable(Box(1, 2, 3, 4), BoxFormat(form="xywh"), None) == (1, 2, 3, 4)
    for written in (
        BoxFormat(origin="bottom-left"),
        BoxFormat(unit="fraction"),
        BoxFormat(frame="unturned"),
    ):
        with pytest.raises(InputError, match="page's size is not known"):
            comparable(Box(0.1, 0.2, 0.3, 0.4), written, None)


def test_a_box_beside_its_page() -> None:
    with pytest.raises(InputError, match="lies beside the page, which is 200 by 400"):
        comparable(Box(300, 0, 400, 10), BoxFormat(), PageSize(200, 400))


@pytest.mark.parametrize(
    "options", [{"form": "xyxyxy"}, {"origin": "middle"}, {"unit": "px"}, {"frame": "turned"}]
)
def test_options_that_are_no_choice(options: Any) -> None:
    with pytest.raises(InputError, match="use one of"):
        BoxFormat(**options)
