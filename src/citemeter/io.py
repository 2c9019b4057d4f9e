"""Records in: JSON Lines, JSON and CSV files, other people's column names, one error a record."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TextIO

from citemeter.errors import InputError
from citemeter.models import Model, Response, Source
from citemeter.results import RecordError

__all__ = ["ExtraFields", "FieldMap", "PlacedRecord", "parse_fields", "read_records"]

ExtraFields = Literal["error", "metadata", "drop"]
"""What becomes of fields that citemeter does not know."""

_MODELS: dict[str, type[Model]] = {"": Response, "sources": Source}
_NESTED_COLUMNS = ("statements", "sources", "gold_source_ids", "metadata")


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
                    mend=f"the left side of a mapping is one of {', '.join(known)}.",
                )
            (self.source_names if prefix else self.record_names)[field] = theirs

    def apply(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record under citemeter's names."""
        mapped = _rename(record, self.record_names, set(Response.model_fields), self.extra)
        sources = mapped.get("sources")
        if isinstance(sources, list):
            mapped["sources"] = [
                _rename(source, self.source_names, set(Source.model_fields), self.extra)
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


def _rename(
    record: Mapping[str, Any], names: Mapping[str, str], known: set[str], extra: ExtraFields
) -> dict[str, Any]:
    taken = set(names.values())
    result = {key: value for key, value in record.items() if key not in taken}
    for ours, theirs in names.items():
        if theirs in record:
            result[ours] = record[theirs]
    if extra != "error":
        left = {key: result.pop(key) for key in list(result) if key not in known}
        if left and extra == "metadata":
            own = result.get("metadata")
            result["metadata"] = {**left, **(own if isinstance(own, Mapping) else {})}
    return result


class PlacedRecord(dict[str, Any]):
    """A plain record that knows which file and line it comes from."""

    def __init__(self, record: Mapping[str, Any], place: str) -> None:
        super().__init__(record)
        self.place = place


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

    Yields:
        Plain records, and a ``RecordError`` for each that cannot be read, with file and line.

    Raises:
        InputError: If a file cannot be opened, or its format is not known.
    """
    fields = fields or FieldMap()
    for path in paths:
        name = "stdin" if str(path) == "-" else str(path)
        with _opened(path, stdin) as file:
            for place, record in _records(file, name):
                if isinstance(record, InputError):
                    yield RecordError(index=0, record=place, message=str(record.at(place)))
                elif not isinstance(record, Mapping):
                    error = InputError(
                        f"expected an object, got {type(record).__name__}.",
                        record=place,
                        mend="give one JSON object a record.",
                    )
                    yield RecordError(index=0, record=place, message=str(error))
                else:
                    yield PlacedRecord({"id": place, **fields.apply(record)}, place)


def _opened(path: str | Path, stdin: TextIO | None) -> TextIO:
    if str(path) == "-":
        stream = stdin or sys.stdin
        binary = getattr(stream, "buffer", None)
        if binary is None:
            return stream
        return io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape")
    try:
        # Bytes that are no UTF-8 become lone surrogates, which validation refuses by record.
        if str(path).endswith(".gz"):
            return gzip.open(path, "rt", encoding="utf-8-sig", errors="surrogateescape")
        return open(path, encoding="utf-8-sig", errors="surrogateescape", newline="")
    except OSError as error:
        raise InputError(
            f"cannot open {path}: {error.strerror or error}.", mend="check the path."
        ) from None


def _records(file: TextIO, name: str) -> Iterator[tuple[str, Any]]:
    kind = Path(name.removesuffix(".gz")).suffix.lower()
    if kind == ".csv":
        yield from _csv(file, name)
    elif kind == ".json" or (kind == "" and name == "stdin"):
        yield from _json(file, name)
    elif kind in (".jsonl", ".ndjson"):
        yield from _lines(file, name)
    else:
        raise InputError(
            f"{name}: the format of {kind or 'this name'} is not known.",
            mend="name the file .jsonl, .json or .csv, or pipe it in as '-'.",
        )


def _lines(file: Iterable[str], name: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            place = f"{name}:{number}"
            try:
                yield place, json.loads(line)
            except (ValueError, RecursionError) as error:
                yield place, _malformed(error)


def _json(file: TextIO, name: str) -> Iterator[tuple[str, Any]]:
    """Read one JSON document, a list of records or a single one; or JSON Lines, as they come."""
    first = file.readline()
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        text = first + file.read()
    else:
        second = file.readline()
        if second.strip():
            yield from _lines(chain([first, second], file), name)
            return
        text = first + second + file.read()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        if first[:1] == "{" and first.rstrip()[-1:] == "}":
            yield from _lines(text.splitlines(keepends=True), name)
        elif text.strip():
            yield name, _malformed(error)
        return
    if isinstance(document, list):
        for number, record in enumerate(document, start=1):
            yield f"{name}#{number}", record
    else:
        yield name, document


def _csv(file: TextIO, name: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(1 << 30)
    reader = csv.DictReader(file, strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield f"{name}:{reader.line_num}", _malformed(error)
            continue
        if row is None:
            return
        place = f"{name}:{reader.line_num}"
        if None in row or None in row.values():
            yield (
                place,
                InputError(
                    "the row has not as many cells as the header.", mend="quote cells with commas."
                ),
            )
            continue
        yield place, _cells(row)


def _cells(row: Mapping[str, str]) -> dict[str, Any] | InputError:
    """Read the cells that hold lists, numbers and truth values; an empty cell is no field."""
    record: dict[str, Any] = {}
    for column, cell in row.items():
        if cell == "" and column != "answer":
            continue
        if column in _NESTED_COLUMNS or (column != "answer" and cell[:1] in "[{"):
            try:
                record[column] = json.loads(cell)
            except ValueError as error:
                if column in _NESTED_COLUMNS:
                    return InputError(
                        f"the cell is no JSON ({error}).",
                        field=column,
                        mend="write lists and objects as JSON.",
                    )
                record[column] = cell
        elif column == "answerable":
            record[column] = {"true": True, "false": False}.get(cell.strip().lower(), cell)
        else:
            record[column] = cell
    return record


def _malformed(error: Exception) -> InputError:
    detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return InputError(f"malformed input ({detail}).", mend="write one valid record here.")


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
                f"cannot read the field mapping {option!r}.", mend="write it as answer=output."
            )
        names[ours.strip()] = theirs.strip()
    return names
