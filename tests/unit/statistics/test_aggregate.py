"""Means over a data set: macro, micro, and what is kept out of them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import citemeter
from citemeter.statistics import aggregate
from citemeter.statistics.aggregate import macro_mean
from support import words

SOURCES = {"a": "A", "b": "B", "ab": "A B", "n": "N"}


def score(many: list[list[Any]], judge: Any = words, **options: Any) -> citemeter.Report:
    return citemeter.score(
        [{"statements": statements, "sources": SOURCES} for statements in many],
        judge=judge,
        **options,
    )


class TestFourResponses:
    """Worked out by hand.

    ==========  =====================================  ========  =========
    response    statements                             recall    precision
    ==========  =====================================  ========  =========
    1           A cites a                              1/1       1/1
    2           A cites a; B cites a; N; A B cites     2/4       2/4
                ab and n
    3           none                               undefined     undefined
    4           A; B (nothing cited)                   0/2       undefined
    ==========  =====================================  ========  =========

    In response 2, a is precise, a is unsupported, ab is precise and n irrelevant.
    """

    report = score(
        [
            [("A", ["a"])],
            [("A", ["a"]), ("B", ["a"]), ("N", []), ("A B", ["ab", "n"])],
            [],
            [("A", []), ("B", [])],
        ]
    )

    def test_macro(self) -> None:
        assert self.report["citation_recall"] == (1 + 1 / 2 + 0) / 3
        assert self.report["citation_precision"] == (1 + 1 / 2) / 2

    def test_micro_pools_the_counts(self) -> None:
        assert self.report.micro["citation_recall"] == 3 / 7
        assert self.report.micro["citation_precision"] == 3 / 5

    def test_f1_is_the_harmonic_mean_of_the_two_means(self) -> None:
        # 2 * 3/4 * 1/2 / (5/4)
        assert self.report["citation_f1"] == pytest.approx(0.6)
        # 2 * 3/5 * 3/7 / (36/35)
        assert self.report.micro["citation_f1"] == pytest.approx(0.5)

    def test_the_mean_of_the_f1s_has_a_name_of_its_own(self) -> None:
        # 1 and 1/2; undefined where precision is.
        assert self.report["citation_f1_per_response"] == pytest.approx(0.75)
        assert [r["citation_f1"] for r in self.report.results] == [1.0, 0.5, None, None]

    def test_support_rate_and_overcitation(self) -> None:
        # Of cited statements 1/1 and 2/3; of the citations of supported ones 0/1 and 1/3.
        assert self.report["support_rate"] == pytest.approx(5 / 6)
        assert self.report.micro["support_rate"] == 3 / 4
        assert self.report["overcitation"] == pytest.approx(1 / 6)
        assert self.report.micro["overcitation"] == 1 / 4

    def test_coverage(self) -> None:
        # 1/1, 3/4, 0/2; pooled 4/7.
        assert self.report["citation_coverage"] == pytest.approx((1 + 3 / 4) / 3)
        assert self.report.micro["citation_coverage"] == pytest.approx(4 / 7)

    @pytest.mark.parametrize(
        ("metric", "scored", "reasons"),
        [
            ("citation_recall", 3, {"no statement": 1}),
            ("citation_precision", 2, {"no citation": 2}),
            ("citation_f1_per_response", 2, {"no citation": 2}),
            ("overcitation", 2, {"no citation of a supported statement": 2}),
            ("source_recall", 0, {"no gold source ids are given": 4}),
            ("fabrication_rate", 4, {}),
        ],
    )
    def test_what_is_undefined_is_counted_with_its_reason(
        self, metric: str, scored: int, reasons: dict[str, int]
    ) -> None:
        summary = self.report.metrics[metric]
        assert (summary.scored, summary.undefined, summary.failed) == (scored, 4 - scored, 0)
        assert summary.reasons == reasons

    def test_counts_are_sums(self) -> None:
        counts = self.report.counts
        assert counts["statements"] == 7
        assert counts["citations"] == counts["occurrences"] == 5
        assert (counts["supported"], counts["unsupported"], counts["uncited"]) == (3, 1, 3)
        assert counts["responses"] == 4
        for name, count in counts.items():
            assert count == sum(r.counts.get(name, 0) for r in self.report.results)

    def test_zero_division_takes_the_place_of_the_undefined(self) -> None:
        many = [[("A", ["a"])], [], [("A", []), ("B", [])]]
        # Recall 1, 0/0, 0; precision 1, 0/0, 0/0.
        for value in (0.0, 1.0):
            report = score(many, zero_division=value)
            assert report["citation_recall"] == pytest.approx((1 + value) / 3)
            assert report["citation_precision"] == pytest.approx((1 + 2 * value) / 3)
            assert report.metrics["citation_precision"].scored == 3
        # Pooled counts hold no 0/0.
        assert report.micro["citation_recall"] == 1 / 3


def test_a_response_the_judge_failed_on_is_in_neither_mean() -> None:
    def judge(premise: str, hypothesis: str) -> bool:
        if hypothesis == "N":
            raise RuntimeError
        return words(premise, hypothesis)

    # The second response has two statements supported and one failed: its recall is unknown, and
    # its 2/3 does not enter the pool, which would make it 3/5. Scored: 1/1 and 0/1.
    failing = [("A", ["a"]), ("A B", ["ab"]), ("N", ["n"])]
    report = score([[("A", ["a"])], failing, [("A", ["b"])]], judge)
    summary = report.metrics["citation_recall"]
    assert (summary.scored, summary.undefined, summary.failed) == (2, 0, 1)
    assert summary.reasons == {"the judge failed": 1}
    assert (summary.macro, summary.micro) == (0.5, 0.5)
    precision = report.metrics["citation_precision"]
    assert (precision.macro, precision.micro, precision.failed) == (0.5, 0.5, 1)
    assert report["citation_f1"] == 0.5
    # What needs no verdict counts the response.
    assert report.metrics["citation_validity"].scored == 3
    assert report.counts["unjudged_statements"] == 1


def test_scored_undefined_and_failed_add_up_to_the_responses() -> None:
    def judge(premise: str, hypothesis: str) -> Any:
        return None if hypothesis == "N" else words(premise, hypothesis)

    report = score([[("A", ["a"])], [("N", ["n"])], [], [("A", ["x"])], [("A", [])]], judge)
    for summary in report.metrics.values():
        assert summary.scored + summary.undefined + summary.failed == 5, summary.name
        assert sum(summary.reasons.values()) == summary.undefined + summary.failed


def test_the_mean_does_not_depend_on_the_order_of_responses() -> None:
    # Added up from left to right, the thirds and sevenths round differently.
    sizes = [3, 7, 11, 13, 17, 19, 23]
    many = [[("A", ["a"])] + [("B", [])] * (size - 1) for size in sizes for _ in range(size)]
    forwards, backwards = score(many), score(many[::-1])
    assert forwards.metrics == backwards.metrics
    exact = math.fsum(1 / size for size in sizes for _ in range(size)) / sum(sizes)
    assert forwards["citation_recall"] == pytest.approx(exact, abs=1e-15)


def test_macro_mean_of_nothing() -> None:
    assert macro_mean({}) is None
    # (1/2 * 1 + 1 * 3 + 0 * 4) / 8
    assert macro_mean({0.5: 1, 1.0: 3, 0.0: 4}) == 0.4375


def test_many_distinct_counts_are_added_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    # 5 * 5 * 13 = 325 distinct sets of counts, more than are held at once: none to 4 statements
    # that are supported, as many that are uncited, and none to 12 gold ids.
    monkeypatch.setattr(aggregate, "_HELD", 256)
    sizes = [(s, u, g) for s in range(5) for u in range(5) for g in range(13)]
    report = citemeter.score(
        (
            {
                "statements": [("A", ["a"])] * s + [("A", [])] * u,
                "sources": {"a": "A"},
                "gold_source_ids": [str(n) for n in range(g)],
            }
            for s, u, g in sizes
        ),
        judge=words,
        keep_results=False,
    )
    # Each kind: (0 + 1 + ... + 4) * 5 * 13 = 650.
    assert (report.counts["supported"], report.counts["uncited"]) == (650, 650)
    assert report.counts["gold_sources"] == 25 * 12 * 13 // 2
    assert report.micro["citation_recall"] == 1 / 2
    assert report.metrics["citation_recall"].reasons == {"no statement": 13}
    # By symmetry the two shares of each response with a statement average to a half.
    assert report["citation_recall"] == pytest.approx(1 / 2, abs=1e-15)
