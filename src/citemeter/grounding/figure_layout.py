"""What a figure of a region failure shows, and where: the same for SVG and over page images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from citemeter.grounding.boxes import Box
from citemeter.grounding.models import PageInfo
from citemeter.grounding.place_results import CitedBox, RegionCheck
from citemeter.grounding.reading import PageTable, page_info


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

_MARGIN = 20
_LINE = 22
_LABEL = 18
_TOP = _MARGIN + 2 * _LINE
_NARROWEST = 520
_LONGEST = 60
"""Characters of a name that fit on a figure."""


class Mark(NamedTuple):
    """One box on the figure.

    Args:
        kind: ``gold`` or ``cited``.
        box: Where, in the page's unit, from the top left of what is shown.
        label: What stands beside it.
    """

    kind: str
    box: Box
    label: str


class Panel(NamedTuple):
    """One page on the figure.

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


class FigureLayout(NamedTuple):
    """One figure.

    Args:
        title: The document, the page and what is wrong.
        panels: The page expected; where no box on it is cited, the page of the box that is, too.
        legend: What the line of each kind of box means; of the cited ones, or that none is here.
        notes: Further lines.
    """

    title: str
    panels: tuple[Panel, ...]
    legend: tuple[tuple[str, str], ...]
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


def layout_of(check: RegionCheck, pages: PageTable) -> FigureLayout:
    """Lay out the figure of one expected region.

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
    shown: list[CitedBox] = []
    if elsewhere and not here:
        other = elsewhere[0].page_number
        shown = [box for box in elsewhere if box.page_number == other]
        elsewhere = [box for box in elsewhere if box.page_number != other]
        marks = [("cited", box.bbox, f"cited {n}") for n, box in enumerate(shown, start=1)]
        layout.append(("cited", other, marks))
    boxes = [box for _, _, marks in layout for _, box, _ in marks]
    panels = [
        _panel(role, number, marks, boxes, page_info(pages, check.doc_id, number))
        for role, number, marks in layout
    ]
    notes = [
        f"cited on page {box.page_number}: [{', '.join(f'{value:g}' for value in box.bbox)}]"
        for box in elsewhere[:3]
    ]
    unseen = check.cited_elsewhere - len(shown) - len(elsewhere[:3])
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
    return FigureLayout(
        title=f"{shortened(check.doc_id)}, page {expected}: {check.code or 'hit'}",
        panels=tuple(panels),
        legend=(("gold", f"gold, needs IoU {check.min_iou:g}"), ("cited", cited_legend)),
        notes=tuple(notes),
    )


def _panel(
    role: str,
    number: int,
    marks: Sequence[tuple[str, Box, str]],
    boxes: Sequence[Box],
    info: PageInfo | None,
) -> Panel:
    """Lay out one page: all of it if its size is known, else what the boxes of all pages reach."""
    size = info.size if info is not None else None
    left, top = 0.0, 0.0
    if size is None:
        left, top = min(0.0, *(b.x0 for b in boxes)), min(0.0, *(b.y0 for b in boxes))
        width = 1.08 * (max(b.x1 for b in boxes) - left)
        height = 1.08 * (max(b.y1 for b in boxes) - top)
    else:
        width, height = size.displayed.width, size.displayed.height
    return Panel(
        caption=f"page {number}, {role}",
        page_number=number,
        width=width,
        height=height,
        bounded=size is not None,
        marks=tuple(
            Mark(kind, Box(box.x0 - left, box.y0 - top, box.x1 - left, box.y1 - top), label)
            for kind, box, label in marks
        ),
    )


class Canvas(Protocol):
    """What a figure is drawn on; places are in pixels from the top left."""

    def page(self, panel: Panel, frame: Box) -> None:
        """Draw the page itself."""

    def box(self, kind: str, box: Box) -> None:
        """Draw a box in its kind's style."""

    def line(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a line in a kind's style."""

    def blank(self, box: Box) -> None:
        """Whiten what stands behind a label."""

    def text(self, x: float, top: float, text: str, color: str = "#000000") -> None:
        """Write one line."""

    def length(self, text: str) -> float:
        """Return how wide a line is."""


def figure_size(layout: FigureLayout, sizes: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the width and height of a figure whose pages are of these sizes."""
    width = sum(width + _MARGIN for width, _ in sizes) + _MARGIN
    height = max(height for _, height in sizes) + _LINE * (2 + len(layout.notes))
    return max(width, _NARROWEST), _TOP + height + _MARGIN


def draw_figure(layout: FigureLayout, sizes: Sequence[tuple[float, float]], canvas: Canvas) -> None:
    """Draw a figure: title, pages with their boxes and labels, legend and notes.

    Args:
        layout: What it shows.
        sizes: The width and height of each page in pixels.
        canvas: What it is drawn on.
    """
    canvas.text(_MARGIN, _MARGIN - 10, layout.title)
    left = float(_MARGIN)
    for panel, (width, height) in zip(layout.panels, sizes, strict=True):
        frame = Box(left, _TOP, left + width, _TOP + height)
        canvas.page(panel, frame)
        canvas.text(left, _TOP - _LINE + 1, panel.caption)
        _draw_marks(panel, frame, canvas)
        left = frame.x1 + _MARGIN
    y = _TOP + max(height for _, height in sizes) + 8
    for kind, text in layout.legend:
        canvas.line(kind, (_MARGIN, y + 9), (_MARGIN + 44, y + 9))
        canvas.text(_MARGIN + 54, y, text)
        y += _LINE
    for note in layout.notes:
        canvas.text(_MARGIN, y, note, "#444444")
        y += _LINE


def _draw_marks(panel: Panel, frame: Box, canvas: Canvas) -> None:
    """Draw boxes, none thinner than a pixel; then labels: of gold above its box, of cited below.

    A label stays on the page as far as it fits, and moves down where another one stands.
    """
    x, y = (frame.x1 - frame.x0) / panel.width, (frame.y1 - frame.y0) / panel.height
    boxes = []
    for mark in panel.marks:
        left, top = frame.x0 + mark.box.x0 * x, frame.y0 + mark.box.y0 * y
        width, height = (mark.box.x1 - mark.box.x0) * x, (mark.box.y1 - mark.box.y0) * y
        boxes.append(Box(left, top, left + max(width, 1.0), top + max(height, 1.0)))
        canvas.box(mark.kind, boxes[-1])
    taken: list[tuple[float, float]] = []
    for mark, box in zip(panel.marks, boxes, strict=True):
        wide = canvas.length(mark.label) + 8
        left = min(max(box.x0, frame.x0), max(frame.x1 - wide, frame.x0))
        top = box.y0 - _LABEL - 2 if mark.kind == "gold" else box.y1 + 3
        top = min(max(top, frame.y0 + 1), frame.y1 - _LABEL)
        while any(abs(left - a) < wide and abs(top - b) < _LABEL for a, b in taken):
            top += _LABEL
        taken.append((left, top))
        canvas.blank(Box(left, top, left + wide, top + _LABEL))
        canvas.text(left + 4, top, mark.label, STYLES[mark.kind].color)
