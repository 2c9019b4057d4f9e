"""Objects from files: JSON Lines, JSON and CSV, gzipped or not, one error a record; and YAML."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TextIO

from citemeter.errors import InputError

__all__ = ["ExtraFields", "PlacedRecord"]

ExtraFields = Literal["error", "metadata", "drop"]
"""What becomes of fields that citemeter does not know."""

TABLES = (".csv", ".tsv")
"""Files whose cells are all text."""

_LINES = (".jsonl", ".ndjson")


class PlacedRecord(dict[str, Any]):
    """A plain record that knows which file and line it comes from."""

    def __init__(self, record: Mapping[str, Any], place: str) -> None:
        super().__init__(record)
        self.place = place


def rename_fields(
    record: Mapping[str, Any], names: Mapping[str, str], known: Container[str], extra: ExtraFields
) -> dict[str, Any]:
    """Return a record under citemeter's names.

    Args:
        record: The record.
        names: Citemeter's field to the record's.
        known: The fields that citemeter knows.
        extra: What becomes of the others.

    >>> rename_fields({"output": "Yes.", "n": 1}, {"answer": "output"}, {"answer"}, "metadata")
    {'answer': 'Yes.', 'metadata': {'n': 1}}
    """
    taken = set(names.values())
    result = {key: value for key, value in record.items() if key not in taken}
    result.update({ours: record[theirs] for ours, theirs in names.items() if theirs in record})
    if extra != "error":
        left = {key: result.pop(key) for key in list(result) if key not in known}
        if left and extra == "metadata":
            own = result.get("metadata")
            result["metadata"] = {**left, **(own if isinstance(own, Mapping) else {})}
    return result


def read_objects(
    paths: Iterable[str | Path], *, stdin: TextIO | None = None, nested: Sequence[str] | None = ()
) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the objects in files, each with its file and line; one at a time where that can be.

    Args:
        paths: Files ending in ``.jsonl``, ``.ndjson``, ``.json``, ``.csv`` or ``.tsv``, also
            gzipped (``.gz``); ``-`` is standard input, JSON Lines or JSON.
        stdin: What ``-`` stands for; ``sys.stdin`` by default.
        nested: The columns of a table whose cells must be JSON; those of others may be, and an
            empty cell is no field. ``None`` leaves every cell as it is.

    Yields:
        The place and the object, or what is wrong with it.

    Raises:
        InputError: If a file cannot be read, or its format is not known.
    """
    for path in paths:
        name = "stdin" if str(path) == "-" else str(path)
        try:
            with _opened(path, stdin) as file:
                for place, record in _records(file, name, nested):
                    if isinstance(record, InputError):
                        yield place, record.at(place)
                    elif not isinstance(record, Mapping):
                        error = InputError(
                            f"expected an object, got {type(record).__name__}.",
                            record=place,
                            fix="give one JSON object a record.",
                        )
                        yield place, error
                    else:
                        yield place, record
        except (OSError, EOFError, zlib.error) as error:  # a folder, a broken .gz
            detail = getattr(error, "strerror", None) or error
            raise InputError(f"cannot read {name}: {detail}.", fix="check the path.") from None


