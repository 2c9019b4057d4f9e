from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError
from citemeter.guardrail import Guardrail, GuardrailVerdict, Policy, Verdict, check_citations
from citemeter.models import Source, Span

LEASE = {"lease": "The tenant must keep the garden tidy at all times.", "rules": "No bonfires."}


def kinds(verdict: GuardrailVerdict) -> list[str]:
    return [finding.kind for finding in verdict.findings]


def test_a_good_answer_passes_untouched() -> None:
    answer = "The garden must be tidy [lease]. Bonfires are forbidden [rules]."
    verdict = check_citations(answer, LEASE)
    assert verdict == GuardrailVerdict(action="pass", clean=answer, abstained=False)
    assert verdict.to_clean(7) == verdict.to_original(7) == 7


def test_the_short_name_is_the_same_class_and_not_the_judges() -> None:
    assert Verdict is GuardrailVerdict
    assert Verdict is not citemeter.Verdict


def test_quotations() -> None:
    answer = 'It says "must keep the garden tidy" and "may keep the garden wild" [lease].'
    verdict = check_citations(answer, LEASE)
    [finding] = verdict.findings
    assert (finding.kind, finding.action) == ("unverified_quote", "flag")
    assert finding.span is not None
    assert finding.span.of(answer) == "may keep the garden wild"
    assert verdict.clean == answer
    assert check_citations(answer, LEASE, Policy(unverified_quote="block")).clean is None
    assert not check_citations(answer, LEASE, Policy(unverified_quote="allow")).findings
    assert not check_citations(answer, LEASE, Policy(min_quote_words=6)).findings


def test_quotations_are_not_judged_without_texts() -> None:
    answer = 'It says "may keep the garden wild" [lease].'
    assert check_citations(answer, set(LEASE)).action == "pass"
    assert check_citations(answer, {"lease": "", "rules": "No bonfires."}).action == "pass"
    quoting_the_other = 'It says "may keep the garden wild" [rules].'
    verdict = check_citations(quoting_the_other, {"lease": "", "rules": "No bonfires."})
    assert kinds(verdict) == ["unverified_quote"]


def test_a_question_repeated_is_no_quotation() -> None:
    answer = 'You ask "may I burn garden waste here". Bonfires are forbidden [rules].'
    question = "May I burn garden waste here?"
    quiet = Policy(uncited_claim="allow")
    assert check_citations(answer, LEASE, quiet, question=question).action == "pass"
    assert check_citations(answer, LEASE, quiet).action == "flag"


def test_claims_without_a_citation() -> None:
    answer = "Hello! The garden must be tidy. Bonfires are forbidden [rules]. Anything else?"
    verdict = check_citations(answer, LEASE)
    [finding] = verdict.findings
    assert finding.kind == "uncited_claim"
    assert finding.span is not None
    assert finding.span.of(answer) == "The garden must be tidy."
    nothing = check_citations("The garden must be tidy.", LEASE)
    assert kinds(nothing) == ["uncited_claim", "uncited_answer"]
    assert (
        check_citations("The garden must be tidy.", LEASE, Policy(uncited_answer="block")).clean
        is None
    )


def test_refusals() -> None:
    answer = "The provided documents do not say when the depot opened."
    verdict = check_citations(answer, LEASE)
    assert (verdict.action, verdict.abstained) == ("pass", True)
    blocked = check_citations(answer, LEASE, Policy(refusal="block"))
    assert kinds(blocked) == ["refusal"]
    assert blocked.clean is None


@pytest.mark.parametrize("answer", ["", "   ", "\n\n", "[9]", "?!"])
def test_answers_of_no_words(answer: str) -> None:
    verdict = check_citations(answer, LEASE)
    assert verdict.abstained is None
    assert verdict.passed


def test_no_sources_at_all() -> None:
    for none in ({}, [], set()):
        verdict = check_citations("Cats purr [1]. Dogs bark [doc:a].", none)
        assert verdict.clean == "Cats purr. Dogs bark."
        assert kinds(verdict).count("invalid_id") == 2


