"""Contracts from files and plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.contract import RULES, Instruction, check_contract, max_words, read_contract
from citemeter.errors import InputError

EVERY_RULE: list[dict[str, Any]] = [
    {"id": "I1", "rule": "max_words", "n": 150, "unless": {"detail": True}},
    {"id": "I2", "rule": "every_claim_cited"},
    {"id": "I3", "rule": "marker_syntax", "syntax": "[doc:<id>]", "description": "Cite as …"},
    {"id": "I4", "rule": "marker_syntax", "pattern": r"\[doc:(?P<id>[^\]]+)\]"},
    {"id": "I5", "rule": "marker_syntax", "pattern": r"\[DOC:([^\]]+)\]", "flags": 2},
    {"id": "I6", "rule": "ids_exist"},
    {"id": "I7", "rule": "max_citations_per_statement", "n": 2},
    {"id": "I8", "rule": "sources_section", "title": "Sources"},
    {"id": "I9", "rule": "sources_section", "title": None, "equal": False},
    {"id": "I10", "rule": "no_citation_in_refusals"},
    {"id": "I11", "rule": "max_quote_words", "n": 25, "when": {"lang": ["en", "de"]}},
    {"id": "I12", "rule": "must_include", "terms": ["HR"]},
    {"id": "I13", "rule": "must_avoid", "terms": ["Project Falcon", "BLUEJAY"]},
    {"id": "I14", "rule": "min_bullets", "n": 1},
    {"id": "I15", "rule": "has_section", "title": "Sources"},
    {"id": "I16", "rule": "no_emoji"},
]
ANSWER = "- HR grants 25 days [doc:hr-12].\n\nSources:\n- [doc:hr-12]"


def test_every_rule_can_be_named_and_comes_back_as_it_was() -> None:
    assert {entry["rule"] for entry in EVERY_RULE} == set(RULES)
    contract = read_contract(EVERY_RULE)
    assert contract.as_config() == EVERY_RULE
    assert read_contract(contract.as_config()).as_config() == EVERY_RULE
    assert read_contract(contract) is contract


def test_the_rules_work() -> None:
    record = {"answer": ANSWER, "sources": {"hr-12": "…"}, "metadata": {"lang": "en"}}
    result = check_contract(record, read_contract(EVERY_RULE))
    not_applicable = {"I10", "I11"}  # no refusal, no quotation
    assert result.per_instruction == {
        entry["id"]: None if entry["id"] in not_applicable else True for entry in EVERY_RULE
    }


def test_from_files(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "c.json").write_text(json.dumps(EVERY_RULE), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "instructions:\n"
        "  - {id: I1, rule: max_words, n: 150, when: {detail: no}}\n"
        "  - rule: no_emoji\n",
        encoding="utf-8",
    )
    assert read_contract(tmp_path / "c.json").as_config() == EVERY_RULE
    assert read_contract(str(tmp_path / "c.yaml")).as_config() == [
        {"id": "I1", "rule": "max_words", "n": 150, "when": {"detail": False}},
        {"id": "no_emoji", "rule": "no_emoji"},
    ]


def test_numbers_as_ids_and_instructions_among_entries() -> None:
    mine = Instruction("mine", lambda text: True)
    contract = read_contract([{"id": 1, "rule": "no_emoji"}, mine])
    assert [instruction.id for instruction in contract] == ["1", "mine"]
    assert contract.as_config()[1]["check"].startswith("callable:")


def test_one_term_needs_no_list() -> None:
    contract = read_contract([{"rule": "must_avoid", "terms": "BLUEJAY"}])
    assert contract.instructions[0].check.parameters == {"terms": ["BLUEJAY"]}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"id": "I1"}, "instruction 'I1'?|number 1.*'rule' is missing"),
        ({"id": "I1", "rule": "max_word", "n": 1}, "'I1': unknown rule 'max_word'.*max_words"),
        ({"id": "I1", "rule": ["max_words"]}, "'I1': unknown rule"),
        ({"id": "I1", "rule": "max_words"}, "'I1', rule 'max_words': parameter 'n' is missing.*n"),
        ({"id": "I1", "rule": "max_words", "n": 1, "m": 2}, "unknown parameter 'm'.*it takes n"),
        ({"id": "I1", "rule": "no_emoji", "n": 1}, "unknown parameter 'n'.*it takes none"),
        ({"id": "I1", "rule": "max_words", "n": "150"}, "'I1', rule 'max_words': n is '150'"),
        ({"id": "I1", "rule": "max_words", "n": -1}, "n is -1"),
        ({"id": "I1", "rule": "must_avoid", "terms": {"a": 1}}, "give a list of strings"),
        ({"id": "I1", "rule": "must_avoid", "terms": []}, "no terms are given"),
        ({"id": "I1", "rule": "marker_syntax"}, "either 'syntax' or 'pattern'"),
        (
            {"id": "I1", "rule": "marker_syntax", "syntax": "[1]"},
            "'I1', rule 'marker_syntax'.*<id>",
        ),
        ({"id": "I1", "rule": "marker_syntax", "pattern": "["}, "the pattern is none"),
        ({"id": "I1", "rule": "marker_syntax", "pattern": 3}, "the pattern is none"),
        ({"id": "I1", "rule": "marker_syntax", "pattern": "a", "flags": "x"}, "flags is 'x'"),
        ({"id": "I1", "rule": "no_emoji", "when": "detail"}, "'I1': when is 'detail'"),
        ({"id": "I1", "rule": "no_emoji", "when": []}, "'I1': when is"),
        ({"id": "I1", "rule": "no_emoji", "description": 3}, "description is int"),
        ({"id": [], "rule": "no_emoji"}, "no instruction id"),
        ("no_emoji", "number 1: expected an object, got str"),
        (None, "number 1: expected an object, got NoneType"),
    ],
)
def test_what_is_wrong_is_named_with_its_mend(entry: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_contract([entry])
    assert caught.value.fix


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "the contract is empty"),
        ({"rules": []}, "expected 'instructions' alone, got rules"),
        ({}, "expected 'instructions' alone"),
        ({"instructions": [], "name": "x"}, "got name"),
        ({"instructions": "no_emoji"}, "expected a list of instructions, got str"),
        (3, "expected a list of instructions, got int"),
        ([{"rule": "no_emoji"}, {"rule": "no_emoji"}], "two instructions are called 'no_emoji'"),
    ],
)
def test_no_contract(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_contract(source)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.json", b'{"a": 1', "malformed JSON"),
        (
            "c.json",
            b'[{"id": "a", "rule": "no_emoji", "rule": "ids_exist"}]',
            "'rule' is given twice",
        ),
        ("c.json", b"[" * 100_000, "malformed JSON"),
        ("c.json", b"\xff\xfe", "no UTF-8"),
        ("c.txt", b"[]", "told by its name"),
        ("c.yaml", b"a: [", "malformed YAML"),
        ("c.yaml", b"- !!python/object/apply:os.getcwd []", "malformed YAML"),
        ("c.yaml", b"", "got NoneType"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    pytest.importorskip("yaml")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_contract(tmp_path / name)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot open"):
        read_contract(tmp_path / "none.json")


def test_a_rule_made_in_python_says_how_to_write_it() -> None:
    assert max_words(3).parameters == {"n": 3}
