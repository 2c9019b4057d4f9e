"""A stretch of the answer without its markers, and the way back to the answer's offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from citemeter.text.markers.marker import Marker
from citemeter.text.markers.vocabulary import INTRODUCTION, LOCATOR, VAGUE_WORDS
from citemeter.text.sentences.abbreviations import load_words
from citemeter.text.sentences.boundaries import SENTENCE_ENDS, ends_sentence

ZERO_WIDTH = "\u200b\u2060\ufeff"
_BLANKS = " \t\r\n\u00a0\u202f" + ZERO_WIDTH
_NEAR = 6  # characters between two markers that signs or a word may join: ", and "
_MOST_JOINED = 16  # markers that "and" may join: looking for more, at each of them, takes long
_NOTHING = frozenset(("", " ", "  ", "\u200b", "\u00a0"))
_COMMAS = frozenset((", ", ",", "; ", ";", "、", "，", " ,"))
_AND = re.compile(r" (?:and|&|und|et|y|e|и|or|en|és|og) |, (?:and|&) |、?和|与|/| / ")
_BEHIND_AND = frozenset(".,;:!?)）。，；」』\n")
_SPACE = frozenset(("", " ", "\u200b", "\n", "\t", "\r", "\u00a0", "\u202f", "\u3000"))
_NO_SPACE_BEFORE = frozenset(".,;:!?)]}»”’。，、；：！？）】」』…؟،؛।%*")
_SPACE_BEHIND = SENTENCE_ENDS.union(':"”’»)]」』')
_WIDE_ENDS = frozenset("。！？」』")
_EMPHASIS = frozenset("*_~")
_OPENING = {")": "(", "）": "（", "]": "["}
_INTRODUCED = re.compile(
    rf"[(（\[]\s*(?:{VAGUE_WORDS.pattern})?(?:{INTRODUCTION.pattern})?\s*$", re.IGNORECASE
)
_PLACE = re.compile(r"\s?[,;:]?\s?([^()（）\[\]\n]{1,60})[)）]")
_INLINE_ITEM = re.compile(r"[*•] (?=[\"“]?[A-Z])")
_WORD = re.compile(r"[A-Z][a-z]+")
_BREAKING = re.compile(
    r"</?(?:li|p|div|tr|ul|ol|h[1-6]|table|blockquote|section|details|summary|dt|dd)\b|<br",
    re.IGNORECASE,
)
_ALNUM = re.compile(r"[^\W_]")


class Removal(NamedTuple):
    """A stretch of an answer without its markers.

    Args:
        text: Its words, without the white space that the markers leave.
        segmentable: The same for the segmenter: without the stops inside code.
        pieces: ``(start in the answer, text)`` of what ``text`` is joined from. Where a blank
            takes a marker's place, a piece ends with it.
        marks: Where in ``text`` markers were.
        breaks: Where in ``text`` a sentence must end.
    """

    text: str
    segmentable: str
    pieces: list[tuple[int, str]]
    marks: set[int]
    breaks: list[int]

    def in_answer(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return where ascending spans of ``text`` stand in the answer."""
        sizes = [len(text) for _, text in self.pieces]
        offsets = list(accumulate(sizes, initial=0))[:-1]
        found = []
        for start, end in spans:
            first, last = bisect_right(offsets, start) - 1, bisect_left(offsets, end) - 1
            low = self.pieces[first][0] + start - offsets[first]
            found.append((low, self.pieces[last][0] + end - offsets[last]))
        return found


def markers_lead(answer: str, markers: Sequence[Marker], start: int, end: int) -> bool:
    """Whether markers stand before their sentences: "[1] The gate is shut. [2] The yard"."""
    if answer[start : markers[0].start].strip(" *_") or not _ALNUM.search(
        answer, markers[-1].end, end
    ):
        return False
    behind = -1  # where the last marker ended
    for marker in markers:
        if not marker.ids or marker.reach:
            return False
        before = answer[max(start, marker.start - 4) : marker.start].rstrip(" *_")
        joined = behind >= 0 and behind + 2 >= marker.start
        if not (joined or not before or before[-1] in SENTENCE_ENDS):
            return False
        if answer[marker.end : marker.end + 1] in SENTENCE_ENDS:
            return False
        behind = marker.end
    return True


