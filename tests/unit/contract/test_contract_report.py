"""Contracts over a data set."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.contract import (
    CONTRACT_RATIOS,
    Instruction,
    check_contract,
    contract_report,
    count_contract,
    every_claim_cited,
    instruction_level_accuracy,
    max_words,
    no_citation_in_refusals,
    prompt_level_accuracy,
    score_contract,
)
from citemeter.errors import InputError
from citemeter.statistics.aggregate import Aggregator

CONTRACT = [
    Instruction("short", max_words(3)),
    Instruction("cited", every_claim_cited()),
    Instruction("refusal", no_citation_in_refusals()),
]
# Words, claims cited, refusal clean:
ANSWERS: list[Any] = [
    "Cats purr [1].",  # yes, yes, n/a: 2 of 2
    "Hello there:\nCats purr [1].",  # no (loosely yes), yes, n/a: 1 of 2
    "The documents do not say when it opened [1].",  # no, n/a, no: 0 of 2
    "",  # no, no, n/a: 0 of 2
]


def test_numbers_by_hand() -> None:
    report = score_contract(ANSWERS, CONTRACT)
    assert report.counts == {
        "contracts": 4,
        "instruction_checks": 12,
        "instructions": 8,
        "instructions_followed": 3,
        "instructions_not_applicable": 4,
        "prompts": 4,
        "prompts_followed": 1,
        "contracts_tried_loosely": 4,
        "instructions_tried_loosely": 8,
        "instructions_followed_loosely": 4,
        "prompts_tried_loosely": 4,
        "prompts_followed_loosely": 2,
    }
    assert report.instruction_level_acc == 3 / 8
    assert report.prompt_level_acc == 1 / 4
    assert report.instruction_level_loose_acc == 4 / 8
    assert report.prompt_level_loose_acc == 2 / 4
    assert report.instruction_na_rate == 4 / 12
    assert report.undefined == {}


def test_each_instruction() -> None:
    rows = score_contract(ANSWERS, CONTRACT).per_instruction
    assert list(rows) == ["short", "cited", "refusal"]
    short, cited, refusal = rows.values()
    assert (short.passed, short.applicable, short.checked) == (1, 4, 4)
    assert (short.pass_rate, short.pass_rate_loose, short.na_rate) == (1 / 4, 2 / 4, 0.0)
    assert (cited.passed, cited.applicable, cited.na_rate) == (2, 3, 1 / 4)
    assert (refusal.passed, refusal.applicable, refusal.na_rate) == (0, 1, 3 / 4)
    assert refusal.rule == "no_citation_in_refusals"


def test_the_aggregator_pools_the_counts() -> None:
    results = [check_contract(answer, CONTRACT) for answer in ANSWERS]
    totals = Aggregator(CONTRACT_RATIOS, None)
    for result in results:
        totals.add(count_contract(result))
    names = [ratio.name for ratio in CONTRACT_RATIOS]
    summaries = totals.summaries(names)
    report = contract_report(results)
    for name in names:
        assert summaries[name].micro == getattr(report, name)
    # Of the shares 1, 1/2, 0, 0 the mean is another number, as instructions differ in number.
    assert summaries["instruction_level_acc"].macro == pytest.approx(3 / 8)
    assert summaries["prompt_level_acc"].macro == 1 / 4


def test_an_instruction_that_nothing_tests_is_named() -> None:
    report = score_contract(["Cats purr [1]."], CONTRACT)
    assert report.never_applicable == ("refusal",)
    row = report.per_instruction["refusal"]
    assert (row.pass_rate, row.pass_rate_loose, row.na_rate) == (None, None, 1.0)


def test_undefined_where_nothing_applies() -> None:
    report = score_contract(["Cats purr [1]."], [CONTRACT[2]])
    assert report.instruction_level_acc is None
    assert report.prompt_level_acc is None
    assert report.undefined["instruction_level_acc"] == "no instruction applies"
    assert report.undefined["prompt_level_loose_acc"] == "no instruction applies"
    assert report.instruction_na_rate == 1.0
    assert (report.counts["prompts"], report.counts["prompts_followed"]) == (0, 0)
    assert report.counts["prompts_followed_loosely"] == 0


def test_a_bad_answer_is_named_by_its_place() -> None:
    with pytest.raises(InputError, match="record 'number 1', field 'docs': unknown field"):
        score_contract(["Cats purr [1].", {"answer": "a", "docs": []}], CONTRACT)
    with pytest.raises(InputError, match="put the record in a list"):
        score_contract("Cats purr [1].", CONTRACT)


def test_no_answer() -> None:
    report = contract_report([])
    assert report.ifeval() == {
        "prompt_level_strict_acc": None,
        "inst_level_strict_acc": None,
        "prompt_level_loose_acc": None,
        "inst_level_loose_acc": None,
    }
    assert set(report.undefined.values()) == {"no answer"}
    assert instruction_level_accuracy([]).value is None


def test_only_strict() -> None:
    report = score_contract(ANSWERS, CONTRACT, loose=False)
    assert report.instruction_level_acc == 3 / 8
    assert report.instruction_level_loose_acc is None
    assert report.undefined["instruction_level_loose_acc"] == "the variants were not looked at"
    assert report.per_instruction["short"].passed_loose is None
    assert report.per_instruction["short"].pass_rate_loose is None
    results = [check_contract(answer, CONTRACT, loose=False) for answer in ANSWERS]
    assert prompt_level_accuracy(results, loose=True).reason == "the variants were not looked at"


def test_no_contract_no_counts() -> None:
    for ratio in CONTRACT_RATIOS:
        value, reason = ratio.value({})
        assert value is None
        assert reason in ("no contract is given", "the variants were not looked at")


def test_answers_may_have_contracts_of_their_own() -> None:
    # 1 of 1 and 0 of 2 instructions; micro 1/3, not the mean of the shares.
    results = [
        check_contract("a", [Instruction("short", max_words(1))]),
        check_contract("a b", [Instruction("short", max_words(1)), Instruction("no", str.isdigit)]),
    ]
    report = contract_report(results)
    assert report.instruction_level_acc == 1 / 3
    assert report.prompt_level_acc == 1 / 2
    assert report.per_instruction["short"].checked == 2
    assert report.per_instruction["no"].checked == 1


def test_scores_carry_their_counts() -> None:
    results = [check_contract(answer, CONTRACT) for answer in ANSWERS]
    score = instruction_level_accuracy(results)
    assert (score.name, score.numerator, score.denominator) == ("instruction_level_acc", 3, 8)
    score = prompt_level_accuracy(results, loose=True)
    assert (score.name, score.numerator, score.denominator) == ("prompt_level_loose_acc", 2, 4)
