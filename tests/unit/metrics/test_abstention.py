"""Whether answers decline where they should: the table, the rates, refusals left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.metrics.abstention import (
    ABSTENTION_RATIOS,
    abstention,
    count_abstention,
    is_uncited_refusal,
    leave_out_refusal,
    without_refusals,
)
from citemeter.metrics.alce import CITATION_RECALL, count_support
from citemeter.metrics.coverage import CITATION_COVERAGE, count_coverage
from citemeter.models import Citation, Response, Statement
from citemeter.results import CitationResult, StatementResult
from citemeter.statistics.aggregate import Aggregator
from citemeter.text.phrases.refusals import outcome_of
from support import read_jsonl

REFUSAL = "The documents do not say when it opened."
SOURCES = {"1": "It opened in 1904."}


def record(answer: str, answerable: bool | None) -> dict[str, Any]:
    return {"answer": answer, "answerable": answerable, "sources": SOURCES}


@pytest.mark.parametrize(
    ("answer", "outcome", "cites"),
    [
        (REFUSAL, "abstained", 0),
        ("The documents do not say when it opened [1].", "abstained", 1),
        ("It opened in 1904 [1].", "answered", 1),
        ("It opened in 1904.", "answered", 0),
        ("", "empty", 0),
        ("   \n", "empty", 0),
        ("[1]", "empty", 1),
    ],
)
@pytest.mark.parametrize("answerable", [True, False])
def test_each_cell(answer: str, outcome: str, cites: int, answerable: bool) -> None:
    found = abstention(record(answer, answerable))
    assert (found.outcome, found.cites, found.answerable) == (outcome, cites, answerable)
    declined = float(outcome == "abstained")
    if answerable:
        assert found.false_refusal_rate.value == declined
        assert found.refusal_recall.reason == "no question is unanswerable"
        assert found.unanswerable_citation_rate.value is None
        assert found.clean_refusal_rate.value is None
        assert found.refusal_precision.value == (0.0 if declined else None)
    else:
        assert found.refusal_recall.value == declined
        assert found.false_refusal_rate.reason == "no question is answerable"
        assert found.unanswerable_citation_rate.value == float(cites > 0)
        assert found.clean_refusal_rate.value == float(bool(declined) and not cites)
        assert found.refusal_precision.value == (1.0 if declined else None)


def test_without_answerable_nothing_is_counted() -> None:
    found = abstention(record(REFUSAL, None))
    assert found.outcome == "abstained"
    assert found.refusal_recall.value is None
    assert found.refusal_recall.reason == "answerable is not given"
    assert count_abstention("abstained", None, cites=False) == {}


def test_over_a_data_set_by_hand() -> None:
    # Unanswerable: 5 = 3 abstained (1 of them cites), 1 answered and cites, 1 empty.
    # Answerable: 4 = 1 abstained, 3 answered.
    answers = [
        ("abstained", False, False),
        ("abstained", False, False),
        ("abstained", False, True),
        ("answered", False, True),
        ("empty", False, False),
        ("abstained", True, False),
        ("answered", True, True),
        ("answered", True, True),
        ("answered", True, False),
        ("answered", None, True),
    ]
    totals = Aggregator(ABSTENTION_RATIOS)
    for outcome, answerable, cites in answers:
        totals.add(count_abstention(outcome, answerable, cites))  # type: ignore[arg-type]
    found = totals.summaries([ratio.name for ratio in ABSTENTION_RATIOS])
    expected = {
        "refusal_recall": 3 / 5,
        "refusal_precision": 3 / 4,
        "false_refusal_rate": 1 / 4,
        "unanswerable_citation_rate": 2 / 5,
        "clean_refusal_rate": 2 / 5,
    }
    for name, value in expected.items():
        assert found[name].macro == pytest.approx(value), name
        assert found[name].micro == pytest.approx(value), name
    assert found["false_refusal_rate"].lower_is_better
    assert found["unanswerable_citation_rate"].lower_is_better
    assert not found["refusal_recall"].lower_is_better
    assert found["refusal_recall"].reasons == {
        "answerable is not given": 1,
        "no question is unanswerable": 4,
    }
    cells = {
        n: c for n, c in totals.counts.items() if "_abst" in n or "_answ" in n or "_empty" in n
    }
    assert cells == {
        "answerable_abstained": 1,
        "answerable_answered": 3,
        "unanswerable_abstained": 3,
        "unanswerable_answered": 1,
        "unanswerable_empty": 1,
    }


class TestRule:
    def test_a_rule_of_ones_own_overrules_what_is_known(self) -> None:
        given = {**record("NOT_FOUND", False), "abstained": False}
        assert abstention(given).outcome == "answered"
        assert abstention(given, lambda text: text == "NOT_FOUND").outcome == "abstained"

    def test_the_records_own_word_counts_before_the_detector(self) -> None:
        known = {"statements": [(REFUSAL, [])], "abstained": False, "answerable": False}
        assert abstention(known).outcome == "answered"
        unknown = {"statements": [(REFUSAL, [])], "answerable": False}
        assert abstention(unknown).outcome == "abstained"

    def test_the_rule_sees_the_answer_with_its_markers(self) -> None:
        seen: list[str] = []

        def rule(text: str) -> bool:
            seen.append(text)
            return False

        abstention(record("It is so [1]. It is.", True), rule)
        assert seen == ["It is so [1]. It is."]

    def test_nothing_is_asked_about_silence(self) -> None:
        def rule(text: str) -> bool:
            raise AssertionError

        assert outcome_of(" ", None, rule) == "empty"

    @pytest.mark.parametrize("said", [None, 1, "yes"])
    def test_what_is_no_answer_is_an_error(self, said: object) -> None:
        with pytest.raises(InputError, match="the refusal rule returned"):
            outcome_of("x", None, lambda text: said)  # type: ignore[arg-type, return-value]


class TestLeftOut:
    def counts(self, cited: bool) -> dict[str, int]:
        statement = Statement(
            text=REFUSAL, citations=(Citation(source_id="1"),) if cited else (), needs_citation=True
        )
        citation = CitationResult(source_id="1", state="precise")
        counts = count_support(
            [
                StatementResult(
                    statement=statement,
                    state="supported" if cited else "uncited",
                    citations=(citation,) if cited else (),
                )
            ]
        )
        counts.update(count_coverage(Response(statements=(statement,), sources=SOURCES)))
        return counts

    def test_only_a_refusal_that_cites_nothing(self) -> None:
        assert is_uncited_refusal("abstained", cites=False)
        assert not is_uncited_refusal("abstained", cites=True)
        assert not is_uncited_refusal("answered", cites=False)
        assert not is_uncited_refusal("empty", cites=False)

    def test_which_counts_change(self) -> None:
        counts = self.counts(cited=False)
        left = leave_out_refusal(counts)
        changed = {name for name in counts if left.get(name) != counts[name]}
        assert changed == {
            "statements",
            "supported",
            "unsupported",
            "uncited",
            "invalid_statements",
            "unjudged_statements",
            "cited_statements",
            "worthy_statements",
            "worthy_supported",
            "worthy_unjudged",
            "claims",
            "covered_claims",
        }
        assert left["left_out_refusals"] == 1
        assert left["left_out_statements"] == counts["statements"] == 1
        # What a refusal without citations has no part in stays as it is, and is 0.
        assert left["citations"] == left["precise"] == 0

    def test_recall_and_coverage_of_a_data_set(self) -> None:
        # One answer with a supported, cited statement and one uncited refusal: recall is
        # (1 + 0) / 2, or 1 without the refusal.
        kept, refusal = self.counts(cited=True), self.counts(cited=False)
        for ratio in (CITATION_RECALL, CITATION_COVERAGE):
            counted = Aggregator([ratio])
            counted.add(kept)
            counted.add(refusal)
            assert counted.summaries([ratio.name])[ratio.name].macro == 0.5
            left_out = Aggregator([without_refusals(ratio)])
            left_out.add({**kept, "answers_kept": 1})
            left_out.add(leave_out_refusal(refusal))
            found = left_out.summaries([ratio.name])[ratio.name]
            assert (found.macro, found.micro, found.scored, found.undefined) == (1.0, 1.0, 1, 1)
            assert found.reasons == {"an uncited refusal, left out": 1}
            assert left_out.counts["left_out_refusals"] == 1


def test_the_rates_of_a_published_scorer(shared: Path) -> None:
    # Trust-Align on 66 edge cases, its own detector's word on each: once with no question
    # answerable (3 of 66 declined: recall 1/22), once with all. Its recall of answers is the
    # complement of our false-refusal rate.
    reference = shared / "reference"
    found = read_jsonl(reference / "trustalign_edge.jsonl")
    theirs = json.loads((reference / "trustalign_aggregate.json").read_text())["sets"]["edge"]
    names = [ratio.name for ratio in ABSTENTION_RATIOS]
    summaries = {}
    for answerable in (False, True):
        totals = Aggregator(ABSTENTION_RATIOS)
        for row in found:
            refused = row["expected"][0]["is_refusal"]
            totals.add(
                count_abstention("abstained" if refused else "answered", answerable, cites=False)
            )
        summaries[answerable] = totals.summaries(names)
    zeros, facts = (theirs[f"fact|answers_found={name}|cap=None"] for name in ("zeros", "facts9"))
    recall = summaries[False]["refusal_recall"].micro
    assert recall == pytest.approx(zeros["refuse_rec"] / 100) == pytest.approx(1 / 22)
    assert summaries[False]["refusal_precision"].micro == zeros["refuse_prec"] / 100 == 1.0
    rate = summaries[True]["false_refusal_rate"].micro
    assert rate is not None
    assert 1 - rate == pytest.approx(facts["answerable_rec"] / 100)
    assert summaries[True]["refusal_precision"].micro == facts["refuse_prec"] / 100 == 0.0
