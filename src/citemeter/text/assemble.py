"""Blocks, markers and sentences put together: statements with their citations and offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from citemeter.models import Citation, Span, Statement
from citemeter.text.abbreviations import load_words
from citemeter.text.blocks import Block
from citemeter.text.build import builder
from citemeter.text.markers import Marker
from citemeter.text.markers.vocabulary import INTRODUCTION, LOCATOR, VAGUE_WORDS
from citemeter.text.segment import SpanSegmenter

__all__ = ["Assembler"]

_JOINERS = frozenset(
    (
        "",
        " ",
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
_SPACE = frozenset(("", " ", "\n", "\t", "\r", "\u00a0", "\u202f", "\u3000"))
_TIGHT = frozenset(".,;:!?)]}»”’。，、；：！？）】」』…؟،؛।%*")
_TERMINATORS = frozenset('.!?。！？…؟۔।॥:"”’»)]」』')
_STOPS = frozenset(".!?。！？…؟۔।॥")
_CLOSERS = "\"'”’»)]」』*_"
_INTRODUCED = re.compile(
    rf"[(（\[]\s*(?:{VAGUE_WORDS.pattern})?(?:{INTRODUCTION.pattern})?\s*$", re.IGNORECASE
)
_OPENING = {")": "(", "）": "（", "]": "["}
_AND = frozenset(
    (" and ", " & ", " und ", " et ", " y ", " e ", " и ", " or ", " en ", "和", "、和", "与", " és ", " og ")
    + (", and ", ", & ", "/", " / ")
)
_AND_ENDS = frozenset(".,;:!?)）。，；」』\n")
_PLACE = re.compile(r"\s?[,;:]?\s?([^()（）\[\]\n]{1,60})[)）]")
_INLINE_ITEM = re.compile(r"[*•] (?=[\"“]?[A-Z])")
_WORD = re.compile(r"[A-Z][a-z]+")
_EMPHASIS = "*_~"
_BREAKING = re.compile(
    r"</?(?:li|p|div|tr|ul|ol|h[1-6]|table|blockquote|section|details|summary|dt|dd)\b|<br", re.IGNORECASE
)

_ALNUM = re.compile(r"[^\W_]")
_cite = builder(Citation)
_state = builder(Statement)
_span = tuple.__new__


class Assembler:
    """Builds the statements of one answer, block by block, in order."""

    def __init__(
        self,
        answer: str,
        segmented: str,
        markers: list[Marker],
        segment: SpanSegmenter,
        attach: str,
        aliases: Mapping[str, str],
        known: Container[str],
    ) -> None:
        self.answer = answer
        self.segmented = segmented
        self.markers = markers
        self.segment = segment
        self.next = attach == "next"
        self.aliases = aliases
        self.known = known
        # [text, start, end, citations, kind] of each statement so far
        self.drafts: list[list[Any]] = []
        self.unattached: list[Citation] = []
        self.pending: list[Marker] = []
        self.stray: list[tuple[int, int]] = []

    def cite(self, marker: Marker, into: list[Citation]) -> None:
        """Add a marker's citations."""
        start, end, ids = marker[0], marker[1], marker[2]
        text = self.answer[start:end]
        span = _span(Span, (start, end))
        if self.aliases:
            ids = tuple([i if i in self.known else self.aliases.get(i, i) for i in ids])
        into.extend([_cite({"source_id": i, "marker": text, "span": span}) for i in ids])

    def set_aside(self, low: int, high: int) -> None:
        """Keep the citations of a heading: they belong to no statement."""
        for number in range(low, high):
            self.cite(self.markers[number], self.unattached)

    def finish(
        self, exemption: Callable[[str], str | None]
    ) -> tuple[tuple[Statement, ...], tuple[Citation, ...]]:
        """Return the statements, and the citations that belong to none."""
        for marker in self.pending:
            self.cite(marker, self.unattached)
            self.stray.append((marker.start, marker.end))
        answer = self.answer
        statements = []
        for text, start, end, citations, kind in self.drafts:
            reason = exemption(text)
            statements.append(
                _state(
                    {
                        "text": text,
                        "raw": answer[start:end],
                        "span": _span(Span, (start, end)),
                        "citations": tuple(citations),
                        "kind": kind,
                        "needs_citation": reason is None,
                        "exemption": reason,
                    }
                )
            )
        return tuple(statements), tuple(self.unattached)

    def _only_markers(self, low: int, high: int) -> None:
        """Markers without words belong to the statement before them, else to the next one."""
        if not self.drafts:
            self.pending.extend([m for m in self.markers[low:high] if m.ids])
            return
        draft = self.drafts[-1]
        for number in range(low, high):
            marker = self.markers[number]
            if marker.ids:
                self.cite(marker, draft[3])
                draft[2] = max(draft[2], marker.end)

    def _draft(self, text: str, start: int, end: int, citations: list[Citation], kind: str) -> None:
        if self.pending:
            early: list[Citation] = []
            for marker in self.pending:
                self.cite(marker, early)
                start = min(start, marker.start)
            citations[:0] = early
            self.pending = []
        self.drafts.append([text, start, end, citations, kind])

    def row(self, block: Block, low: int, high: int) -> None:
        """Add a table row: one statement, its cells joined; cells of markers leave no text."""
        texts: list[str] = []
        citations: list[Citation] = []
        number = low
        for start, end in block.cells:
            first = number
            while number < high and self.markers[number].start < end:
                number += 1
            text = self._clean(start, end, first, number, ())[0]
            text = " ".join(text.split())
            if text and not (number > first and not _ALNUM.search(text)):
                texts.append(text)
        if not any(_ALNUM.search(text) for text in texts):
            self._only_markers(low, high)
            return
        for marker in self.markers[low:high]:
            self.cite(marker, citations)
        start, end = block.start, block.end
        while end > start and self.answer[end - 1].isspace():
            end -= 1
        while start < end and self.answer[start].isspace():
            start += 1
        self._draft(" | ".join(texts), start, end, citations, "table_row")

    def block(self, block: Block, low: int, high: int) -> None:
        """Add the sentences of a paragraph, list item or block quote."""
        markers = self.markers
        answer = self.answer
        aliases = self.aliases
        start, end = block.start, block.end
        if low == high and not block.cuts:
            clean = self.answer[start:end]
            offsets, raws = [0], [start]
            cut = clean if self.segmented is self.answer else self.segmented[start:end]
            marks: set[int] = set()
            breaks: list[int] = []
        else:
            clean, cut, offsets, raws, marks, breaks = self._clean(
                start, end, low, high, block.cuts
            )
        spans = self.segment(cut, marks, breaks)
        if len(spans) == 1 and not _ALNUM.search(clean, *spans[0]):
            spans = []
        if not spans:
            if high > low:
                self._only_markers(low, high)
            return
        tidy = "\n" in clean or "\r" in clean or "  " in clean or "\u00a0 " in clean
        count = len(spans)
        places = len(offsets)
        place = 0
        number = low
        raw_starts: list[int] = []
        raw_ends: list[int] = []
        for first, last in spans:
            while place + 1 < places and offsets[place + 1] <= first:
                place += 1
            raw_starts.append(first - offsets[place] + raws[place])
            while place + 1 < places and offsets[place + 1] < last:
                place += 1
            raw_ends.append(last - offsets[place] + raws[place])
        wraps: list[Marker] = []
        ahead = self.next or (high - low > 1 and count > 1 and self._lead(start, end, low, high))
        for position in range(count):
            first, last = spans[position]
            text = clean[first:last]
            if tidy:
                text = " ".join(text.split())
            raw_start, raw_end = raw_starts[position], raw_ends[position]
            citations: list[Citation] = []
            if position + 1 == count:
                limit = end + 1
            else:
                limit = raw_end if ahead else raw_starts[position + 1]
            for wrap in wraps if wraps else ():
                if raw_start < wrap.reach:
                    close = self.answer.rfind("<", raw_start, wrap.reach)
                    if close >= raw_start:
                        # Cited by the closing tag, which stands in the last of them alone.
                        self.cite(wrap._replace(start=close, end=wrap.reach), citations)
                        if wrap.reach <= min(limit, end) and not ahead:
                            raw_end = max(raw_end, wrap.reach)
            while number < high:
                marker = markers[number]
                where = marker[0]
                if marker[4]:
                    where = marker[1]
                    while where < end and self.answer[where].isspace():
                        where += 1
                if where >= limit:
                    break
                ids = marker[2]
                if ids:
                    if marker[4]:
                        wraps.append(marker)
                    begin, stop = marker[0], marker[1]
                    words = answer[begin:stop]
                    span = _span(Span, (begin, stop))
                    if aliases:
                        ids = tuple([i if i in self.known else aliases.get(i, i) for i in ids])
                    for source_id in ids:  # not extend: there is nearly always one
                        citations.append(  # noqa: PERF401
                            _cite({"source_id": source_id, "marker": words, "span": span})
                        )
                    if stop > raw_end:
                        raw_end = stop
                    if begin < raw_start:
                        raw_start = begin
                number += 1
            if self.pending:
                self._draft(text, raw_start, raw_end, citations, block.kind)
            else:
                self.drafts.append([text, raw_start, raw_end, citations, block.kind])

    def _lead(self, start: int, end: int, low: int, high: int) -> bool:
        """Whether the markers stand before their sentences: "[1] The gate is shut. [2] The yard"."""
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
            if not (joined or not before or before[-1] in _STOPS) or after[:1] in _STOPS:
                return False
        return True

    def _clean(
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
            following = answer[stop] if stop < end else ""
            if following in _EMPHASIS and following and piece[-1:] == following:
                # "**[1]**": an emphasis of nothing but markers goes with them.
                opened = len(piece) - len(piece.rstrip(following))
                closed = stop
                while closed < end and answer[closed] == following:
                    closed += 1
                before = piece[-opened - 1 : len(piece) - opened]
                if opened == closed - stop <= 3 and (
                    not (before.isalnum() or before in _STOPS)
                    or (before in _STOPS and not _opens_later(answer, closed, end))
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
            elif piece and not piece[-1].isascii() and piece[-1] in "。！？」』":
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
            if length and answer.find("<", first, stop) >= 0 and _breaks_line(answer, first, stop, end):
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
        while upto < len(markers) and markers[upto][0] - last <= 5 and markers[upto][2]:
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
    if tag is None or answer[stop : stop + 1] in _STOPS:
        return False
    if tag.group().lower() != "<br" or answer.count("<", first, stop) > 1:
        return True
    following = answer[stop:end][:8].lstrip()
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
    piece = piece[-16:].rstrip()
    last = piece[-1:]
    return last in _STOPS or (last in _CLOSERS and piece.rstrip(_CLOSERS)[-1:] in _STOPS)
