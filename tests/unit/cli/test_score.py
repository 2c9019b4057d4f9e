"""``citemeter score``, ``explain`` and ``parse``: what they print, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.results import Report
from support import Command

SOURCES = [{"id": "1", "text": "Cats purr."}, {"id": "2", "text": "Dogs bark."}]
GOOD = {"id": "good", "answer": "Cats purr [1]. Dogs bark [2].", "sources": SOURCES}
BAD = {"id": "bad", "answer": "Cats purr [2]. Fish swim [3].", "sources": SOURCES}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps(BAD) + "\n", encoding="utf-8")
    return path


def table(output: str) -> dict[str, list[str]]:
    """Read the printed table: the macro and micro columns by metric."""
    rows = (line.replace(" ↓", "").split() for line in output.splitlines())
    return {row[0]: row[1:3] for row in rows if len(row) > 5}


def test_score_prints_a_table_and_no_progress_in_a_pipe(citemeter: Command, answers: Path) -> None:
    done = citemeter("score", str(answers), "--judge", "toy:contains")
    assert done.returncode == 0, done.stderr
    # Recall 2/2 and 0/2; validity 2/2 and 1/2; one of two answers has a fabricated id.
    assert table(done.stdout)["citation_recall"] == ["0.500", "0.500"]
    assert table(done.stdout)["citation_validity"] == ["0.750", "0.750"]
    assert table(done.stdout)["fabrication_rate"] == ["0.500", "0.500"]
    assert "judge:toy:contains" in done.stdout.replace("\n", "")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_out_writes_the_whole_report_and_explain_reads_it(
    citemeter: Command, answers: Path, tmp_path: Path
) -> None:
    out = tmp_path / "report.json"
    done = citemeter("score", str(answers), "--judge", "toy:contains", "--out", str(out))
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json(out.read_text(encoding="utf-8"))
    assert [r.id for r in report.results] == ["good", "bad"]
    shown = citemeter("explain", str(out), "--id", "bad")
    assert shown.returncode == 0, shown.stderr
    assert "response bad" in shown.stdout
    assert (
        shown.stdout
        == citemeter("explain", str(answers), "--id", "bad", "--judge", "toy:contains").stdout
    )


def test_explain_says_what_is_wrong_with_a_report(citemeter: Command, tmp_path: Path) -> None:
    for name, text, said in (
        ("later", '{"signature": {}, "schema_version": 99}', "pip install -U citemeter"),
        ("broken", '{"signature": ', "Invalid JSON"),
    ):
        file = tmp_path / f"{name}.json"
        file.write_text(text, encoding="utf-8")
        done = citemeter("explain", str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr, done.stderr


def test_format_json_prints_the_report(citemeter: Command, answers: Path) -> None:
    done = citemeter("score", str(answers), "--judge", "toy:contains", "--format", "json")
    assert Report.model_validate_json(done.stdout)["citation_recall"] == 0.5


@pytest.mark.parametrize(
    ("bar", "code"),
    [
        ("citation_recall=0.5", 0),
        ("citation_recall=0.51", 1),
        ("fabrication_rate=0.5", 0),
        ("fabrication_rate=0.4", 1),
        ("source_recall=0.1", 1),
        ("citation_recal=0.5", 2),
        ("citation_recall", 2),
        ("citation_recall=high", 2),
    ],
)
def test_fail_under(citemeter: Command, answers: Path, bar: str, code: int) -> None:
    done = citemeter("score", str(answers), "--judge", "toy:contains", "--fail-under", bar)
    assert done.returncode == code
    assert ("under the bar" in done.stderr) == (code == 1)
    assert ("Fix:" in done.stderr) == (code == 2)


def test_standard_input(citemeter: Command, answers: Path) -> None:
    done = citemeter("score", "-", "--judge", "toy:contains", stdin=answers.read_text())
    assert done.returncode == 0, done.stderr
    assert "2 responses scored" in done.stdout


def test_other_peoples_names(citemeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = {"output": "Cats purr [1].", "docs": [{"body": "Cats purr."}], "system": "s"}
    path.write_text(json.dumps(row), encoding="utf-8")
    options = ["--field", "answer=output", "--field", "sources=docs"]
    options += ["--field", "sources.text=body", "--judge", "toy:contains"]
    refused = citemeter("score", str(path), *options)
    assert refused.returncode == 2
    assert "field 'system': unknown field" in refused.stderr
    taken = citemeter("score", str(path), *options, "--extra-fields", "metadata")
    assert taken.returncode == 0, taken.stderr
    assert table(taken.stdout)["citation_recall"] == ["1.000", "1.000"]


@pytest.mark.slow
def test_one_malformed_line_is_named_and_the_rest_is_scored(
    citemeter: Command, tmp_path: Path
) -> None:
    lines = [json.dumps(dict(GOOD, id=str(n))) for n in range(10_000)]
    lines[6_789] = '{"answer": "cut off'
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    done = citemeter("score", str(path), "--judge", "toy:contains")
    assert done.returncode == 0
    assert f"{path}:6790" in done.stderr
    assert "9999 responses scored, 1 not readable" in done.stdout
    strict = citemeter("score", str(path), "--judge", "toy:contains", "--strict")
    assert strict.returncode == 2
    assert f"{path}:6790" in strict.stderr
    assert strict.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "missing.jsonl"],
        ["score", "{answers}", "--judge", "nonsense"],
        ["score", "{answers}", "--protocol", "nonsense"],
        ["score", "{answers}", "--segmenter", "nonsense"],
        ["score", "{answers}", "--style", "nonsense"],
        ["score", "{answers}", "--attach", "sideways"],
        ["score", "{answers}", "--recall-over", "some"],
        ["score", "{answers}", "--duplicates", "some"],
        ["score", "{answers}", "--field", "anser=x"],
        ["score", "{answers}", "--numbering", "7"],
        ["explain", "{answers}", "--id", "missing"],
        ["explain", "{answers}", "--index", "9"],
        ["parse", "missing.txt"],
        ["score"],
    ],
)
def test_bad_input_is_code_2_with_a_message(
    citemeter: Command, answers: Path, arguments: list[str]
) -> None:
    done = citemeter(*[a.format(answers=answers) for a in arguments])
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_file_is_bad_input(citemeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    done = citemeter("score", str(path))
    assert (done.returncode, "there is no record" in done.stderr) == (2, True)


def test_explain_shows_every_state_and_why(citemeter: Command, answers: Path) -> None:
    shown = citemeter("explain", str(answers), "--id", "bad", "--judge", "toy:contains").stdout
    assert "1. unsupported: Cats purr." in shown
    assert "[2] unsupported: the statement is not supported" in shown
    assert "the premise does not contain the words" in shown
    assert "2. invalid: Fish swim." in shown
    assert "[3] invalid: no source has this id" in shown


def test_parse_shows_statements_and_citations(
    citemeter: Command, answers: Path, tmp_path: Path
) -> None:
    shown = citemeter("parse", str(answers), "--id", "bad")
    assert shown.returncode == 0, shown.stderr
    assert "text: Fish swim." in shown.stdout
    assert "3 [3] @25–28 names no source" in shown.stdout
    text = tmp_path / "answer.md"
    text.write_text("# Head\n\nOil floats [doc:a].\n", encoding="utf-8")
    shown = citemeter("parse", str(text), "--source-ids", "a,b")
    assert "text: Oil floats." in shown.stdout
    assert "no statement (heading): # Head" in shown.stdout
    parsed: Any = json.loads(citemeter("parse", str(answers), "--json").stdout)
    assert [s["text"] for s in parsed["statements"]] == ["Cats purr.", "Dogs bark."]
