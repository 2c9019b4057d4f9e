"""Blocks, markers and sentences put together: statements with their citations and offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Any

from citemeter.models import Citation, Span, Statement, marked
from citemeter.text.markdown.blocks import Block
from citemeter.text.markers import Marker
from citemeter.text.markers.removal import NO_ZERO_WIDTH, ZERO_WIDTH, Masking
from citemeter.text.sentences.segmenters import SpanSegmenter

__all__ = ["Assembler"]

_ALNUM = re.compile(r"[^\W_]")


_span = tuple.__new__


class Assembler(Masking):
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
        super().__init__(answer, segmented, markers)
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
        into.extend([marked(i, text, span) for i in ids])

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
                Statement.trusted(
                    {
                        "text": text,
                        "raw": answer[start:end],
                        "span": _span(Span, (start, end)),
                        "citations": tuple(citations),
                        "kind": kind,
                        "needs_citation": reason is None,
                        "exemption": reason,
                        "target": None,
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
            text = self.clean(start, end, first, number, ())[0]
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
            clean, cut, offsets, raws, marks, breaks = self.clean(start, end, low, high, block.cuts)
        spans = self.segment(cut, marks, breaks)
        if len(spans) == 1 and not _ALNUM.search(clean, *spans[0]):
            spans = []
        if not spans:
            if high > low:
                self._only_markers(low, high)
            return
        unseen = not clean.isascii() and any(char in clean for char in ZERO_WIDTH)
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
        ahead = self.next or (high - low > 1 and count > 1 and self.leads(start, end, low, high))
        for position in range(count):
            first, last = spans[position]
            text = clean[first:last]
            if tidy:
                text = " ".join(text.split())
            if unseen:
                text = text.translate(NO_ZERO_WIDTH).strip()
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
                        citations.append(marked(source_id, words, span))  # noqa: PERF401
                    if stop > raw_end:
                        raw_end = stop
                    if begin < raw_start:
                        raw_start = begin
                number += 1
            if self.pending:
                self._draft(text, raw_start, raw_end, citations, block.kind)
            else:
                self.drafts.append([text, raw_start, raw_end, citations, block.kind])
