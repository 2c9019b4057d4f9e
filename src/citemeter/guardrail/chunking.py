"""Where a streamed answer may be cut: behind a complete sentence with its markers.

Every decision depends on the text alone, with a fixed look ahead, never on how the text arrived.
A candidate is a sentence's end or a line's; the package's own reader then says whether a
statement ends there. What is turned down makes the next candidate wait for a longer text, so that
all readings together stay linear in its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from citemeter.models import Response
from citemeter.text.markers import unfinished
from citemeter.text.sentences.boundaries import SPACED_STOPS, WIDE_STOPS

LIMIT = 8_000
"""Characters without any place to cut after which a cut is made at a blank."""

HEAD = 100
"""Characters that a text has at least when it is read, unless its first line or it ends before."""

_LOOK = 64  # characters behind a candidate that are looked at
_FURTHEST = 448  # the same while a marker is unfinished
_ENOUGH = 16  # characters of the next sentence that must be there
_LEAST = 40  # characters of a stretch; shorter sentences go with the next one
_PATIENCE = 24  # characters that must arrive after a vain attempt
_OPEN = 2_000  # characters after which an open quotation no longer holds a paragraph back
_CANDIDATE = re.compile(
    rf"\n(?:[ \t\r]{{0,8}}\n){{0,2}}|[{SPACED_STOPS}][\"'”’»)\]*_]{{0,8}}(?=[ \t])"
    rf"|[{WIDE_STOPS}][」』）”’]{{0,8}}"
)
_PENDING = 24  # characters at the end in which a candidate may be incomplete
FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})([^\n]*)")
_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)\s*")
_HELD = frozenset(("reference_list", "code", "table_header"))
_NO_CUT_INSIDE = frozenset(">|#")


class Chunker:
    """Finds the first place where a text may be cut; one for each stretch.

    Args:
        read: Reads a text as an answer.
        lead: From the text's first ``HEAD`` characters to what is put before it when it is read.
    """

    def __init__(self, read: Callable[[str], Response], lead: Callable[[str], str]) -> None:
        self.read = read
        self._lead_of = lead
        self._lead: str | None = None
        self.position = 0
        self.wait = 0

    def lead(self, text: str) -> str:
        """Return what is put before the text, settled when it is first read."""
        if self._lead is None:
            self._lead = self._lead_of(text[:HEAD])
        return self._lead

    def cut(self, text: str, ended: bool) -> int | None:
        """Return where to cut a text, or ``None`` if more of it is needed.

        Args:
            text: The text so far.
            ended: Whether that is all of it.
        """
        while True:
            candidate = _CANDIDATE.search(text, self.position)
            if candidate is None or candidate.end() > LIMIT:
                break
            place = candidate.end()
            if not ended and place + 4 >= len(text):
                self.position = candidate.start()
                return None  # the run of line ends or closing marks may go on
            line = text[candidate.start()] == "\n"
            due = _LEAST <= place < len(text) and place >= self.wait
            if line and text.startswith(("```", "~~~"), place):
                return place
            if not due:
                self.position = place
                continue
            end = _window(text, place, ended)
            if end is None:
                self.position = candidate.start()
                return None
            if line:
                found = self._line_end(text, candidate.start(), place, end)
            else:
                found = self._stop(text, place, end, ended and end == len(text))
            if found is not None:
                return found
            self.position = place
        if candidate is None:
            self.position = max(self.position, min(len(text), LIMIT) - _PENDING)
        if len(text) >= LIMIT + _FURTHEST + _LOOK or (ended and len(text) > LIMIT):
            return _forced(text)
        return len(text) if ended else None

    def _line_end(self, text: str, start: int, place: int, end: int) -> int | None:
        head = text[place:end]
        if head[:1] in (" ", "\t", ">"):
            return None  # what is indented or quoted belongs to what stands above
        blank = text.count("\n", start, place) > 1
        if not blank and _UNDERLINE.fullmatch(head):
            return None
        if "|" in head and "|" in text[text.rfind("\n", 0, start) + 1 : start]:
            return None
        if place < _OPEN and _quote_open(text, place, blank):
            return None
        if head and not self._between(text, place, end):
            self._later(place)
            return None
        return place

    def _stop(self, text: str, place: int, end: int, last: bool) -> int | None:
        start = text.rfind("\n", 0, place) + 1
        if text[start : start + 1] in _NO_CUT_INSIDE or "|" in text[start:place]:
            return None
        previous = 0
        for low, high in self._spans(text[:end]):
            if low >= place:
                full = last or text[end : end + 1] == "\n" or end - low >= _ENOUGH
                if (
                    full
                    and previous <= low
                    and not text[previous:low].strip()
                    and text.count("`", start, low) % 2 == 0
                    and not _quote_open(text, low, blank=False)
                ):
                    return low
                break
            previous = high
        self._later(place)
        return None

    def _between(self, text: str, place: int, end: int) -> bool:
        """Whether no statement, code or list of sources runs on over a line's end."""
        response = self._read(text[:end])
        shift = len(self.lead(text))
        if any(low < place < high for low, high in _spans_of(response, shift)):
            return False
        skipped = response.parsing.skipped if response.parsing is not None else ()
        return not any(
            s.kind in _HELD and s.span.start - shift < place < s.span.end - shift for s in skipped
        )

    def _spans(self, text: str) -> list[tuple[int, int]]:
        return _spans_of(self._read(text), len(self.lead(text)))

    def _read(self, text: str) -> Response:
        return self.read(self.lead(text) + text)

    def _later(self, place: int) -> None:
        self.wait = place + max(place // 4, _PATIENCE)


def _spans_of(response: Response, shift: int) -> list[tuple[int, int]]:
    return [
        (s.span.start - shift, s.span.end - shift)
        for s in response.statements or ()
        if s.span is not None
    ]


def _window(text: str, place: int, ended: bool) -> int | None:
    """Return how far to look behind a candidate, or ``None`` if the text does not reach so far."""
    end = place
    while True:
        newline = text.find("\n", end, end + _LOOK)
        if newline >= 0:
            return newline
        if len(text) < end + _LOOK:
            return len(text) if ended else None
        end += _LOOK
        low = max(0, end - _FURTHEST)
        if end - place >= _FURTHEST or low + unfinished(text[low:end]) == end:
            return end


def _quote_open(text: str, place: int, blank: bool) -> bool:
    """Whether a quotation has been opened and not closed."""
    if text.count("“", 0, place) > text.count("”", 0, place):
        return True
    return not blank and bool(text.count('"', 0, place) % 2)


def _forced(text: str) -> int:
    """Return a place to cut a text without sentences: at a blank, and in no marker."""
    low = LIMIT - _FURTHEST
    limit = low + unfinished(text[low:LIMIT])
    blank = max(text.rfind(" ", low, limit), text.rfind("\n", low, limit))
    return blank + 1 if blank > low else limit if limit > low else LIMIT
