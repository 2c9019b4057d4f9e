"""The answer that a contract is checked on, read only when a rule asks; and its loose variants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from citemeter.metrics.base import RecordLike
from citemeter.models import Citation, Response, Span
from citemeter.text.markers import Marker, SourceIndex, index_of
from citemeter.text.parse import ParseOptions, Style, parse_response

__all__ = ["LOOSE_VARIANTS", "CheckedAnswer", "loose_variants"]

LOOSE_VARIANTS = (
    "original",
    "no_asterisks",
    "no_first_line",
    "no_last_line",
    "no_first_and_last_line",
    "no_asterisks_and_first_line",
    "no_asterisks_and_last_line",
    "no_asterisks_and_first_and_last_line",
)
"""The variants' names, in the order in which they are tried."""


def loose_variants(answer: str) -> dict[str, str]:
    r"""Return the eight variants of an answer under which IFEval's loose score looks for a pass.

    The answer; without ``*``; without its first line, its last line, or both; and these three
    without ``*``. Lines end at ``\n``; what is left of an answer without a line is stripped.
    Variants may be blank or alike: a blank one follows no instruction.

    Args:
        answer: The answer as written.

    >>> variants = loose_variants("Sure:\n**Yes** [1].\nBye!")
    >>> variants["no_first_and_last_line"], variants["no_asterisks_and_first_and_last_line"]
    ('**Yes** [1].', 'Yes [1].')

    Reference: Zhou et al. (2023), https://arxiv.org/abs/2311.07911, and the code published with it.
    """
    lines = answer.split("\n")
    cut = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    texts = [answer, answer.replace("*", ""), *cut, *(text.replace("*", "") for text in cut)]
    return dict(zip(LOOSE_VARIANTS, texts, strict=True))


_DEFAULT = ParseOptions()


@lru_cache(maxsize=64)
def _with_styles(options: ParseOptions, styles: tuple[Style, ...]) -> ParseOptions:
    return replace(options, style=styles)


@dataclass(frozen=True, eq=False)
class CheckedAnswer:
    """One answer and what rules need to know of it.

    Args:
        given: The response. One that was parsed before is taken as it was parsed.
        options: How answers are read.
        sources_known: Whether it is known what could be cited: a text alone does not say.
    """

    given: Response
    options: ParseOptions
    sources_known: bool = True

    @classmethod
    def of(cls, record: str | RecordLike, options: ParseOptions | None = None) -> CheckedAnswer:
        """Take an answer's text, a response or a plain record.

        Raises:
            InputError: If the record does not validate.
        """
        options = options or _DEFAULT
        if isinstance(record, str):
            return cls(Response.from_record({"answer": record}), options, sources_known=False)
        return cls(Response.from_record(record), options)

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
        return parse_response(self._unread(self.text), _with_styles(self.options, styles))

    def markers_in(self, text: str) -> list[Marker]:
        """Return the markers in a part of the answer that name a source."""
        found = self.options.plan.find_markers(text, self.index)
        return [marker for marker in found if marker.ids]

    def skipped(self, *kinds: str) -> list[Span]:
        """Return where the parts of some kinds stand that are no statements."""
        parsing = self.response.parsing
        return [s.span for s in parsing.skipped if s.kind in kinds] if parsing else []

    def counts_as_source(self, source_id: str) -> bool:
        """Whether an id names a source, as far as can be known."""
        return not self.sources_known or self.given.has_source(source_id)

    @cached_property
    def variants(self) -> list[tuple[str, CheckedAnswer]]:
        """The loose variants that differ from the answer and from one another, none blank."""
        if self.given.answer is None or self.split:
            return []
        names: dict[str, str] = {}
        for name, text in loose_variants(self.text).items():
            if text.strip() and text != self.text:
                names.setdefault(text, name)
        return [
            (name, CheckedAnswer(self._unread(text), self.options, self.sources_known))
            for text, name in names.items()
        ]

    def _unread(self, text: str) -> Response:
        values = dict(self.given.__dict__)
        values.pop("by_id", None)
        values.update(answer=text, statements=None, unattached=(), abstained=None, parsing=None)
        return Response.trusted(values)


def citations_of(response: Response) -> Iterator[tuple[int | None, Citation]]:
    """Yield every citation with the index of its statement, those of no statement last."""
    for number, statement in enumerate(response.statements or ()):
        for citation in statement.citations:
            yield number, citation
    for citation in response.unattached:
        yield None, citation
