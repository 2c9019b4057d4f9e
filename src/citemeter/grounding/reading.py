"""From plain records, and from responses with markers, to cases and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from citemeter.errors import InputError
from citemeter.grounding.models import (
    EXPECTATIONS,
    Evidence,
    GroundedAnswer,
    GroundedCitation,
    GroundedClaim,
    GroundingCase,
    PageInfo,
)
from citemeter.metrics.base import ready
from citemeter.models import Citation, Response, Source
from citemeter.validation import record_name, validated

__all__ = [
    "PageTable",
    "answer_of",
    "case_of",
    "expects",
    "page_info",
    "read_answer",
    "read_case",
    "read_pages",
    "read_record",
]

PageTable: TypeAlias = Mapping[str, PageInfo | Mapping[int, PageInfo]]
"""What is known of pages: by document, for all its pages at once or by page number."""

_PLACE = ("doc_id", "page_span", "regions")


def _mapping(record: object, name: str | None) -> Mapping[str, Any]:
    if not isinstance(record, Mapping):
        raise InputError(
            f"expected an object, got {type(record).__name__}.",
            record=name,
            fix="give one object a record.",
        )
    return record


def read_case(record: object, name: str | None = None) -> GroundingCase:
    """Validate what is expected of an answer; other fields of the case go into its metadata.

    Args:
        record: A ``GroundingCase``, or a mapping with its fields.
        name: What to call the record in an error when it has no id.

    Raises:
        InputError: If a field is malformed, or nearly has the name of one of the three.

    >>> case = read_case({"query": "?", "expected_citation_pages": [{"doc_id": "d", "pages": [1]}]})
    >>> case.expected_citation_pages[0].pages, case.metadata
    ((1,), {'query': '?'})
    """
    return validated(GroundingCase, record, record_name(record, name))


def read_answer(record: object, name: str | None = None) -> GroundedAnswer:
    """Validate an answer: in claims whose citations say where they point, or with markers.

    Args:
        record: A ``GroundedAnswer``, a ``Response``, or a mapping with ``claims``, ``citations``
            and ``evidence``; or, without ``claims``, with the ``answer`` (or ``statements``) and
            ``sources`` of a ``Response``, whose markers name chunks.
        name: What to call the record in an error when it has no id.

    Raises:
        InputError: If a field is malformed.

    >>> answer = read_answer({
    ...     "answer": "Cats purr [c1].",
    ...     "sources": [{"id": "c1", "text": "Cats purr.", "metadata": {"doc_id": "d"}}],
    ... })
    >>> answer.claims[0].citations[0].doc_id
    'd'
    """
    if isinstance(record, GroundedAnswer):
        return record
    if isinstance(record, Response):
        return answer_of(record)
    fields = {key: item for key, item in _mapping(record, name).items() if key not in EXPECTATIONS}
    name = record_name(fields, name)
    marked = fields.get("answer") is not None or fields.get("statements") is not None
    if fields.get("claims") is None and marked:
        return _from_markers(fields, name)
    for key in ("evidence", "sources"):
        if isinstance(fields.get(key), Mapping):  # {id: text}, as in a response
            fields[key] = [
                {"id": chunk, **(item if isinstance(item, Mapping) else {"text": item})}
                for chunk, item in fields[key].items()
            ]
    if fields.get("claims", 0) is None:
        del fields["claims"]
    return _with_named_chunks(validated(GroundedAnswer, fields, name))


def _with_named_chunks(answer: GroundedAnswer) -> GroundedAnswer:
    """Give citations that only name a chunk that chunk's place."""
    if not answer.evidence:
        return answer
    chunks = {chunk.chunk_id: chunk for chunk in reversed(answer.evidence)}

    def placed(citation: GroundedCitation) -> GroundedCitation:
        named = citation.chunk_id is not None and citation.model_fields_set <= {"chunk_id"}
        chunk = chunks.get(citation.chunk_id or "") if named else None
        return citation if chunk is None else _citation_of(chunk)

    return answer.model_copy(
        update={
            "claims": tuple(
                claim.model_copy(update={"citations": tuple(map(placed, claim.citations))})
                for claim in answer.claims
            ),
            "citations": tuple(map(placed, answer.citations)),
        }
    )


def _citation_of(chunk: Evidence) -> GroundedCitation:
    return GroundedCitation(
        doc_id=chunk.document,
        chunk_id=chunk.chunk_id,
        page_span=chunk.page_span,
        regions=chunk.regions,
    )


def _from_markers(fields: dict[str, Any], name: str | None) -> GroundedAnswer:
    """Read an answer whose markers name chunks, by way of a response."""
    evidence = fields.pop("evidence", None)
    if evidence is not None:
        if fields.get("sources") is not None:
            raise InputError(
                "both 'evidence' and 'sources' are given.", record=name, fix="keep one."
            )
        fields["sources"] = [
            _source_of(validated(Evidence, item, name, f"evidence.{place}"))
            if isinstance(item, Mapping)
            else item
            for place, item in enumerate(evidence if isinstance(evidence, (list, tuple)) else [])
        ] or evidence
    unknown = {key: fields.pop(key) for key in list(fields) if key not in Response.model_fields}
    if unknown:
        # A slip such as 'citation' is an error, as it is in an answer in claims.
        validated(GroundedAnswer, {k: v for k, v in unknown.items() if k != "citations"}, name)
    extra = validated(GroundedAnswer, {"citations": unknown.pop("citations", None)}, name)
    answer = answer_of(Response.from_record(fields, name), name)
    both = answer.model_copy(update={"citations": (*answer.citations, *extra.citations)})
    return _with_named_chunks(both)


