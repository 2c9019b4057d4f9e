"""Boxes on pages: how they are written, brought into one form, and how far two agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from citemeter.errors import InputError, check_choice
from citemeter.fields import four_numbers

__all__ = ["Box", "BoxFormat", "PageSize", "iou"]

_SLACK = 0.01
"""How far over the page's edge a normalised box may stand, as a share of the page: rounding."""


class Box(NamedTuple):
    """A rectangle by its left, top, right and bottom edge, ``x0 < x1`` and ``y0 < y1``.

    >>> Box(0, 0, 2, 3).area
    6
    """

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def area(self) -> float:
        """Width times height."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)


class PageSize(NamedTuple):
    """How large a page is and how it is shown.

    Args:
        width: Its width before it is turned, in points or whatever the boxes are in.
        height: Its height before it is turned.
        rotation: By how many degrees it is turned clockwise for display (PDF's ``/Rotate``).

    >>> PageSize(100, 200, 90).displayed
    PageSize(width=200, height=100, rotation=0)
    """

    width: float
    height: float
    rotation: int = 0

    @property
    def displayed(self) -> PageSize:
        """The page as it is shown."""
        if self.rotation in (90, 270):
            return PageSize(self.height, self.width)
        return PageSize(self.width, self.height)


@dataclass(frozen=True, slots=True)
class BoxFormat:
    """How boxes are written.

    Args:
        form: ``xyxy``: two opposite corners, the one with the smaller coordinates first.
            ``xywh``: that corner, width and height.
        origin: Where both coordinates are 0. In ``bottom-left`` (PDF's own), y grows upwards.
        unit: ``points``: an absolute length, the same for all boxes and page sizes. ``fraction``:
            shares of the page, 0 to 1. ``thousandths``: 0 to 1000.
        frame: ``displayed``: boxes are on the page as it is shown. ``unturned``: on the page before
            it is turned by its rotation, as in PDF itself.

    Raises:
        InputError: If an option is no choice.

    >>> BoxFormat(form="xywh", unit="fraction").form
    'xywh'
    """

    form: Literal["xyxy", "xywh"] = "xyxy"
    origin: Literal["top-left", "bottom-left"] = "top-left"
    unit: Literal["points", "fraction", "thousandths"] = "points"
    frame: Literal["displayed", "unturned"] = "displayed"

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("form", self.form, ("xyxy", "xywh"))
        check_choice("origin", self.origin, ("top-left", "bottom-left"))
        check_choice("unit", self.unit, ("points", "fraction", "thousandths"))
        check_choice("frame", self.frame, ("displayed", "unturned"))

    @property
    def full(self) -> float | None:
        """The coordinate of the far edge where it is known without the page's size."""
        return {"points": None, "fraction": 1.0, "thousandths": 1000.0}[self.unit]


STANDARD = BoxFormat()
"""Corners, in points from the top left of the page as displayed."""


def read_box(value: object, written: BoxFormat = STANDARD) -> Box:
    """Return four numbers as a box, corners first; orientation and unit stay as they are.

    Args:
        value: The four numbers.
        written: How they are meant.

    Returns:
        The box, as ``xyxy``.

    Raises:
        InputError: If they are not four finite numbers, if the box is inverted or has no area, or
            if the numbers cannot be of the unit that was given.

    >>> read_box([10, 40, 270, 60], BoxFormat(form="xywh"))
    Box(x0=10.0, y0=40.0, x1=280.0, y1=100.0)
    >>> read_box([280, 40, 10, 100])
    Traceback (most recent call last):
    ...
    citemeter.errors.InputError: the box is inverted: its x0 280 is right of its x1 10. Fix: write
    [x0, y0, x1, y1] with x0 < x1 and y0 < y1; if it is [x, y, width, height], set form='xywh'.
    """
    a, b, c, d = four_numbers(value)
    if written.form == "xywh":
        if c < 0 or d < 0:
            raise InputError(
                f"the box is inverted: its width is {c:g} and its height {d:g}.",
                fix="write [x, y, width, height] with both above 0; if it is two corners, "
                "set form='xyxy'.",
            )
        c, d = a + c, b + d
    for low, high, first, second, side in (
        ("x0", "x1", a, c, "right of"),
        ("y0", "y1", b, d, "beyond"),
    ):
        if first > second:
            raise InputError(
                f"the box is inverted: its {low} {first:g} is {side} its {high} {second:g}.",
                fix="write [x0, y0, x1, y1] with x0 < x1 and y0 < y1; if it is "
                "[x, y, width, height], set form='xywh'.",
            )
    box = Box(a, b, c, d)
    if not box.area > 0:
        raise InputError(
            f"the box has no area: it is {c - a:g} wide and {d - b:g} high.",
            fix="give a box with x0 < x1 and y0 < y1, or leave it out if there is none.",
        )
    full = written.full
    if full is None:
        if min(box) >= 0 and max(box) <= 1:
            raise InputError(
                "all coordinates are between 0 and 1, so the box is normalised, not in points.",
                fix="set unit='fraction'.",
            )
    elif min(box) < -_SLACK * full or max(box) > (1 + _SLACK) * full:
        raise InputError(
            f"a coordinate is outside 0 to {full:g}, so the box is not in {written.unit}.",
            fix="set unit='points' (or the unit it is in), or correct the box.",
        )
    return box


def turned(box: Box, size: PageSize) -> Box:
    """Turn a box with its page; coordinates from the top left, before and after.

    Args:
        box: The box on the unturned page.
        size: The page, with its rotation.

    >>> turned(Box(0, 0, 10, 20), PageSize(100, 200, 90))
    Box(x0=180, y0=0, x1=200, y1=10)
    """
    width, height, rotation = size
    x0, y0, x1, y1 = box
    if rotation == 90:
        return Box(height - y1, x0, height - y0, x1)
    if rotation == 180:
        return Box(width - x1, height - y1, width - x0, height - y0)
    if rotation == 270:
        return Box(y0, width - x1, y1, width - x0)
    return box


def comparable(box: Box, written: BoxFormat, size: PageSize | None) -> Box:
    """Return a box in the standard form: from the top left of the page as displayed, in points.

    Args:
        box: The box, corners first (what ``read_box`` returns).
        written: How it is meant.
        size: The page's size.

    Raises:
        InputError: If the page's size is needed and not given, or the box is beside the page.

    >>> comparable(Box(0, 0, 10, 20), BoxFormat(origin="bottom-left"), PageSize(100, 200))
    Box(x0=0, y0=180, x1=10, y1=200)
    """
    if size is None:
        if written == BoxFormat(form=written.form):
            return box
        raise InputError(
            "the page's size is not known, and the box is not in points from the top left.",
            fix="give the page's width and height in 'pages'.",
        )
    own = size if written.frame == "unturned" else size.displayed
    full = written.full
    if full is not None:
        x, y = own.width / full, own.height / full
        box = Box(box.x0 * x, box.y0 * y, box.x1 * x, box.y1 * y)
    if written.origin == "bottom-left":
        box = Box(box.x0, own.height - box.y1, box.x1, own.height - box.y0)
    if box.x1 <= 0 or box.y1 <= 0 or box.x0 >= own.width or box.y0 >= own.height:
        raise InputError(
            f"the box lies beside the page, which is {own.width:g} by {own.height:g}.",
            fix="correct the box, the page's size, or the unit or origin of the boxes.",
        )
    return turned(box, own)


def iou(first: Box, second: Box) -> float:
    r"""Return the intersection over union of two boxes.

    .. math:: \frac{|A \cap B|}{|A| + |B| - |A \cap B|}

    It does not change when both are moved, mirrored, turned by a right angle or stretched along an
    axis together.

    Args:
        first: A box with an area.
        second: Another on the same page, in the same unit, from the same origin.

    Returns:
        A number in [0, 1]: 1 for equal boxes, 0 for boxes that at most touch.

    >>> iou(Box(0, 0, 2, 1), Box(1, 0, 3, 1))
    0.3333333333333333
    """
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    # Rounding must not let the union be smaller than either box.
    union = max(first.area + second.area - both, first.area, second.area)
    return both / union
