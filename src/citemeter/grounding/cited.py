"""Where an answer's citations point: the document, the pages and regions, and the sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydantic import ConfigDict

from citemeter.fields import PageSpan
from citemeter.metrics.alce import premise_text
from citemeter.models import Citation, Id, Model, Region, Regions, Response
from citemeter.validation import validated


class SourcePlace(Model):
    """Where a source lies; the other fields of its metadata are left alone.

    Args:
        doc_id: The document that it is a part of.
        page_span: First and last page.
        regions: Where on the pages.
    """

    model_config = ConfigDict(extra="ignore")

    doc_id: Id | None = None
    page_span: PageSpan = None
    regions: Regions = None


class Chunk(NamedTuple):
    """A source that was there to be cited.

    Args:
        id: Its id.
        document: The document that it is a part of; its own id where that is not known.
        text: What a judge reads of it.
        place: Where it lies.
    """

    id: str
    document: str
    text: str
    place: SourcePlace


class Cited(NamedTuple):
    """What one citation points at.

    Args:
        name: The id as cited.
        field: Where it stands in the record, for errors.
        doc_id: The document, if that is known.
        page_span: First and last page.
        regions: Where on the pages.
        chunks: The sources that it names.
    """

    name: str
    field: str
    doc_id: str | None
    page_span: tuple[int, int] | None
    regions: tuple[Region, ...]
    chunks: tuple[Chunk, ...]

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


def source_places(response: Response, name: str | None = None) -> list[SourcePlace]:
    """Return where a response's sources lie, by their metadata.

    Raises:
        InputError: If it is malformed.
    """
    return [
        validated(SourcePlace, source.metadata, response.id or name, f"sources.{number}.metadata")
        for number, source in enumerate(response.sources)
    ]


def cited_places(
    response: Response, inherit: bool = False, name: str | None = None
) -> tuple[list[list[Cited]], list[Cited]]:
    """Return what the citations of each statement point at, then what those of none do.

    A citation that is an id and nothing more points where its source lies. One that says where it
    points is taken at its word, and only its document is filled in. A source that does not say
    which document it is of belongs to the one that it is cited with. A citation of nothing but a
    document stands for all of its sources; an id that names no source has no place.

    Args:
        response: The response, cut into statements.
        inherit: Whether a citation without pages and regions takes its source's in any case.
        name: What to call the response in an error when it has no id.

    Raises:
        InputError: If a source's metadata is malformed.
    """
    sources = _Sources(response, name)

    def resolved(field: str, citations: Sequence[Citation]) -> list[Cited]:
        return [
            sources.resolved(citation, f"{field}.{number}", inherit)
            for number, citation in enumerate(citations)
        ]

    statements = [
        resolved(f"statements.{number}.citations", statement.citations)
        for number, statement in enumerate(response.statements or ())
    ]
    return statements, resolved("unattached", response.unattached)


class _Sources:
    """The sources of a response by id and by document."""

    def __init__(self, response: Response, name: str | None) -> None:
        stated = {c.source_id: c.doc_id for c in response.citations if c.doc_id is not None}
        self.by_id: dict[str, list[Chunk]] = {}
        self.by_document: dict[str, list[Chunk]] = {}
        for source, place in zip(response.sources, source_places(response, name), strict=True):
            document = place.doc_id
            if document is None:
                document = stated.get(source.id, source.id)
            chunk = Chunk(source.id, document, premise_text(source), place)
            for known in {source.id, source.id.removesuffix(f"@{document}")}:
                self.by_id.setdefault(known, []).append(chunk)
            self.by_document.setdefault(document, []).append(chunk)

    def resolved(self, citation: Citation, field: str, inherit: bool) -> Cited:
        doc_id, span, regions = citation.doc_id, citation.page_span, citation.regions or ()
        chunks: Sequence[Chunk] = [
            chunk
            for chunk in self.by_id.get(citation.source_id, ())
            if doc_id in (None, chunk.document)
        ]
        if citation.source_id == doc_id:
            chunks, inherit = self.by_document.get(doc_id, ()), False
        elif doc_id is None and span is None and not regions:
            chunks, inherit = chunks[:1], True
        if len(chunks) == 1:  # else of no source, or of sources of several documents
            doc_id = chunks[0].document
            if inherit and span is None and not regions:
                span, regions = chunks[0].place.page_span, chunks[0].place.regions or ()
        return Cited(citation.source_id, field, doc_id, span, regions, tuple(chunks))