def remove_markers(
    answer: str,
    markers: Sequence[Marker],
    start: int,
    end: int,
    *,
    cuts: Iterable[tuple[int, int]] = (),
    segmentable: str | None = None,
) -> Removal:
    """Take the markers out of a stretch of an answer.

    What stands around a marker for its sake alone goes with it: the white space, the brackets of
    "(see [1], p. 4)", the emphasis of "**[1]**", a second full stop.

    Args:
        answer: The answer.
        markers: The markers of the stretch, in order.
        start: Where the stretch starts in the answer.
        end: Where it ends.
        cuts: What else is no text in it, such as the ``>`` of a quote's second line.
        segmentable: The answer without the stops inside code, if it has any.

    >>> removal = remove_markers("It is dry (see [1]).", [Marker(15, 18, ("1",), "numeric")], 0, 20)
    >>> removal.text, removal.in_answer([(0, 10)])
    ('It is dry.', [(0, 20)])
    """
    if cuts:
        markers = sorted([*markers, *[Marker(low, high, (), "cut") for low, high in cuts]])
    pieces: list[tuple[int, str]] = []
    marks: set[int] = set()
    breaks: list[int] = []
    position = start
    length = 0
    number = 0
    while number < len(markers):
        first = markers[number].start
        stop, number, spaced = _joined_markers(answer, markers, number, end)
        left = answer[position:first]
        piece = left.rstrip()
        if piece and piece[-1] in ZERO_WIDTH:
            piece = piece.rstrip(_BLANKS)
        following = answer[stop] if stop < end else ""
        if following in _EMPHASIS and piece[-1:] == following:
            opened, closed = _emphasis(answer, piece, stop, end)
            if opened:
                spaced = spaced or piece != left
                left = piece[:-opened]
                piece = left.rstrip()
                stop = closed
        stop, piece = _surroundings(answer, piece, stop, end)
        following = answer[stop] if stop < end else ""
        if (
            following == " "
            and answer[stop + 1 : stop + 2] in (".", "。")
            and (stop + 2 >= end or answer[stop + 2].isspace())
            and ends_sentence(_last_words(piece, pieces))
        ):
            stop, following = stop + 1, answer[stop + 1]  # "shut. [1] ."
        if following in _SPACE:
            pass
        elif following in _NO_SPACE_BEFORE:
            if following in ".。" and ends_sentence(_last_words(piece, pieces)):
                if answer[stop + 1 : stop + 2] != following:
                    stop += 1
                    breaks.append(length + len(piece))
            elif following == "*" and not spaced and left != piece and not piece.endswith("*"):
                piece = left
        elif piece and piece[-1] in _WIDE_ENDS:
            pass
        elif not piece:
            # Between two markers: one blank is enough.
            if (spaced or left) and pieces and not pieces[-1][1].endswith(" "):
                piece = " "
        elif spaced or left != piece or piece[-1] in _SPACE_BEHIND:
            piece += " "
        if piece:
            pieces.append((position, piece))
            length += len(piece)
        words_end = length
        if pieces:
            words_end -= len(pieces[-1][1]) - len(pieces[-1][1].rstrip())
        if length and _breaks_line(answer, first, stop, end):
            breaks.append(words_end)
        elif piece and following.isupper():
            if _replaces_stop(answer, stop, piece, glued=left == piece):
                breaks.append(words_end)
        elif piece and following in ("*", "•") and _INLINE_ITEM.match(answer, stop, end):
            breaks.append(words_end)
            stop += 2
        marks.add(length - 1 if piece and piece[-1] == " " else length)
        position = stop
    if position < end or not pieces:
        pieces.append((position, answer[position:end]))
    text = "".join([piece for _, piece in pieces])
    if segmentable is None:
        segmentable = text
    else:
        segmentable = "".join([_same_stretch(segmentable, *piece) for piece in pieces])
    return Removal(text, segmentable, pieces, marks, breaks)


