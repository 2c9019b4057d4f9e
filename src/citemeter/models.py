"""What is measured: sources, citations, statements and responses, as frozen pydantic models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from citemeter.errors import InputError
from citemeter.fields import FourNumbers, Page, PageSpan, items, sorted_fields
from citemeter.validation import record_name, validated

__all__ = [
    "EXPECTATIONS",
    "Citation",
    "ExpectedClaim",
    "ExpectedPages",
    "ExpectedRegion",
    "Id",
    "Model",
    "OpenModel",
    "ParseInfo",
    "Region",
    "Response",
    "Skipped",
    "Source",
    "Span",
    "Statement",
    "Text",
]


_set = object.__setattr__  # a frozen model's own refuses
_set_fields, _set_extra, _set_private = (
    vars(BaseModel)[f"__pydantic_{name}__"].__set__ for name in ("fields_set", "extra", "private")
)


class Model(BaseModel):
    """Base of all models: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> Self:
        """Build an instance from values this package computed itself, without validating them.

        ``values`` must hold every field, in field order and of the declared types; it becomes the
        instance's storage. With a judge that costs nothing the pipeline would take a third longer
        if it validated what it makes; a test asserts that trusted instances equal validated ones.
        """
        instance = object.__new__(cls)
        _set(instance, "__dict__", values)
        _set_fields(instance, _field_names(cls))
        _set_extra(instance, None)
        _set_private(instance, None)
        return instance


@cache
def _field_names(model: type[Model]) -> set[str]:
    """Return the fields of a model, in one set that all its trusted instances share."""
    return set(model.model_fields)


def _identifier(value: object) -> object:
    """Accept ids that JSON turned into integers; everything else must be a string."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # of thousands of digits it raises ValueError, as validators may
    return value


def _clean(value: str) -> str:
    """Refuse lone surrogates: such text has no UTF-8 form, so no report could be written."""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"lone surrogate at offset {error.start}; decode the text as UTF-8, or replace it with "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        ) from None
    return value


Text = Annotated[str, AfterValidator(_clean)]
Id = Annotated[str, BeforeValidator(_identifier), AfterValidator(_clean)]


class OpenModel(Model):
    """A model of another system's object: fields not known here go into ``metadata``.

    A field whose name is nearly a known one is a slip and an error.
    """

    metadata: dict[str, Any] = Field(default_factory=dict)

    aliases: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _sort_fields(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        taken, rest = sorted_fields(value, cls.model_fields, cls.aliases)
        if rest:
            own = taken.get("metadata")
            taken["metadata"] = {**rest, **(own if isinstance(own, Mapping) else {})}
        return taken


class Span(NamedTuple):
    """Half-open character offsets ``[start, end)`` in the answer (code points, not bytes).

    >>> Span(4, 7).of("See [1].")
    '[1]'
    """

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of ``text`` that the span covers."""
        return text[self.start : self.end]


class Source(Model):
    """One passage that an answer may cite.

    Args:
        id: The identifier that citations use. Integers are read as strings.
        text: The passage itself.
        title: Its title; when present, it is shown to the judge above the text.
        metadata: Anything else. ``url`` lets links cite the source, ``author`` and ``year`` let
            author-year markers do so.
    """

    id: Id
    text: Text
    title: Text | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class Region(OpenModel):
    """A stretch of a page.

    Args:
        page_number: The page, counted from 1.
        bbox: Four numbers, by default ``[x0, y0, x1, y1]`` in points from the top left; ``None``
            where the parser gave none.
        block_id: The parser's name for it.
        metadata: Anything else.
    """

    page_number: Page
    bbox: FourNumbers | None = None
    block_id: Id | None = None


Regions = Annotated[tuple[Region, ...] | None, BeforeValidator(items)]
"""Places on pages."""


