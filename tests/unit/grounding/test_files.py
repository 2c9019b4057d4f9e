"""Cases and answers from files."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.grounding import (
    GroundingCase,
    join_cases,
    read_answers,
    read_cases,
)
from citemeter.models import Response
from citemeter.results import RecordError

PAGES = [{"doc_id": "d", "pages": [1, 2]}]
CASES: list[dict[str, Any]] = [
    {"id": "one", "query": "?", "expected_citation_pages": PAGES},
    {"id": "two"},
]
YAML = """\
- id: one
  query: "?"
  expected_citation_pages:
    - {doc_id: d, pages: [1, 2]}
- case_id: two
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


FORMS = {
    "list.json": json.dumps(CASES),
    "cases.json": json.dumps({"version": 1, "cases": CASES}, indent=1),
    "lines.jsonl": "\n".join(map(json.dumps, CASES)),
    "list.yaml": YAML,
    "cases.yml": "version: 1\ncases:\n" + "".join(f"  {line}\n" for line in YAML.splitlines()),
}


@pytest.mark.parametrize("name", list(FORMS))
def test_forms(tmp_path: Path, name: str) -> None:
    if name.endswith(("yaml", "yml")):
        pytest.importorskip("yaml")
    cases = list(read_cases([write(tmp_path, name, FORMS[name])]))
    assert [case.id for case in cases if isinstance(case, GroundingCase)] == ["one", "two"]
    first = cases[0]
    assert isinstance(first, GroundingCase)
    assert first.expected_citation_pages is not None
    assert first.expected_citation_pages[0].pages == (1, 2)
    assert first.metadata == {"query": "?"}


def test_a_single_case(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    paths = [
        write(tmp_path, "one.yaml", "id: one\nitems: [1]\n"),
        write(tmp_path, "one.json", '{"id": "one", "items": [1]}'),
        write(tmp_path, "none.yaml", "# nothing\n"),
    ]
    cases = list(read_cases(paths))
    assert [case.id for case in cases if isinstance(case, GroundingCase)] == ["one", "one"]


BAD_YAML = {
    "a tag for an object": ("!!python/object/apply:os.system [echo]", "could not determine"),
    "a key given twice": ("- id: a\n  id: b\n", "given twice"),
    "no YAML": ("- [1, 2\n- }", "malformed YAML"),
    "a date that is none": ("- id: 2024-99-99\n", "quotes"),
    "nested too deeply": ("[" * 1000, "too deeply"),
    "words": ("just words", "expected an object, got str"),
    "a list of words": ("- a\n- b", "expected an object, got str"),
}


@pytest.mark.parametrize("name", list(BAD_YAML))
def test_bad_yaml_is_an_error_of_its_own(tmp_path: Path, name: str) -> None:
    pytest.importorskip("yaml")
    text, problem = BAD_YAML[name]
    error = next(iter(read_cases([write(tmp_path, "bad.yaml", text)])))
    assert isinstance(error, RecordError)
    assert problem in error.message
    assert "bad.yaml" in error.record
    assert "Fix" in error.message


def test_aliases_cannot_blow_up(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    text = "\n".join([*lines, "id: bomb", "expected_citation_pages: *a11"])
    [error] = read_cases([write(tmp_path, "bomb.yaml", text)])
    assert isinstance(error, RecordError)
    assert len(error.message) < 1000


def test_what_yaml_reads_as_something_else_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    text = "- id: a\n  expected_claim_citations: [{target: No}]\n- id: 2024-05-01\n"
    errors = list(read_cases([write(tmp_path, "slips.yaml", text)]))
    messages = [error.message for error in errors if isinstance(error, RecordError)]
    assert len(messages) == 2
    assert all("quotes" in message for message in messages)


def test_one_bad_case_does_not_lose_the_others(tmp_path: Path) -> None:
    cases: list[Any] = [
        CASES[0],
        {"id": "x", "expected_citation_pages": [{"pages": [1]}]},
        CASES[1],
    ]
    found = list(read_cases([write(tmp_path, "some.json", json.dumps(cases))]))
    assert [type(case) for case in found] == [GroundingCase, RecordError, GroundingCase]
    assert isinstance(found[1], RecordError)
    assert "record 'x', field 'expected_citation_pages.0.doc_id'" not in found[1].message
    assert "expected_citation_pages.0.doc_id" in found[1].message
    assert found[1].index == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot (open|read)"):
        list(read_cases([tmp_path / "absent.yaml"]))
    with pytest.raises(InputError, match=r"cannot (open|read)"):
        list(read_cases([tmp_path / "absent.json"]))
    with pytest.raises(InputError, match="format"):
        list(read_cases([write(tmp_path, "cases.toml", "")]))
    (tmp_path / "latin.yaml").write_bytes(b"id: caf\xe9")
    with pytest.raises(InputError, match="no UTF-8"):
        list(read_cases([tmp_path / "latin.yaml"]))


def test_without_pyyaml_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.import_module

    def absent(name: str, package: str | None = None) -> Any:
        if name == "yaml":
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("citemeter.files.import_module", absent)
    with pytest.raises(ImportError, match=r"pip install 'citemeter\[yaml\]'"):
        list(read_cases([write(tmp_path, "cases.yaml", YAML)]))
    assert len(list(read_cases([write(tmp_path, "cases.json", json.dumps(CASES))]))) == 2


def test_answers(tmp_path: Path) -> None:
    records = [
        {"id": "one", "citations": [{"doc_id": "d", "page_span": [1, 1]}]},
        {"id": "two", "answer": "Cats purr [c].", "sources": {"c": "Cats purr."}},
        {"id": "bad", "citations": 7},
    ]
    path = write(tmp_path, "answers.jsonl", "\n".join(map(json.dumps, records)))
    first, second, bad = read_answers([path])
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert (second.statements or ())[0].citations[0].source_id == "c"
    assert isinstance(bad, RecordError)
    assert "citations" in bad.message


def test_joining_names_what_is_left_over() -> None:
    cases = [GroundingCase(id=name) for name in "abc"]
    answers = [Response(statements=(), id=name) for name in "bcd"]
    joined = join_cases(cases, answers)
    assert [(case.id, answer.id) for case, answer in joined.pairs] == [("b", "b"), ("c", "c")]
    assert joined.without_answer == ("a",)
    assert joined.without_case == ("d",)


def test_joining_needs_ids_of_their_own() -> None:
    with pytest.raises(InputError, match="case number 0 has no id"):
        join_cases([GroundingCase()], [])
    with pytest.raises(InputError, match="two answers have this id"):
        join_cases([], [Response(statements=(), id="a"), Response(statements=(), id="a")])
