"""Whether an answer's citations point at the pages and regions they should."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from citemeter.errors import check_choice
from citemeter.grounding.boxes import STANDARD, Box, BoxFormat, PageSize, comparable, iou, read_box
from citemeter.grounding.cited import Cited
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.place_results import (
    CitedBox,
    GroundingCode,
    GroundingReason,
    PageCheck,
    RegionCheck,
)
from citemeter.grounding.reading import PageTable, page_info
from citemeter.models import Region

__all__ = ["PlaceRules"]

_MOST_KEPT = 20
"""Cited boxes that a check keeps: those that a picture shows."""

_IOU_SLACK = 1e-9
"""How far below the bar an overlap may be: what rounding costs."""


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """What may be chosen in checking pages and regions.

    Args:
        page_anchors: ``pages``: each expected page counts. ``entries``: each entry of
            ``expected_citation_pages`` counts once, and one of its pages is enough.
        text_only: ``count``: an expected page or region whose document is cited by text alone is
            not hit. ``leave_out``: it is left out of the score; its error stays.
        inherit: Whether a citation without pages and regions takes those of the chunk it names.
        gold_boxes: How the expected boxes are written.
        cited_boxes: How the citations' boxes are written.
        pages: What is known of the pages: sizes, where the boxes' formats need them.
    """

    page_anchors: Literal["pages", "entries"] = "pages"
    text_only: Literal["count", "leave_out"] = "count"
    inherit: bool = False
    gold_boxes: BoxFormat = STANDARD
    cited_boxes: BoxFormat = STANDARD
    pages: PageTable = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("page_anchors", self.page_anchors, ("pages", "entries"))
        check_choice("text_only", self.text_only, ("count", "leave_out"))


class _Box(NamedTuple):
    citation: int
    page_number: int
    bbox: Box
    block_id: str | None


def check_pages(
    case: GroundingCase, citations: Sequence[Cited], rules: PlaceRules
) -> tuple[PageCheck, ...]:
    """Look for a citation of each expected page; a page expected twice counts once.

    Args:
        case: What is expected.
        citations: The answer's; see ``cited_places``.
        rules: What counts.
    """
    anchors: dict[tuple[str, tuple[int, ...]], None] = {}
    for entry in case.expected_citation_pages or ():
        pages = tuple(dict.fromkeys(entry.pages))
        each = [(page,) for page in pages] if rules.page_anchors == "pages" else [pages]
        anchors.update(dict.fromkeys((entry.doc_id, some) for some in each))
    own = _by_document(citations)
    return tuple(
        _page_check(doc_id, pages, own.get(doc_id, ()), rules) for doc_id, pages in anchors
    )


def _by_document(citations: Sequence[Cited]) -> dict[str | None, list[tuple[int, Cited]]]:
    found: dict[str | None, list[tuple[int, Cited]]] = {}
    for place, citation in enumerate(citations):
        found.setdefault(citation.doc_id, []).append((place, citation))
    return found


def _nearest(
    own: Sequence[tuple[int, Cited]], pages: Sequence[int]
) -> tuple[GroundingReason, int | None]:
    """Say how near the citations of a document come to pages, boxes left aside."""
    for place, citation in own:
        if any(map(citation.on_page, pages)):
            return "no_box", place
    for place, citation in own:
        if not citation.text_only:
            return "other_page", place
    return ("text_only", own[0][0]) if own else ("document_not_cited", None)


def _page_check(
    doc_id: str, pages: tuple[int, ...], own: Sequence[tuple[int, Cited]], rules: PlaceRules
) -> PageCheck:
    reason, nearest = _nearest(own, pages)
    if reason == "no_box":
        return PageCheck(doc_id=doc_id, pages=pages, hit=True, citation=nearest)
    return PageCheck(
        doc_id=doc_id,
        pages=pages,
        hit=False,
        citation=nearest,
        code="page_mismatch" if reason == "other_page" else "page_missing",
        reason=reason,
        counted=rules.text_only == "count" or reason != "text_only",
    )


def check_regions(
    case: GroundingCase, citations: Sequence[Cited], rules: PlaceRules, record: str | None = None
) -> tuple[RegionCheck, ...]:
    """Look for a cited box at each expected region; a region expected twice counts once.

    Args:
        case: What is expected.
        citations: The answer's; see ``cited_places``.
        rules: What counts, and how boxes are written.
        record: What to call the record in an error.

    Raises:
        InputError: If a box is inverted, has no area, or is not of the format given.
    """
    if not case.expected_citation_regions:
        return ()
    boxes: dict[str, list[_Box]] = {anchor.doc_id: [] for anchor in case.expected_citation_regions}
    for place, citation in enumerate(citations):
        for k, region in enumerate(citation.regions):
            where = f"{citation.field}.regions.{k}.bbox"
            box = _region_box(region, citation.doc_id, rules, record, where)
            if box is not None and citation.doc_id in boxes:
                boxes[citation.doc_id].append(_Box(place, region.page_number, box, region.block_id))
    own = _by_document(citations)
    checks: dict[tuple[str, int, Box, float], RegionCheck] = {}
    for k, anchor in enumerate(case.expected_citation_regions):
        doc_id, page = anchor.doc_id, anchor.page_number
        where = f"expected_citation_regions.{k}.bbox"
        gold = _standard(anchor.bbox, rules.gold_boxes, doc_id, page, rules, record, where)
        key = (doc_id, page, gold, anchor.min_iou)
        if key not in checks:
            checks[key] = _region_check(key, boxes[doc_id], own.get(doc_id, ()), rules)
    return tuple(checks.values())


def _region_box(
    region: Region, doc_id: str | None, rules: PlaceRules, record: str | None, name: str
) -> Box | None:
    if region.bbox is None:
        return None
    written, page = rules.cited_boxes, region.page_number
    if doc_id is None:  # of no document: it can be read, not placed
        read_box(region.bbox, written, record=record, field=name)
        return None
    return _standard(region.bbox, written, doc_id, page, rules, record, name)


def _standard(
    bbox: tuple[float, ...],
    written: BoxFormat,
    doc_id: str,
    page: int,
    rules: PlaceRules,
    record: str | None,
    name: str,
) -> Box:
    box = read_box(bbox, written, record=record, field=name)
    info = page_info(rules.pages, doc_id, page)
    size = info.size if info is not None else None
    if size is None and _alike(rules.gold_boxes, rules.cited_boxes):
        # Overlaps are the same however the page is mirrored, turned or stretched.
        full = written.full
        if full is not None:
            size = PageSize(full, full)
        elif written.origin == "bottom-left":
            return Box(box.x0, -box.y1, box.x1, -box.y0)
        else:
            return box
    return comparable(box, written, size, record=record, field=name)


def _alike(first: BoxFormat, second: BoxFormat) -> bool:
    return (first.origin, first.unit, first.frame) == (second.origin, second.unit, second.frame)


def _region_check(
    key: tuple[str, int, Box, float],
    boxes: Sequence[_Box],
    own: Sequence[tuple[int, Cited]],
    rules: PlaceRules,
) -> RegionCheck:
    doc_id, page, gold, min_iou = key
    here = [(iou(gold, box.bbox), box) for box in boxes if box.page_number == page]
    here.sort(key=lambda found: -found[0])  # the first of equals stays first
    elsewhere = [box for box in boxes if box.page_number != page]
    best = here[0] if here else None
    code: GroundingCode | None
    reason: GroundingReason | None
    if best is not None:
        hit = best[0] >= min_iou - _IOU_SLACK
        nearest: int | None = best[1].citation
        code, reason = (None, None) if hit else ("region_misaligned", "low_overlap")
    else:
        hit, code = False, "region_unavailable"
        reason, nearest = _nearest(own, [page])
    return RegionCheck(
        doc_id=doc_id,
        page_number=page,
        bbox=gold,
        min_iou=min_iou,
        hit=hit,
        iou=None if best is None else best[0],
        citation=nearest,
        code=code,
        reason=reason,
        counted=rules.text_only == "count" or reason != "text_only",
        cited=(
            *(CitedBox(**box._asdict(), iou=overlap) for overlap, box in here[:_MOST_KEPT]),
            *(CitedBox(**box._asdict()) for box in elsewhere[: 3 if here else _MOST_KEPT]),
        ),
        cited_here=len(here),
        cited_elsewhere=len(elsewhere),
    )