def _source_of(chunk: Evidence) -> Source:
    regions = [region.model_dump(exclude_unset=True) for region in chunk.regions]
    place = {"doc_id": chunk.doc_id, "page_span": chunk.page_span, "regions": regions or None}
    own = {key: item for key, item in place.items() if item is not None}
    return Source(
        id=chunk.chunk_id, text=chunk.text, title=chunk.title, metadata={**chunk.metadata, **own}
    )


def read_record(record: object, name: str | None = None) -> tuple[GroundingCase, GroundedAnswer]:
    """Validate a record that holds both what is expected and the answer.

    Args:
        record: A mapping with the fields of a case and of an answer, or a ``Response``.
        name: What to call the record in an error when it has no id.

    Raises:
        InputError: If a field is malformed.
    """
    if isinstance(record, Response):
        return case_of(record, name), answer_of(record, name)
    fields = _mapping(record, name)
    expected = {key: fields[key] for key in ("id", *EXPECTATIONS) if key in fields}
    known = {*GroundedAnswer.model_fields, *GroundedAnswer.aliases, *Response.model_fields}
    near = {key: item for key, item in fields.items() if key not in known}  # a slip is an error
    return read_case({**near, **expected}, name), read_answer(record, name)


def case_of(response: Response, name: str | None = None) -> GroundingCase:
    """Return what a response's record expects: from fields of these names, or its metadata.

    Args:
        response: The response.
        name: What to call it in an error when it has no id.

    Raises:
        InputError: If an expectation is malformed.
    """
    return validated(GroundingCase, {"id": response.id, **_expected(response)}, response.id or name)


def expects(response: Response) -> bool:
    """Whether a response's record says what its citations should point at."""
    return bool(_expected(response))


def _expected(response: Response) -> dict[str, Any]:
    expected = {}
    for field in EXPECTATIONS:
        value = getattr(response, field, None)
        if value is None:
            value = response.metadata.get(field)
        if value is not None:
            expected[field] = value
    return expected


def answer_of(response: Response, name: str | None = None) -> GroundedAnswer:
    """Return a response as claims and chunks; a citation points where its source lies.

    A source's ``metadata`` may hold ``doc_id``, ``page_span`` and ``regions``; a source without a
    ``doc_id`` is of the document that it is cited with, or else its own. An id that
    names no source stays as it is, without a place.

    Args:
        response: The response; an answer not yet cut is parsed.
        name: What to call it in an error when it has no id.

    Raises:
        InputError: If a source's metadata is malformed.
    """
    response = ready(response)
    record = response.id or name
    # A source that does not say which document it is of belongs to the one it is cited with.
    stated = {c.source_id: c.doc_id for c in response.citations if c.doc_id is not None}
    evidence = tuple(
        validated(
            Evidence,
            {
                "chunk_id": source.id,
                "text": source.text,
                "title": source.title,
                **({"doc_id": stated[source.id]} if source.id in stated else {}),
                **{key: source.metadata[key] for key in _PLACE if key in source.metadata},
            },
            record,
            f"sources.{place}.metadata",
        )
        for place, source in enumerate(response.sources)
    )
    chunks = {chunk.chunk_id: chunk for chunk in evidence}

    def placed(citation: Citation) -> GroundedCitation:
        chunk = chunks.get(citation.source_id)
        found = (
            GroundedCitation(chunk_id=citation.source_id) if chunk is None else _citation_of(chunk)
        )
        own = {key: getattr(citation, key, None) for key in _PLACE}
        given = {key: item for key, item in own.items() if item}
        if given:
            found = validated(GroundedCitation, {**dict(found), **given}, record, "citations")
        return found

    return GroundedAnswer(
        id=response.id,
        question=response.question,
        claims=tuple(
            GroundedClaim(
                text=statement.text,
                citations=tuple(map(placed, statement.citations)),
                needs_citation=statement.needs_citation,
            )
            for statement in response.statements or ()
            if statement.text.strip()
        ),
        citations=tuple(map(placed, response.unattached)),
        evidence=evidence,
    )


def read_pages(value: object) -> dict[str, PageInfo | dict[int, PageInfo]]:
    """Validate what is known of pages.

    Args:
        value: ``{doc_id: {"width": ..., "height": ..., "rotation": ..., "image": ...}}`` for
            documents whose pages are alike, or ``{doc_id: {page number: {...}}}``.

    Raises:
        InputError: If it is malformed.

    >>> read_pages({"d": {"1": {"width": 612, "height": 792}}})["d"][1].height
    792.0
    """
    table: dict[str, PageInfo | dict[int, PageInfo]] = {}
    for doc_id, info in _mapping(value, "pages").items():
        if isinstance(info, PageInfo):
            table[str(doc_id)] = info
            continue
        numbers = [str(key).isdecimal() for key in _mapping(info, f"pages of {doc_id}")]
        if numbers and all(numbers):
            table[str(doc_id)] = {
                int(page): validated(PageInfo, item, "pages", f"{doc_id}.{page}")
                for page, item in info.items()
            }
        else:
            table[str(doc_id)] = validated(PageInfo, info, "pages", str(doc_id))
    return table


def page_info(pages: PageTable, doc_id: str, page: int) -> PageInfo | None:
    """Return what is known of a page."""
    found = pages.get(doc_id)
    return found if found is None or isinstance(found, PageInfo) else found.get(page)
