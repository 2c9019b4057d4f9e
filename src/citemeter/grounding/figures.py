"""A picture of each region that no citation points at: the page, the gold box, the cited boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Literal, NamedTuple

from citemeter.errors import InputError
from citemeter.grounding.figure_layout import STYLES, Mark, Panel, Scene, scene_of
from citemeter.grounding.measure import GroundingResult
from citemeter.grounding.place_results import RegionCheck
from citemeter.grounding.reading import PageTable, page_info, read_pages

__all__ = ["Picture", "region_pictures", "region_svg", "write_pictures"]

_LONG_SIDE = 800
_SHORT_SIDE = 120
_NARROWEST = 520
_MARGIN = 20
_LINE = 22
_FONT = "DejaVu Sans, Noto Sans CJK KR, Malgun Gothic, Apple SD Gothic Neo, sans-serif"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Picture(NamedTuple):
    """One picture.

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


def region_pictures(
    results: Iterable[GroundingResult],
    pages: PageTable | None = None,
    *,
    font: str | None = None,
) -> Iterator[Picture]:
    """Draw every expected region that was not hit: over the page's image if one is given, else SVG.

    Args:
        results: The grounding results.
        pages: What is known of the pages, images among it; see ``read_pages``.
        font: A TrueType font's file for pictures over images; the default one is Latin only.

    Yields:
        The pictures, in the order of the results. Equal input gives equal SVG.

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
                yield Picture(f"{stem}.png", "image/png", data, result.id, check)
            else:
                data = region_svg(check, table).encode("utf-8")
                yield Picture(f"{stem}.svg", "image/svg+xml", data, result.id, check)


def write_pictures(
    results: Iterable[GroundingResult],
    folder: str | Path,
    pages: PageTable | None = None,
    *,
    font: str | None = None,
) -> list[Path]:
    """Write the pictures of ``region_pictures`` into a folder, which is made if need be.

    Args:
        results: The grounding results.
        folder: Where to.
        pages: What is known of the pages.
        font: A TrueType font's file for pictures over images.

    Returns:
        The files written.

    Raises:
        InputError: If an image cannot be read, or a file cannot be written.
        ImportError: If Pillow is needed and not installed.
    """
    target = Path(folder)
    written = []
    for picture in region_pictures(results, pages, font=font):
        path = target / picture.name
        try:
            target.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture.data)
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
    """Return a picture of one expected region as SVG.

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
    scene = scene_of(check, read_pages(pages or {}))
    side = _LONG_SIDE if len(scene.panels) == 1 else _LONG_SIDE * 3 // 4
    frames = []
    left = float(_MARGIN)
    for panel in scene.panels:
        ratio = min(side / max(panel.width, panel.height), 1e6)
        width = max(panel.width * ratio, _SHORT_SIDE)
        frames.append(
            _Spot(left, _MARGIN + 2 * _LINE, width, max(panel.height * ratio, _SHORT_SIDE))
        )
        left += width + _MARGIN
    width = max(left, _NARROWEST)
    bottom = max(frame.y + frame.height for frame in frames)
    height = bottom + _MARGIN + _LINE * (2 + len(scene.notes))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(height)}" '
        f'viewBox="0 0 {_n(width)} {_n(height)}" font-family="{_FONT}" font-size="14" role="img">',
        f"<title>{_text(scene.title)}</title>",
        f'<rect width="{_n(width)}" height="{_n(height)}" fill="#FFFFFF"/>',
        f'<text x="{_MARGIN}" y="{_MARGIN + 4}" font-weight="bold">{_text(scene.title)}</text>',
    ]
    for panel, frame in zip(scene.panels, frames, strict=True):
        parts += _page(panel, frame)
    parts += _legend(scene, bottom + _LINE)
    parts.append("</svg>\n")
    return "\n".join(parts)


_EDGE = ' stroke-dasharray="1 4"'


class _Spot(NamedTuple):
    x: float
    y: float
    width: float
    height: float


def _page(panel: Panel, frame: _Spot) -> Iterator[str]:
    """Yield a page with its caption and boxes."""
    yield f'<text x="{_n(frame.x)}" y="{_n(frame.y - 7)}">{_text(panel.caption)}</text>'
    yield (
        f'<rect x="{_n(frame.x)}" y="{_n(frame.y)}" width="{_n(frame.width)}" '
        f'height="{_n(frame.height)}" fill="#FAFAFA" stroke="#777777"'
        f"{'' if panel.bounded else _EDGE}/>"
    )
    x_scale, y_scale = frame.width / panel.width, frame.height / panel.height
    marks = [
        (
            mark,
            _Spot(
                frame.x + mark.box.x0 * x_scale,
                frame.y + mark.box.y0 * y_scale,
                max((mark.box.x1 - mark.box.x0) * x_scale, 1.0),
                max((mark.box.y1 - mark.box.y0) * y_scale, 1.0),
            ),
        )
        for mark in panel.marks
    ]
    yield from (_rect(mark, spot) for mark, spot in marks)
    yield from _labels(marks, frame)


def _rect(mark: Mark, spot: _Spot) -> str:
    style = STYLES[mark.kind]
    dash = f' stroke-dasharray="{style.dash[0]} {style.dash[1]}"' if style.dash else ""
    return (
        f'<rect class="{mark.kind}" x="{_n(spot.x)}" y="{_n(spot.y)}" width="{_n(spot.width)}" '
        f'height="{_n(spot.height)}" fill="{style.color}" fill-opacity="0.10" '
        f'stroke="{style.color}" stroke-width="{style.width}"{dash}/>'
    )


def _labels(marks: Iterable[tuple[Mark, _Spot]], frame: _Spot) -> Iterator[str]:
    """Yield the labels: gold above its box, cited below, moved down where one is taken."""
    taken: list[tuple[float, float]] = []
    for mark, spot in marks:
        width = 7.4 * len(mark.label) + 8
        x = min(max(spot.x, frame.x), frame.x + max(frame.width - width, 0))
        above = mark.kind == "gold"
        y = spot.y - 6 if above else spot.y + spot.height + 16
        y = min(max(y, frame.y + 14), frame.y + frame.height - 4)
        while any(abs(x - other_x) < width and abs(y - other_y) < 17 for other_x, other_y in taken):
            y += 17
        taken.append((x, y))
        color = STYLES[mark.kind].color
        yield (
            f'<rect x="{_n(x)}" y="{_n(y - 13)}" width="{_n(width)}" height="17" fill="#FFFFFF" '
            'fill-opacity="0.85"/>'
        )
        yield f'<text x="{_n(x + 4)}" y="{_n(y)}" fill="{color}">{_text(mark.label)}</text>'


def _legend(scene: Scene, y: float) -> Iterator[str]:
    for kind, text in (("gold", scene.gold_legend), ("cited", scene.cited_legend)):
        style = STYLES[kind]
        dash = f' stroke-dasharray="{style.dash[0]} {style.dash[1]}"' if style.dash else ""
        yield (
            f'<line x1="{_MARGIN}" y1="{_n(y - 5)}" x2="{_MARGIN + 44}" y2="{_n(y - 5)}" '
            f'stroke="{style.color}" stroke-width="{style.width}"{dash}/>'
        )
        yield f'<text x="{_MARGIN + 54}" y="{_n(y)}">{_text(text)}</text>'
        y += _LINE
    for note in scene.notes:
        yield f'<text x="{_MARGIN}" y="{_n(y)}" fill="#444444">{_text(note)}</text>'
        y += _LINE


def _n(value: float) -> str:
    """Write a coordinate: two decimals at most, no negative zero."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _text(value: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", value))
