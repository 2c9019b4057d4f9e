"""The examples run and print what they promise."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import citemeter
from citemeter.models import Response
from support import EXAMPLE, ROOT, read_jsonl

EXAMPLES = ROOT / "examples"
RECORDS = read_jsonl(EXAMPLE)


def _run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, EXAMPLES / script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_score_a_file() -> None:
    printed = _run("score_a_file.py")
    values = dict(re.findall(r"^(\w+) +(\d\.\d{3}|undefined) ", printed, re.M))
    assert set(values) >= {"citation_recall", "citation_precision", "citation_validity"}
    assert 0 < float(values["citation_recall"]) < 1
    assert values["citation_validity"] == "1.000"
    assert values["source_recall"] == "undefined"  # HAGRID has no gold ids
    assert "50 answers" in printed
    assert "protocol:alce|judge:embedded" in printed


def test_your_own_judge() -> None:
    lines = _run("your_own_judge.py").splitlines()
    assert lines[0].startswith("judge callable:same_numbers: citation_recall 0.")
    assert lines[1].startswith("judge same-numbers-1,threshold=1.0: citation_recall 0.")
    assert lines[0].split()[-1] == lines[1].split()[-1]
    assert all(": not in the passage: " in line for line in lines[2:])
    assert len(lines) > 2


def test_every_statement() -> None:
    printed = _run("every_statement.py")
    states = re.findall(r"^(\w+): ", printed, re.M)
    assert states == ["supported", "uncited", "invalid", "unsupported"]
    assert "[hr-31] precise" in printed
    assert "[hr-12] irrelevant" in printed
    assert "cites 'hr_31': no source; near: hr-31" in printed
    assert printed.endswith("of 4 statements\n")


def test_gold_sources() -> None:
    printed = _run("gold_sources.py")
    assert "source_recall: macro 0.625 over 4, micro 0.600" in printed
    assert "source_precision: macro 0.833 over 3, micro 0.750" in printed
    assert "precision None (no source is cited)" in printed


def test_quotes() -> None:
    printed = _run("quotes.py")
    statuses = re.findall(r"^(\w+): ", printed, re.M)
    assert statuses == ["verified", "altered", "misattributed", "fabricated"]
    assert "    found in minutes" in printed
    assert "quote_verification 0.25" in printed


@pytest.mark.slow  # score_a_file.py has judged the same answers
def test_the_ci_gate_passes_on_the_example_answers() -> None:
    gate = EXAMPLES / "ci_gate"
    done = subprocess.run(
        # Without this checkout's options, as where the gate is copied to.
        [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", gate],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: str(record["id"]))
def test_every_answer_is_a_record_with_its_labels(record: dict[str, Any]) -> None:
    response = Response.from_record(record)
    assert response.question
    assert response.answer
    assert response.sources
    assert all(source.metadata["docid"] for source in response.sources)
    human = response.metadata["human"]
    assert human["attributable"] in (0, 1)
    assert human["sentences"]
    assert all(sentence["attributable"] in (0, 1) for sentence in human["sentences"])


def test_every_answer_cites_something_that_exists() -> None:
    report = citemeter.score(RECORDS, judge=None)
    assert report.record_counts == {"records": 50, "scored": 50, "failed": 0}
    assert report["citation_validity"] == 1.0
    assert report.metrics["citation_validity"].scored >= 45


def test_the_extract_is_the_draw_that_its_script_makes() -> None:
    script = runpy.run_path(str(EXAMPLES / "make_hagrid_extract.py"))
    rows = [
        {
            "id": str(number),
            "question": f"Question {number % 70}?",
            "answer": "Yes [1].",
            "passages": [{"id": "1", "docid": "7#0", "text": "Yes."}] * (1 + number % 10),
            "human": {
                "attributable": 1,
                "informative": 1,
                "sentences": [{"text": "Yes [1].", "attributable": None if number % 9 == 0 else 1}],
            },
        }
        for number in range(300)
    ]
    drawn = script["draw"](rows)
    assert drawn == script["draw"](reversed(rows))
    assert len(drawn) == script["SIZE"] == len(RECORDS)
    assert len({record["question"] for record in drawn}) == len(drawn)
    assert all(len(record["sources"]) <= script["MOST_PASSAGES"] for record in drawn)
    assert all(
        s["attributable"] is not None for r in drawn for s in r["metadata"]["human"]["sentences"]
    )


def test_the_extract_is_that_of_the_whole_file(shared: Path) -> None:
    script = runpy.run_path(str(EXAMPLES / "make_hagrid_extract.py"))
    with (shared / "data" / "answers" / "hagrid.jsonl").open(encoding="utf-8") as lines:
        assert script["draw"](json.loads(line) for line in lines) == RECORDS


def test_the_attribution_stands_beside_the_answers() -> None:
    notice = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for words in (
        "project-miracl/hagrid",
        "Apache License 2.0",
        "CC BY-SA",
        "make_hagrid_extract.py",
    ):
        assert words in notice


def test_guardrail() -> None:
    lines = _run("guardrail.py").splitlines()
    # With every passage allowed nothing is taken out; with each answer's last passage hidden, its
    # citations are.
    assert "all passages: flag 14, pass 36; ids taken out: 0" in lines
    assert "the last passage hidden: flag 3, pass 5, strip 42; ids taken out: 49" in lines
    assert lines[-1] == "shown before the block: 112 characters"
