"""From plain records to responses and what is expected of their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from citemeter.errors import InputError
from citemeter.fields import sorted_fields
from citemeter.grounding.cited import SourcePlace, source_places
from citemeter.grounding.models import GroundingCase, PageInfo
from citemeter.metrics.base import ready
from citemeter.models import EXPECTATIONS, Citation, Response, Source, Statement
from citemeter.validation import record_name, validated

__all__ = ["PageTable", "case_of", "read_answer", "read_case", "read_pages", "read_record"]

PageTable: TypeAlias = Mapping[str, PageInfo | Mapping[int, PageInfo]]
"""What is known of pages: by document, for all its pages at once or by page number."""

_FIELDS = {"claims": "statements", "citations": "unattached", "evidence": "sources"}
"""The names of a record in claims, and what a response calls them."""

_CITATION = ("chunk_id", *Citation.model_fields, "metadata")
_CLAIM = (*Statement.model_fields, "metadata")
_SOURCE = (*Source.model_fields, *SourcePlace.model_fields)


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
    if isinstance(record, GroundingCase):
        return record
    fields = _mapping(record, name)
    return validated(GroundingCase, fields, record_name(fields, name))


def read_answer(record: object, name: str | None = None) -> Response:
    """Validate an answer: in claims whose citations say where they point, or with markers.

    What is expected of its citations is left aside; see ``read_record``.

    Args:
        record: A ``Response``; or a mapping with the fields of one, which may be called ``claims``
            (of ``text`` and ``citations``), ``citations`` (of the answer as a whole) and
            ``evidence``. A citation is a source's id, or ``chunk_id``, ``doc_id``, ``page_span``
            and ``regions``, as far as they are known; so is the place of a piece of evidence.
            Other fields go into the metadata of the response and of the evidence; those of claims
            and of citations are left out.
        name: What to call the record in an error when it has no id.

    Returns:
        The response, cut into statements.

    Raises:
        InputError: If a field is malformed.

    >>> answer = read_answer({
    ...     "claims": [{"text": "Cats purr.", "citations": [{"doc_id": "d", "page_span": 3}]}],
    ... })
    >>> answer.statements[0].citations[0].page_span
    (3, 3)
    """
    if isinstance(record, Response):
        return ready(record)
    fields = _mapping(record, name)
    name = record_name(fields, name)
    try:
        return _response({k: item for k, item in fields.items() if k not in EXPECTATIONS}, name)
    except InputError as error:
        raise own_names(error.at(name), fields) from None


def own_names(error: InputError, record: object) -> InputError:
    """Return an error under the names that the record itself has for its fields."""
    first, dot, rest = (error.field or "").partition(".")
    if isinstance(record, Mapping) and first not in record:
        first = next((k for k, ours in _FIELDS.items() if ours == first and k in record), first)
    field = f"{first}{dot}{rest}" or None
    return InputError(error.problem, record=error.record, field=field, fix=error.fix)


def _response(given: Mapping[str, Any], name: str | None) -> Response:
    fields, rest = _sorted(given, (*Response.model_fields, *_FIELDS), None)
    for key in ("sources", *_FIELDS):
        if fields.get(key, 0) is None:
            del fields[key]
    for theirs, ours in _FIELDS.items():
        if theirs in fields and fields.get(ours) is not None:
            raise InputError(f"both {theirs!r} and {ours!r} are given.", fix="keep one of them.")
    if rest and isinstance(own := fields.get("metadata", {}), Mapping):
        fields["metadata"] = {**rest, **own}
    if isinstance(claims := fields.get("claims"), (list, tuple)):
        fields["claims"] = [_claim(item, f"claims.{n}") for n, item in enumerate(claims)]
    if "citations" in fields:
        fields["citations"] = _citations(fields["citations"], "citations")
    for key in fields.keys() & {"evidence", "sources"}:
        fields[key] = _evidence(fields[key], key)
    fields = {_FIELDS.get(key, key): item for key, item in fields.items()}
    if fields.get("answer") is None and fields.get("statements") is None:
        fields["statements"] = ()
    response = Response.from_record(fields, name)
    source_places(response, name)  # what is malformed is said at once
    if response.statements is not None:
        return response
    parsed = ready(response)
    both = (*parsed.unattached, *response.unattached)
    return parsed.model_copy(update={"unattached": both})


def _sorted(
    item: Mapping[Any, Any], known: Sequence[str], place: str | None, **aliases: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        return sorted_fields(item, known, aliases)
    except InputError as error:
        raise error.at(None, place) from None


def _claim(item: Any, place: str) -> Any:
    if isinstance(item, (list, tuple)) and len(item) == 2:
        item = {"text": item[0], "citations": item[1]}
    if not isinstance(item, Mapping):
        return item
    fields, _ = _sorted(item, _CLAIM, place, claim="text")
    fields.pop("metadata", None)
    if isinstance(fields.get("text"), str) and not fields["text"].strip():
        fix = "give its words, or leave it out."
        raise InputError("the claim is blank.", field=f"{place}.text", fix=fix)
    fields["citations"] = _citations(fields.get("citations", ()), f"{place}.citations")
    return fields


def _citations(citations: Any, place: str) -> Any:
    if not isinstance(citations, (list, tuple)):
        return () if citations is None else citations
    found: list[Any] = []
    for number, item in enumerate(citations):
        if isinstance(item, Mapping):
            fields, _ = _sorted(item, _CITATION, f"{place}.{number}")
            fields.pop("metadata", None)
            fields = {key: value for key, value in fields.items() if value is not None}
            named = fields.keys() & {"source_id", "chunk_id", "doc_id"}
            found.append(fields if named else {"source_id": "", **fields})
        else:
            found.append(item if isinstance(item, Citation) else {"source_id": item})
    return found


def _evidence(evidence: Any, key: str) -> Any:
    """Return pieces of evidence as sources, whose metadata says where they lie.

    A chunk's id may stand for chunks of several documents; then those after the first are called
    ``id@document``.
    """
    if isinstance(evidence, Mapping):
        evidence = [
            {"id": chunk, **(item if isinstance(item, Mapping) else {"text": item})}
            for chunk, item in evidence.items()
        ]
    if not isinstance(evidence, (list, tuple)):
        return evidence
    sources: list[Any] = []
    documents: dict[Any, Any] = {}  # of the first chunk of an id
    for number, item in enumerate(evidence):
        if not isinstance(item, Mapping):
            sources.append(item)
            continue
        place = f"{key}.{number}"
        fields, rest = _sorted(item, _SOURCE, place, chunk_id="id")
        given = {key: fields.pop(key, None) for key in SourcePlace.model_fields}
        own = {key: value for key, value in given.items() if value is not None}
        validated(SourcePlace, own, None, place)
        metadata = fields.get("metadata")
        fields["metadata"] = {**rest, **(metadata if isinstance(metadata, Mapping) else {}), **own}
        chunk = fields.get("id")
        document = fields["metadata"].get("doc_id", chunk)
        if documents.setdefault(str(chunk), document) != document:
            fields["id"] = f"{chunk}@{document}"
        sources.append(fields)
    return sources


def read_record(record: object, name: str | None = None) -> tuple[GroundingCase, Response]:
    """Validate a record that holds both what is expected and the answer.

    Args:
        record: A mapping with the fields of a case and of an answer, or a ``Response``.
        name: What to call the record in an error when it has no id.

    Raises:
        InputError: If a field is malformed.
    """
    if isinstance(record, Response):
        return case_of(record, name), read_answer(record)
    fields = _mapping(record, name)
    expected = {key: fields[key] for key in ("id", *EXPECTATIONS) if key in fields}
    return read_case(expected, name), read_answer(record, name)


def case_of(response: Response, name: str | None = None) -> GroundingCase:
    """Return what a response's record expects: from fields of these names, or its metadata.

    Args:
        response: The response.
        name: What to call it in an error when it has no id.

    Raises:
        InputError: If an expectation is malformed.
    """
    expected = {"id": response.id, **response.expectations}
    return validated(GroundingCase, expected, response.id or name)


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