def read_text(path: str | Path) -> str:
    """Return the text of a small file.

    Raises:
        InputError: If it cannot be opened, or is no UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"cannot open {path}: {error.strerror or error}.", fix="check the path."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no UTF-8 ({error}).", fix="save it as UTF-8.") from None


def kind_of(name: str | Path) -> str:
    """Return the suffix that says a file's format, such as ``.jsonl``.

    >>> kind_of("answers.JSONL.gz")
    '.jsonl'
    """
    return Path(Path(name).name.lower().removesuffix(".gz")).suffix


def count_objects(paths: Iterable[str | Path]) -> int | None:
    """Return how many objects files hold if their lines tell, otherwise ``None``.

    Blank lines are counted too: the number is for showing progress.
    """
    total = 0
    for path in paths:
        file = Path(path)
        if file.suffix.lower() not in _LINES or not file.is_file():
            return None
        last = b"\n"
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                total += block.count(b"\n")
                last = block
        total += not last.endswith(b"\n")
    return total


def _opened(path: str | Path, stdin: TextIO | None) -> TextIO:
    stream = stdin or sys.stdin
    binary = getattr(stream, "buffer", None) if str(path) == "-" else _binary(path)
    if binary is None:
        return stream
    # Bytes that are no UTF-8 become lone surrogates, which validation refuses by record. Lines end
    # as editors count them, at a line feed and not at a lone carriage return, but in tables.
    ends = "" if kind_of(path) in TABLES else "\n"
    return io.TextIOWrapper(binary, "utf-8-sig", "surrogateescape", newline=ends)


def _binary(path: str | Path) -> Any:
    return gzip.open(path) if str(path).lower().endswith(".gz") else open(path, "rb")


def _records(file: TextIO, name: str, nested: Sequence[str] | None) -> Iterator[tuple[str, Any]]:
    kind = kind_of(name)
    if kind in TABLES:
        yield from _table(file, name, nested, "\t" if kind == ".tsv" else ",")
    elif kind == ".json" or (kind == "" and name == "stdin"):
        yield from _json(file, name)
    elif kind in _LINES:
        yield from _lines(file, name)
    else:
        raise InputError(
            f"{name}: the format of {kind or 'this name'} is not known.",
            fix="name the file .jsonl, .json, .csv or .tsv, or pipe it in as '-'.",
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


def _table(
    file: TextIO, name: str, nested: Sequence[str] | None, delimiter: str
) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(1 << 30)
    reader = csv.DictReader(file, strict=True, delimiter=delimiter)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield f"{name}:{reader.reader.line_num}", _malformed(error)
            continue
        if row is None:
            return
        place = f"{name}:{reader.line_num}"
        if None in row or None in row.values():
            yield (
                place,
                InputError(
                    "the row has not as many cells as the header.", fix="quote cells with commas."
                ),
            )
            continue
        yield place, row if nested is None else _cells(row, nested)


def _cells(row: Mapping[str, str], nested: Sequence[str]) -> dict[str, Any] | InputError:
    """Read the cells that hold lists, numbers and truth values; an empty cell is no field."""
    record: dict[str, Any] = {}
    for column, cell in row.items():
        if cell == "" and column != "answer":
            continue
        if column in nested or (column != "answer" and cell[:1] in "[{"):
            try:
                record[column] = json.loads(cell)
            except ValueError as error:
                if column in nested:
                    return InputError(
                        f"the cell is no JSON ({error}).",
                        field=column,
                        fix="write lists and objects as JSON.",
                    )
                record[column] = cell
        elif column == "answerable":
            record[column] = {"true": True, "false": False}.get(cell.strip().lower(), cell)
        else:
            record[column] = cell
    return record


def _malformed(error: Exception) -> InputError:
    detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
    return InputError(f"malformed input ({detail}).", fix="write one valid record here.")


def load_yaml(text: str, name: str = "the text") -> Any:
    """Return what a YAML document holds: plain values only; a key given twice is an error.

    Args:
        text: The document.
        name: What to call it in an error.

    Raises:
        InputError: If it is no YAML, holds tags for other objects, or repeats a key.
        ImportError: If PyYAML is not installed; the message says how to install it.
    """
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise ImportError("reading YAML needs PyYAML: pip install 'citemeter[yaml]'") from error

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """The safe loader, without the silent loss of a key's first value."""

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            seen: set[Hashable] = set()
            for key_node, _ in getattr(node, "value", ()):
                if key_node.tag == "tag:yaml.org,2002:merge":
                    continue
                key = self.construct_object(key_node, deep=True)
                if isinstance(key, Hashable) and key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {str(key)[:80]!r} is given twice", key_node.start_mark
                    )
                if isinstance(key, Hashable):
                    seen.add(key)
            found: dict[Hashable, Any] = super().construct_mapping(node, deep)
            return found

    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{name}:{mark.line + 1}" if mark is not None else name
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(
            f"malformed YAML ({problem}).", record=place, fix="write plain YAML."
        ) from None
    except RecursionError:
        raise InputError(
            "malformed YAML (nested too deeply).", record=name, fix="write plain YAML."
        ) from None
    except ValueError as error:  # as of a date that no calendar has
        raise InputError(
            f"malformed YAML ({error}).", record=name, fix="put the value in quotes."
        ) from None
