"""Parts of a report that only some records ask for: counts, means and details by hand."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError
from citemeter.evaluation.engine import METRICS, Run
from citemeter.evaluation.settings import Settings
from citemeter.judges import CallableJudge, load_judge
from citemeter.results import Report
from citemeter.verdicts import Verdict

CATS = ["Cats purr.", "Dogs bark."]
REFUSAL = "The documents do not say when it opened."


def score(*records: dict[str, Any], judge: Any = "toy:contains", **options: Any) -> Report:
    return citemeter.score(list(records), judge=judge, strict=True, **options)


def test_without_their_fields_the_parts_are_not_there() -> None:
    report = score({"answer": "Cats purr [1].", "sources": CATS})
    assert set(report.metrics) <= set(METRICS)
    assert report.details == {}
    assert report.results[0].details == {}


def test_abstention() -> None:
    report = score(
        {"answer": REFUSAL, "sources": CATS, "answerable": False},
        {"answer": "Cats purr [1].", "sources": CATS, "answerable": False},
        {"answer": "Cats purr [1].", "sources": CATS, "answerable": True},
        {"answer": REFUSAL, "sources": CATS, "answerable": True},
        {"answer": "Cats purr [1].", "sources": CATS},
    )
    # Unanswerable: one of two declined, the other cites. Answerable: one of two declined.
    assert report["refusal_recall"] == 0.5
    assert report["false_refusal_rate"] == 0.5
    assert report["unanswerable_citation_rate"] == 0.5
    assert report["refusal_precision"] == 0.5
    assert report.metrics["refusal_recall"].reasons == {
        "answerable is not given": 1,
        "no question is unanswerable": 2,
    }
    assert report.details["abstention"].model_dump() == {
        "answerable": {"abstained": 1, "answered": 1, "empty": 0},
        "unanswerable": {"abstained": 1, "answered": 1, "empty": 0},
    }
    found = [r.details.get("abstention") for r in report.results]
    assert [None if one is None else one.outcome for one in found] == [
        "abstained",
        "answered",
        "answered",
        "abstained",
        None,
    ]


def test_uncited_refusals_are_left_out_on_request() -> None:
    records = [
        {"answer": "Cats purr [1]. Dogs bark.", "sources": CATS},
        {"answer": REFUSAL, "sources": CATS},
    ]
    counted = score(*records)
    # 1/2 and 0/1: a refusal has a statement that no citation supports.
    assert counted["citation_recall"] == 0.25
    left_out = score(*records, refusals="leave_out")
    assert left_out["citation_recall"] == 0.5
    assert left_out.metrics["citation_recall"].reasons == {"an uncited refusal, left out": 1}
    assert left_out.counts["left_out_refusals"] == 1
    assert left_out.signature != counted.signature
    # One that cites something is measured like any answer.
    citing = {"answer": "The documents do not say when it opened [1].", "sources": CATS}
    assert score(citing, refusals="leave_out").metrics["citation_recall"].scored == 1


def test_a_refusal_rule_of_ones_own() -> None:
    record = {"answer": "Zero hits", "sources": CATS, "answerable": False}
    assert score(record)["refusal_recall"] == 0.0

    def says_not_found(text: str) -> bool:
        return text == "Zero hits"

    report = score(record, refusal_rule=says_not_found)
    assert report["refusal_recall"] == 1.0
    assert report.results[0].abstained is True
    assert report.signature.refusal_rule.startswith("callable:")
    with pytest.raises(InputError, match="is no refusal rule"):
        score(record, refusal_rule="default")


def test_statements_that_came_split_may_abstain_too() -> None:
    report = score({"statements": [(REFUSAL, [])], "sources": CATS, "answerable": False})
    assert report["refusal_recall"] == 1.0
    assert report.results[0].abstained is True
    assert report.counts["abstained_answers"] == 1


def test_attribution_from_predictions() -> None:
    rows = [
        ("supportive", "supportive", "single"),
        ("supportive", "insufficient", "union"),
        ("irrelevant", "irrelevant", "union"),
        ("contradictory", None, "single"),
    ]
    report = score(
        *(
            {
                "answer": "Cats purr [1].",
                "sources": CATS,
                "attribution_label": label,
                "attribution_prediction": prediction,
                "complexity": complexity,
            }
            for label, prediction, complexity in rows
        ),
        judge=None,
    )
    # Two of four are right; a prediction without a label is a wrong one.
    assert report["attribution_micro_f1"] == report.micro["attribution_micro_f1"] == 0.5
    assert report.details["attribution"].by_complexity == {"single": 0.5, "union": 0.5}
    # F1: supportive 2/3 (1 right, 1 given, 2 true), irrelevant 1, the others 0.
    assert report.details["attribution"].attribution_macro_f1 == pytest.approx(
        (2 / 3 + 1 + 0 + 0) / 4
    )
    assert report.details["attribution"].confusion.table[0][:2] == (1, 1)


def test_attribution_asks_the_judge_where_no_prediction_is_given() -> None:
    report = score(
        {"answer": "Cats purr [1].", "sources": CATS, "attribution_label": "supportive"},
        {"answer": "Cats purr [2].", "sources": CATS, "attribution_label": "irrelevant"},
    )
    assert report["attribution_micro_f1"] == 1.0
    assert report.results[1].details["attribution"].prediction == "irrelevant"
    wrong = score({"answer": "Cats purr [1].", "sources": CATS, "attribution_label": "irrelevant"})
    found = wrong.results[0].details["attribution"]
    assert (found.label, found.prediction) == ("irrelevant", "supportive")
    without = score(
        {"answer": "Cats purr [1].", "sources": CATS, "attribution_label": "supportive"},
        judge=None,
    )
    assert "attribution_micro_f1" not in without.metrics


def test_a_failed_attribution_is_bounded() -> None:
    class Fails(CallableJudge):
        def judge(self, pairs: Any) -> list[Verdict]:
            return [Verdict.failed("?") for _ in pairs]

    report = score(
        {"answer": "Cats purr [1].", "sources": CATS, "attribution_label": "supportive"},
        judge=Fails(lambda p, h: True),
    )
    summary = report.metrics["attribution_micro_f1"]
    assert (summary.macro, summary.failed) == (None, 1)
    assert summary.bounds == (0.0, 1.0, True)


REGION = {"page_number": 1, "bbox": [10, 40, 280, 100]}
GROUNDED = {
    "id": "g",
    "statements": [
        {
            "text": "Agency A wants logs.",
            "citations": [
                {"doc_id": "d", "chunk_id": "d-1", "page_span": [1, 1], "regions": [REGION]}
            ],
        }
    ],
    "sources": [{"id": "d-1", "text": "Agency A wants logs and controls."}],
    "expected_citation_pages": [{"doc_id": "d", "pages": [1, 2]}],
    "expected_citation_regions": [{"doc_id": "d", **REGION}],
    "expected_claim_citations": [
        {"target": "Agency A", "expected_doc_ids": ["d"], "expected_terms": ["logs", "audit"]}
    ],
}


def test_grounding() -> None:
    report = score(GROUNDED, {"answer": "Cats purr [1].", "sources": CATS})
    # One of two pages; the one region; the claim lacks the term "audit".
    assert report["citation_page_precision"] == 0.5
    assert report["citation_region_precision"] == 1.0
    assert report["citation_grounding"] == report.micro["citation_grounding"] == 0.75
    assert report["claim_citation_alignment"] == 0.0
    assert report.metrics["citation_grounding"].scored == 1
    counts = report.details["grounding"]
    assert counts.citation_grounding_error_counts["page_mismatch"] == 1
    assert counts.claim_citation_error_counts["expected_claim_terms_missing"] == 1
    found = report.results[0].details["grounding"]
    assert [e.code for e in found.citation_grounding_errors] == ["page_mismatch"]
    assert [e.code for e in found.claim_citation_errors] == ["expected_claim_terms_missing"]
    assert "grounding" not in report.results[1].details
    assert Report.model_validate_json(report.model_dump_json()) == report


def test_a_judge_decides_about_claims_on_request() -> None:
    no = CallableJudge(lambda premise, hypothesis: False, name="no", version="1")
    record = {**GROUNDED, "expected_claim_citations": None}
    assert score(record, judge=no)["claim_citation_alignment"] == 1.0
    report = score(record, judge=no, claim_support="judge")
    assert report["claim_citation_alignment"] == 0.0
    assert report.signature.claim_support == "judge"
    with pytest.raises(InputError, match="needs a judge, and there is none"):
        score(record, judge=None, claim_support="judge")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("attribution_label", "nonsense"),
        ("expected_citation_pages", [{"doc_id": "d"}]),
        ("expected_citation_regions", [{"doc_id": "d", "page_number": 1, "bbox": [9, 0, 1, 1]}]),
        ("expected_claim_citations", [{"expected_terms": ["x"]}]),
        ("expected_citation_pages", "d"),
    ],
)
def test_a_malformed_field_sets_one_record_aside(field: str, value: Any) -> None:
    good = {"id": "good", "answer": "Cats purr [1].", "sources": CATS}
    bad = {**good, "id": "bad", field: value}
    report = citemeter.score([bad, good], judge="toy:contains")
    assert report.record_counts == {"records": 2, "scored": 1, "failed": 1}
    assert "bad" in report.errors[0].message
    assert field in report.errors[0].message


def test_descriptions_on_request() -> None:
    record = {"answer": "Cats [1] purr [2]. Dogs bark loud [1]. Fish swim.", "sources": CATS}
    assert "citations_per_statement" not in score(record).metrics
    report = score(record, {"answer": "Dogs bark.", "sources": CATS}, describe=True)
    # 2 + 1 + 0 citations in three statements; none in one.
    assert report.metrics["citations_per_statement"].macro == pytest.approx((3 / 3 + 0) / 2)
    assert report.micro["citations_per_statement"] == pytest.approx(3 / 4)
    # Offsets 5 and 14 of 18 characters, 15 of 19: see citation_positions.
    places = [5 / 18, 14 / 18, 15 / 19]
    mean = sum(places) / 3
    spread = (sum((x - mean) ** 2 for x in places) / 3) ** 0.5
    assert report["citation_position_variation"] == pytest.approx(spread / mean, abs=1e-5)
    assert report.micro["citation_position_variation"] == pytest.approx(spread / mean, abs=1e-5)
    assert report["inside_citation_rate"] == pytest.approx(1 / 3)


CONTRACT = [
    {"id": "cited", "rule": "every_claim_cited"},
    {"id": "short", "rule": "max_words", "n": 4},
]


def test_a_contract_is_checked_for_every_response() -> None:
    report = score(
        {"answer": "Cats purr [1].", "sources": CATS},
        {"answer": "Cats purr. Dogs bark all night long [2].", "sources": CATS},
        contract=CONTRACT,
    )
    # Both instructions in the first, none in the second.
    assert report["instruction_level_acc"] == report.micro["instruction_level_acc"] == 0.5
    assert report["prompt_level_acc"] == 0.5
    assert report.details["contract"].instructions["short"].model_dump() == {
        "applies": 2,
        "followed": 1,
        "followed_loosely": 1,
    }
    assert report.results[1].details["contract"].per_instruction == {
        "cited": False,
        "short": False,
    }
    label = report.signature.contract
    assert label is not None
    assert label.startswith("2-sha256-")
    other = score(contract=[{"id": "cited", "rule": "every_claim_cited"}])
    assert other.signature.contract != label
    with pytest.raises(InputError, match="max_words"):
        score(contract=[{"rule": "max_words", "words": 4}])


def test_the_order_of_records_changes_nothing() -> None:
    plain = {"answer": "Cats purr [1].", "sources": CATS}
    labelled = {**plain, "attribution_label": "supportive", "answerable": True}
    records = [plain] * 3 + [labelled, GROUNDED] + [plain] * 2
    for zero in (None, 0.25):
        forward = score(*records, zero_division=zero)
        backward = score(*reversed(records), zero_division=zero)
        assert forward.metrics == backward.metrics
        assert forward.counts == backward.counts
        assert forward.details == backward.details
        summary = forward.metrics["refusal_recall"]
        assert summary.scored + summary.undefined == 7


def test_repair_on_request() -> None:
    record = {"answer": "Cats purr [2]. Dogs bark. Fish swim [1].", "sources": CATS}
    report = score(record, repair=True)
    # Two of the three statements have a source; the third has none.
    assert report["repair_rate"] == pytest.approx(2 / 3)
    assert report["citation_recall"] == 0.0
    assert report["repaired_citation_recall"] == pytest.approx(2 / 3)
    assert report.details["repair"].problems["unsupported"] == {
        "repaired": 1,
        "unrepaired": 1,
        "unjudged": 0,
    }
    repaired = report.results[0].details["repair"].answer
    assert repaired.startswith("Cats purr [1]. Dogs bark [2].")
    assert "repair_rate" not in score(record).metrics
    with pytest.raises(InputError, match="repair needs a judge"):
        score(record, judge=None, repair=True)


def test_a_run_names_the_metrics_it_may_come_to() -> None:
    run = Run(Settings(contract=CONTRACT, repair=True, describe=True), load_judge("toy:contains"))
    assert set(run.possible_metrics) > set(METRICS)
    assert run.metrics == METRICS
