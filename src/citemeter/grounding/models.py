"""What is expected of an answer's citations, and the answer: frozen models of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from citemeter.errors import InputError
from citemeter.grounding.boxes import PageSize
from citemeter.grounding.fields import Numbers, Open, Page, PageSpan, items
from citemeter.models import EXPECTATIONS, Id, Model, Text

__all__ = [
    "EXPECTATIONS",
    "Evidence",
    "ExpectedClaim",
    "ExpectedPages",
    "ExpectedRegion",
    "GroundedAnswer",
    "GroundedCitation",
    "GroundedClaim",
    "GroundingCase",
    "PageInfo",
    "Region",
]

MIN_IOU = 0.5


class Region(Open):
    """A stretch of a page.

    Args:
        page_number: The page, counted from 1.
        bbox: Four numbers, by default ``[x0, y0, x1, y1]`` in points from the top left; ``None``
            where the parser gave none.
        block_id: The parser's name for it.
        metadata: Anything else.
    """

    page_number: Page
    bbox: Numbers | None = None
    block_id: Id | None = None


Regions = Annotated[tuple[Region, ...], BeforeValidator(lambda v: () if v is None else items(v))]


class GroundedCitation(Open):
    """A citation with the place it points at.

    Args:
        doc_id: The document.
        chunk_id: The chunk of it.
        page_span: First and last page, both included; a single number is one page.
        regions: Where on the pages.
        metadata: Anything else.
    """

    doc_id: Id | None = None
    chunk_id: Id | None = None
    page_span: PageSpan = None
    regions: Regions = ()

    @property
    def text_only(self) -> bool:
        """Whether it has neither page nor region."""
        return self.page_span is None and not self.regions

    def on_page(self, page: int) -> bool:
        """Whether it reaches a page, by its span or by a region."""
        span = self.page_span
        return (span is not None and span[0] <= page <= span[1]) or any(
            region.page_number == page for region in self.regions
        )


class Evidence(Open):
    """A chunk that was there to be cited.

    Args:
        chunk_id: Its name (also read from ``id``).
        doc_id: Its document; the chunk's own name where there is none.
        text: What it says.
        title: Its title, shown to a judge above the text.
        page_span: First and last page.
        regions: Where on the pages.
        metadata: Anything else; ``doc_id``, ``page_span`` and ``regions`` are taken from here if
            they are not given above.
    """

    chunk_id: Id
    text: Text
    doc_id: Id | None = None
    title: Text | None = None
    page_span: PageSpan = None
    regions: Regions = ()

    aliases: ClassVar[Mapping[str, str]] = {"id": "chunk_id"}

    @model_validator(mode="before")
    @classmethod
    def _lift(cls, value: Any) -> Any:
        if isinstance(value, Mapping) and isinstance(value.get("metadata"), Mapping):
            inner = value["metadata"]
            lifted = {
                name: inner[name]
                for name in ("doc_id", "page_span", "regions")
                if name in inner and value.get(name) is None
            }
            if lifted:
                kept = {name: item for name, item in inner.items() if name not in lifted}
                value = {**value, **lifted, "metadata": kept}
        return value

    @property
    def document(self) -> str:
        """The document's name."""
        return self.chunk_id if self.doc_id is None else self.doc_id


def _citations(value: Any) -> Any:
    if value is None:
        return ()
    return [{"chunk_id": item} if isinstance(item, str) else item for item in items(value)]


Citations = Annotated[tuple[GroundedCitation, ...], BeforeValidator(_citations)]


class GroundedClaim(Open):
    """One claim of an answer, with what it cites.

    Args:
        text: The claim (also read from ``claim``).
        target: What or whom it is about, if the system says so.
        citations: Its citations; a string is a chunk's name.
        needs_citation: Whether it is checked at all: greetings and refusals are not.
        metadata: Anything else.
    """

    text: Text
    target: Text | None = None
    citations: Citations = ()
    needs_citation: bool = True

    aliases: ClassVar[Mapping[str, str]] = {"claim": "text"}

    @field_validator("text")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise InputError("the claim is blank.", fix="give its words, or leave it out.")
        return value


