"""Worked examples from the literature this library follows, each value derived by hand."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import citemeter
from citemeter.judges import RecordedJudge

HR = {
    "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
    "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
}


def carries_over(premise: str, hypothesis: str) -> bool:
    """Stand in for an entailment model: the premise holds the key fact."""
    return "up to 5 days may be carried over" in premise.lower()


class TestFourStatements:
    """s1 cites p1 (entailed); s2 cites p2, p3 (p2 suffices); s3 cites p4 (not); s4 cites nothing.

    Recall: s1 and s2 of 4 = 0.5. Precision: p1 and p2 of p1, p2, p3, p4 = 0.5.
    """

    record: ClassVar[dict[str, Any]] = {
        "statements": [("s1", ["p1"]), ("s2", ["p2", "p3"]), ("s3", ["p4"]), ("s4", [])],
        "sources": {f"p{n}": f"passage {n}" for n in range(1, 5)},
    }
    judge = RecordedJudge(
        {
            ("passage 1", "s1"): True,
            ("passage 2\npassage 3", "s2"): True,
            ("passage 2", "s2"): True,
            ("passage 3", "s2"): False,
            # Asked because p3 does not support alone: p2 is enough without it.
            ("passage 4", "s3"): False,
        }
    )

    def test_recall(self) -> None:
        assert citemeter.citation_recall(self.record, self.judge).value == 0.5

    def test_precision(self) -> None:
        assert citemeter.citation_precision(self.record, self.judge).value == 0.5

    def test_states(self) -> None:
        results = citemeter.support(self.record, self.judge)
        assert [r.state for r in results] == ["supported", "supported", "unsupported", "uncited"]
        assert [[c.state for c in r.citations] for r in results] == [
            ["precise"],
            ["precise", "irrelevant"],
            ["unsupported"],
            [],
        ]

    def test_f1_overcitation_and_support_rate(self) -> None:
        # F1 of 0.5 and 0.5; 1 irrelevant of the 3 citations of s1, s2; 2 supported of 3 cited.
        assert citemeter.citation_f1(self.record, self.judge).value == 0.5
        assert citemeter.overcitation(self.record, self.judge).value == pytest.approx(1 / 3)
        assert citemeter.support_rate(self.record, self.judge).value == pytest.approx(2 / 3)


class TestCarryOver:
    """One sentence, two passages of which one suffices; then the wrong one alone."""

    def test_an_irrelevant_citation_halves_precision(self) -> None:
        record = {
            "statements": [("Up to 5 unused days carry over.", ["hr-31", "hr-12"])],
            "sources": HR,
        }
        # The two together entail it: recall 1/1. hr-12 fails alone, hr-31 suffices without it:
        # irrelevant, so 1 of 2 citations is precise.
        assert citemeter.citation_recall(record, carries_over).value == 1.0
        assert citemeter.citation_precision(record, carries_over).value == 0.5

    def test_an_unsupported_statement_earns_nothing(self) -> None:
        record = {"statements": [("Up to 5 unused days carry over.", ["hr-12"])], "sources": HR}
        assert citemeter.citation_recall(record, carries_over).value == 0.0
        assert citemeter.citation_precision(record, carries_over).value == 0.0

    def test_macro_average_over_responses(self) -> None:
        # Recall (1 + 0) / 2 = 0.5, precision (0.5 + 0) / 2 = 0.25; F1 of the means
        # 2 * 0.5 * 0.25 / 0.75 = 1/3. The mean of the two F1s is (2/3 + 0) / 2 = 1/3 as well.
        report = citemeter.score(
            [
                {
                    "statements": [("Up to 5 unused days carry over.", ["hr-31", "hr-12"])],
                    "sources": HR,
                },
                {"statements": [("Up to 5 unused days carry over.", ["hr-12"])], "sources": HR},
            ],
            judge=carries_over,
        )
        assert report["citation_recall"] == 0.5
        assert report["citation_precision"] == 0.25
        assert report["citation_f1"] == pytest.approx(1 / 3)
        assert report["citation_f1_per_response"] == pytest.approx(1 / 3)


class TestChecksWithoutAJudge:
    """Four sentences: two cited well, one with an altered quotation, one with a fabricated id."""

    answer = (
        "You get 25 days of PTO per year [doc:hr-12]. Up to 5 unused days carry over [doc:hr-31]. "
        'The policy says "unused PTO up to 10 days may be carried over" [doc:hr-31]. '
        "Requests need manager approval [doc:hr-99]."
    )

    @pytest.fixture
    def response(self) -> citemeter.Response:
        return citemeter.parse(self.answer, HR)

    def test_statements(self, response: citemeter.Response) -> None:
        assert response.statements is not None
        assert [s.source_ids for s in response.statements] == [
            ("hr-12",),
            ("hr-31",),
            ("hr-31",),
            ("hr-99",),
        ]
        assert response.statements[0].text == "You get 25 days of PTO per year."

    def test_validity(self, response: citemeter.Response) -> None:
        # 3 of 4 citations name a source.
        validity = citemeter.citation_validity(response)
        assert validity.value == 0.75
        assert [c.source_id for c in validity.invalid] == ["hr-99"]

    def test_coverage(self, response: citemeter.Response) -> None:
        # The claim that cites hr-99 has no valid citation: 3 of 4.
        coverage = citemeter.citation_coverage(response)
        assert coverage.value == 0.75
        assert [s.text for s in coverage.uncited_claims] == ["Requests need manager approval."]

    def test_quote(self, response: citemeter.Response) -> None:
        # "unused pto up to 10 days may be carried over" has 44 characters; the longest run shared
        # with the source is " days may be carried over", 25: 25 / 44 = 0.568.
        check = citemeter.quote_verification(response)
        assert check.value == 0.0
        (quote,) = check.quotes
        assert quote.status == "altered"
        assert quote.longest_match_share == pytest.approx(25 / 44)
        assert round(quote.longest_match_share, 2) == 0.57


class TestFourAnswersAgainstGold:
    """Cited {d1}, {d1, d4}, {d2}, {} against gold {d1}, {d1}, {d2, d3}, {d5}."""

    report = citemeter.score(
        [
            {
                "statements": [("It is so.", cited)],
                "sources": {f"d{n}": "" for n in range(1, 6)},
                "gold_source_ids": gold,
            }
            for cited, gold in (
                (["d1"], ["d1"]),
                (["d1", "d4"], ["d1"]),
                (["d2"], ["d2", "d3"]),
                ([], ["d5"]),
            )
        ],
        judge=None,
    )

    def test_micro(self) -> None:
        # 3 of the 4 cited are gold; 3 of the 5 gold are cited.
        assert self.report.micro["source_precision"] == 0.75
        assert self.report.micro["source_recall"] == pytest.approx(0.60)

    def test_macro(self) -> None:
        # Precision 1, 1/2, 1, undefined; recall 1, 1, 1/2, 0.
        assert self.report["source_precision"] == pytest.approx(2.5 / 3)
        assert self.report["source_recall"] == pytest.approx(2.5 / 4)
        assert self.report.metrics["source_precision"].undefined == 1


class TestAnswerToAnUnanswerableQuestion:
    """It should cite nothing and say so."""

    def test_refusal(self) -> None:
        response = citemeter.parse("I could not find that in the documents.", HR, answerable=False)
        assert response.abstained is True
        assert citemeter.citation_validity(response).value is None
        assert citemeter.citation_coverage(response).reason == "no statement needs a citation"
