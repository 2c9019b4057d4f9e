"""Records in: JSON Lines, JSON and CSV files, other people's column names, one error a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from citemeter.errors import InputError
from citemeter.files import ExtraFields, PlacedRecord, read_objects, rename_fields
from citemeter.intake import read_each
from citemeter.models import Model, Response, Source
from citemeter.results import RecordError

__all__ = ["ExtraFields", "FieldMap", "PlacedRecord", "parse_fields", "read_records"]

_MODELS: dict[str, type[Model]] = {"": Response, "sources": Source}
_NESTED_COLUMNS = ("statements", "sources", "gold_source_ids", "metadata")
"""Columns of a CSV file that hold JSON."""


class FieldMap:
    """Other people's names for citemeter's fields.

    Args:
        names: ``{"answer": "output", "sources": "docs", "sources.text": "body"}``: citemeter's
            field on the left, the file's on the right; ``sources.`` names a field of each source.
        extra: What becomes of the fields that are left over.

    Raises:
        InputError: If a name on the left is no field.

    >>> FieldMap({"answer": "output"}).apply({"output": "Yes.", "docs": ["..."]})
    {'docs': ['...'], 'answer': 'Yes.'}
    """

    def __init__(
        self, names: Mapping[str, str] | None = None, extra: ExtraFields = "error"
    ) -> None:
        self.extra = extra
        self.record_names: dict[str, str] = {}
        self.source_names: dict[str, str] = {}
        for ours, theirs in (names or {}).items():
            prefix, _, field = ours.rpartition(".")
            model = _MODELS.get(prefix)
            if model is None or field not in model.model_fields:
                known = [*Response.model_fields, *(f"sources.{f}" for f in Source.model_fields)]
                raise InputError(
                    f"there is no field {ours!r}.",
                    field=ours,
                    fix=f"the left side of a mapping is one of {', '.join(known)}.",
                )
            (self.source_names if prefix else self.record_names)[field] = theirs

    def apply(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record under citemeter's names."""
        mapped = rename_fields(record, self.record_names, set(Response.model_fields), self.extra)
        sources = mapped.get("sources")
        if isinstance(sources, list):
            mapped["sources"] = [
                rename_fields(source, self.source_names, set(Source.model_fields), self.extra)
                if isinstance(source, Mapping)
                else source
                for source in sources
            ]
            if all(isinstance(s, Mapping) and "id" not in s for s in mapped["sources"]):
                mapped["sources"] = [
                    {"id": str(number), **source}
                    for number, source in enumerate(mapped["sources"], start=1)
                ]
        return mapped


def read_records(
    paths: Iterable[str | Path],
    fields: FieldMap | None = None,
    *,
    stdin: TextIO | None = None,
) -> Iterator[PlacedRecord | RecordError]:
    """Read records from files, one at a time where the format allows it.

    Args:
        paths: Files ending in ``.jsonl``, ``.ndjson``, ``.json`` or ``.csv``, also gzipped
            (``.gz``); ``-`` is standard input, JSON Lines or JSON.
        fields: Other names for the fields, and what becomes of unknown ones.
        stdin: What ``-`` stands for; ``sys.stdin`` by default.

    Returns:
        Plain records, and a ``RecordError`` for each that cannot be read, with file and line.

    Raises:
        InputError: If a file cannot be opened, or its format is not known.
    """
    apply = (fields or FieldMap()).apply
    return read_each(
        read_objects(paths, stdin=stdin, nested=_NESTED_COLUMNS),
        lambda record, place: PlacedRecord({"id": place, **apply(record)}, place),
    )


def parse_fields(options: Sequence[str]) -> dict[str, str]:
    """Read ``ours=theirs`` options of the command line.

    Raises:
        InputError: If an option has another form.

    >>> parse_fields(["answer=output", "sources=docs"])
    {'answer': 'output', 'sources': 'docs'}
    """
    names: dict[str, str] = {}
    for option in options:
        ours, equals, theirs = option.partition("=")
        if not (ours and equals and theirs):
            raise InputError(
                f"cannot read the field mapping {option!r}.", fix="write it as answer=output."
            )
        names[ours.strip()] = theirs.strip()
    return names
