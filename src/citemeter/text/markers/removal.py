"""A stretch of the answer without its markers, and the way back to the answer's offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from citemeter.text.markers import Marker
from citemeter.text.markers.vocabulary import INTRODUCTION, LOCATOR, VAGUE_WORDS
from citemeter.text.sentences.abbreviations import load_words
from citemeter.text.sentences.boundaries import SENTENCE_ENDS, WIDE_STOPS, ends_sentence

__all__ = ["NO_ZERO_WIDTH", "ZERO_WIDTH", "Masking"]

_JOINERS = frozenset(
    (
        "",
        " ",
        "\u200b",
        ", ",
        ",",
        "; ",
        ";",
        "\u00a0",
        "、",
        "，",
        " ,",
        "  ",
        ". ",
        ".",
        " and ",
        " & ",
        "/",
    )
)
_LISTS = frozenset((", ", ",", "; ", ";", "、", "，", " ,"))
_SPACE = frozenset(("", " ", "\u200b", "\n", "\t", "\r", "\u00a0", "\u202f", "\u3000"))
_TIGHT = frozenset(".,;:!?)]}»”’。，、；：！？）】」』…؟،؛।%*")
_TERMINATORS = SENTENCE_ENDS.union(':"”’»)]」』')
_INTRODUCED = re.compile(
    rf"[(（\[]\s*(?:{VAGUE_WORDS.pattern})?(?:{INTRODUCTION.pattern})?\s*$", re.IGNORECASE
)
_OPENING = {")": "(", "）": "（", "]": "["}
_AND = frozenset(
    (
        " and ",
        " & ",
        " und ",
        " et ",
        " y ",
        " e ",
        " и ",
        " or ",
        " en ",
        "和",
        "、和",
        "与",
        " és ",
        " og ",
        ", and ",
        ", & ",
        "/",
        " / ",
    )
)
_AND_ENDS = frozenset(".,;:!?)）。，；」』\n")
_PLACE = re.compile(r"\s?[,;:]?\s?([^()（）\[\]\n]{1,60})[)）]")
_INLINE_ITEM = re.compile(r"[*•] (?=[\"“]?[A-Z])")
_WORD = re.compile(r"[A-Z][a-z]+")
ZERO_WIDTH = "\u200b\u2060\ufeff"
NO_ZERO_WIDTH = dict.fromkeys(map(ord, ZERO_WIDTH))
_BLANKS = " \t\r\n\u00a0\u202f" + ZERO_WIDTH
_FULL_STOPS = frozenset((".", "。"))
_EMPHASIS = "*_~"
_BREAKING = re.compile(
    r"</?(?:li|p|div|tr|ul|ol|h[1-6]|table|blockquote|section|details|summary|dt|dd)\b|<br",
    re.IGNORECASE,
)
_ALNUM = re.compile(r"[^\W_]")


class Masking:
    """Takes the markers out of one answer's text, stretch by stretch."""

    def __init__(self, answer: str, segmented: str, markers: list[Marker]) -> None:
        self.answer = answer
        self.segmented = segmented
        self.markers = markers

    def leads(self, start: int, end: int, low: int, high: int) -> bool:
        """Whether markers stand before their sentences: "[1] The gate is shut. [2] The yard"."""
        answer = self.answer
        markers = self.markers
        if answer[start : markers[low].start].strip(" *_") or not _ALNUM.search(
            answer, markers[high - 1].end, end
        ):
            return False
        for number in range(low, high):
            marker = markers[number]
            if not marker.ids or marker.reach:
                return False
            before = answer[max(start, marker.start - 4) : marker.start].rstrip(" *_")
            after = answer[marker.end : marker.end + 2]
            joined = number > low and markers[number - 1].end + 2 >= marker.start
            if (
                not (joined or not before or before[-1] in SENTENCE_ENDS)
                or after[:1] in SENTENCE_ENDS
            ):
                return False
        return True

    def clean(
        self, start: int, end: int, low: int, high: int, cuts: Sequence[tuple[int, int]]
    ) -> tuple[str, str, list[int], list[int], set[int], list[int]]:
        """Take markers out of a stretch, and the white space that they leave.

        Returns the words; the same with no stops inside code; where each piece of them starts;
        where it stands in the answer; where markers were; and where a sentence must end.
        """
        answer = self.answer
        markers: list[Any] = self.markers[low:high]
        if cuts:
            markers = sorted([*markers, *[(a, b, (), "cut", 0) for a, b in cuts]])
        pieces: list[str] = []
        offsets: list[int] = []
        raws: list[int] = []
        marks: set[int] = set()
        breaks: list[int] = []
        position = start
        length = 0
        number = 0
        count = len(markers)
        while number < count:
            first, stop = markers[number][0], markers[number][1]
            number += 1
            spaced = False
            while number < count and markers[number][0] - stop <= 5:
                gap = answer[stop : markers[number][0]]
                if gap not in _JOINERS or (gap and not self._joins(gap, markers, number)):
                    break
                spaced = spaced or bool(gap)
                stop = markers[number][1]
                number += 1
            if number < count and markers[number][0] - stop <= 5:
                stop, number = self._joined(markers, number, stop, end)
            left = answer[position:first]
            piece = left.rstrip()
            if piece and piece[-1] in ZERO_WIDTH:
                piece = piece.rstrip(_BLANKS)
            following = answer[stop] if stop < end else ""
            if (
                following == " "
                and piece
                and stop + 1 < end
                and _OPENING.get(answer[stop + 1]) == piece[-1]
            ):
                stop, following = stop + 1, answer[stop + 1]  # "( [1] )"
            if following in _EMPHASIS and following and piece[-1:] == following:
                # "**[1]**": an emphasis of nothing but markers goes with them.
                opened = len(piece) - len(piece.rstrip(following))
                closed = stop
                while closed < end and answer[closed] == following:
                    closed += 1
                before = piece[-opened - 1 : len(piece) - opened]
                if opened == closed - stop <= 3 and (
                    not (before.isalnum() or before in SENTENCE_ENDS)
                    or (before in SENTENCE_ENDS and not _opens_later(answer, closed, end))
                ):
                    spaced = spaced or piece != left
                    left = piece[:-opened]
                    piece = left.rstrip()
                    stop = closed
                    following = answer[stop] if stop < end else ""
            if following == "," or following == ";" or following == ":" or following == " ":
                # "(see [1], p. 4)"
                place = _PLACE.match(answer, stop, end) if "(" in piece or "（" in piece else None
                if place and LOCATOR.fullmatch(place[1].strip()) and _introduction(piece) >= 0:
                    stop = place.end() - 1
                    following = answer[stop]
            if following == ")" or following == "）" or following == "]":
                # "(see [2])": what only introduces the marker goes with it.
                introduced = _introduction(piece)
                if introduced >= 0 and piece[introduced] == _OPENING[following]:
                    piece = piece[:introduced].rstrip()
                    stop += 1
                    following = answer[stop] if stop < end else ""
            if (
                following == " "
                and answer[stop + 1 : stop + 2] in _FULL_STOPS
                and (stop + 2 >= end or answer[stop + 2].isspace())
                and _ended(piece or (pieces[-1] if pieces else ""))
            ):
                stop, following = stop + 1, answer[stop + 1]  # "shut. [1] ."
            if following in _SPACE:
                pass
            elif following in _TIGHT:
                if following in ".。" and _ended(piece or (pieces[-1] if pieces else "")):
                    if answer[stop + 1 : stop + 2] != following:
                        stop += 1
                        breaks.append(length + len(piece))
                elif (
                    following == "*"
                    and spaced is False
                    and left != piece
                    and not piece.endswith("*")
                ):
                    piece = left
            elif piece and not piece[-1].isascii() and piece[-1] in WIDE_STOPS + "」』":
                pass
            elif spaced or left != piece or (piece and piece[-1] in _TERMINATORS):
                piece += " "
            if piece:
                pieces.append(piece)
                offsets.append(length)
                raws.append(position)
                length += len(piece)
            after = length
            if pieces and pieces[-1][-1].isspace():
                after -= len(pieces[-1]) - len(pieces[-1].rstrip())
            if (
                length
                and answer.find("<", first, stop) >= 0
                and _breaks_line(answer, first, stop, end)
            ):
                breaks.append(after)
            elif piece and (following.isupper() or following == "*" or following == "•"):
                if following.isupper():
                    if _replaces_stop(answer, stop, piece, left == piece):
                        breaks.append(after)
                elif _INLINE_ITEM.match(answer, stop, end):
                    breaks.append(after)
                    stop += 2
            marks.add(length - 1 if piece and piece[-1] == " " else length)
            position = stop
        if position < end:
            pieces.append(answer[position:end])
            offsets.append(length)
            raws.append(position)
        clean = "".join(pieces)
        cut = clean
        if self.segmented is not answer and self.segmented:
            cut = "".join(
                [
                    self.segmented[raw : raw + len(piece)]
                    if raw + len(piece) <= len(self.segmented) and not piece.endswith(" ")
                    else piece
                    for raw, piece in zip(raws, pieces, strict=True)
                ]
            )
        return clean, cut, offsets or [0], raws or [start], marks, breaks

    def _joined(self, markers: list[Any], number: int, stop: int, end: int) -> tuple[int, int]:
        """Take in the markers that "and" joins, if a stop or bracket follows: "[1] and [2]."."""
        last, upto = stop, number
        answer = self.answer
        furthest = min(len(markers), number + 16)  # it may be in vain, and at every marker
        while upto < furthest and markers[upto][0] - last <= 5 and markers[upto][2]:
            gap = answer[last : markers[upto][0]]
            if gap not in _AND and gap not in _LISTS and gap.strip():
                break
            last = markers[upto][1]
            upto += 1
        if upto > number and (last >= end or answer[last] in _AND_ENDS):
            return last, upto
        return stop, number

    def _joins(self, gap: str, markers: list[Any], number: int) -> bool:
        """Whether what stands between two markers only joins them."""
        if gap in (" and ", " & ", ". ", ".", "/"):
            return False
        if gap in _LISTS:
            return (
                bool(markers[number][2]) and not markers[number][4] and markers[number][3] != "cut"
            )
        return True


