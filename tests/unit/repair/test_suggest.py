"""Suggestions for whole answers: problems, outcomes, the repaired answer and its scores."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import Judge, Pair
from citemeter.judges.toy import ContainsJudge
from citemeter.models import Response
from citemeter.repair import (
    PROBLEMS,
    REPAIR_RATE,
    REPAIR_RATIOS,
    RepairResult,
    repairing,
    suggest_all,
    suggest_citations,
    summarize_repairs,
)
from citemeter.results import Bounds
from citemeter.statistics.aggregate import Aggregator
from citemeter.text.parse import ParseOptions

SOURCES = {"1": "Cats purr.", "2": "Dogs bark.", "3": "Fish swim.", "4": "Birds sing."}
JUDGE = ContainsJudge()


def repaired(answer: str, sources: Any = SOURCES, judge: Any = JUDGE, **options: Any) -> Any:
    return suggest_citations({"answer": answer, "sources": sources}, judge, **options)


def both(premise: str, hypothesis: str) -> bool:
    """Say yes if the premise has every sentence of the hypothesis that "and" joins."""
    return all(part.strip(" .") in premise for part in hypothesis.split(" and "))


def test_each_problem_and_what_comes_of_it() -> None:
    result = repaired(
        "Cats purr [2]. Dogs bark. Fish swim [3][1]. Birds sing [9]. Cows moo [1]. Rain falls."
    )
    assert [(r.problem, r.outcome, r.cited, r.proposed) for r in result.repairs] == [
        ("unsupported", "repaired", ("2",), ("1",)),
        ("uncited", "repaired", (), ("2",)),
        ("irrelevant", "repaired", ("3", "1"), ("3",)),
        ("invalid", "repaired", ("9",), ("4",)),
        ("unsupported", "unrepaired", ("1",), ("1",)),
        ("uncited", "unrepaired", (), ()),
    ]
    assert result.answer == (
        "Cats purr [1]. Dogs bark [2]. Fish swim [3]. Birds sing [4]. Cows moo [1]. Rain falls."
    )
    assert [r.written for r in result.repairs] == [True, True, True, True, None, None]
    assert [r.note for r in result.repairs][4:] == ["no source supports it"] * 2
    assert result.repairs[0].note == "'1' supports it: the premise contains the words"
    # Before: of 6 statements one is supported (Fish swim); of 5 citations one is precise.
    # After: 4 of 6, and 4 of 5. Covered: 4 of 6 before (9 is no source... 1, 3, 5), then 5 of 6.
    assert {k: (v.numerator, v.denominator) for k, v in result.before.items()} == {
        "citation_recall": (1, 6),
        "citation_precision": (1, 5),
        "citation_coverage": (3, 6),
        "citation_validity": (4, 5),
    }
    assert {k: (v.numerator, v.denominator) for k, v in result.after.items()} == {
        "citation_recall": (4, 6),
        "citation_precision": (4, 5),
        "citation_coverage": (5, 6),
        "citation_validity": (5, 5),
    }
    assert {k: v for k, v in result.counts.items() if k.startswith(("broken", "repaired"))} == {
        "broken_unsupported": 2,
        "repaired_unsupported": 1,
        "broken_uncited": 2,
        "repaired_uncited": 1,
        "broken_invalid": 1,
        "repaired_invalid": 1,
        "broken_irrelevant": 1,
        "repaired_irrelevant": 1,
        "broken_statements": 5,
        "repaired_statements": 3,
    }
    assert result.counts["added_citations"] == 3
    assert result.counts["removed_citations"] == 3


def test_removals_say_why() -> None:
    result = repaired("Cats purr [2]. Fish swim [3][1]. Birds sing [9].")
    assert [(x.source_id, x.reason) for r in result.repairs for x in r.removals] == [
        ("2", "unsupported"),
        ("1", "irrelevant"),
        ("9", "invalid"),
    ]
    irrelevant = result.repairs[1].removals[0]
    assert irrelevant.alone is not None
    assert irrelevant.rest is not None
    assert (irrelevant.alone.supported, irrelevant.rest.supported) == (False, True)
    assert result.repairs[1].note == "'1' can go: '3' alone supports it"


def test_a_statement_that_needs_no_citation_is_left_alone() -> None:
    result = repaired("Would you like to know more?")
    assert result.repairs[0].problem is None
    assert result.answer == result.original


def test_nothing_to_repair() -> None:
    result = repaired("Cats purr [1].")
    assert (result.answer, result.edits, result.broken) == ("Cats purr [1].", (), ())
    assert result.before == result.after


def test_an_invalid_id_goes_even_if_nothing_supports() -> None:
    result = repaired("Cows moo [9][1].")
    [repair] = result.repairs
    assert (repair.problem, repair.outcome, repair.proposed) == ("invalid", "unrepaired", ("1",))
    assert result.answer == "Cows moo [1]."
    assert repair.note == "no source supports it; '9' can go, since no source has that name"


def test_the_near_miss_is_respelled() -> None:
    sources = {"hr-12": "Leave is 25 days.", "hr-31": "Five days carry over."}
    result = repaired("Five days carry over [hr_31].", sources)
    [repair] = result.repairs
    assert repair.near_misses == {"hr_31": "hr-31"}
    assert result.answer == "Five days carry over [hr-31]."
    other = repaired("Cows moo [hr_31].", sources).repairs[0]
    assert (other.near_misses, other.proposed) == ({"hr_31": "hr-31"}, ())


def test_a_citation_outside_statements() -> None:
    result = repaired("# On cats [9]\n\nCats purr [1].")
    assert result.answer == "# On cats\n\nCats purr [1]."
    assert [c.source_id for c in result.dropped] == ["9"]
    kept = repaired("# On cats [9]\n\nCats purr [1].", problems=["unsupported"])
    assert (kept.answer, kept.dropped) == (kept.original, ())


def test_only_the_problems_asked_for() -> None:
    answer = "Cats purr [2]. Dogs bark. Fish swim [3][1]. Birds sing [9]."
    for problem in PROBLEMS:
        result = repaired(answer, problems=[problem])
        assert [r.problem for r in result.broken] == [problem]
    assert repaired(answer, problems=[]).answer == answer


def test_two_sources_together() -> None:
    result = repaired("Cats purr and Dogs bark. Fish swim and Cats purr [3].", judge=both)
    assert result.answer == "Cats purr and Dogs bark [1][2]. Fish swim and Cats purr [3][1]."
    assert [r.suggestions[0].way for r in result.repairs] == ["pair", "extended"]


def test_of_two_copies_one_goes() -> None:
    sources = {"1": "Cats purr.", "2": "Cats purr.", "3": "Dogs bark."}
    result = repaired("Cats purr and Dogs bark [1][2][3].", sources, both)
    assert result.answer == "Cats purr and Dogs bark [1][3]."
    assert result.after["citation_recall"].value == 1.0
    assert result.after["citation_precision"].value == 1.0


def test_an_irrelevant_citation_that_cannot_go() -> None:
    # A judge that contradicts itself: 1 supports alone, 1 and 2 together do, 1 and 3 do not. So 3
    # is irrelevant beside 1 and 2 and 2 is precise; without 3, 2 would be irrelevant.
    def contradictory(premise: str, hypothesis: str) -> bool:
        cats, dogs, fish = ("Cats" in premise, "Dogs" in premise, "Fish" in premise)
        return cats and (dogs or not fish)

    result = repaired("It is so [1][2][3].", judge=contradictory)
    [repair] = result.repairs
    assert (repair.problem, repair.outcome) == ("irrelevant", "unrepaired")
    assert repair.note == "none can go without another's losing its use"
    assert (result.answer, result.after) == (result.original, result.before)
    assert result.counts["unrepaired_irrelevant"] == 1


def test_statements_that_came_already_split() -> None:
    record = {
        "statements": [("Cats purr.", ["2"]), ("Dogs bark.", []), ("Birds sing.", ["9", "4"])],
        "sources": SOURCES,
    }
    result = suggest_citations(record, JUDGE)
    assert [s.source_ids for s in result.statements] == [("1",), ("2",), ("4",)]
    assert [r.written for r in result.repairs] == [True, True, True]
    assert (result.answer, result.original, result.edits) == (None, None, ())
    assert result.after["citation_recall"].value == 1.0
    with pytest.raises(InputError, match="already split"):
        result.apply()


def test_apply_is_for_the_answer_looked_into() -> None:
    result = repaired("Cats purr [2].")
    assert result.apply() == result.apply("Cats purr [2].") == result.answer == "Cats purr [1]."
    with pytest.raises(InputError, match="not the answer"):
        result.apply("Cats purr [3].")


def test_offsets() -> None:
    result = repaired("Cats purr. Dogs bark [2].")
    assert result.answer == "Cats purr [1]. Dogs bark [2]."
    assert result.to_repaired(result.original.index("Dogs")) == result.answer.index("Dogs")
    assert result.to_original(result.answer.index("Dogs")) == result.original.index("Dogs")


def test_a_parsed_answer_is_read_again_as_it_was() -> None:
    response = citemeter.parse("Cats purr. [2] Dogs bark.", ["Cats purr.", "Dogs bark."])
    assert suggest_citations(response, JUDGE).answer == "Cats purr. [1] Dogs bark. [2]"
    numbered = citemeter.parse("Cats purr [1].", {"a": "Cats purr.", "b": "-"}, numbering=0)
    assert suggest_citations(numbered, JUDGE).answer == "Cats purr [0]."


def test_a_style_of_ones_own_has_to_be_given_again() -> None:
    import re

    style = re.compile(r"<<(?P<id>\w+)>>")
    response = citemeter.parse("Cats purr <<2>>.", SOURCES, style=style)
    with pytest.raises(InputError, match="parsing=ParseOptions"):
        suggest_citations(response, JUDGE)
    result = suggest_citations(response, JUDGE, parsing=ParseOptions(style=style))
    assert result.answer == "Cats purr <<1>>."


@pytest.mark.parametrize(
    "options",
    [
        {"top": 0},
        {"top": True},
        {"candidates": 0},
        {"candidates": 1.5},
        {"problems": ["wrong"]},
        {"problems": "uncited"},
    ],
)
def test_options_that_cannot_be_used(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        repaired("Cats purr.", **options)
    with pytest.raises(InputError):
        repairing({"answer": "x"}, **options)


class Unreliable(Judge):
    """Fails on hypotheses that name cows, and on premises that name fish."""

    @property
    def identity(self) -> citemeter.JudgeIdentity:
        return citemeter.JudgeIdentity(name="unreliable")

    def judge(self, pairs: Any) -> list[citemeter.Verdict]:
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> citemeter.Verdict:
        premise, hypothesis = pair
        if "Cows" in hypothesis or ("Fish" in premise and "Rain" in hypothesis):
            return citemeter.Verdict.failed("no answer")
        return citemeter.Verdict(supported=hypothesis.rstrip(".") in premise)


def test_a_failed_judge_is_no_verdict() -> None:
    result = repaired("Cows moo [1]. Rain falls. Cats purr [2].", judge=Unreliable())
    assert [(r.problem, r.outcome) for r in result.repairs] == [
        ("unjudged", "unjudged"),
        ("uncited", "unjudged"),
        ("unsupported", "repaired"),
    ]
    assert result.answer == "Cows moo [1]. Rain falls. Cats purr [1]."
    assert result.repairs[0].note == "the judge failed: no answer"
    assert result.before["citation_recall"].value is None
    counts = result.counts
    assert (counts["broken_statements"], counts["unjudged_repairs"]) == (2, 1)
    assert (counts["repair_unknown"], counts["repair_unjudged"]) == (1, 2)
    # The unknown statement may be in order (1 of 2 then 1 or 2 repaired) or broken as well (of 3).
    value, reason = REPAIR_RATE.value(counts)
    assert (value, reason) == (None, "the judge failed")
    assert REPAIR_RATE.bounded(counts) == Bounds(1 / 3, 1.0)


def test_many_answers_ask_together_and_give_the_same() -> None:
    records = [
        {"answer": f"{text} [{n}].", "sources": SOURCES}
        for n in ("1", "2", "9")
        for text in ("Cats purr", "Dogs bark", "Cows moo")
    ]
    calls = []

    class Counting(ContainsJudge):
        def judge(self, pairs: Any) -> list[citemeter.Verdict]:
            calls.append(len(pairs))
            return super().judge(pairs)

    together = suggest_all(records, Counting())
    assert len(calls) <= 6
    assert together == [suggest_citations(record, JUDGE) for record in records]
    session = JudgeSession(JUDGE)
    assert suggest_all(records, session) == together
    before = session.judged
    assert suggest_all(records, session) == together
    assert session.judged == before


def test_the_ratios_over_a_data_set() -> None:
    records = [
        {"answer": "Cats purr [2]. Cows moo.", "sources": SOURCES},  # 1 of 2 repaired
        {"answer": "Cats purr [1].", "sources": SOURCES},  # nothing broken
        {"answer": "Dogs bark [1].", "sources": SOURCES},  # 1 of 1 repaired
    ]
    results = suggest_all(records, JUDGE)
    totals = Aggregator(REPAIR_RATIOS)
    for result in results:
        totals.add(result.counts)
    summaries = totals.summaries([ratio.name for ratio in REPAIR_RATIOS])
    assert summaries["repair_rate"].macro == 0.75
    assert summaries["repair_rate"].micro == 2 / 3
    assert summaries["repair_rate"].reasons == {"no statement lacks support": 1}
    assert summaries["repaired_citation_recall"].macro == (0.5 + 1 + 1) / 3
    for name, value in results[0].after.items():
        ratio = next(r for r in REPAIR_RATIOS if r.name == f"repaired_{name}")
        assert ratio.value(results[0].counts)[0] == value.value
    summary = summarize_repairs(results)
    assert summary.problems["unsupported"] == {"repaired": 2, "unrepaired": 0, "unjudged": 0}
    assert summary.before["citation_recall"] == pytest.approx(1 / 3)
    assert summary.after["citation_recall"] == pytest.approx(2.5 / 3)
    assert set(summary.lower.values()) == {0}
    assert str(summary).splitlines()[0] == "unsupported: 2 of 2 repaired"


def test_bounds_of_the_repaired_scores_are_those_of_the_scores() -> None:
    def fails(premise: str, hypothesis: str) -> bool:
        if "Dogs" in hypothesis:
            raise TimeoutError
        return hypothesis in premise

    counts = repaired("Cats purr [1]. Dogs bark [2].", judge=fails).counts
    by_name = {ratio.name: ratio for ratio in REPAIR_RATIOS}
    assert by_name["repaired_citation_recall"].bounded(counts) == Bounds(0.5, 1.0)
    assert by_name["repaired_citation_precision"].bounded(counts) == Bounds(0.5, 1.0)


def test_a_result_survives_json() -> None:
    result = repaired("Cats purr [2]. Dogs bark. Fish swim [3][1].")
    again = RepairResult.model_validate_json(result.model_dump_json())
    assert again == result
    assert again.apply() == result.answer


@pytest.mark.parametrize(
    "record",
    [
        {"answer": "", "sources": SOURCES},
        {"answer": "[9]", "sources": SOURCES},
        {"answer": "Cats purr [1].", "sources": {}},
        {"answer": "Cats purr.", "sources": {"1": "", "2": "  "}},
        {"statements": [], "sources": {}},
        {"statements": [("", ["1"])], "sources": SOURCES},
    ],
)
def test_little_to_go_by(record: dict[str, Any]) -> None:
    result = suggest_citations(record, JUDGE)
    assert not any(r.outcome == "repaired" for r in result.repairs)


def test_no_sources_is_said() -> None:
    result = repaired("Cats purr [1].", {})
    assert result.repairs[0].note.startswith("there are no sources")
    assert result.answer == "Cats purr."


def test_a_bad_record_is_named() -> None:
    with pytest.raises(InputError, match="unknown field"):
        suggest_citations({"answer": "x", "docs": []}, JUDGE)


def test_titles_and_the_callers_premise_reach_the_judge() -> None:
    sources = [{"id": "a", "title": "Cats purr", "text": "-"}, {"id": "b", "text": "Dogs bark."}]
    assert repaired("Cats purr.", sources).answer == "Cats purr [a]."
    bare = repaired("Cats purr.", sources, premise=lambda source: source.text)
    assert bare.repairs[0].outcome == "unrepaired"


def test_a_response_is_left_as_it_was() -> None:
    response = Response.from_record({"answer": "Cats purr [2].", "sources": SOURCES})
    before = response.model_dump_json()
    suggest_citations(response, JUDGE)
    assert response.model_dump_json() == before
