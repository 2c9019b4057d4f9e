"""A figure of each region that no citation points at: the page, the gold box, the cited boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Literal, NamedTuple

from citemeter.errors import InputError
from citemeter.grounding.boxes import Box
from citemeter.grounding.figure_layout import STYLES, Panel, draw_figure, figure_size, layout_of
from citemeter.grounding.measure import GroundingResult
from citemeter.grounding.place_results import RegionCheck
from citemeter.grounding.reading import PageTable, page_info, read_pages

__all__ = ["Figure", "region_figures", "region_svg", "write_pictures"]

_LONG_SIDE = 800
_SHORT_SIDE = 120
_FONT = "DejaVu Sans, Noto Sans CJK KR, Malgun Gothic, Apple SD Gothic Neo, sans-serif"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Figure(NamedTuple):
    """One figure.

    Args:
        name: A file name, safe on every system.
        media_type: What ``data`` is.
        data: The file's content.
        record: The answer's name.
        check: The region it shows.
    """

    name: str
    media_type: Literal["image/svg+xml", "image/png"]
    data: bytes
    record: str | None
    check: RegionCheck


def region_figures(
    results: Iterable[GroundingResult],
    pages: PageTable | None = None,
    *,
    font: str | None = None,
) -> Iterator[Figure]:
    """Draw every expected region that was not hit: over the page's image if one is given, else SVG.

    Args:
        results: The grounding results.
        pages: What is known of the pages, images among it; see ``read_pages``.
        font: A TrueType font's file for figures over images; the default one is Latin only.

    Yields:
        The figures, in the order of the results. Equal input gives equal SVG.

    Raises:
        InputError: If an image cannot be read.
        ImportError: If an image is given and Pillow is not installed; the message says how to
            install it.
    """
    table = read_pages(pages or {})
    for number, result in enumerate(results):
        for place, check in enumerate(result.regions):
            if check.hit:
                continue
            info = page_info(table, check.doc_id, check.page_number)
            stem = _stem(result.id or str(number), number, place, check)
            if info is not None and info.image is not None:
                from citemeter.grounding.page_images import region_png

                data = region_png(check, table, font=font)
                yield Figure(f"{stem}.png", "image/png", data, result.id, check)
            else:
                data = region_svg(check, table).encode("utf-8")
                yield Figure(f"{stem}.svg", "image/svg+xml", data, result.id, check)


def write_pictures(
    results: Iterable[GroundingResult],
    folder: str | Path,
    pages: PageTable | None = None,
    *,
    font: str | None = None,
) -> list[Path]:
    """Write the figures of ``region_figures`` into a folder, which is made if need be.

    Args:
        results: The grounding results.
        folder: Where to.
        pages: What is known of the pages.
        font: A TrueType font's file for figures over images.

    Returns:
        The files written.

    Raises:
        InputError: If an image cannot be read, or a file cannot be written.
        ImportError: If Pillow is needed and not installed.
    """
    target = Path(folder)
    written = []
    for figure in region_figures(results, pages, font=font):
        path = target / figure.name
        try:
            target.mkdir(parents=True, exist_ok=True)
            path.write_bytes(figure.data)
        except OSError as error:
            raise InputError(
                f"cannot write {path}: {error.strerror or error}.", fix="give another folder."
            ) from None
        written.append(path)
    return written


def _stem(record: str, number: int, place: int, check: RegionCheck) -> str:
    """Name a file after its record and document, short and without anything a path could mean."""
    key = repr((record, number, place, check.doc_id, check.page_number))
    digest = blake2b(key.encode("utf-8", "replace"), digest_size=4).hexdigest()
    names = [_NOT_NAME.sub("-", text).strip("-.")[:40] for text in (record, check.doc_id)]
    parts = [name for name in names if name]
    return "_".join([*parts, f"p{check.page_number}", digest])


def region_svg(check: RegionCheck, pages: PageTable | None = None) -> str:
    """Return a figure of one expected region as SVG.

    Args:
        check: The region, hit or not.
        pages: What is known of the pages; see ``read_pages``.

    Returns:
        One ``<svg>`` element; equal input gives equal text.

    >>> from citemeter.grounding import citation_grounding
    >>> region = {"doc_id": "d", "page_number": 1, "bbox": [9, 9, 20, 20]}
    >>> cited = {"doc_id": "d", "regions": [{"page_number": 1, "bbox": [0, 0, 9, 9]}]}
    >>> [check] = citation_grounding({
    ...     "citations": [cited], "expected_citation_regions": [region],
    ... }).regions
    >>> region_svg(check)[:4], region_svg(check).count('class="cited"')
    ('<svg', 1)
    """
    layout = layout_of(check, read_pages(pages or {}))
    side = _LONG_SIDE if len(layout.panels) == 1 else _LONG_SIDE * 3 // 4
    sizes = []
    for panel in layout.panels:
        ratio = min(side / max(panel.width, panel.height), 1e6)
        sizes.append(
            (max(panel.width * ratio, _SHORT_SIDE), max(panel.height * ratio, _SHORT_SIDE))
        )
    canvas = _Svg()
    draw_figure(layout, sizes, canvas)
    wide, high = map(_n, figure_size(layout, sizes))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="{_FONT}" font-size="14" role="img">',
        f"<title>{_text(layout.title)}</title>",
        f'<rect width="{wide}" height="{high}" fill="#FFFFFF"/>',
    )
    return "\n".join((*head, *canvas.parts, "</svg>\n"))


class _Svg:
    """A canvas of SVG elements."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def page(self, panel: Panel, frame: Box) -> None:
        edge = "" if panel.bounded else ' stroke-dasharray="1 4"'
        self.parts.append(f'<rect {_place(frame)} fill="#FAFAFA" stroke="#777777"{edge}/>')

    def box(self, kind: str, box: Box) -> None:
        self.parts.append(
            f'<rect class="{kind}" {_place(box)} fill="{STYLES[kind].color}" fill-opacity="0.10" '
            f"{_stroke(kind)}/>"
        )

    def line(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        (x1, y1), (x2, y2) = map(_n, start), map(_n, end)
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {_stroke(kind)}/>')

    def blank(self, box: Box) -> None:
        self.parts.append(f'<rect {_place(box)} fill="#FFFFFF" fill-opacity="0.85"/>')

    def text(self, x: float, top: float, text: str, color: str = "#000000") -> None:
        self.parts.append(
            f'<text x="{_n(x)}" y="{_n(top + 14)}" fill="{color}">{_text(text)}</text>'
        )

    def length(self, text: str) -> float:
        return 7.4 * len(text)


def _place(box: Box) -> str:
    width, height = _n(box.x1 - box.x0), _n(box.y1 - box.y0)
    return f'x="{_n(box.x0)}" y="{_n(box.y0)}" width="{width}" height="{height}"'


def _stroke(kind: str) -> str:
    color, width, dash = STYLES[kind]
    dashes = f' stroke-dasharray="{dash[0]} {dash[1]}"' if dash else ""
    return f'stroke="{color}" stroke-width="{width}"{dashes}'


def _n(value: float) -> str:
    """Write a coordinate: two decimals at most, no negative zero."""
    return f"{round(value, 2) + 0.0:.12g}"


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value))