@pytest.mark.parametrize(
    "sources",
    [
        {"1": "Cats purr.", "2": "Dogs bark."},
        {1: "Cats purr.", 2: "Dogs bark."},
        {"1": {"text": "Cats purr."}, "2": None},
        ["Cats purr.", "Dogs bark."],
        [{"id": 1, "text": "Cats purr."}, {"id": "2"}],
        [Source(id="1", text="Cats purr."), Source(id="2", text="")],
        {"1", "2"},
        frozenset((1, 2)),
        {"1": 0, "2": 0}.keys(),
        (text for text in ["Cats purr.", "Dogs bark."]),
    ],
)
def test_forms_of_sources(sources: Any) -> None:
    verdict = check_citations("Cats purr [1]. Dogs bark [2][3].", sources, allowed=[1, "2"])
    assert verdict.clean == "Cats purr [1]. Dogs bark [2]."


@pytest.mark.parametrize(
    ("sources", "allowed"),
    [
        ("text", None),
        (7, None),
        ([7], None),
        ([{"text": "no id"}], None),
        ({"1": "a"}, "1"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], None),
    ],
)
def test_sources_that_cannot_be_used(sources: Any, allowed: Any) -> None:
    with pytest.raises(InputError):
        Guardrail(sources, allowed=allowed)


def test_lone_surrogates() -> None:
    with pytest.raises(InputError, match="lone surrogate at offset 2"):
        check_citations("ab\ud800", LEASE)


def test_messages_can_be_shown() -> None:
    answer = "Sold [doc:" + "x" * 300 + "]. Sold [doc:a\u202eb\u0007]."
    verdict = check_citations(answer, {"hr-1": ""}, Policy(invalid_id="flag"))
    assert all(line.isprintable() for line in verdict.message.split("\n"))
    assert all(len(finding.message) < 200 for finding in verdict.findings)


def test_a_range_of_hundreds_is_not_hundreds_of_findings() -> None:
    verdict = check_citations("Cats purr [1-400].", {"1", "2"}, Policy(uncited_claim="allow"))
    assert verdict.clean == "Cats purr [1, 2]."
    assert len(verdict.findings) == 17
    # 1 to 21 and 400, of which 1 and 2 are sources; 16 are told one by one.
    assert verdict.findings[-1].message == "4 more ids of this marker are none of the sources."


def test_offsets_of_statements_map() -> None:
    answer = "Cats purr [9, 1]. Dogs bark [8] at night [2]."
    verdict = check_citations(answer, {"1", "2"})
    assert verdict.clean == "Cats purr [1]. Dogs bark at night [2]."
    for word in ("Cats", "Dogs", "bark", "at", "night", "[2]"):
        there, here = verdict.clean.index(word), answer.index(word)
        assert verdict.to_clean(here) == there
        assert verdict.to_original(there) == here


def test_spans_are_those_of_the_answer() -> None:
    answer = "Cats purr [1, 9].\n\nSources:\n- [1] a\n- [7] b"
    verdict = check_citations(answer, {"1", "2"})
    spans = [(f.kind, f.span.of(answer)) for f in verdict.findings if f.span is not None]
    assert spans == [("invalid_id", "[1, 9]"), ("listed_id", "- [7] b")]


def test_one_guardrail_for_many_answers_says_what_a_fresh_one_says() -> None:
    guard = Guardrail(LEASE)
    for answer in ["A [lease].", "B [x-1].", 'C "one two three four" [rules].', "A [lease]."] * 3:
        assert guard.check(answer) == check_citations(answer, LEASE)


def test_many_sources() -> None:
    guard = Guardrail({f"doc-{n}": "" for n in range(20_000)})
    assert guard.check("Yes [doc-19999]. No [doc-20000].").clean == "Yes [doc-19999]. No."


def test_verdicts_are_frozen_models() -> None:
    verdict = check_citations("Cats purr [9].", {"1"})
    assert GuardrailVerdict.model_validate_json(verdict.model_dump_json()) == verdict
    assert verdict.findings[1].span == Span(10, 13)
    with pytest.raises(ValueError, match="frozen"):
        verdict.action = "pass"  # type: ignore[misc]
