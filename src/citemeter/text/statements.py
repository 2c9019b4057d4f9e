"""Blocks, markers and sentences put together: statements with their citations and offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence

from citemeter.models import Citation, Span, Statement, marked
from citemeter.text.markdown.blocks import Block
from citemeter.text.markers import Marker
from citemeter.text.markers.removal import ZERO_WIDTH, markers_lead, remove_markers
from citemeter.text.sentences.segmenters import SpanSegmenter

_ALNUM = re.compile(r"[^\W_]")
_NO_ZERO_WIDTH = dict.fromkeys(map(ord, ZERO_WIDTH))


class Assembler:
    """Builds the statements of one answer, block by block, in order.

    Args:
        answer: The answer.
        segment: Finds the sentences of a paragraph without markers.
        exemption: Why a statement needs no citation; ``None`` if it needs one.
        segmentable: The answer without the stops inside code, if it has any.
        attach_next: Whether a marker after a full stop goes to the next sentence.
        known: The ids of the sources.
        aliases: What the answer's own list of references calls them.
    """

    def __init__(
        self,
        answer: str,
        segment: SpanSegmenter,
        exemption: Callable[[str], str | None],
        *,
        segmentable: str | None = None,
        attach_next: bool = False,
        known: Container[str] = (),
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.answer = answer
        self.statements: list[Statement] = []
        self.unattached: list[Citation] = []
        """The citations that belong to no statement."""
        self.pending: list[Marker] = []
        """Markers without words that no statement has come before."""
        self._trailing: list[Marker] = []  # without words, behind the last statement
        self._segment = segment
        self._exemption = exemption
        self._segmentable = segmentable
        self._attach_next = attach_next
        self._known = known
        self._aliases = aliases

    def add(self, block: Block, markers: Sequence[Marker]) -> None:
        """Add the statements of a block, with the markers in it.

        Args:
            block: A paragraph, list item, block quote or table row; of a heading, only the
                citations are kept, since they belong to no statement.
            markers: The markers in it, in order, and those right before it.
        """
        if block.kind == "table_row":
            self._add_row(block, markers)
        elif block.kind in ("heading", "table_header"):
            self.unattached += self._citations(markers)
        else:
            self._add_sentences(block, markers)

    @property
    def claims_first(self) -> bool:
        """Whether a statement that needs a citation comes before any refusal, if there is any."""
        telling = (s.exemption for s in self.statements if s.exemption in (None, "refusal"))
        return next(telling, "") is None

    def finish(self) -> None:
        """Say that there are no more blocks: what is pending belongs to no statement."""
        if self._trailing:
            self._attach_trailing()
        self.unattached += self._citations(self.pending)

    def _citations(self, markers: Sequence[Marker]) -> list[Citation]:
        found = []
        for marker in markers:
            text = self.answer[marker.start : marker.end]
            span = Span(marker.start, marker.end)
            for source_id in marker.ids:
                if self._aliases and source_id not in self._known:
                    source_id = self._aliases.get(source_id, source_id)
                found.append(marked(source_id, text, span))
        return found

    def _add_markers(self, markers: Sequence[Marker]) -> None:
        """Add markers without words to the statement before them, else to the next one."""
        citing = [marker for marker in markers if marker.ids]
        if self.statements:
            self._trailing += citing
        else:
            self.pending += citing

    def _attach_trailing(self) -> None:
        last = self.statements[-1]
        start, end = last.span or (0, 0)
        end = max(end, self._trailing[-1].end)
        self.statements[-1] = last.model_copy(
            update={
                "raw": self.answer[start:end],
                "span": Span(start, end),
                "citations": (*last.citations, *self._citations(self._trailing)),
            }
        )
        self._trailing = []

    def _add_statement(
        self, text: str, start: int, end: int, citations: Sequence[Citation], kind: str
    ) -> None:
        if self._trailing:
            self._attach_trailing()
        if self.pending:
            citations = [*self._citations(self.pending), *citations]
            start = min(start, self.pending[0].start)
            self.pending = []
        exemption = self._exemption(text)
        self.statements.append(
            Statement.trusted(
                {
                    "text": text,
                    "raw": self.answer[start:end],
                    "span": Span(start, end),
                    "citations": tuple(citations),
                    "kind": kind,
                    "needs_citation": exemption is None,
                    "exemption": exemption,
                    "target": None,
                }
            )
        )

    def _add_row(self, block: Block, markers: Sequence[Marker]) -> None:
        """Add a table row: one statement, its cells joined; cells of markers leave no text."""
        texts: list[str] = []
        number = 0
        for start, end in block.cells:
            inside = [marker for marker in markers[number:] if marker.start < end]
            number += len(inside)
            text = " ".join(remove_markers(self.answer, inside, start, end).text.split())
            if text and not (inside and not _ALNUM.search(text)):
                texts.append(text)
        if not any(_ALNUM.search(text) for text in texts):
            self._add_markers(markers)
            return
        line = self.answer[block.start : block.end]
        start = block.start + len(line) - len(line.lstrip())
        end = block.start + len(line.rstrip())
        self._add_statement(" | ".join(texts), start, end, self._citations(markers), "table_row")

    def _add_sentences(self, block: Block, markers: Sequence[Marker]) -> None:
        """Add the sentences of a paragraph, list item or block quote."""
        removal = remove_markers(
            self.answer,
            markers,
            block.start,
            block.end,
            cuts=block.cuts,
            segmentable=self._segmentable,
        )
        spans = self._segment(removal.segmentable, removal.marks, removal.breaks)
        if not spans or (len(spans) == 1 and not _ALNUM.search(removal.text, *spans[0])):
            self._add_markers(markers)
            return
        places = removal.in_answer(spans)
        ahead = self._attach_next or (
            len(markers) > 1
            and len(spans) > 1
            and markers_lead(self.answer, markers, block.start, block.end)
        )
        # An opening tag belongs to the words behind it.
        belongs = [m.start if not m.reach else self._words_behind(m, block.end) for m in markers]
        wrapping: list[Marker] = []  # opening tags, whose element may hold several sentences
        number = 0
        for position, (first, last) in enumerate(spans):
            start, end = places[position]
            if position + 1 == len(spans):
                limit = block.end + 1
            else:
                limit = end if ahead else places[position + 1][0]
            cited: list[Marker] = []
            for opening in wrapping:
                close = self.answer.rfind("<", start, max(start, opening.reach))
                if close >= 0:
                    # Cited by the closing tag, which stands in the last of them alone.
                    cited.append(opening._replace(start=close, end=opening.reach))
                    if opening.reach <= min(limit, block.end) and not ahead:
                        end = max(end, opening.reach)
            while number < len(markers) and belongs[number] < limit:
                marker = markers[number]
                if marker.ids:
                    cited.append(marker)
                    start, end = min(start, marker.start), max(end, marker.end)
                    if marker.reach:
                        wrapping.append(marker)
                number += 1
            text = _tidied(removal.text[first:last])
            self._add_statement(text, start, end, self._citations(cited), block.kind)

    def _words_behind(self, marker: Marker, end: int) -> int:
        place = marker.end
        while place < end and self.answer[place].isspace():
            place += 1
        return place


def _tidied(text: str) -> str:
    """Return a statement's words on one line, without characters that take no room."""
    if "\n" in text or "\r" in text or "  " in text or "\u00a0 " in text:
        text = " ".join(text.split())
    if not text.isascii() and any(char in text for char in ZERO_WIDTH):
        text = text.translate(_NO_ZERO_WIDTH).strip()
    return text
