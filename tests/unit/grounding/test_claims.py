"""Which code a claim gets, and which claim answers for an expected target."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.grounding import GroundingResult, citation_grounding, matches_target
from citemeter.models import Statement

EVIDENCE: list[dict[str, Any]] = [
    {"chunk_id": "a-1", "doc_id": "a", "text": "기관 A는 보안 통제를 적용하고 로그를 보관한다."},
    {"chunk_id": "b-1", "doc_id": "b", "text": "기관 B는 예산을 공개한다."},
    {"chunk_id": "empty", "doc_id": "e", "text": " "},
]
LOGS = "기관 A는 로그를 보관한다."
A1 = {"doc_id": "a", "chunk_id": "a-1"}
B1 = {"doc_id": "b", "chunk_id": "b-1"}
WANTED: dict[str, Any] = {
    "target": "기관 A",
    "expected_doc_ids": ["a"],
    "expected_terms": ["보안 통제", "로그"],
}


def measure(
    claims: list[Any], expected: list[Any] | None = None, judge: Any = None, **options: Any
) -> GroundingResult:
    record: dict[str, Any] = {"id": "r", "claims": claims, "evidence": EVIDENCE}
    if expected is not None:
        record["expected_claim_citations"] = expected
    return citation_grounding(record, None, judge, **options)


def codes(result: GroundingResult) -> list[str]:
    return [error.code for error in result.claim_citation_errors]


def claim(text: str, *citations: Any, **fields: Any) -> dict[str, Any]:
    return {"text": text, "citations": list(citations), **fields}


CASES: dict[str, tuple[list[Any], list[Any] | None, list[str]]] = {
    "supported": ([claim(LOGS, A1)], None, []),
    "supported, and as expected": ([claim(LOGS, A1)], [WANTED], []),
    "supported by its second citation": ([claim(LOGS, B1, A1)], None, []),
    "cited by a chunk's name": ([claim(LOGS, "a-1")], [WANTED], []),
    "cited by its document": ([claim(LOGS, {"doc_id": "a"})], [WANTED], []),
    "uncited": ([claim(LOGS)], None, ["claim_missing_citation"]),
    "uncited, and expected: once": ([claim(LOGS)], [WANTED], ["claim_missing_citation"]),
    "a chunk that was not there": (
        [claim(LOGS, {"doc_id": "a", "chunk_id": "a-9"})],
        None,
        ["citation_not_in_evidence"],
    ),
    "a chunk of another document": (
        [claim(LOGS, {"doc_id": "b", "chunk_id": "a-1"})],
        None,
        ["citation_not_in_evidence"],
    ),
    "a document that was not there": (
        [claim(LOGS, {"doc_id": "z"})],
        None,
        ["citation_not_in_evidence"],
    ),
    "a citation without an id": (
        [claim(LOGS, {"page_span": [1, 1]})],
        None,
        ["citation_not_in_evidence"],
    ),
    "one chunk there, one not": (
        [claim(LOGS, A1, {"chunk_id": "a-9"})],
        [WANTED],
        ["citation_not_in_evidence"],
    ),
    "the same stranger twice: once": (
        [claim(LOGS, "a-9", "a-9")],
        None,
        ["citation_not_in_evidence"],
    ),
    "another text": ([claim(LOGS, B1)], None, ["claim_text_not_supported_by_citation"]),
    "a chunk without text": (
        [claim(LOGS, "empty")],
        None,
        ["claim_text_not_supported_by_citation"],
    ),
    "another text and document than expected": (
        [claim(LOGS, B1)],
        [WANTED],
        [
            "claim_text_not_supported_by_citation",
            "expected_claim_doc_mismatch",
            "expected_claim_terms_missing",
        ],
    ),
    "a stranger's text is not known, its document is": (
        [claim(LOGS, {"doc_id": "z", "chunk_id": "z-1"})],
        [WANTED],
        ["citation_not_in_evidence", "expected_claim_doc_mismatch"],
    ),
    "a term that is not there": (
        [claim(LOGS, A1)],
        [{**WANTED, "expected_terms": ["로그", "암호화"]}],
        ["expected_claim_terms_missing"],
    ),
    "a target only": ([claim(LOGS, A1)], [{"target": "기관 A"}], []),
    "a target without a claim": ([], [{"target": "기관 C"}], ["expected_claim_missing"]),
    "no claim at all": ([], [WANTED], ["expected_claim_missing"]),
    "a claim that is none": ([claim("Hello!", needs_citation=False)], None, []),
}


@pytest.mark.parametrize("name", list(CASES))
def test_codes(name: str) -> None:
    claims, expected, wanted = CASES[name]
    result = measure(claims, expected)
    assert codes(result) == wanted
    counted = result.claim_citation_error_counts
    assert sum(counted.values()) == len(wanted)
    assert len(counted) == 6
    if result.counts["checked_claims"]:
        assert result.claim_citation_alignment.value == float(not wanted)


def test_the_share_counts_claims_and_targets_without_one() -> None:
    # Aligned; unsupported; uncited; a target that no claim is about: 1 of 4.
    result = measure([claim(LOGS, A1), claim(LOGS, B1), claim(LOGS)], [{"target": "기관 C"}])
    assert result.claim_citation_alignment.value == 0.25
    assert [check.state for check in result.claims] == [
        "aligned",
        "misaligned",
        "misaligned",
        "missing",
    ]
    assert result.counts["checked_claims"] == 4


def test_no_claim_has_no_value() -> None:
    result = measure([])
    assert result.claim_citation_alignment.value is None
    assert result.claim_citation_alignment.reason == "no claim is made or expected"


def test_without_evidence_nothing_is_checked() -> None:
    result = citation_grounding({"claims": [claim(LOGS)], "expected_claim_citations": [WANTED]})
    assert result.claim_citation_alignment.value is None
    assert result.claim_citation_alignment.reason == "the evidence is not given"
    assert result.claim_citation_error_counts == {}
    # An empty list is known to be empty.
    known = citation_grounding({"claims": [claim(LOGS, A1)], "evidence": []})
    assert codes(known) == ["citation_not_in_evidence"]


TARGETS = [
    ("기관 A는 로그를 남긴다", None, "기관 A", True),
    ("기관 A1은 로그를 남긴다", None, "기관 A", False),
    ("Agency A keeps logs", None, "agency a", True),
    ("Agency AB keeps logs", None, "Agency A", False),
    ("It keeps logs", "Agency A", "ＡＧＥＮＣＹ  a", True),
    # What the claim says it is about comes before its words.
    ("Unlike agency A, it keeps logs", "agency B", "agency A", False),
    ("Agency A keeps logs", "Agency A and B", "Agency A", False),
]


@pytest.mark.parametrize(("text", "own", "target", "matched"), TARGETS)
def test_target(text: str, own: str | None, target: str, matched: bool) -> None:
    assert matches_target(Statement(text=text, target=own), target) is matched


def test_of_several_claims_about_a_target_the_best_answers_for_it() -> None:
    other = "기관 A의 예산"
    result = measure([claim(other, B1), claim(LOGS, A1)], [WANTED])
    assert [check.targets for check in result.claims] == [(), ("기관 A",)]
    assert codes(result) == ["claim_text_not_supported_by_citation"]  # of the other one
    # With none that meets it, the first of the nearest is blamed.
    result = measure([claim(LOGS), claim(LOGS, B1), claim(LOGS, B1)], [WANTED])
    assert [check.targets for check in result.claims] == [(), ("기관 A",), ()]


def test_one_claim_may_answer_for_two_targets() -> None:
    both = "기관 A는 로그를 보관하고 기관 B는 예산을 공개한다."
    wanted = [WANTED, {"target": "기관 B", "expected_doc_ids": ["b"], "expected_terms": ["예산"]}]
    assert codes(measure([claim(both, A1, B1)], wanted)) == []
    [error] = measure([claim(both, A1)], wanted[1:]).claim_citation_errors[1:2]
    assert (error.code, error.target, error.missing) == (
        "expected_claim_doc_mismatch",
        "기관 B",
        ("b",),
    )


def test_all_expected_documents_or_any() -> None:
    wanted = [{"target": "기관 A", "expected_doc_ids": ["a", "b"]}]
    assert codes(measure([claim(LOGS, A1)], wanted)) == ["expected_claim_doc_mismatch"]
    assert codes(measure([claim(LOGS, A1)], wanted, doc_ids="any")) == []
    assert codes(measure([claim(LOGS, A1, B1)], wanted)) == []
    wanted = [{"target": "기관 A", "expected_doc_ids": ["x", "y"]}]
    [error] = measure([claim(LOGS, A1)], wanted, doc_ids="any").claim_citation_errors
    assert error.missing == ("x", "y")


def test_an_expectation_given_twice_counts_once() -> None:
    missing = {"target": "기관 C"}
    assert codes(measure([], [missing, missing])) == ["expected_claim_missing"]


class TestJudge:
    """Any ``Entails`` in place of the words."""

    def test_it_reads_all_cited_passages_and_the_claim(self) -> None:
        asked: list[tuple[str, str]] = []

        def judge(premise: str, hypothesis: str) -> bool:
            asked.append((premise, hypothesis))
            return True

        result = measure([claim("X", A1, B1), claim("Y", "empty"), claim("Z")], judge=judge)
        assert asked == [(f"{EVIDENCE[0]['text']}\n{EVIDENCE[1]['text']}", "X")]
        # A chunk without text supports nothing, and there is nothing to ask about.
        assert codes(result) == ["claim_text_not_supported_by_citation", "claim_missing_citation"]

    def test_its_no_is_an_error(self) -> None:
        result = measure([claim(LOGS, A1)], judge=lambda premise, hypothesis: False)
        assert codes(result) == ["claim_text_not_supported_by_citation"]
        assert result.claims[0].verdict is not None
        assert result.claims[0].support is None

    def test_its_failure_is_no_answer(self) -> None:
        def broken(premise: str, hypothesis: str) -> bool:
            raise RuntimeError("down")

        result = measure([claim(LOGS, A1)], judge=broken)
        assert result.claims[0].state == "unjudged"
        assert result.claim_citation_alignment.value is None
        assert result.claim_citation_alignment.reason == "the judge failed"
        assert codes(result) == []

    def test_its_failure_does_not_matter_where_the_claim_fails_anyway(self) -> None:
        def broken(premise: str, hypothesis: str) -> bool:
            raise RuntimeError("down")

        result = measure([claim(LOGS, A1, "a-9")], judge=broken)
        assert codes(result) == ["citation_not_in_evidence"]
        assert result.claim_citation_alignment.value == 0.0

    def test_a_title_is_read_too(self) -> None:
        asked = []

        def judge(premise: str, hypothesis: str) -> bool:
            asked.append(premise)
            return True

        citation_grounding(
            {
                "claims": [["X", ["c"]]],
                "evidence": [{"chunk_id": "c", "text": "Body.", "title": "Head"}],
            },
            judge=judge,
        )
        assert asked == ["Title: Head\nBody."]


@pytest.mark.parametrize(
    ("record", "field"),
    [
        ({"claims": [{"text": " "}]}, "claims.0.text"),
        ({"claims": [{"citations": []}]}, "claims.0.text"),
        ({"claims": [["text"]]}, "claims.0"),
        ({"claims": "text"}, "claims"),
        ({"claims": [{"text": "x", "citation": []}]}, "claims.0.citation"),
        ({"claims": [{"text": "x", "claim": "y"}]}, "claims.0.text"),
        ({"evidence": [{"chunk_id": "c"}]}, "evidence.0.text"),
        (
            {"evidence": [{"chunk_id": "c", "text": "x"}, {"chunk_id": "c", "text": "y"}]},
            "evidence",
        ),
        ({"expected_claim_citations": [{"target": ""}]}, "expected_claim_citations.0.target"),
        (
            {"expected_claim_citations": [{"target": "x", "expected_terms": ["…"]}]},
            "expected_claim_citations.0.expected_terms",
        ),
        (
            {"expected_claim_citations": [{"target": "x", "expected_terms": "log"}]},
            "expected_claim_citations.0.expected_terms",
        ),
        (
            {"expected_claim_citations": [{"target": "x", "expected_docs": ["a"]}]},
            "expected_claim_citations.0.expected_docs",
        ),
        ({"expected_claims_citations": []}, "expected_claims_citations"),
    ],
)
def test_a_malformed_record_is_an_error_with_its_field(record: Any, field: str) -> None:
    with pytest.raises(InputError) as caught:
        citation_grounding({"id": "r", **record})
    assert caught.value.record == "r"
    assert caught.value.field == field
    assert caught.value.fix


def test_options_that_are_no_choice() -> None:
    with pytest.raises(InputError, match="doc_ids is 'some'"):
        measure([], doc_ids="some")
    with pytest.raises(InputError, match="min_share is 0"):
        measure([], min_share=0)


@pytest.mark.slow
def test_thousands_of_claims_and_chunks_take_linear_time() -> None:
    from time import process_time

    count = 5000
    record = {
        "claims": [[f"claim {n}", [f"c{n}"]] for n in range(count)],
        "evidence": [{"chunk_id": f"c{n}", "text": f"claim {n}"} for n in range(count)],
    }
    began = process_time()
    assert citation_grounding(record).claim_citation_alignment.value == 1.0
    assert process_time() - began < 10
