"""Whether an answer's citations point at the pages and regions they should."""

from __future__ import annotations

from collections.abc import Sequence

from citemeter.errors import InputError
from citemeter.grounding.boxes import Box, BoxFormat, PageSize, comparable, iou, read_box
from citemeter.grounding.cited import Cited
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.place_results import (
    CitedBox,
    GroundingCode,
    GroundingReason,
    PageCheck,
    RegionCheck,
)
from citemeter.grounding.reading import page_info
from citemeter.grounding.rules import GroundingRules
from citemeter.models import ExpectedRegion, Region

_MOST_KEPT = 20
"""Cited boxes that a check keeps: those that a figure shows."""

_IOU_SLACK = 1e-9
"""How far below the bar an overlap may be: what rounding costs."""


def check_pages(
    case: GroundingCase, citations: Sequence[Cited], rules: GroundingRules
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
    doc_id: str, pages: tuple[int, ...], own: Sequence[tuple[int, Cited]], rules: GroundingRules
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
    case: GroundingCase,
    citations: Sequence[Cited],
    rules: GroundingRules,
    record: str | None = None,
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
    boxes: dict[str | None, list[CitedBox]] = {}
    for place, citation in enumerate(citations):
        for k, region in enumerate(citation.regions):
            if region.bbox is None:
                continue
            try:
                box = _placed(region.bbox, rules.cited_boxes, citation.doc_id, region, rules)
            except InputError as error:
                raise error.at(record, f"{citation.field}.regions.{k}.bbox") from None
            page, block = region.page_number, region.block_id
            cited = CitedBox(citation=place, page_number=page, bbox=box, block_id=block)
            boxes.setdefault(citation.doc_id, []).append(cited)
    own = _by_document(citations)
    checks: dict[tuple[str, int, Box, float], RegionCheck] = {}
    for k, anchor in enumerate(case.expected_citation_regions):
        doc_id = anchor.doc_id
        try:
            gold = _placed(anchor.bbox, rules.gold_boxes, doc_id, anchor, rules)
        except InputError as error:
            raise error.at(record, f"expected_citation_regions.{k}.bbox") from None
        key = (doc_id, anchor.page_number, gold, anchor.min_iou)
        if key not in checks:
            checks[key] = _region_check(key, boxes.get(doc_id, ()), own.get(doc_id, ()), rules)
    return tuple(checks.values())


def _placed(
    bbox: tuple[float, ...],
    written: BoxFormat,
    doc_id: str | None,
    on: Region | ExpectedRegion,
    rules: GroundingRules,
) -> Box:
    """Return a box where it can be compared; one of no document can only be read."""
    box = read_box(bbox, written)
    if doc_id is None:
        return box
    info = page_info(rules.pages, doc_id, on.page_number)
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
    return comparable(box, written, size)


def _alike(first: BoxFormat, second: BoxFormat) -> bool:
    return (first.origin, first.unit, first.frame) == (second.origin, second.unit, second.frame)


def _region_check(
    key: tuple[str, int, Box, float],
    boxes: Sequence[CitedBox],
    own: Sequence[tuple[int, Cited]],
    rules: GroundingRules,
) -> RegionCheck:
    doc_id, page, gold, min_iou = key
    here = [(iou(gold, box.bbox), box) for box in boxes if box.page_number == page]
    here.sort(key=lambda found: -found[0])  # the first of equals stays first
    elsewhere = [box for box in boxes if box.page_number != page]
    code: GroundingCode | None = "region_unavailable"
    reason: GroundingReason | None
    reason, nearest = _nearest(own, [page])
    best = None
    if here:
        best, nearest = here[0][0], here[0][1].citation
        hit = best >= min_iou - _IOU_SLACK
        code, reason = (None, None) if hit else ("region_misaligned", "low_overlap")
    return RegionCheck(
        doc_id=doc_id,
        page_number=page,
        bbox=gold,
        min_iou=min_iou,
        hit=code is None,
        iou=best,
        citation=nearest,
        code=code,
        reason=reason,
        counted=rules.text_only == "count" or reason != "text_only",
        cited=(
            *(box.model_copy(update={"iou": overlap}) for overlap, box in here[:_MOST_KEPT]),
            *elsewhere[: 3 if here else _MOST_KEPT],
        ),
        cited_here=len(here),
        cited_elsewhere=len(elsewhere),
    )