def _introduction(piece: str) -> int:
    """Return where a bracket opens that holds nothing but words such as "see"; -1 if none does."""
    low = max(0, len(piece) - 60)
    found = _INTRODUCED.search(piece[low:] + " ")
    return low + found.start() if found else -1


def _breaks_line(answer: str, first: int, stop: int, end: int) -> bool:
    """Whether HTML that leaves the text ends what stands before it, as ``</li><li>`` does."""
    tag = _BREAKING.search(answer, first, stop)
    if tag is None or answer[stop : stop + 1] in SENTENCE_ENDS:
        return False
    if tag.group().lower() != "<br" or answer.count("<", first, stop) > 1:
        return True
    following = answer[stop : min(end, stop + 8)].lstrip()
    return not following[:1].islower()


def _replaces_stop(answer: str, stop: int, piece: str, glued: bool) -> bool:
    """Whether a marker stands in place of the stop: "shut[1]The yard", "in 1942) [2]These"."""
    if glued and (piece[-1].islower() or piece[-1].isdigit()):
        return answer[stop + 1 : stop + 2].islower()
    word = _WORD.match(answer, stop)
    return word is not None and word.group().lower() in load_words().starters


def _opens_later(answer: str, position: int, end: int) -> bool:
    """Whether the closing run at ``position`` is really an opening one: "**a**[1]**b**"."""
    return position < end and answer[position].isalnum()


def _ended(piece: str) -> bool:
    """Whether words end with a sentence end, closing quotes aside."""
    return ends_sentence(piece[-16:].rstrip())
