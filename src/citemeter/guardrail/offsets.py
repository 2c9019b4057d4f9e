"""Offsets of an answer and of the same answer with stretches taken out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Edit", "OffsetMap", "applied", "composed"]


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

    __slots__ = ("_clean_ends", "_ends", "_starts", "edits")

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits
        self._starts = [edit.start for edit in edits]
        self._ends = [edit.end for edit in edits]
        self._clean_ends: list[int] = []
        shift = 0
        for start, end, new in edits:
            shift += len(new) - (end - start)
            self._clean_ends.append(end + shift)

    def to_clean(self, offset: int) -> int:
        """Return where a character of the text stands in the edited one.

        An offset in a stretch that was taken out maps to where that stretch was.

        >>> OffsetMap([Edit(4, 8)]).to_clean(9), OffsetMap([Edit(4, 8)]).to_clean(6)
        (5, 4)
        """
        number = bisect_right(self._starts, offset) - 1
        if number < 0:
            return offset
        start, end, new = self.edits[number]
        clean_end = self._clean_ends[number]
        if offset >= end:
            return clean_end + offset - end
        return clean_end - len(new) + min(offset - start, len(new))

    def to_original(self, offset: int) -> int:
        """Return where a character of the edited text stands in the text.

        Where something was taken out, that is the character behind it.

        >>> OffsetMap([Edit(4, 8)]).to_original(4), OffsetMap([Edit(4, 8)]).to_original(5)
        (8, 9)
        """
        number = bisect_right(self._clean_ends, offset) - 1
        if number + 1 < len(self.edits):
            start, end, new = self.edits[number + 1]
            clean_start = self._clean_ends[number + 1] - len(new)
            if offset >= clean_start and new:
                return min(start + offset - clean_start, end)
        if number < 0:
            return offset
        return self.edits[number].end + offset - self._clean_ends[number]
