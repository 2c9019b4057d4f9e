"""The sources that an answer may cite, prepared once for any number of answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any, TypeAlias

from citemeter.errors import InputError
from citemeter.models import Response, Source
from citemeter.text.markers import index_of

__all__ = ["GivenSources"]

GivenSources: TypeAlias = "Mapping[Any, Any] | Iterable[Any]"
"""``{id: text}``, ``Source`` objects, dicts, plain texts (ids ``"1"``, ``"2"``, …), or a set of
ids alone."""


class PreparedSources:
    """The sources that may be cited, and nothing of any other.

    What may not be cited is dropped before anything looks at it, so no later step can tell a
    source that is kept from the caller from one that does not exist.

    Args:
        sources: The sources.
        allowed: The ids that this caller may see; ``None`` for all of them.
        numbering: Whether numbers are ids (``None``), or count the sources from 0 or 1: the
            sources that remain, in their order.
        question: What was asked.

    Raises:
        InputError: If the sources that remain cannot be used.
    """

    def __init__(
        self,
        sources: GivenSources,
        allowed: Collection[Any] | None,
        numbering: int | None,
        question: str | None = None,
    ) -> None:
        kept = _kept(sources, _ids(allowed))
        self.template = Response.from_record(
            {"answer": "", "sources": kept, "question": question}, "the guardrail's sources"
        )
        given = self.template.sources
        self.by_id = self.template.by_id
        self.without_text = frozenset([s.id for s in given if not s.text.strip()])
        self.has_texts = len(self.without_text) < len(given)
        self.index = index_of(given, numbering)

    def response(self, answer: str) -> Response:
        """Return the response of an answer to these sources, not yet cut into statements."""
        try:
            answer.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"lone surrogate at offset {error.start}.",
                field="answer",
                fix="decode the answer as UTF-8, whole characters at a time.",
            ) from None
        return self.template.model_copy(update={"answer": answer})  # with its table of sources


def _ids(allowed: Collection[Any] | None) -> frozenset[str] | None:
    if allowed is None:
        return None
    if isinstance(allowed, (str, bytes)) or not isinstance(allowed, Iterable):
        raise InputError(
            f"allowed is {type(allowed).__name__}.", fix="give a set of source ids, or None."
        )
    return frozenset([_id(item) for item in allowed])


def _id(value: Any) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _kept(sources: Any, allowed: frozenset[str] | None) -> list[Any]:
    """Return the sources that may be cited, as records; the others are not even validated."""
    if isinstance(sources, (str, bytes)) or not isinstance(sources, Iterable):
        raise InputError(
            f"sources is {type(sources).__name__}.",
            fix="give {id: text}, a list of sources, or a set of ids.",
        )
    if isinstance(sources, Mapping):
        pairs: list[tuple[Any, Any]] = list(sources.items())
    elif isinstance(sources, Set):
        pairs = sorted(((item, None) for item in sources), key=lambda pair: str(pair[0]))
    else:
        pairs = [
            (item.get("id") if isinstance(item, Mapping) else getattr(item, "id", str(n)), item)
            for n, item in enumerate(sources, start=1)
        ]
    if allowed is not None:
        pairs = [pair for pair in pairs if _id(pair[0]) in allowed]
    return [_record(source_id, item) for source_id, item in pairs]


def _record(source_id: Any, item: Any) -> Any:
    if isinstance(item, Source):
        return item
    if isinstance(item, Mapping):
        return {"id": source_id, "text": "", **item}
    return {"id": source_id, "text": "" if item is None else item}
