"""Rules on claims, amounts, ids, refusals and quotations."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.contract import (
    every_claim_cited,
    ids_exist,
    max_citations_per_statement,
    max_quote_words,
    no_citation_in_refusals,
)
from citemeter.errors import InputError
from citemeter.models import Response
from citemeter.text.parse import ParseOptions

SOURCES = {"1": "One.", "2": "Two.", "3": "Three."}


def record(answer: str, sources: Any = SOURCES) -> dict[str, Any]:
    return {"answer": answer, "sources": sources}


class TestEveryClaimCited:
    def test_all_cited(self) -> None:
        assert every_claim_cited()(record("Cats purr [1]. Dogs bark [2].")).passed is True

    def test_every_uncited_claim_is_named_with_its_place(self) -> None:
        answer = "Cats purr. Dogs bark [2]. Fish swim."
        found = every_claim_cited()(record(answer))
        assert found.reason == "2 of 3 claims lack a valid citation"
        assert [f.span.of(answer) for f in found.findings if f.span] == ["Cats purr.", "Fish swim."]
        assert [f.statement for f in found.findings] == [0, 2]
        assert {f.problem for f in found.findings} == {"cites nothing"}

    def test_a_fabricated_id_covers_nothing_and_one_valid_id_is_enough(self) -> None:
        found = every_claim_cited()(record("Cats purr [9]. Dogs bark [9][2]."))
        assert [f.ids for f in found.findings] == [("9",)]

    def test_of_a_text_alone_any_citation_will_do(self) -> None:
        assert every_claim_cited()("Cats purr [9].").passed is True
        assert every_claim_cited()("Cats purr.").passed is False
        # A record says what could be cited: nothing.
        assert every_claim_cited()({"answer": "Cats purr [9]."}).passed is False

    def test_does_not_apply_without_a_claim(self) -> None:
        found = every_claim_cited()(record("I hope this helps! Shall I go on?"))
        assert found.passed is None
        assert found.reason == "no statement needs a citation"

    def test_a_blank_answer_fails(self) -> None:
        assert every_claim_cited()(record(" \n")).reason == "the answer is empty"
        assert every_claim_cited()({"statements": [], "sources": []}).passed is False

    def test_split_statements_have_no_place(self) -> None:
        found = every_claim_cited()({"statements": [("Cats purr.", [])], "sources": SOURCES})
        assert found.findings[0].span is None
        assert found.findings[0].text == "Cats purr."


class TestMaxCitations:
    def test_at_the_limit_and_above(self) -> None:
        rule = max_citations_per_statement(2)
        assert rule(record("A is so [1][2]. B is so [3].")).passed is True
        found = rule(record("A is so [1, 2, 3]. B is so [3]."))
        assert found.findings[0].ids == ("1", "2", "3")
        assert found.findings[0].problem == "has 3 citations"

    def test_repeated_ids(self) -> None:
        answer = record("A is so [1][1][1].")
        assert max_citations_per_statement(2)(answer).passed is True
        assert max_citations_per_statement(2, duplicates="occurrences")(answer).passed is False

    def test_none_allowed(self) -> None:
        assert max_citations_per_statement(0)(record("A is so [1].")).passed is False

    def test_does_not_apply_where_nothing_is_cited(self) -> None:
        assert max_citations_per_statement(2)(record("A is so.")).passed is None
        assert max_citations_per_statement(2)(record("")).passed is None

    @pytest.mark.parametrize("n", [-1, 1.5, "2", True, None])
    def test_no_whole_number(self, n: Any) -> None:
        with pytest.raises(InputError, match="'max_citations_per_statement': n is"):
            max_citations_per_statement(n)

    def test_unknown_duplicates(self) -> None:
        with pytest.raises(InputError, match="duplicates"):
            max_citations_per_statement(1, duplicates="all")  # type: ignore[arg-type]


class TestIdsExist:
    def test_each_use_of_a_fabricated_id_is_named(self) -> None:
        found = ids_exist()(record("A is so [9]. B is so [1]. C is so [9][8]."))
        assert [f.ids[0] for f in found.findings] == ["9", "9", "8"]
        assert found.reason == "no source goes by 9, 8"

    def test_in_headings_too(self) -> None:
        assert ids_exist()(record("# Cats [9]\n\nThey purr [1].")).passed is False

    def test_does_not_apply(self) -> None:
        assert ids_exist()(record("A is so.")).reason == "nothing is cited"
        assert ids_exist()("A is so [1].").reason == "what could be cited is not given"

    def test_numbers_that_count_the_sources(self) -> None:
        sources = {"a": "A.", "b": "B."}
        options = ParseOptions(numbering=1)
        assert ids_exist()(record("A is so [2].", sources), options).passed is True
        assert ids_exist()(record("A is so [3].", sources), options).passed is False


class TestRefusals:
    REFUSAL = "The documents do not say when it opened"

    def test_an_uncited_refusal(self) -> None:
        assert no_citation_in_refusals()(record(f"{self.REFUSAL}.")).passed is True

    def test_a_cited_one(self) -> None:
        found = no_citation_in_refusals()(record(f"{self.REFUSAL} [1][3]."))
        assert found.passed is False
        assert [f.text for f in found.findings] == ["[1]", "[3]"]

    def test_a_list_of_sources_is_citing(self) -> None:
        answer = f"{self.REFUSAL}.\n\nSources:\n[2] b.pdf"
        [finding] = no_citation_in_refusals()(record(answer)).findings
        assert finding.span is not None
        assert finding.span.of(answer) == "[2]"

    def test_does_not_apply_to_answers(self) -> None:
        assert no_citation_in_refusals()(record("It opened in May [1].")).passed is None
        assert no_citation_in_refusals()(record("")).passed is None

    def test_a_detector_of_ones_own(self) -> None:
        rule = no_citation_in_refusals(detector=lambda text: "NOT_FOUND" in text)
        assert rule(record("NOT_FOUND [1]")).passed is False
        assert rule(record(f"{self.REFUSAL} [1].")).passed is None
        assert rule.parameters["detector"].startswith("callable:")

    def test_no_detector(self) -> None:
        with pytest.raises(InputError, match="is no refusal rule"):
            no_citation_in_refusals(detector="yes")  # type: ignore[arg-type]


class TestQuoteWords:
    def test_words_are_counted_without_markers(self) -> None:
        # no dogs on the lawn: 5 words, the marker is none.
        answer = record('It says "no dogs on [1] the lawn" [1].')
        assert max_quote_words(5)(answer).passed is True
        assert max_quote_words(4)(answer).findings[0].problem == "has 5 words"

    def test_block_quotes(self) -> None:
        answer = "It says:\n\n> No dogs on the upper lawn. [1]"
        assert max_quote_words(5)(record(answer)).findings[0].problem == "has 6 words"

    def test_characters_of_scripts_without_spaces(self) -> None:
        # 12 characters: 6 words.
        answer = record("规定写道“员工每年享有带薪年假二天”[1]。")
        assert max_quote_words(6)(answer).passed is True
        assert max_quote_words(5)(answer).passed is False

    def test_a_limit_below_what_counts_as_a_quotation(self) -> None:
        assert max_quote_words(1)(record('He said "never again" [1].')).passed is False
        assert max_quote_words(3)(record('He said "never again" [1].')).passed is None

    def test_does_not_apply_where_nothing_is_quoted(self) -> None:
        assert max_quote_words(5)(record("Nothing is quoted [1].")).reason == "nothing is quoted"


def test_a_parsed_response_is_taken_as_it_was_parsed() -> None:
    from citemeter.text.parse import parse

    response = parse("A is so (1).", SOURCES, style="paren_numeric")
    assert max_citations_per_statement(0)(response).passed is False
    assert max_citations_per_statement(0)(Response(answer="A is so (1).")).passed is None


def test_a_record_that_does_not_validate() -> None:
    with pytest.raises(InputError, match="neither 'answer' nor 'statements'"):
        ids_exist()({"id": "x"})
    with pytest.raises(InputError, match="lone surrogate"):
        ids_exist()("\ud800 [1]")
