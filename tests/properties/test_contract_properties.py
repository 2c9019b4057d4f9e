"""What holds of contracts whatever the answer."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.contract import (
    LOOSE_VARIANTS,
    Contract,
    ContractResult,
    Instruction,
    check_contract,
    contract_report,
    count_contract,
    loose_variants,
    read_contract,
)

CONTRACT = read_contract(
    [
        {"rule": "every_claim_cited"},
        {"id": "template", "rule": "marker_syntax", "syntax": "[doc:<id>]"},
        {"id": "style", "rule": "marker_syntax", "syntax": "numeric"},
        {"rule": "ids_exist"},
        {"rule": "max_citations_per_statement", "n": 1},
        {"id": "any list", "rule": "sources_section", "title": None},
        {"id": "list", "rule": "sources_section"},
        {"id": "own list", "rule": "sources_section", "title": "Belege"},
        {"rule": "no_citation_in_refusals"},
        {"rule": "max_quote_words", "n": 3},
        {"rule": "max_words", "n": 8},
        {"rule": "must_include", "terms": ["cats"]},
        {"rule": "must_avoid", "terms": ["so it is", "【"]},
        {"rule": "min_bullets", "n": 1},
        {"rule": "has_section", "title": "Sources"},
        {"rule": "no_emoji"},
    ]
)
SOURCES = {"1": "One.", "2": "Two.", "hr-12": "HR."}
PIECES = [
    "Cats purr", " [1]", "[2, 9]", "[doc:hr-12]", "[doc:", "(hr-12)", ". ", "\n", "\n\n", "- ",
    "**", "*", "Sources:", "\nSources:\n[1] a.pdf\n", "Belege\n", "## ", "1. ", '"so it is then"',
    "> ", "```\n", "The documents do not say when it opened", "I could not find this.", "¹", "é",
    "🇩🇪", "1️⃣", "✓", "年假", "。", "\r\n", "\t", "：", "| a |\n|---|\n", "<think>", "hr-12",
]  # fmt: skip
ANSWER = st.one_of(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.text())


@settings(max_examples=100, deadline=None)
@given(ANSWER, st.booleans())
def test_every_result_is_whole(answer: str, as_text: bool) -> None:
    record: Any = answer if as_text else {"answer": answer, "sources": SOURCES}
    result = check_contract(record, CONTRACT)
    assert list(result.per_instruction) == [instruction.id for instruction in CONTRACT]
    for one in result.instructions:
        assert (one.passed is None) == (one.loose is None)
        if one.passed:
            assert (one.loose, one.variant, one.findings, one.reason) == (
                True,
                "original",
                (),
                None,
            )
        elif one.passed is False:
            assert one.reason
            assert one.findings
            assert (one.variant is not None) == one.loose
        else:
            assert one.reason
            assert not one.findings
        for finding in one.findings:
            if finding.span is not None:
                assert 0 <= finding.span.start < finding.span.end <= len(answer)
    assert ContractResult.model_validate_json(result.model_dump_json()) == result


@settings(max_examples=50, deadline=None)
@given(st.lists(ANSWER, max_size=4))
def test_accuracies_are_ordered_and_counts_add_up(answers: list[str]) -> None:
    results = [check_contract({"answer": a, "sources": SOURCES}, CONTRACT) for a in answers]
    report = contract_report(results)
    if not results:
        assert report.instruction_level_acc is None
        return
    counts = report.counts
    assert counts["instructions"] + counts["instructions_not_applicable"] == 16 * len(results)
    rows = report.per_instruction.values()
    assert sum(row.applicable for row in rows) == counts["instructions"]
    assert sum(row.passed for row in rows) == counts["instructions_followed"]
    assert counts["instructions_tried_loosely"] == counts["instructions"]
    strict, loose = report.instruction_level_acc, report.instruction_level_loose_acc
    assert strict is not None
    assert loose is not None
    assert 0 <= strict <= loose <= 1
    assert report.prompt_level_acc is not None
    assert report.prompt_level_loose_acc is not None
    assert report.prompt_level_acc <= report.prompt_level_loose_acc
    for result in results:
        own = count_contract(result)
        assert (own["prompts_followed"] == 1) == (
            own["instructions"] == own["instructions_followed"] and own["instructions"] > 0
        )


@given(st.text())
def test_variants_are_made_of_the_answer(answer: str) -> None:
    variants = loose_variants(answer)
    assert tuple(variants) == LOOSE_VARIANTS
    assert variants["original"] == answer
    for name, text in variants.items():
        if "asterisks" in name:
            assert "*" not in text
            assert text in answer.replace("*", "")
        else:
            assert text in answer
    for kind in ("first_line", "last_line", "first_and_last_line"):
        plain = variants[f"no_asterisks_and_{kind}"]
        assert plain == variants[f"no_{kind}"].replace("*", "")


@given(st.lists(st.one_of(st.none(), st.booleans()), min_size=1, max_size=8))
def test_prompt_pass_is_all_of_what_applies(verdicts: list[bool | None]) -> None:
    def saying(verdict: bool | None) -> Any:
        return lambda text: verdict

    contract = Contract(
        tuple(Instruction(str(number), saying(v)) for number, v in enumerate(verdicts))
    )
    result = check_contract("Cats.", contract)
    known = [verdict for verdict in verdicts if verdict is not None]
    assert result.prompt_pass == (all(known) if known else None)
    assert list(result.per_instruction.values()) == verdicts


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        " " * 20_000 + "x",
        "#" * 20_000,
        " " * 10_000 + "# " * 10_000,
        "\n" * 20_000 + "x",
        "Sources:\n" * 2_000,
        "Sources: a:\n" * 1_500,
        "Belege\n" * 3_000,
        "Belege:" + " ," * 10_000,
        "[" * 20_000,
        "[doc:" * 4_000,
        "doc:a " * 3_000,
        "[doc:" + "a" * 20_000 + "]",
        "- " * 10_000,
        "Project " * 2_500,
        "so" + " " * 20_000 + "it",
        '"a b c ' * 3_000,
        "1\ufe0f" * 10_000,
        ":" * 20_000,
        "¹" * 20_000,
        "Sources:\n" + "1. x\n" * 4_000,
        "Sources:\n" + "http://" * 3_000,
    ],
    ids=lambda answer: repr(answer[:12]),
)
def test_hostile_answers_take_no_long(answer: str) -> None:
    began = time.process_time()
    check_contract({"answer": answer, "sources": SOURCES}, CONTRACT, loose=False)
    assert time.process_time() - began < 5
