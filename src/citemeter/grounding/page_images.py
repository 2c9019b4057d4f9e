"""The figure of a region failure over the page's own image. Needs Pillow."""

from __future__ import annotations

import warnings
from importlib import import_module
from io import BytesIO
from math import hypot
from typing import Any

from citemeter.errors import InputError
from citemeter.grounding.boxes import Box
from citemeter.grounding.figure_layout import STYLES, Panel, layout_of, placed_labels, scaled_marks
from citemeter.grounding.models import PageInfo
from citemeter.grounding.place_results import RegionCheck
from citemeter.grounding.reading import PageTable, page_info

_INSTALL = "pip install 'citemeter[images]'"
_LONG_SIDES = (800, 1600)
_NARROWEST = 520
_MARGIN = 12
_TEXT_SIZE = 15
_LINE = 22
_TOP = _MARGIN + 2 * _LINE
_LONGEST_LINE = 100_000
"""Pixels; a box may reach far over the page's edge."""


def region_png(check: RegionCheck, pages: PageTable, *, font: str | None = None) -> bytes:
    """Return a figure of one expected region, over its page's image, as PNG.

    Args:
        check: The region, hit or not.
        pages: What is known of the pages; see ``read_pages``. Images show pages as displayed. A
            page without a size is measured in its image's pixels; one without an image is blank.
        font: A TrueType font's file; the default one is Latin only.

    Raises:
        InputError: If an image, or the font, cannot be read.
        ImportError: If Pillow is not installed; the message says how to install it.
    """
    try:
        pillow = import_module("PIL.Image")
        drawing = import_module("PIL.ImageDraw")
    except ImportError as error:
        raise ImportError(f"drawing over page images needs Pillow: {_INSTALL}") from error
    images: dict[int, Any] = {}
    sized: dict[int, PageInfo] = {}
    for number in {check.page_number, *(box.page_number for box in check.cited)}:
        info = page_info(pages, check.doc_id, number)
        if info is not None:
            sized[number] = info
    layout = layout_of(check, {check.doc_id: sized})
    for panel in layout.panels:
        info = sized.get(panel.page_number)
        if info is None or info.image is None:
            continue
        image = images[panel.page_number] = _opened(pillow, info.image, check.doc_id, panel)
        if info.size is None:
            size = {"width": image.width, "height": image.height}
            sized[panel.page_number] = info.model_copy(update=size)
    layout = layout_of(check, {check.doc_id: sized})
    sheets = [_sheet(pillow, panel, images.get(panel.page_number)) for panel in layout.panels]
    width = max(sum(sheet.width + _MARGIN for sheet in sheets) + _MARGIN, _NARROWEST)
    bottom = _TOP + max(sheet.height for sheet in sheets)
    height = bottom + _MARGIN + _LINE * (2 + len(layout.notes))
    canvas = pillow.new("RGB", (width, height), "#FFFFFF")
    draw = drawing.Draw(canvas, "RGBA")
    pen = _Pen(draw, _font(font), latin_only=font is None)
    pen.write((_MARGIN, _MARGIN - 4), layout.title, "#000000")
    left = _MARGIN
    for panel, sheet in zip(layout.panels, sheets, strict=True):
        canvas.paste(sheet, (left, _TOP))
        _draw_page(pen, panel, Box(left, _TOP, left + sheet.width, _TOP + sheet.height))
        left += sheet.width + _MARGIN
    y = bottom + 8
    for kind, text in layout.legend:
        pen.line((_MARGIN, y + 8), (_MARGIN + 44, y + 8), kind)
        pen.write((_MARGIN + 54, y), text, "#000000")
        y += _LINE
    for note in layout.notes:
        pen.write((_MARGIN, y), note, "#444444")
        y += _LINE
    out = BytesIO()
    canvas.save(out, "PNG")
    return out.getvalue()


def _sheet(pillow: Any, panel: Panel, image: Any) -> Any:
    """Return a page's image in a size that can be looked at; blank where there is none."""
    own = image.size if image is not None else (panel.width, panel.height)
    longest = max(own)
    ratio = min(max(longest, _LONG_SIDES[0]), _LONG_SIDES[1]) / longest
    size = tuple(max(1, round(side * ratio)) for side in own)
    return pillow.new("RGB", size, "#FAFAFA") if image is None else image.resize(size)


def _draw_page(pen: _Pen, panel: Panel, frame: Box) -> None:
    pen.draw.rectangle((frame.x0, frame.y0, frame.x1 - 1, frame.y1 - 1), outline="#777777")
    pen.write((frame.x0, frame.y0 - _LINE + 1), panel.caption, "#000000")
    marks = scaled_marks(panel, frame)
    for mark, box in marks:
        pen.outline(box, mark.kind)
    for mark, box in placed_labels(marks, frame, lambda label: pen.length(label) + 6, 18):
        pen.draw.rectangle((box.x0, box.y0, box.x1, box.y1 - 1), fill=(255, 255, 255, 220))
        pen.write((box.x0 + 3, box.y0), mark.label, STYLES[mark.kind].color)


class _Pen:
    """Draws lines in a kind's style, and text in letters that the font has."""

    def __init__(self, draw: Any, letters: Any, *, latin_only: bool) -> None:
        self.draw = draw
        self.letters = letters
        self.latin_only = latin_only

    def _plain(self, text: str) -> str:
        if not self.latin_only:
            return text
        return text.replace("…", "...").encode("latin-1", "replace").decode("latin-1")

    def length(self, text: str) -> float:
        return float(self.draw.textlength(self._plain(text), font=self.letters))

    def write(self, at: tuple[float, float], text: str, color: str) -> None:
        self.draw.text(at, self._plain(text), font=self.letters, fill=color)

    def outline(self, box: Box, kind: str) -> None:
        color = STYLES[kind].color
        red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
        self.draw.rectangle(box, fill=(red, green, blue, 26))
        x0, y0, x1, y1 = box
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
            self.line(start, end, kind)

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        style = STYLES[kind]
        if style.dash is None:
            self.draw.line((*start, *end), fill=style.color, width=style.width)
            return
        dash, gap = style.dash
        length = min(hypot(end[0] - start[0], end[1] - start[1]), _LONGEST_LINE)
        if length == 0:
            return
        x, y = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        done = 0.0
        while done < length:
            to = min(done + dash, length)
            self.draw.line(
                (start[0] + x * done, start[1] + y * done, start[0] + x * to, start[1] + y * to),
                fill=style.color,
                width=style.width,
            )
            done = to + gap


def _opened(pillow: Any, path: str, doc_id: str, panel: Panel) -> Any:
    field = f"{doc_id}.{panel.page_number}.image"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(path) as image:
                return image.convert("RGB")
    except FileNotFoundError:
        raise InputError(
            f"there is no image {path}.", record="pages", field=field, fix="check the path."
        ) from None
    except Exception as error:  # noqa: BLE001 - Pillow raises many kinds for what is no image
        raise InputError(
            f"the image {path} cannot be read ({type(error).__name__}: {error}).",
            record="pages",
            field=field,
            fix="give a PNG or JPEG of the page, of less than 80 megapixels.",
        ) from None


def _font(path: str | None) -> Any:
    fonts = import_module("PIL.ImageFont")
    if path is None:
        return fonts.load_default(_TEXT_SIZE)
    try:
        return fonts.truetype(path, _TEXT_SIZE)
    except OSError as error:
        raise InputError(
            f"the font {path} cannot be read ({error}).", fix="give a TrueType font's file."
        ) from None