class Citation(Model):
    """One use of a source in an answer: the id cited, the marker and where it stands.

    Args:
        source_id: The id as cited, after labels such as ``doc:`` are taken off. It may name no
            source at all; see ``Response.has_source``.
        marker: The marker's text in the answer. The ids of a group such as ``[1, 2]`` share it.
        span: The marker's offsets, so that ``span.of(answer) == marker``; ``None`` when the
            statements came already split.
        doc_id: The document that the source is a part of, if the citation says so.
        page_span: The first and the last page cited, if it says so; one number is one page.
        regions: The places on pages cited, if it says so.
    """

    source_id: Id
    marker: Text = ""
    span: Span | None = None
    doc_id: Id | None = None
    page_span: PageSpan = None
    regions: Regions = None

    @model_validator(mode="before")
    @classmethod
    def _from_chunk(cls, value: Any) -> Any:
        """Accept ``chunk_id``, or a ``doc_id`` alone, as the id of what is cited."""
        if isinstance(value, Mapping) and "source_id" not in value:
            name = "chunk_id" if "chunk_id" in value else "doc_id"
            if name in value:
                value = {"source_id": value[name], **value}
                value.pop("chunk_id", None)
        return value


def marked(source_id: str, marker: str, span: Span) -> Citation:
    """Return the citation that a marker in an answer makes, without validating it."""
    return Citation.trusted(
        {
            "source_id": source_id,
            "marker": marker,
            "span": span,
            "doc_id": None,
            "page_span": None,
            "regions": None,
        }
    )


StatementKind = Literal["sentence", "list_item", "table_row", "block_quote"]


