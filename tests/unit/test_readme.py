"""The README's table of empty cases, row by row, and its two commands."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest

import citemeter
from citemeter.results import Score
from support import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = {"1": "Cats purr.", "2": "Dogs bark."}
FUNCTION_OPTIONS = {"over": "recall_over", "duplicates": "duplicates"}
JUDGED = {"citation_recall", "citation_precision", "citation_f1", "support_rate", "overcitation"}
OVERLAP = {"source_recall": "recall", "source_precision": "precision", "source_f1": "f1"}


class Row(NamedTuple):
    metric: str
    when: str
    example: str
    value: float | None
    with_one: float | None
    reason: str


def _failing(premise: str, hypothesis: str) -> bool:
    raise RuntimeError("no verdict")


def _number(cell: str) -> float | None:
    return None if cell == "–" else float(cell)


def _rows() -> list[Row]:
    table = README.partition("[start:empty-cases] -->")[2].partition("<!-- --8<-- [end")[0]
    rows = []
    for line in table.strip().splitlines()[2:]:
        metric, when, example, value, with_one, reason = (
            cell.strip() for cell in line.strip().strip("|").split("|")
        )
        rows.append(
            Row(
                metric.strip("`"),
                when,
                example.strip("`"),
                _number(value),
                _number(with_one),
                reason,
            )
        )
    return rows


ROWS = _rows()


def _example(row: Row) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    names: dict[str, Any] = {"failing": _failing, "dict": dict}
    record = eval(f"dict({row.example})", {"__builtins__": {}}, names)
    judge = record.pop("judge", "toy:contains")
    options = {name: record.pop(name) for name in FUNCTION_OPTIONS if name in record}
    return {"sources": SOURCES, **record}, judge, options


def _from_function(row: Row, zero_division: float | None) -> Score:
    record, judge, options = _example(row)
    if row.metric in OVERLAP:
        overlap = citemeter.source_overlap(record, zero_division=zero_division)
        score: Score = getattr(overlap, OVERLAP[row.metric])
        return score
    function = getattr(citemeter, row.metric)
    arguments = [citemeter.load_judge(judge)] if row.metric in JUDGED else []
    found: Score = function(record, *arguments, zero_division=zero_division, **options)
    return found


def _value(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row.metric != "fabrication_rate"],  # of a data set only
    ids=lambda row: f"{row.metric}: {row.when}",
)
def test_each_row_holds_for_the_function(row: Row) -> None:
    score = _from_function(row, None)
    assert _value(score.value) == row.value
    assert (score.reason or "") == row.reason
    assert _value(_from_function(row, 1.0).value) == row.with_one


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.metric}: {row.when}")
def test_each_row_holds_in_a_report(row: Row) -> None:
    record, judge, options = _example(row)
    settings = {FUNCTION_OPTIONS[name]: value for name, value in options.items()}
    report = citemeter.score([record], judge=judge, **settings)
    [result] = report.results
    assert _value(result[row.metric]) == row.value
    assert (result.scores[row.metric].reason or "") == row.reason
    summary = report.metrics[row.metric]
    assert (summary.scored, summary.undefined + summary.failed) == (
        (0, 1) if row.value is None else (1, 0)
    )
    assert summary.failed == (row.reason == "the judge failed")
    assert _value(summary.macro) == row.value
    report = citemeter.score([record], judge=judge, zero_division=1.0, **settings)
    assert _value(report.results[0][row.metric]) == row.with_one


def test_the_table_has_every_metric() -> None:
    from citemeter.evaluation.engine import METRICS

    # The per-response F1 of a data set is the F1 of its rows.
    assert {row.metric for row in ROWS} == set(METRICS) - {"citation_f1_per_response"}


def test_every_metric_is_shown_undefined_except_the_one_that_never_is() -> None:
    undefined = {row.metric for row in ROWS if row.value is None}
    assert {row.metric for row in ROWS} - undefined == {"fabrication_rate"}


def test_a_data_set_without_responses_has_no_mean() -> None:
    report = citemeter.score([])
    assert set(report.macro.values()) == {None}
    assert report.record_counts == {"records": 0, "scored": 0, "failed": 0}


@pytest.mark.parametrize("name", ["score", "test"])
def test_each_set_up_command_is_one_line(name: str) -> None:
    found = re.findall(rf"<!-- command: {name} -->\n```bash\n(.+)\n```", README)
    assert len(found) == 1
    assert found[0].startswith("python3 -m venv .venv && .venv/bin/pip install -q ")
