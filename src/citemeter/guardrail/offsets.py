"""Offsets of an answer and of the same answer with stretches taken out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Edit", "OffsetMap"]


class Edit(NamedTuple):
    """A stretch of the answer and what stands in its place.

    Args:
        start: Its first character in the answer.
        end: One past its last character.
        text: What stands there now; mostly nothing.
    """

    start: int
    end: int
    text: str = ""


def applied(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with its edits made; they must be in order and apart.

    >>> applied("Cats [9] purr.", [Edit(4, 8)])
    'Cats purr.'
    """
    pieces: list[str] = []
    position = 0
    for start, end, new in edits:
        pieces.append(text[position:start])
        pieces.append(new)
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def composed(first: list[Edit], second: list[Edit], length: int, result: str) -> list[Edit]:
    """Return the edits that do at once what two lists of edits do one after the other.

    Args:
        first: The edits of the text.
        second: The edits of what ``first`` makes of it.
        length: The length of the text.
        result: What both make of it.

    >>> composed([Edit(1, 2)], [Edit(1, 3, "x")], 5, "axe")
    [Edit(start=1, end=4, text='x')]
    """
    if not first:
        return second
    origins = list(range(length))
    for edits in (first, second):
        made: list[int] = []
        position = 0
        for start, end, new in edits:
            made += origins[position:start]
            made += [-1] * len(new)
            position = end
        origins = made + origins[position:]
    both: list[Edit] = []
    position = 0  # in the text
    fresh = 0  # where the run of new characters began in the result
    for place, origin in enumerate([*origins, length]):
        if origin < 0:
            continue
        if origin > position or place > fresh:
            both.append(Edit(position, origin, result[fresh:place]))
        position, fresh = origin + 1, place + 1
    return both


class OffsetMap:
    """Maps offsets both ways between a text and its edited form.

    Args:
        edits: The edits, in order and apart.
    """

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits

    def to_clean(self, offset: int) -> int:
        """Return where a character of the text stands in the edited one.

        An offset in a stretch that was taken out maps to where that stretch was.

        >>> OffsetMap([Edit(4, 8)]).to_clean(9), OffsetMap([Edit(4, 8)]).to_clean(6)
        (5, 4)
        """
        shift = 0
        for start, end, new in self.edits:
            if offset < start:
                break
            if offset < end:
                return start + shift + min(offset - start, len(new))
            shift += len(new) - (end - start)
        return offset + shift

    def to_original(self, offset: int) -> int:
        """Return where a character of the edited text stands in the text.

        Where something was taken out, that is the character behind it.

        >>> OffsetMap([Edit(4, 8)]).to_original(4), OffsetMap([Edit(4, 8)]).to_original(5)
        (8, 9)
        """
        shift = 0
        for start, end, new in self.edits:
            place = offset - start - shift  # in what stands there now
            if place < len(new):
                if place >= 0:
                    return min(start + place, end)
                break
            shift += len(new) - (end - start)
        return offset - shift
