"""The figure of a region failure over the page's own image. Needs Pillow."""

from __future__ import annotations

import warnings
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from math import hypot
from typing import Any

from citemeter.errors import InputError
from citemeter.grounding.boxes import Box
from citemeter.grounding.figure_layout import STYLES, Panel, draw_figure, figure_size, layout_of
from citemeter.grounding.models import PageInfo
from citemeter.grounding.place_results import RegionCheck
from citemeter.grounding.reading import PageTable, page_info

_INSTALL = "pip install 'citemeter[images]'"
_LONG_SIDES = (800, 1600)
_TEXT_SIZE = 15
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
    known: dict[int, PageInfo] = {}
    for panel in layout_of(check, pages).panels:
        number = panel.page_number
        info = page_info(pages, check.doc_id, number)
        if info is None:
            continue
        if info.image is not None:
            image = images[number] = _opened(pillow, info.image, f"{check.doc_id}.{number}.image")
            if info.size is None:
                size = {"width": image.width, "height": image.height}
                info = info.model_copy(update=size)
        known[number] = info
    layout = layout_of(check, {check.doc_id: known})
    sizes = [_size(panel, images.get(panel.page_number)) for panel in layout.panels]
    sheet = pillow.new("RGB", figure_size(layout, sizes), "#FFFFFF")
    draw = drawing.Draw(sheet, "RGBA")
    draw_figure(layout, sizes, _Picture(sheet, draw, images, _font(font), latin_only=font is None))
    out = BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


def _size(panel: Panel, image: Any) -> tuple[int, int]:
    """Return a size in pixels at which a page, or its image, can be looked at."""
    width, height = image.size if image is not None else (panel.width, panel.height)
    longest = max(width, height)
    ratio = min(max(longest, _LONG_SIDES[0]), _LONG_SIDES[1]) / longest
    return max(1, round(width * ratio)), max(1, round(height * ratio))


class _Picture:
    """A canvas over page images; text is in letters that the font has."""

    def __init__(
        self, sheet: Any, draw: Any, images: dict[int, Any], letters: Any, *, latin_only: bool
    ) -> None:
        self.sheet, self.draw, self.images = sheet, draw, images
        self.letters, self.latin_only = letters, latin_only

    def page(self, panel: Panel, frame: Box) -> None:
        edge = (frame.x0, frame.y0, frame.x1 - 1, frame.y1 - 1)
        self.draw.rectangle(edge, fill="#FAFAFA")
        image = self.images.get(panel.page_number)
        if image is not None:
            x0, y0, x1, y1 = map(int, frame)
            self.sheet.paste(image.resize((x1 - x0, y1 - y0)), (x0, y0))
        self.draw.rectangle(edge, outline="#777777")

    def box(self, kind: str, box: Box) -> None:
        color = STYLES[kind].color
        red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
        self.draw.rectangle(box, fill=(red, green, blue, 26))
        x0, y0, x1, y1 = box
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))
        for start, end in pairwise(corners):
            self.line(kind, start, end)

    def line(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        style = STYLES[kind]
        (x0, y0), (x1, y1) = start, end
        length = min(hypot(x1 - x0, y1 - y0), _LONGEST_LINE)
        dash, gap = style.dash or (length, 0)
        done = 0.0
        while done < length:
            from_, to = done / length, min(done + dash, length) / length
            ends = [(x0 + (x1 - x0) * at, y0 + (y1 - y0) * at) for at in (from_, to)]
            self.draw.line(ends, fill=style.color, width=style.width)
            done += dash + gap

    def blank(self, box: Box) -> None:
        self.draw.rectangle((*box[:3], box.y1 - 1), fill=(255, 255, 255, 220))

    def text(self, x: float, top: float, text: str, color: str = "#000000") -> None:
        self.draw.text((x, top), self._plain(text), font=self.letters, fill=color)

    def length(self, text: str) -> float:
        return float(self.draw.textlength(self._plain(text), font=self.letters))

    def _plain(self, text: str) -> str:
        if not self.latin_only:
            return text
        return text.replace("…", "...").encode("latin-1", "replace").decode("latin-1")


def _opened(pillow: Any, path: str, field: str) -> Any:
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