def _joined_markers(
    answer: str, markers: Sequence[Marker], number: int, end: int
) -> tuple[int, int, bool]:
    """Find the markers that go together with one: "[1], [2]", "[1] and [2].".

    Returns where they end, the number of the next marker, and whether anything stood between them.
    """
    stop = markers[number].end
    number += 1
    spaced = False
    while number < len(markers) and markers[number].start - stop <= _NEAR:
        marker = markers[number]
        gap = answer[stop : marker.start]
        if gap not in _NOTHING and (gap not in _COMMAS or not marker.ids or marker.reach):
            break
        spaced = spaced or bool(gap)
        stop = marker.end
        number += 1
    last, upto = stop, number
    while upto < min(len(markers), number + _MOST_JOINED):
        marker = markers[upto]
        gap = answer[last : marker.start]
        if (
            marker.start - last > _NEAR
            or not marker.ids
            or (gap.strip() and gap not in _COMMAS and not _AND.fullmatch(gap))
        ):
            break
        last = marker.end
        upto += 1
    if upto > number and (last >= end or answer[last] in _BEHIND_AND):
        return last, upto, spaced
    return stop, number, spaced


def _emphasis(answer: str, piece: str, stop: int, end: int) -> tuple[int, int]:
    """Find an emphasis that holds nothing but markers: "**[1]**".

    Returns how many signs open it, 0 if there is none, and where those that close it end.
    """
    sign = answer[stop]
    opened = len(piece) - len(piece.rstrip(sign))
    closed = stop
    while closed < end and answer[closed] == sign:
        closed += 1
    if opened != closed - stop or opened > 3:
        return 0, stop
    before = piece[-opened - 1 : len(piece) - opened]
    if before in SENTENCE_ENDS:
        # In "**a.**[1]**b**" the signs behind the marker open another emphasis.
        alone = not (closed < end and answer[closed].isalnum())
    else:
        alone = not before.isalnum()
    return (opened if alone else 0), closed


def _surroundings(answer: str, piece: str, stop: int, end: int) -> tuple[int, str]:
    """Take in the bracket that holds nothing but markers: "( [1] )", "(see [1], p. 4)".

    Returns where the markers with it end, and what is left before them.
    """
    following = answer[stop] if stop < end else ""
    if following == " " and stop + 1 < end and piece:
        opening = _OPENING.get(answer[stop + 1])
        if opening == piece[-1]:
            stop, following = stop + 1, answer[stop + 1]
    if following and following in " ,;:" and ("(" in piece or "（" in piece):
        place = _PLACE.match(answer, stop, end)
        if place and LOCATOR.fullmatch(place[1].strip()) and _introduction(piece) >= 0:
            stop = place.end() - 1
            following = answer[stop]
    if following in _OPENING:
        introduced = _introduction(piece)
        if introduced >= 0 and piece[introduced] == _OPENING[following]:
            return stop + 1, piece[:introduced].rstrip()
    return stop, piece


def _introduction(piece: str) -> int:
    """Return where a bracket opens that holds nothing but words such as "see"; -1 if none does."""
    low = max(0, len(piece) - 60)
    found = _INTRODUCED.search(piece[low:] + " ")
    return low + found.start() if found else -1


def _last_words(piece: str, pieces: Sequence[tuple[int, str]]) -> str:
    """Return the end of what stands before a marker."""
    words = piece or (pieces[-1][1] if pieces else "")
    return words[-16:].rstrip()


def _breaks_line(answer: str, first: int, stop: int, end: int) -> bool:
    """Whether HTML that leaves the text ends what stands before it, as ``</li><li>`` does."""
    if answer.find("<", first, stop) < 0:
        return False
    tag = _BREAKING.search(answer, first, stop)
    if tag is None or answer[stop : stop + 1] in SENTENCE_ENDS:
        return False
    if tag.group().lower() != "<br" or answer.count("<", first, stop) > 1:
        return True
    following = answer[stop : min(end, stop + 8)].lstrip()
    return not following[:1].islower()


def _replaces_stop(answer: str, stop: int, piece: str, *, glued: bool) -> bool:
    """Whether a marker stands in place of the stop: "shut[1]The yard", "in 1942) [2]These"."""
    if glued and (piece[-1].islower() or piece[-1].isdigit()):
        return answer[stop + 1 : stop + 2].islower()
    word = _WORD.match(answer, stop)
    return word is not None and word.group().lower() in load_words().starters


def _same_stretch(text: str, start: int, piece: str) -> str:
    """Return a piece as it stands in a text of the answer's length, unless it ends with a blank."""
    end = start + len(piece)
    return piece if piece.endswith(" ") or end > len(text) else text[start:end]
