"""Citation coverage: the share of claims with at least one valid citation."""

from __future__ import annotations

import pytest

import citemeter

SOURCES = {"a": "A", "b": "B"}


@pytest.mark.parametrize(
    ("ids", "covered"),
    [
        (["a"], True),
        (["a", "b"], True),
        # One valid id is enough, wherever it stands.
        (["x", "a"], True),
        (["x"], False),
        ([], False),
    ],
)
def test_one_claim(ids: list[str], covered: bool) -> None:
    coverage = citemeter.citation_coverage({"statements": [("It is so.", ids)], "sources": SOURCES})
    assert coverage.value == float(covered)
    assert [s.text for s in coverage.uncited_claims] == ([] if covered else ["It is so."])


def test_what_needs_no_citation_counts_neither_way() -> None:
    # Claims: s1 (covered), s2 (not). The exempt ones, cited or not, are left out: 1 of 2.
    record = {
        "statements": [
            ("s1", ["a"]),
            ("s2", []),
            {"text": "s3", "citations": ["a"], "needs_citation": False},
            {"text": "s4", "citations": [], "needs_citation": False},
        ],
        "sources": SOURCES,
    }
    coverage = citemeter.citation_coverage(record)
    assert (coverage.value, coverage.numerator, coverage.denominator) == (0.5, 1, 2)
    assert [s.text for s in coverage.uncited_claims] == ["s2"]


def test_an_answer_is_parsed_and_the_worthiness_rule_asked() -> None:
    # Two claims, one cited; the greeting and the question are none.
    answer = "Hello! The museum opened in 1904 [a]. It has two floors. Shall I go on?"
    coverage = citemeter.citation_coverage({"answer": answer, "sources": SOURCES})
    assert coverage.value == 0.5
    assert [s.text for s in coverage.uncited_claims] == ["It has two floors."]


def test_no_claim_is_undefined() -> None:
    record = {"answer": "Do cats purr?", "sources": SOURCES}
    coverage = citemeter.citation_coverage(record)
    assert (coverage.value, coverage.reason) == (None, "no statement needs a citation")
    assert citemeter.citation_coverage(record, zero_division=1.0).value == 1.0
    assert citemeter.citation_coverage(record, zero_division=0.0).value == 0.0
