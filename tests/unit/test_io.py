"""Reading records: formats, other people's names, and what cannot be read."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.io import FieldMap, parse_fields, read_records
from citemeter.models import Response
from citemeter.results import RecordError

RECORD = {"id": "r1", "answer": "Cats purr [1].", "sources": [{"id": "1", "text": "Cats purr."}]}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path | str, **kwargs: Any) -> list[Any]:
    return list(read_records([path], **kwargs))


def test_json_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", json.dumps(RECORD) + "\n\n" + json.dumps(RECORD) + "\r\n")
    assert read(path) == [RECORD, RECORD]


def test_records_without_an_id_are_called_by_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"answer": "Yes."}\n')
    assert read(path) == [{"answer": "Yes.", "id": f"{path}:1"}]


@pytest.mark.parametrize("document", [[RECORD, RECORD], RECORD])
def test_json(tmp_path: Path, document: Any) -> None:
    path = write(tmp_path / "a.json", json.dumps(document, indent=2))
    assert read(path) == (document if isinstance(document, list) else [document])


def test_byte_order_mark_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(("\ufeff" + json.dumps(RECORD)).encode()))
    assert read(path) == [RECORD]


@pytest.mark.parametrize(
    "text", [json.dumps(RECORD) + "\n" + json.dumps(RECORD), json.dumps([RECORD, RECORD], indent=1)]
)
def test_standard_input_is_json_lines_or_json(text: str) -> None:
    assert read("-", stdin=io.StringIO(text)) == [RECORD, RECORD]


def test_csv(tmp_path: Path) -> None:
    rows = [
        "id,answer,sources,gold_source_ids,answerable",
        'r1,"Cats purr, they say [1].","[{""id"": ""1"", ""text"": ""Cats purr.""}]",,true',
        'r2,,"{""a"": ""A.""}","[""a""]",false',
    ]
    first, second = read(write(tmp_path / "a.csv", "\n".join(rows)))
    assert first["answer"] == "Cats purr, they say [1]."
    assert first["answerable"] is True
    assert "gold_source_ids" not in first
    assert (second["answer"], second["gold_source_ids"]) == ("", ["a"])
    assert Response.from_record(second).sources[0].text == "A."


def test_csv_cells_that_are_no_json_and_short_rows_are_errors_of_their_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,answer,sources\nr1,Yes.,{oops\nr2,Yes.\nr3,Yes.,[]\n")
    bad, short, good = read(path)
    assert isinstance(bad, RecordError)
    assert "field 'sources'" in bad.message
    assert f"{path}:2" in bad.message
    assert isinstance(short, RecordError)
    assert "cells" in short.message
    assert good["id"] == "r3"


def test_one_malformed_line_among_many_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [json.dumps(dict(RECORD, id=str(n))) for n in range(10_000)]
    lines[6_789] = '{"answer": "cut off'
    records = read(write(tmp_path / "a.jsonl", "\n".join(lines)))
    errors = [r for r in records if isinstance(r, RecordError)]
    assert len(records) == 10_000
    assert [e.record for e in errors] == [f"{tmp_path / 'a.jsonl'}:6790"]
    assert "malformed input" in errors[0].message
    assert "Fix:" in errors[0].message


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1, 2]", "expected an object, got list"),
        ("[" * 100_000, "malformed"),
        ("NaN", "got float"),
    ],
)
def test_lines_that_are_no_records(tmp_path: Path, line: str, problem: str) -> None:
    (error,) = read(write(tmp_path / "a.jsonl", line))
    assert isinstance(error, RecordError)
    assert problem in error.message


def test_bytes_that_are_no_utf8_fail_in_their_own_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"answer": "caf\xe9", "sources": []}\n{"answer": "ok", "sources": []}\n')
    bad, good = read(path)
    with pytest.raises(InputError, match="surrogate"):
        Response.from_record(bad)
    assert Response.from_record(good).answer == "ok"


@pytest.mark.parametrize("name", ["missing.jsonl", "a.parquet"])
def test_files_that_cannot_be_read_at_all(tmp_path: Path, name: str) -> None:
    write(tmp_path / "a.parquet", "")
    with pytest.raises(InputError, match=r"cannot read|not known"):
        read(tmp_path / name)


class TestFieldMap:
    def test_renames_records_and_sources(self) -> None:
        fields = FieldMap({"answer": "output", "sources": "docs", "sources.text": "body"})
        assert fields.apply({"output": "Yes [1].", "docs": [{"id": "1", "body": "B."}]}) == {
            "answer": "Yes [1].",
            "sources": [{"id": "1", "text": "B."}],
        }

    def test_sources_without_ids_are_numbered_from_1(self) -> None:
        record = FieldMap({"sources": "docs"}).apply({"answer": "", "docs": [{"text": "A."}]})
        assert record["sources"] == [{"id": "1", "text": "A."}]

    def test_unknown_fields_move_into_metadata_or_go(self) -> None:
        record = {"answer": "", "score": 1, "sources": [{"id": "1", "text": "", "rank": 2}]}
        kept = FieldMap(extra="metadata").apply(record)
        assert kept["metadata"] == {"score": 1}
        assert kept["sources"][0]["metadata"] == {"rank": 2}
        dropped = FieldMap(extra="drop").apply(record)
        assert Response.from_record(dropped).metadata == {}
        with pytest.raises(InputError, match="unknown field"):
            Response.from_record(FieldMap().apply(record))

    def test_unknown_names_are_refused(self) -> None:
        with pytest.raises(InputError, match="no field 'anser'"):
            FieldMap({"anser": "output"})
        with pytest.raises(InputError, match=r"no field 'statements\.text'"):
            FieldMap({"statements.text": "x"})

    @pytest.mark.parametrize("option", ["answer", "=output", "answer="])
    def test_malformed_options(self, option: str) -> None:
        with pytest.raises(InputError, match="cannot read"):
            parse_fields([option])
