"""Instructions, their conditions, strict and loose checking."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from citemeter.contract import (
    LOOSE_VARIANTS,
    Contract,
    Instruction,
    Outcome,
    check_contract,
    every_claim_cited,
    ids_exist,
    loose_variants,
    marker_syntax,
    max_quote_words,
    max_words,
    no_citation_in_refusals,
    no_emoji,
    sources_section,
)
from citemeter.errors import InputError
from citemeter.models import Response
from citemeter.text.parse import ParseOptions, parse

SOURCES = {"1": "One.", "2": "Two."}


def one(record: Any, check: Any, **options: Any) -> Any:
    return check_contract(record, [Instruction("I1", check, **options)]).instructions[0]


class TestVariants:
    def test_all_eight_in_order(self) -> None:
        assert tuple(loose_variants("*a*\nb\n*c*")) == LOOSE_VARIANTS
        assert list(loose_variants("*a*\nb\n*c*").values()) == [
            "*a*\nb\n*c*",
            "a\nb\nc",
            "b\n*c*",
            "*a*\nb",
            "b",
            "b\nc",
            "a\nb",
            "b",
        ]

    def test_one_line_leaves_nothing(self) -> None:
        assert list(loose_variants("*a*").values()) == ["*a*", "a", "", "", "", "", "", ""]

    def test_what_remains_is_stripped_but_the_whole_is_not(self) -> None:
        variants = loose_variants(" a\n\n b \n\nc\n")
        assert variants["original"] == " a\n\n b \n\nc\n"
        assert variants["no_first_line"] == "b \n\nc"
        # The last "line" is the empty one behind the final line break.
        assert variants["no_last_line"] == "a\n\n b \n\nc"


class TestLoose:
    def test_a_blank_variant_follows_nothing(self) -> None:
        # Without its only line nothing is left, which is short, but no answer.
        assert one("one two three", max_words(2)).loose is False

    def test_the_sources_stay_and_each_variant_is_read_again(self) -> None:
        record = {"answer": "Here you go, see [9]:\nCats purr [1].", "sources": SOURCES}
        result = one(record, ids_exist())
        assert (result.passed, result.loose, result.variant) == (False, True, "no_first_line")

    def test_emphasis_around_a_heading(self) -> None:
        # Five asterisks are no markup that the strict check knows.
        answer = "Cats purr [1].\n\n*****Sources*****:\n- [1]"
        result = one(answer, lambda text: "\nSources:" in text)
        assert (result.passed, result.variant) == (False, "no_asterisks")

    def test_it_must_apply_to_the_answer_itself(self) -> None:
        # Without its last line the answer would be a refusal, and cite nothing.
        answer = "The documents do not say when it opened.\nIt closed in 1931 [1]."
        result = one(answer, no_citation_in_refusals())
        assert (result.passed, result.loose) == (None, None)

    def test_a_variant_it_does_not_apply_to_is_no_pass(self) -> None:
        answer = 'It says "no dogs on the lawn".\nThat is all there is to it.'
        result = one(answer, max_quote_words(3))
        assert (result.passed, result.loose) == (False, False)

    def test_each_instruction_may_be_followed_by_another_variant(self) -> None:
        contract = [
            Instruction("short", max_words(3)),
            Instruction("plain", lambda text: "*" not in text),
        ]
        result = check_contract("Sure, here:\n**a** b c", contract)
        assert [r.variant for r in result.instructions] == ["no_first_line", "no_asterisks"]
        assert result.prompt_pass is False
        assert result.prompt_pass_loose is True

    def test_split_statements_have_no_variants(self) -> None:
        record = {"answer": "a\nb c", "statements": [("a b c", [])]}
        assert one(record, max_words(2)).loose is False
        assert one({"statements": [("a b c", [])]}, max_words(2)).loose is False

    def test_not_looked_at(self) -> None:
        contract = [Instruction("I1", max_words(1))]
        result = check_contract("a b", contract, loose=False)
        assert result.per_instruction == {"I1": False}
        assert result.per_instruction_loose == {"I1": None}
        assert result.prompt_pass_loose is None
        assert result.tried_loosely is False

    def test_the_options_hold_for_variants_too(self) -> None:
        record = {"answer": "Hi (9)!\nCats purr (1).", "sources": SOURCES}
        options = ParseOptions(style="paren_numeric")
        contract = [Instruction("I1", ids_exist())]
        result = check_contract(record, contract, options=options)
        assert result.per_instruction == {"I1": False}
        assert result.per_instruction_loose == {"I1": True}


class TestConditions:
    def test_when(self) -> None:
        short = {"check": max_words(1), "when": {"detail": False, "lang": ["en", "de"]}}

        def passed(**metadata: Any) -> Any:
            return one({"answer": "a b", "metadata": metadata}, **short)

        assert passed(detail=False, lang="en").passed is False
        assert passed(detail=True, lang="en").reason == "detail is True"
        assert passed(detail=False, lang="fr").reason == "lang is 'fr'"
        assert passed(lang="en").reason == "metadata has no 'detail'"

    def test_unless(self) -> None:
        def passed(**metadata: Any) -> Any:
            record = {"answer": "a b", "metadata": metadata}
            return one(record, max_words(1), unless={"detail": True}).passed

        assert passed(detail=True) is None
        assert passed(detail=False) is False
        assert passed() is False

    def test_one_is_no_truth_value(self) -> None:
        record = {"answer": "a b", "metadata": {"detail": 1}}
        assert one(record, max_words(1), when={"detail": True}).passed is None

    def test_a_blank_answer_is_excused_first(self) -> None:
        assert one({"answer": ""}, max_words(1), when={"detail": False}).passed is None
        assert one({"answer": ""}, max_words(1)).passed is False


class TestCallables:
    def test_text_and_response(self) -> None:
        def of_text(text: str) -> bool:
            return isinstance(text, str)

        def of_response(response: Response) -> bool:
            return len(response.citations) == 1 and response.statements is not None

        assert one("Cats purr [1].", of_text).passed is True
        assert one("Cats purr [1].", of_response).passed is True
        assert one("Cats.", lambda r: r.statements is not None, reads="response").passed is True
        assert one("ABC", str.isupper).passed is True

    def test_none_is_not_applicable(self) -> None:
        result = one("Cats.", lambda text: None)
        assert (result.passed, result.loose) == (None, None)
        assert result.reason == "its check says so"

    def test_an_outcome_is_taken_as_it_is(self) -> None:
        result = one("Cats.", lambda text: Outcome.failed("too short"))
        assert result.reason == "too short"

    def test_numpy_truth(self) -> None:
        numpy = pytest.importorskip("numpy")
        assert one("Cats.", lambda text: numpy.bool_(True)).passed is True

    @pytest.mark.parametrize("value", [1, "yes", 0.0, []])
    def test_anything_else_is_an_error(self, value: Any) -> None:
        with pytest.raises(InputError, match="instruction 'I1': its check returned"):
            one({"id": "r7", "answer": "Cats."}, lambda text: value)

    def test_a_check_that_fails_is_no_verdict(self) -> None:
        with pytest.raises(InputError, match=r"record 'r7'.*'I1': its check failed \(KeyError"):
            one({"id": "r7", "answer": "Cats."}, lambda text: {}["x"])

    def test_a_blank_answer_is_not_put_to_it(self) -> None:
        assert one("  ", lambda text: True).passed is False


class TestResult:
    def test_prompt_pass_looks_at_what_applies(self) -> None:
        contract = [Instruction("a", max_words(9)), Instruction("b", no_citation_in_refusals())]
        result = check_contract({"id": "r1", "answer": "Cats purr [1]."}, contract)
        assert result.id == "r1"
        assert result.per_instruction == {"a": True, "b": None}
        assert result.prompt_pass is True

    def test_none_where_nothing_applies(self) -> None:
        result = check_contract("Cats purr.", [Instruction("b", no_citation_in_refusals())])
        assert result.prompt_pass is None
        assert result.prompt_pass_loose is None

    def test_a_response_parsed_before_gives_the_same(self) -> None:
        answer = 'Cats purr [1]. Dogs "bark at all of them" (2).\n\nSources:\n[1] A'
        contract = [
            Instruction(rule.name, rule)
            for rule in (
                every_claim_cited(),
                marker_syntax("[<n>]"),
                sources_section(),
                max_quote_words(3),
                no_emoji(),
            )
        ]
        raw = {"answer": answer, "sources": SOURCES}
        assert check_contract(parse(answer, SOURCES), contract) == check_contract(raw, contract)

    def test_it_survives_json(self) -> None:
        result = check_contract("Cats purr.", [Instruction("a", every_claim_cited())])
        assert type(result).model_validate_json(result.model_dump_json()) == result

    def test_an_outcome_is_true_only_if_passed(self) -> None:
        assert Outcome(passed=True)
        assert not Outcome(passed=False)
        assert not Outcome(passed=None)


class TestContract:
    def test_it_is_its_instructions(self) -> None:
        contract = Contract((Instruction("a", max_words(3)), Instruction("b", no_emoji())))
        assert len(contract) == 2
        assert [instruction.id for instruction in contract] == ["a", "b"]

    def test_it_can_be_sent_to_another_process(self) -> None:
        rules = (marker_syntax("[doc:<id>]"), max_words(3), sources_section(), no_emoji())
        contract = Contract(tuple(Instruction(rule.name, rule) for rule in rules))
        again = pickle.loads(pickle.dumps(contract))
        assert again == contract
        assert hash(again.instructions[0].check) == hash(contract.instructions[0].check)
        assert check_contract("So [1].", again) == check_contract("So [1].", contract)

    @pytest.mark.parametrize(
        ("instructions", "problem"),
        [
            ([], "empty"),
            ([Instruction("a", bool), Instruction("a", bool)], "two instructions are called 'a'"),
            ([max_words(3)], "Rule is no instruction"),
        ],
    )
    def test_unusable(self, instructions: Any, problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            check_contract("Cats.", instructions)

    @pytest.mark.parametrize(
        ("values", "problem"),
        [
            ({"id": ""}, "no instruction id"),
            ({"id": 3}, "no instruction id"),
            ({"check": "max_words"}, "str is no check"),
            ({"when": ["detail"]}, "when is"),
            ({"unless": {1: True}}, "unless is"),
            ({"reads": "answer"}, "reads is"),
        ],
    )
    def test_unusable_instruction(self, values: dict[str, Any], problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            Instruction(**{"id": "a", "check": bool, **values})
