"""What a picture of a region failure shows, before it is drawn: boxes, labels and legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from citemeter.grounding.boxes import Box
from citemeter.grounding.models import PageInfo
from citemeter.grounding.place_results import RegionCheck
from citemeter.grounding.reading import PageTable, page_info

__all__ = ["STYLES", "Mark", "Panel", "Scene", "Style", "scene_of", "shortened"]


class Style(NamedTuple):
    """How a kind of box is drawn.

    Args:
        color: Blue and vermilion of Okabe and Ito's palette, which colour-blind people tell apart.
        width: The line's width in pixels.
        dash: Lengths of dash and gap in pixels; none for a solid line.
    """

    color: str
    width: int
    dash: tuple[int, int] | None


STYLES: dict[str, Style] = {
    "gold": Style("#0072B2", 3, None),
    "cited": Style("#D55E00", 3, (9, 5)),
}

_LONGEST = 60
"""Characters of a name that fit on a picture."""


class Mark(NamedTuple):
    """One box on the picture.

    Args:
        kind: ``gold`` or ``cited``.
        box: Where, in the page's unit, from the top left of what is shown.
        label: What stands beside it.
    """

    kind: str
    box: Box
    label: str


class Panel(NamedTuple):
    """One page on the picture.

    Args:
        caption: Which page it is.
        page_number: Its number.
        width: The page's width, in its own unit.
        height: Its height.
        bounded: Whether that is the page's size, rather than what the boxes reach.
        marks: The boxes on it.
    """

    caption: str
    page_number: int
    width: float
    height: float
    bounded: bool
    marks: tuple[Mark, ...]


class Scene(NamedTuple):
    """One picture.

    Args:
        title: The document, the page and what is wrong.
        panels: The page expected; where no box on it is cited, the page of the box that is, too.
        gold_legend: What the solid line means.
        cited_legend: What the dashed line means, or that nothing is cited here.
        notes: Further lines.
    """

    title: str
    panels: tuple[Panel, ...]
    gold_legend: str
    cited_legend: str
    notes: tuple[str, ...]


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a name cut in the middle where it is too long to draw; on one line.

    >>> shortened("abcdefghij", 7)
    'abc…hij'
    """
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[: longest - 1 - half]}…{text[-half:]}"


def scene_of(check: RegionCheck, pages: PageTable) -> Scene:
    """Lay out the picture of one expected region.

    Args:
        check: The region and the boxes cited.
        pages: What is known of the pages.
    """
    expected = check.page_number
    here = [box for box in check.cited if box.page_number == expected]
    elsewhere = [box for box in check.cited if box.page_number != expected]
    marks = [("gold", check.bbox, "gold")]
    for number, cited in enumerate(here, start=1):
        marks.append(("cited", cited.bbox, f"cited {number}: IoU {cited.iou or 0.0:.2f}"))
    layout = [("expected", expected, marks)]
    unseen = check.cited_elsewhere - len(elsewhere[:3])
    if elsewhere and not here:
        other = elsewhere[0].page_number
        shown = [box for box in elsewhere if box.page_number == other]
        elsewhere = [box for box in elsewhere if box.page_number != other]
        unseen = check.cited_elsewhere - len(shown) - len(elsewhere[:3])
        marks = [("cited", box.bbox, f"cited {n}") for n, box in enumerate(shown, start=1)]
        layout.append(("cited", other, marks))
    reach = _reach([box for _, _, marks in layout for _, box, _ in marks])
    panels = [
        _panel(
            f"page {number}, {role}", number, marks, reach, page_info(pages, check.doc_id, number)
        )
        for role, number, marks in layout
    ]
    notes = [
        f"cited on page {box.page_number}: [{', '.join(f'{value:g}' for value in box.bbox)}]"
        for box in elsewhere[:3]
    ]
    if unseen:
        notes.append(f"and {unseen} more on other pages")
    if check.cited_here > len(here):
        notes.append(f"{check.cited_here - len(here)} more cited boxes are not drawn")
    if not all(panel.bounded for panel in panels):
        notes.append("dotted: the page's size is not known, its edge not shown")
    if check.iou is not None:
        cited_legend = f"cited, best IoU {check.iou:.3f}"
    else:
        reason = f" ({check.reason.replace('_', ' ')})" if check.reason else ""
        cited_legend = f"no box cited on the page expected{reason}"
    return Scene(
        title=f"{shortened(check.doc_id)}, page {expected}: {check.code or 'hit'}",
        panels=tuple(panels),
        gold_legend=f"gold, needs IoU {check.min_iou:g}",
        cited_legend=cited_legend,
        notes=tuple(notes),
    )


def _reach(boxes: Sequence[Box]) -> Box:
    """Return what is shown of pages whose size is not known, the same of each."""
    left, top = min(0.0, *(b.x0 for b in boxes)), min(0.0, *(b.y0 for b in boxes))
    right, bottom = max(b.x1 for b in boxes), max(b.y1 for b in boxes)
    return Box(left, top, right + 0.08 * (right - left), bottom + 0.08 * (bottom - top))


def _panel(
    caption: str,
    number: int,
    marks: Sequence[tuple[str, Box, str]],
    reach: Box,
    info: PageInfo | None,
) -> Panel:
    size = info.size if info is not None else None
    shown = reach if size is None else Box(0.0, 0.0, size.displayed.width, size.displayed.height)
    left, top = shown.x0, shown.y0
    return Panel(
        caption=caption,
        page_number=number,
        width=shown.x1 - left,
        height=shown.y1 - top,
        bounded=size is not None,
        marks=tuple(
            Mark(kind, Box(box.x0 - left, box.y0 - top, box.x1 - left, box.y1 - top), label)
            for kind, box, label in marks
        ),
    )