class Statement(Model):
    """One unit of the answer that is judged against what it cites.

    Args:
        text: The words without markers and block syntax: the hypothesis.
        raw: The same stretch of the answer untouched, markers included.
        span: Its offsets, so that ``span.of(answer) == raw``; ``None`` when pre-split.
        citations: Every citation occurrence, in order of appearance.
        kind: What the statement was cut from.
        needs_citation: Whether it makes a claim that ought to carry a citation.
        exemption: Why not, when ``needs_citation`` is false: the rule's label.
        target: What or whom it is about, if that was said beside it; see ``ExpectedClaim``.
    """

    text: Text
    raw: Text = ""
    span: Span | None = None
    citations: tuple[Citation, ...] = ()
    kind: StatementKind = "sentence"
    needs_citation: bool = True
    exemption: str | None = None
    target: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_pair(cls, value: Any) -> Any:
        """Accept ``(text, [ids])`` and ids in place of citations."""
        if isinstance(value, (tuple, list)):
            if len(value) != 2 or isinstance(value[1], (str, bytes)):
                raise ValueError("expected (text, [source ids])")
            value = {"text": value[0], "citations": value[1]}
        if isinstance(value, Mapping):
            value = dict(value)
            citations = value.get("citations")
            if isinstance(citations, Sequence) and not isinstance(citations, (str, bytes)):
                value["citations"] = [
                    c if isinstance(c, (Mapping, Citation)) else {"source_id": c} for c in citations
                ]
            if not value.get("raw") and value.get("text"):
                value["raw"] = value["text"]
        return value

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The distinct ids cited, in order of first appearance."""
        return tuple(dict.fromkeys([c.source_id for c in self.citations]))


class Skipped(Model):
    """A stretch of the answer that is no statement, and why: nothing is dropped in silence."""

    kind: Literal["heading", "code", "reference_list", "table_header", "reasoning", "markers"]
    span: Span


class ParseInfo(Model):
    """How an answer was cut into statements and citations.

    Args:
        style: The marker styles that were read, joined by ``+``; what ``style="auto"`` picked.
        requested_style: What the caller asked for.
        segmenter: The sentence splitter's name.
        attach: Whether a marker after a full stop goes to the ``previous`` or ``next`` sentence.
        numbering: ``None`` when numbers are ids; 0 or 1 when they count the list of sources.
        worthiness: The name of the rule that set ``needs_citation``.
        skipped: What is no statement.
    """

    style: str
    requested_style: str
    segmenter: str
    attach: Literal["previous", "next"]
    numbering: Literal[0, 1] | None
    worthiness: str
    skipped: tuple[Skipped, ...] = ()


class ExpectedPages(Model):
    """Pages of a document that should be cited.

    Args:
        doc_id: The document.
        pages: Page numbers, counted from 1.
    """

    doc_id: Id
    pages: Annotated[tuple[Page, ...], BeforeValidator(items)] = Field(min_length=1)


class ExpectedRegion(Model):
    """A stretch of a page that should be cited.

    Args:
        doc_id: The document.
        page_number: The page, counted from 1.
        bbox: Four numbers, by default ``[x0, y0, x1, y1]`` in points from the top left.
        min_iou: The overlap, as intersection over union, that a cited box must reach; in (0, 1].
    """

    doc_id: Id
    page_number: Page
    bbox: FourNumbers
    min_iou: float = Field(default=0.5, gt=0, le=1, allow_inf_nan=False, strict=True)


class ExpectedClaim(Model):
    """What the claim about a target should cite.

    Args:
        target: What or whom the claim is about.
        expected_doc_ids: The documents it should cite.
        expected_terms: Words that should stand in what it cites.
    """

    target: Text
    expected_doc_ids: Annotated[tuple[Id, ...], BeforeValidator(items)] = ()
    expected_terms: Annotated[tuple[Id, ...], BeforeValidator(items)] = ()

    @field_validator("target", "expected_terms")
    @classmethod
    def _not_blank(cls, value: Any) -> Any:
        for text in (value,) if isinstance(value, str) else value:
            if not any(map(str.isalnum, text)):
                raise InputError("there is no letter or digit in it.", fix="give words.")
        return value


PagesExpected = Annotated[tuple[ExpectedPages, ...] | None, BeforeValidator(items)]
RegionsExpected = Annotated[tuple[ExpectedRegion, ...] | None, BeforeValidator(items)]
ClaimsExpected = Annotated[tuple[ExpectedClaim, ...] | None, BeforeValidator(items)]

EXPECTATIONS = (
    "expected_citation_pages",
    "expected_citation_regions",
    "expected_claim_citations",
)
"""The fields of a case that say what its citations should point at."""


class Response(Model):
    """An answer with its citations, the sources it could cite, and what is known about it.

    Args:
        id: The record's name in reports; its position when absent.
        question: What was asked.
        answer: The answer as the assistant wrote it, markers and all.
        statements: The answer already cut, as ``Statement`` objects, dicts or ``(text, [ids])``
            pairs. ``None`` until the answer is parsed.
        sources: ``Source`` objects, dicts, plain texts (ids ``"1"``, ``"2"``, ...) or a mapping
            ``{id: text}``.
        gold_source_ids: The ids that ought to be cited: a list of ids, or a list of such lists
            when several sets are acceptable.
        answerable: Whether the sources can answer the question.
        expected_citation_pages: The pages that ought to be cited.
        expected_citation_regions: The places on pages that ought to be cited.
        expected_claim_citations: What the claims about given targets ought to cite.
        attribution_label: How the cited sources attribute the answer, by people: ``supportive``,
            ``insufficient``, ``contradictory`` or ``irrelevant``.
        attribution_prediction: The same by another system; without it the judge is asked.
        complexity: The level of reasoning that the attribution takes, such as ``union``.
        metadata: Anything else.
        unattached: Citations that belong to no statement, as in headings.
        abstained: Whether the answer declines to answer.
        parsing: How the answer was parsed.
    """

    id: Id | None = None
    question: Text | None = None
    answer: Text | None = None
    statements: tuple[Statement, ...] | None = None
    sources: tuple[Source, ...] = ()
    gold_source_ids: tuple[tuple[Id, ...], ...] | None = None
    answerable: bool | None = None
    expected_citation_pages: PagesExpected = None
    expected_citation_regions: RegionsExpected = None
    expected_claim_citations: ClaimsExpected = None
    attribution_label: Text | None = None
    attribution_prediction: Text | None = None
    complexity: Text | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    unattached: tuple[Citation, ...] = ()
    abstained: bool | None = None
    parsing: ParseInfo | None = None

    @field_validator("sources", mode="before")
    @classmethod
    def _read_sources(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return [
                one
                if isinstance(one, Source)
                else {"id": key, **(one if isinstance(one, Mapping) else {"text": one})}
                for key, one in value.items()
            ]
        if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
            return [
                {"id": str(number), "text": item} if isinstance(item, str) else item
                for number, item in enumerate(value, start=1)
            ]
        return value

    @field_validator("sources")
    @classmethod
    def _distinct(cls, value: tuple[Source, ...]) -> tuple[Source, ...]:
        """Merge exact repetitions; one id with two texts is an error."""
        seen: dict[str, Source] = {}
        for source in value:
            first = seen.setdefault(source.id, source)
            if first is not source and (first.text, first.title) != (source.text, source.title):
                raise InputError(
                    f"source id {source.id!r} stands for two different texts.",
                    fix="give each source an id of its own.",
                )
        return value if len(seen) == len(value) else tuple(seen.values())

    @field_validator("gold_source_ids", mode="before")
    @classmethod
    def _read_gold(cls, value: Any) -> Any:
        def ids(item: Any) -> tuple[Any, ...]:
            return tuple(sorted(item, key=str) if isinstance(item, (set, frozenset)) else item)

        if not isinstance(value, (list, tuple, set, frozenset)):
            return value
        nested = [isinstance(item, (list, tuple, set, frozenset)) for item in value]
        if not any(nested):
            return (ids(value),)
        if all(nested):
            return tuple(map(ids, value))
        raise ValueError("expected a list of ids or a list of lists of ids, not a mixture")

    @model_validator(mode="after")
    def _has_content(self) -> Self:
        if self.answer is None and self.statements is None:
            raise InputError(
                "neither 'answer' nor 'statements' is given.",
                fix="add the answer's text, or its statements as [(text, [source ids])].",
            )
        return self

    @property
    def expectations(self) -> dict[str, Any]:
        """The ``expected_…`` fields that are given; those in the metadata are not validated."""
        expected = {name: getattr(self, name) for name in EXPECTATIONS}
        return {
            name: self.metadata[name] if value is None else value
            for name, value in expected.items()
            if value is not None or self.metadata.get(name) is not None
        }

    @cached_property
    def by_id(self) -> dict[str, Source]:
        """The sources by id."""
        return {source.id: source for source in self.sources}

    def has_source(self, source_id: str) -> bool:
        """Whether an id names one of the sources; if not, the citation is fabricated."""
        return source_id in self.by_id

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation occurrence in the answer: those of statements first, then unattached."""
        inside = [c for statement in self.statements or () for c in statement.citations]
        return (*inside, *self.unattached)

    @classmethod
    def from_record(cls, record: Any, name: str | None = None) -> Response:
        """Validate a plain record; what is wrong is said with record, field and fix.

        Args:
            record: A mapping with this model's fields, or a ``Response``.
            name: What to call the record in an error when it has no id.

        Raises:
            InputError: If the record is no mapping, or a field is unknown, missing or malformed.

        >>> Response.from_record({"answer": "Yes [1].", "docs": []}, name="line 3")
        Traceback (most recent call last):
        ...
        citemeter.errors.InputError: record 'line 3', field 'docs': unknown field. Fix: rename it
        (known fields: abstained, answer, answerable, attribution_label, attribution_prediction,
        complexity, expected_citation_pages, expected_citation_regions, expected_claim_citations,
        gold_source_ids, id, metadata, parsing, question, sources, statements, unattached), move it
        into metadata, or leave it out.
        """
        example = "a dict with 'answer' and 'sources'"
        return validated(cls, record, record_name(record, name), example=example)