class GroundedAnswer(Open):
    """An answer in claims, and the chunks that were there to be cited.

    Args:
        id: The record's name.
        question: What was asked.
        claims: The claims, as objects or ``[text, [chunk names]]`` pairs.
        citations: Citations of the answer as a whole, beside those of the claims.
        evidence: The chunks (also read from ``sources``); ``None`` if they are not known, which
            leaves claims unchecked.
        metadata: Anything else.
    """

    id: Id | None = None
    question: Text | None = None
    claims: Annotated[tuple[GroundedClaim, ...], BeforeValidator(items)] = ()
    citations: Citations = ()
    evidence: Annotated[tuple[Evidence, ...] | None, BeforeValidator(items)] = None

    aliases: ClassVar[Mapping[str, str]] = {"sources": "evidence"}

    @field_validator("claims", mode="before")
    @classmethod
    def _read_claims(cls, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            return value
        claims = []
        for item in value:
            if isinstance(item, (list, tuple)):
                if len(item) != 2 or not isinstance(item[1], (list, tuple)):
                    raise InputError("it is no claim.", fix="write [text, [chunk ids]].")
                item = {"text": item[0], "citations": item[1]}
            claims.append(item)
        return claims

    @field_validator("evidence")
    @classmethod
    def _one_text_a_chunk(cls, value: tuple[Evidence, ...] | None) -> tuple[Evidence, ...] | None:
        """Merge exact repetitions; a chunk of one document with two texts is an error."""
        seen: dict[tuple[str, str], Evidence] = {}
        for chunk in value or ():
            first = seen.setdefault((chunk.document, chunk.chunk_id), chunk)
            if (first.text, first.title) != (chunk.text, chunk.title):
                raise InputError(
                    f"chunk {chunk.chunk_id!r} stands for two different texts.",
                    fix="give each chunk of a document an id of its own.",
                )
        return None if value is None else tuple(seen.values())

    @property
    def all_citations(self) -> Iterator[GroundedCitation]:
        """Every citation: of the claims first, then of the answer."""
        for claim in self.claims:
            yield from claim.citations
        yield from self.citations


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
    bbox: Numbers
    min_iou: float = Field(default=MIN_IOU, gt=0, le=1, allow_inf_nan=False, strict=True)


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


class GroundingCase(Open):
    """What is expected of one answer's citations. A field left out is not measured.

    Args:
        id: The case's name, by which it meets its answer (also read from ``case_id``).
        expected_citation_pages: Pages that should be cited.
        expected_citation_regions: Regions that should be cited.
        expected_claim_citations: What the claims about given targets should cite.
        metadata: The case's other fields, which belong to other evaluations.
    """

    id: Id | None = None
    expected_citation_pages: Annotated[tuple[ExpectedPages, ...] | None, BeforeValidator(items)] = (
        None
    )
    expected_citation_regions: Annotated[
        tuple[ExpectedRegion, ...] | None, BeforeValidator(items)
    ] = None
    expected_claim_citations: Annotated[
        tuple[ExpectedClaim, ...] | None, BeforeValidator(items)
    ] = None

    aliases: ClassVar[Mapping[str, str]] = {"case_id": "id"}

    @property
    def expects(self) -> bool:
        """Whether any of the three fields is given."""
        return any(getattr(self, name) is not None for name in EXPECTATIONS)


class PageInfo(Model):
    """What is known of a page.

    Args:
        width: Its width before it is turned, in the unit of the boxes.
        height: Its height before it is turned.
        rotation: By how many degrees it is turned clockwise for display.
        image: A picture of it as displayed: a file's name.
    """

    width: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    height: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    rotation: Literal[0, 90, 180, 270] = 0
    image: str | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> PageInfo:
        if (self.width is None) is not (self.height is None):
            raise InputError("only one of width and height is given.", fix="give both, or neither.")
        return self

    @property
    def size(self) -> PageSize | None:
        """Its size, if that is known."""
        if self.width is None or self.height is None:
            return None
        return PageSize(self.width, self.height, self.rotation)
