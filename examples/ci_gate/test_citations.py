"""A gate for continuous integration: fail the build when the assistant's citations get worse.

python -m pytest examples/ci_gate
"""

from __future__ import annotations

from pathlib import Path

import pytest

import citemeter
from citemeter.io import read_records

ANSWERS = Path(__file__).parents[1] / "hagrid.jsonl"  # what your assistant answered


@pytest.fixture(scope="module")
def report() -> citemeter.Report:
    """Score the answers once for all checks."""
    return citemeter.score(read_records([ANSWERS]))


def test_every_record_was_read(report: citemeter.Report) -> None:
    """A record that cannot be read is no reason to pass."""
    assert report.record_counts["failed"] == 0, [error.message for error in report.errors]


def test_no_source_is_made_up(report: citemeter.Report) -> None:
    """Name every fabricated citation in the failure, not just their share."""
    made_up = [(result.id, bad) for result in report.results for bad in result.invalid_citations]
    assert not made_up


@pytest.mark.parametrize(("metric", "bar"), [("citation_recall", 0.5), ("citation_coverage", 0.8)])
def test_mean_is_not_under_the_bar(report: citemeter.Report, metric: str, bar: float) -> None:
    """Set bars a little under what you measure today."""
    value = report[metric]
    assert value is not None, report.metrics[metric].reasons
    assert value >= bar
