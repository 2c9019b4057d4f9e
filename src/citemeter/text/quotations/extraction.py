"""Finding the quotations in an answer: what it presents as the words of a source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from citemeter.errors import InputError
from citemeter.models import Response, Span, Statement
from citemeter.results import MIN_QUOTE_WORDS
from citemeter.text.quotations.marks import Pair, has_marks, pair_marks
from citemeter.text.quotations.mentions import count_words, is_mention

__all__ = ["Quotation", "find_quotations"]


class Quotation(NamedTuple):
    """A stretch of an answer that stands as a source's own words.

    Args:
        text: The words as written, without the marks and without citation markers.
        span: Its offsets in the answer, marks excluded; ``None`` when the statements came already
            split.
        kind: ``straight``, ``curly``, ``german``, ``guillemet``, ``cjk``, ``single``, ``latex``,
            ``backtick`` or ``block_quote``.
        statement: The index of the first statement that holds it.
        cited: The distinct ids of the statements that hold it, in order, fabricated ones included.
    """

    text: str
    span: Span | None
    kind: str
    statement: int
    cited: tuple[str, ...]


def find_quotations(response: Response, *, min_words: int = MIN_QUOTE_WORDS) -> list[Quotation]:
    """Return the quotations in a response, in order.

    A quotation cites what the statement around it cites: the sentence, list item, table row or
    block quote, or all of them that it runs through. A block quote without a marker cites what
    the sentence that introduces it with a colon cites.

    Not quotations: stretches of fewer than ``min_words`` words (two characters of Chinese or
    Japanese count as one), titles of works, names, words as words, code, what stands in headings
    and reference lists, and an uncited repetition of the question's own words.

    Args:
        response: The response; its answer must have been cut into statements.
        min_words: How many words a quotation has at least.

    Raises:
        InputError: If the response has no statements.

    >>> [q.text for q in find_quotations(Response(
    ...     statements=[('The "smart" meter "must be checked yearly".', ["1"])]))]
    ['must be checked yearly']
    """
    statements = response.statements
    if statements is None:
        raise InputError(
            "the answer is not cut into statements.",
            record=response.id,
            field="statements",
            fix="parse the answer first.",
        )
    answer = response.answer
    if answer is None or (statements and statements[0].span is None):
        return _from_statements(response, statements, min_words)
    marked = bool(answer) and has_marks(answer)
    quoted = ">" in answer and any(s.kind == "block_quote" for s in statements)
    if not (marked or quoted):
        return []
    return _Finder(response, answer, statements, min_words).find(marked, quoted)


def _from_statements(
    response: Response, statements: Sequence[Statement], min_words: int
) -> list[Quotation]:
    found: list[Quotation] = []
    for index, statement in enumerate(statements):
        text = statement.text
        if statement.kind == "block_quote":
            if count_words(text) >= min_words:
                found.append(Quotation(text, None, "block_quote", index, statement.source_ids))
            continue
        if not text or not has_marks(text):
            continue
        for pair in pair_marks(text):
            words = text[pair.inner_start : pair.inner_end].strip()
            if _counts(words, text, pair, statement.source_ids, response.question, min_words):
                found.append(Quotation(words, None, pair.kind, index, statement.source_ids))
    return found


def _counts(
    words: str,
    text: str,
    pair: Pair,
    cited: tuple[str, ...],
    question: str | None,
    min_words: int,
) -> bool:
    if count_words(words) < min_words:
        return False
    before = text[max(0, pair.start - 60) : pair.start]
    after = text[pair.end : pair.end + 12]
    if is_mention(words, before, after):
        return False
    return bool(cited) or not question or words.casefold() not in question.casefold()


_LINE_PREFIX = re.compile(r"(?m)^[ \t]{0,3}(?:>[ \t]?)+")
_CALLOUT = re.compile(
    r"\s*(?:\[!\w+\]|(?:\*\*|__)?(?:note|tip|warning|important|caution|summary|tl;dr|disclaimer|"
    r"hinweis|remarque|nota)\b\s*(?:\*\*|__)?\s*:)",
    re.IGNORECASE,
)
_ALERT = re.compile(r"\[!\w+\][\s>]*\Z")
_ATTRIBUTION = re.compile(
    r"\n[ \t]*(?:[—–―]|--?[ \t])[^\n]{1,120}\s*\Z|\n[ \t]*[*_]?Source:[^\n]*\Z"
)
_OPEN_AGAIN = re.compile(r"(\n[ \t\r]*\n[ \t]*)[\"“„«»]")
_LEAD_IN = re.compile(r"[:：]\W{0,12}\Z")


class _Finder:
    def __init__(
        self, response: Response, answer: str, statements: Sequence[Statement], min_words: int
    ) -> None:
        self.response = response
        self.answer = answer
        self.min_words = min_words
        self._all = statements
        self._next = 0
        self._marker = 0

    @cached_property
    def statements(self) -> list[tuple[Span, int, Statement]]:
        """The statements by place, each with its index."""
        placed = [(s.span, index, s) for index, s in enumerate(self._all) if s.span is not None]
        placed.sort(key=lambda item: item[:2])
        return placed

    @cached_property
    def markers(self) -> list[Span]:
        """The places of all citation markers."""
        spans = {c.span for c in self.response.citations if c.span is not None}
        return sorted(span for span in spans if span.end > span.start)

    def find(self, marked: bool, quoted: bool) -> list[Quotation]:
        found = self._block_quotes() if quoted else []
        blocks = [
            (span.start, span.end)
            for span, _, statement in (self.statements if quoted else ())
            if statement.kind == "block_quote"
        ]
        if marked:
            answer, spaces = self.answer, self.min_words - 1
            for pair in pair_marks(answer, blocks):
                inner = answer[pair.inner_start : pair.inner_end]
                if inner.isascii() and len(inner) < 4 * spaces and inner.count(" ") < spaces:
                    continue  # a word or two: most marks are such
                quotation = self._quotation(pair)
                if quotation is not None:
                    found.append(quotation)
        if quoted:
            found.sort(key=lambda quotation: quotation.span or Span(0, 0))
        return found

    def _quotation(self, pair: Pair) -> Quotation | None:
        """Turn a pair into a quotation; pairs come in order, so statements are walked once."""
        statements = self.statements
        while self._next < len(statements) and statements[self._next][0].end <= pair.inner_start:
            self._next += 1
        at = self._next
        if at == len(statements) or statements[at][0].start >= pair.inner_end:
            return None  # in a heading, a reference list, code
        first = statements[at][1]
        cited: dict[str, None] = {}
        while at < len(statements) and statements[at][0].start < pair.inner_end:
            cited.update(dict.fromkeys(c.source_id for c in statements[at][2].citations))
            at += 1
        words, span = self._without_markers(pair.inner_start, pair.inner_end)
        if not words:
            return None
        ids = tuple(cited)
        if not _counts(words, self.answer, pair, ids, self.response.question, self.min_words):
            return None
        return Quotation(words, span, pair.kind, first, ids)

    def _without_markers(self, start: int, end: int) -> tuple[str, Span | None]:
        """Return the words between two offsets, and where they stand.

        Nothing but punctuation after the last marker: it ends the answer's sentence.
        """
        answer, markers = self.answer, self.markers
        while self._marker < len(markers) and markers[self._marker].end <= start:
            self._marker += 1
        at = self._marker
        if at < len(markers) and markers[at].start <= start and end <= markers[at].end:
            return "", None  # the marks belong to a marker, such as a link's title
        parts: list[str] = []
        done = start
        while at < len(markers) and markers[at].start < end:
            if markers[at].start >= done:
                parts.append(answer[done : markers[at].start])
            done = max(done, markers[at].end)
            at += 1
        tail = answer[done:end] if done < end else ""
        if parts and not any(map(str.isalnum, tail)):
            tail = ""
            end = done
            while at > self._marker and markers[at - 1].end == end:
                end = markers[at - 1].start
                at -= 1
                while end > start and answer[end - 1].isspace():
                    end -= 1
        parts.append(tail)
        words = parts[0]
        for part in parts[1:]:
            if part[:1].isspace() or part[:1] in ".,;:!?":
                words = words.rstrip()
            words += part
        words = _OPEN_AGAIN.sub(r"\1", words) if "\n" in words else words
        while start < end and answer[start].isspace():
            start += 1
        while end > start and answer[end - 1].isspace():
            end -= 1
        return words.strip(), Span(start, end)

    def _block_quotes(self) -> list[Quotation]:
        found: list[Quotation] = []
        segment: list[tuple[Span, int, Statement]] = []
        previous: tuple[Span, int, Statement] | None = None
        for item in self.statements:
            span, _, statement = item
            if statement.kind != "block_quote":
                self._flush(segment, found)
                segment = []
                previous = item
                continue
            if segment:
                between = self.answer[segment[-1][0].end : span.start]
                apart = "\n\n" in _LINE_PREFIX.sub(">", between).replace("\r", "").replace(" ", "")
                ids, last = statement.source_ids, segment[-1][2].source_ids
                if apart or (last and ids and ids != last):
                    self._flush(segment, found)
                    segment = []
                    previous = None
            if not segment:
                self._lead = previous
            segment.append(item)
        self._flush(segment, found)
        return found

    _lead: tuple[Span, int, Statement] | None = None

    def _flush(self, segment: list[tuple[Span, int, Statement]], found: list[Quotation]) -> None:
        if not segment:
            return
        start, end = segment[0][0].start, segment[-1][0].end
        cited = tuple(dict.fromkeys(c.source_id for _, _, s in segment for c in s.citations))
        lead = self._lead
        if not cited and lead is not None:
            between = self.answer[lead[0].start : start]
            if _LEAD_IN.search(between) and between.count("\n\n") <= 1:
                cited = lead[2].source_ids
        marker = self._marker
        self._marker = 0
        words, _ = self._without_markers(start, end)
        self._marker = marker
        words = _LINE_PREFIX.sub("", words)
        if _CALLOUT.match(words) or _ALERT.search(self.answer, max(0, start - 40), start):
            return
        words = _ATTRIBUTION.sub("", words).strip()
        pairs = pair_marks(words) if has_marks(words) else []
        inside = sum(pair.inner_end - pair.inner_start for pair in pairs)
        if len(pairs) == 1 and inside >= 0.6 * len(words):
            words = words[pairs[0].inner_start : pairs[0].inner_end].strip()
        if count_words(words) >= self.min_words:
            found.append(Quotation(words, Span(start, end), "block_quote", segment[0][1], cited))
