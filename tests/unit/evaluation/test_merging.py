"""``Report.merge``: what cannot be merged is told; that the rest is exact is a property test."""

from __future__ import annotations

import pytest

from citemeter.errors import InputError
from citemeter.evaluation.score import score
from citemeter.results import Report

SOURCES = ["Cats purr.", "Dogs bark."]
FIRST = {"id": "a", "answer": "Cats purr [1].", "sources": SOURCES, "answerable": True}
SECOND = {"id": "b", "answer": "Dogs bark [1].", "sources": SOURCES}
CONTRACT = [{"id": "short", "rule": "max_words", "n": 3}]


def test_extensions_that_one_part_has_are_in_the_whole() -> None:
    options = {"judge": "toy:contains", "contract": CONTRACT, "repair": True}
    whole = score([FIRST, SECOND], **options)  # type: ignore[arg-type]
    a, b = (score([record], **options) for record in (FIRST, SECOND))  # type: ignore[arg-type]
    assert "refusal_recall" not in b.metrics
    for merged in (a.merge(b), Report.model_validate_json(a.model_dump_json()).merge(b)):
        assert merged.metrics == whole.metrics
        assert merged.details == whole.details
        assert merged.counts == whole.counts
        assert [result.index for result in merged.results] == [0, 1]
        assert merged.results[1].scores == whole.results[1].scores
        assert list(merged.metrics) == list(whole.metrics)


def test_nothing_merged_is_the_report_itself() -> None:
    report = score([FIRST], "toy:contains")
    assert report.merge() == report


def test_reports_made_differently_are_refused() -> None:
    one = score([FIRST], "toy:contains")
    with pytest.raises(InputError, match="judge is toy:contains in one and toy:keyword"):
        one.merge(score([SECOND], "toy:keyword=purr"))
    with pytest.raises(InputError, match="duplicates is set in one and occurrences"):
        one.merge(score([SECOND], "toy:contains", duplicates="occurrences"))
