"""The answer that a contract is checked on: its text, read only once and only if a rule asks."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache

from citemeter.metrics.base import RecordLike
from citemeter.models import Response, Span
from citemeter.text.markers import SourceIndex, index_of
from citemeter.text.parse import ParseOptions, Style, parse_response

__all__ = ["Subject"]

_DEFAULT = ParseOptions()


@lru_cache(maxsize=64)
def _with_styles(options: ParseOptions, styles: tuple[Style, ...]) -> ParseOptions:
    return replace(options, style=styles)


class Subject:
    """One answer and what rules need to know of it.

    Args:
        record: The answer's text, a response or a plain record. A response that was parsed before
            is taken as it was parsed.
        options: How answers are read.

    Raises:
        InputError: If the record does not validate.
    """

    def __init__(self, record: str | RecordLike, options: ParseOptions | None = None) -> None:
        self.sources_known = not isinstance(record, str)
        """Whether it is known what could be cited: a text alone does not say."""
        if isinstance(record, str):
            record = {"answer": record}
        self.given = Response.from_record(record)
        self.options = options or _DEFAULT
        self._read: dict[tuple[Style, ...], Response] = {}

    @property
    def split(self) -> bool:
        """Whether the statements came already split, so that no place in the answer is known."""
        return self.given.statements is not None and self.given.parsing is None

    @cached_property
    def response(self) -> Response:
        """The response with its statements."""
        if self.given.statements is not None:
            return self.given
        return parse_response(self.given, self.options)

    @property
    def text(self) -> str:
        """The answer as written; its statements, joined, if only they are given."""
        return self.words if self.given.answer is None else self.given.answer

    @cached_property
    def shown(self) -> str:
        """The text with its reasoning, such as ``<think>…</think>``, blanked out in place."""
        text = self.text
        if "<" not in text or self.split:
            return text
        for start, end in self.skipped("reasoning"):
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
        return text

    @cached_property
    def words(self) -> str:
        """The statements as written; headings, code and lists of sources are none of them."""
        return " ".join([s.raw or s.text for s in self.response.statements or ()])

    @cached_property
    def index(self) -> SourceIndex:
        """What the sources can be cited as."""
        return index_of(self.given.sources, self.options.numbering)

    @property
    def styles(self) -> tuple[Style, ...]:
        """The marker styles that answers are read with."""
        style = self.options.style
        return style if isinstance(style, tuple) else (style,)

    def read_with(self, *styles: Style) -> Response:
        """Return the answer read with other marker styles."""
        found = self._read.get(styles)
        if found is None:
            options = _with_styles(self.options, styles)
            found = self._read[styles] = parse_response(self._unread(self.text), options)
        return found

    def skipped(self, *kinds: str) -> list[Span]:
        """Return where the parts of some kinds stand that are no statements."""
        parsing = self.response.parsing
        return [s.span for s in parsing.skipped if s.kind in kinds] if parsing else []

    def counts_as_source(self, source_id: str) -> bool:
        """Whether an id names a source, as far as can be known."""
        return not self.sources_known or self.given.has_source(source_id)

    def variant(self, text: str) -> Subject:
        """Return another text as an answer to the same question, with the same sources."""
        other = Subject.__new__(Subject)
        other.sources_known = self.sources_known
        other.given = self._unread(text)
        other.options = self.options
        other._read = {}
        return other

    def _unread(self, text: str) -> Response:
        values = dict(self.given.__dict__)
        values.pop("by_id", None)
        values.update(answer=text, statements=None, unattached=(), abstained=None, parsing=None)
        return Response.trusted(values)
