"""Finding the quotations in an answer: what it presents as the words of a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from citemeter.errors import InputError
from citemeter.models import Response, Span, Statement
from citemeter.results import MIN_QUOTE_WORDS
from citemeter.text.quotations.marks import Pair, has_marks, pair_marks
from citemeter.text.quotations.mentions import count_words, is_mention


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
    if not (has_marks(answer) or any(s.kind == "block_quote" for s in statements)):
        return []
    finder = _Finder(response, answer, statements, min_words)
    found = [*finder.block_quotes(), *finder.marked()]
    return sorted(found, key=lambda quotation: quotation.span or Span(0, 0))


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


class _Placed(NamedTuple):
    """A statement and where it stands."""

    span: Span
    number: int
    statement: Statement


class _Finder:
    """Finds the quotations of an answer whose statements have their places in it."""

    def __init__(
        self, response: Response, answer: str, statements: Sequence[Statement], min_words: int
    ) -> None:
        self.question = response.question
        self.answer = answer
        self.min_words = min_words
        self.statements = sorted(
            [_Placed(s.span, i, s) for i, s in enumerate(statements) if s.span is not None],
            key=lambda placed: placed[:2],
        )
        self._statement_ends = [placed.span.end for placed in self.statements]
        markers = {c.span for c in response.citations if c.span is not None}
        self.markers = sorted(span for span in markers if span.end > span.start)
        self._marker_ends = [span.end for span in self.markers]

    def marked(self) -> Iterator[Quotation]:
        """Yield what stands between quotation marks, outside of block quotes."""
        blocks = [
            (span.start, span.end) for span, _, s in self.statements if s.kind == "block_quote"
        ]
        for pair in pair_marks(self.answer, blocks):
            quotation = self._quotation(pair)
            if quotation is not None:
                yield quotation

    def _quotation(self, pair: Pair) -> Quotation | None:
        at = bisect_right(self._statement_ends, pair.inner_start)
        inside = list(
            takewhile(lambda s: s.span.start < pair.inner_end, islice(self.statements, at, None))
        )
        if not inside:
            return None  # in a heading, a reference list, code
        words, span = self._without_markers(pair.inner_start, pair.inner_end)
        cited = _cited(inside)
        if not words or not _counts(words, self.answer, pair, cited, self.question, self.min_words):
            return None
        return Quotation(words, span, pair.kind, inside[0].number, cited)

    def _without_markers(self, start: int, end: int) -> tuple[str, Span | None]:
        """Return the words between two offsets, and where they stand.

        Nothing but punctuation after the last marker: it ends the answer's sentence.
        """
        answer = self.answer
        at = bisect_right(self._marker_ends, start)
        markers = list(takewhile(lambda m: m.start < end, islice(self.markers, at, None)))
        if markers and markers[0].start <= start and end <= markers[0].end:
            return "", None  # the marks belong to a marker, such as a link's title
        parts: list[str] = []
        done = start
        for marker in markers:
            if marker.start >= done:
                parts.append(answer[done : marker.start])
            done = max(done, marker.end)
        tail = answer[done:end] if done < end else ""
        if parts and not any(map(str.isalnum, tail)):
            tail = ""
            end = done
            while markers and markers[-1].end == end:
                end = start + len(answer[start : markers.pop().start].rstrip())
        words = ""
        for part in [*parts, tail]:
            if part[:1].isspace() or part[:1] in ".,;:!?":
                words = words.rstrip()
            words += part
        words = _OPEN_AGAIN.sub(r"\1", words).strip()
        inner = answer[start:end]
        start += len(inner) - len(inner.lstrip())
        return words, Span(start, max(start, start + len(inner.strip())))

    def block_quotes(self) -> Iterator[Quotation]:
        """Yield the block quotes: statements of that kind that belong together."""
        group: list[_Placed] = []
        before: _Placed | None = None
        for placed in self.statements:
            if group and self._apart(group[-1], placed):
                yield from self._block_quote(group, before)
                before = None
                group = []
            if placed.statement.kind == "block_quote":
                group.append(placed)
            else:
                before = placed
        if group:
            yield from self._block_quote(group, before)

    def _apart(self, last: _Placed, placed: _Placed) -> bool:
        """Whether a block quote ends with one statement before the next."""
        if placed.statement.kind != "block_quote":
            return True
        between = self.answer[last.span.end : placed.span.start]
        if "\n\n" in _LINE_PREFIX.sub(">", between).replace("\r", "").replace(" ", ""):
            return True
        ids, last_ids = placed.statement.source_ids, last.statement.source_ids
        return bool(ids and last_ids) and ids != last_ids

    def _block_quote(self, group: list[_Placed], before: _Placed | None) -> Iterator[Quotation]:
        start, end = group[0].span.start, group[-1].span.end
        cited = _cited(group)
        if not cited and before is not None:
            between = self.answer[before.span.start : start]
            if _LEAD_IN.search(between) and between.count("\n\n") <= 1:
                cited = before.statement.source_ids
        words, _ = self._without_markers(start, end)
        words = _LINE_PREFIX.sub("", words)
        if _CALLOUT.match(words) or _ALERT.search(self.answer, max(0, start - 40), start):
            return
        words = _ATTRIBUTION.sub("", words).strip()
        pairs = pair_marks(words)
        inside = sum(pair.inner_end - pair.inner_start for pair in pairs)
        if len(pairs) == 1 and inside >= 0.6 * len(words):
            words = words[pairs[0].inner_start : pairs[0].inner_end].strip()
        if count_words(words) >= self.min_words:
            yield Quotation(words, Span(start, end), "block_quote", group[0].number, cited)


def _cited(statements: Iterable[_Placed]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.source_id for s in statements for c in s.statement.citations))
