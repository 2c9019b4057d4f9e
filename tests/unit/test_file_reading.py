"""Reading files of objects, texts and YAML; records from them are in ``test_io``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.files import (
    ExtraFields,
    count_objects,
    kind_of,
    load_yaml,
    read_objects,
    read_text,
    rename_fields,
)


def test_a_text_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfid: a\n")
    assert read_text(path) == "id: a\n"


def test_texts_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot open .*: No such file.* Fix: check the path"):
        read_text(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"is no UTF-8 .* Fix: save it as UTF-8"):
        read_text(tmp_path / "latin.yaml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\na: 2", "the key 'a' is given twice"),
        ("a: {b: 1, b: 2}", "the key 'b' is given twice"),
        ("!!python/name:os.system", "could not determine a constructor"),
        ("a: [1", "malformed YAML"),
        ("[" * 1000, "nested too deeply"),
        ("a: 2024-99-99", "put the value in quotes"),
    ],
)
def test_what_is_no_plain_yaml(text: str, problem: str) -> None:
    pytest.importorskip("yaml")
    with pytest.raises(InputError, match=problem):
        load_yaml(text)


def test_yaml_says_where_it_is_wrong() -> None:
    pytest.importorskip("yaml")
    with pytest.raises(InputError) as caught:
        load_yaml("a: 1\nb: 2\na: 3", "cases.yaml")
    assert caught.value.record == "cases.yaml:3"


def test_merged_keys_may_be_given_again() -> None:
    pytest.importorskip("yaml")
    document = load_yaml("a: &a {x: 1, y: 2}\nb: {<<: *a, x: 3}")
    assert document["b"] == {"x": 3, "y": 2}


def test_lines_are_counted_where_they_tell(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n{}", encoding="utf-8")
    (tmp_path / "b.ndjson").write_text("{}\n", encoding="utf-8")
    assert count_objects([tmp_path / "a.jsonl", tmp_path / "b.ndjson"]) == 3
    assert count_objects([tmp_path / "a.jsonl", tmp_path / "c.json"]) is None


def test_kinds_of_files() -> None:
    assert [kind_of(name) for name in ("a.CSV", "x/a.json.gz", "a")] == [".csv", ".json", ""]


def test_each_object_comes_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n\n[1]\n{"a"\n', encoding="utf-8")
    found = list(read_objects([path]))
    assert [place for place, _ in found] == [f"{path}:1", f"{path}:3", f"{path}:4"]
    assert found[0][1] == {"a": 1}
    assert [isinstance(item, InputError) for _, item in found] == [False, True, True]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("error", {"answer": "Yes.", "n": 1}),
        ("drop", {"answer": "Yes."}),
        ("metadata", {"answer": "Yes.", "metadata": {"n": 1}}),
    ],
)
def test_what_becomes_of_unknown_fields(extra: ExtraFields, expected: dict[str, Any]) -> None:
    record = {"output": "Yes.", "n": 1}
    assert rename_fields(record, {"answer": "output"}, {"answer", "metadata"}, extra) == expected


def test_own_metadata_goes_before_unknown_fields() -> None:
    record = {"n": 1, "metadata": {"n": 2}}
    assert rename_fields(record, {}, {"metadata"}, "metadata") == {"metadata": {"n": 2}}
