"""The examples run and print what they promise."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import citemeter
from citemeter.io import read_records
from citemeter.models import Response
from support import EXAMPLE, ROOT, read_jsonl

EXAMPLES = ROOT / "examples"
RECORDS = read_jsonl(EXAMPLE)


Printed = Callable[..., str]


def test_score_a_file(printed: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first answers; ``citemeter score`` scores them all in README.md.
    def first(paths: Sequence[Path]) -> Iterator[Any]:
        return islice(read_records(paths), 8)

    monkeypatch.setattr("citemeter.io.read_records", first)
    lines = printed("examples/score_a_file.py")
    values = dict(re.findall(r"^(\w+) +(\d\.\d{3}|undefined) ", lines, re.M))
    assert set(values) >= {"citation_recall", "citation_precision", "citation_validity"}
    assert 0 < float(values["citation_recall"]) < 1
    assert values["citation_validity"] == "1.000"
    assert values["source_recall"] == "undefined"  # HAGRID has no gold ids
    assert "8 answers" in lines
    assert "protocol:alce|judge:embedded" in lines


def test_your_own_judge(printed: Printed) -> None:
    lines = printed("examples/your_own_judge.py").splitlines()
    assert lines[0].startswith("judge callable:same_numbers: citation_recall 0.")
    assert lines[1].startswith("judge same-numbers-1,threshold=1.0: citation_recall 0.")
    assert lines[0].split()[-1] == lines[1].split()[-1]
    assert all(": not in the passage: " in line for line in lines[2:])
    assert len(lines) > 2


def test_every_statement(printed: Printed) -> None:
    lines = printed("examples/every_statement.py")
    states = re.findall(r"^(\w+): ", lines, re.M)
    assert states == ["supported", "uncited", "invalid", "unsupported"]
    assert "[hr-31] precise" in lines
    assert "[hr-12] irrelevant" in lines
    assert "cites 'hr_31': no source; near: hr-31" in lines
    assert lines.endswith("of 4 statements\n")


def test_gold_sources(printed: Printed) -> None:
    lines = printed("examples/gold_sources.py")
    assert "source_recall: macro 0.625 over 4, micro 0.600" in lines
    assert "source_precision: macro 0.833 over 3, micro 0.750" in lines
    assert "precision None (no source is cited)" in lines


def test_quotes(printed: Printed) -> None:
    lines = printed("examples/quotes.py")
    statuses = re.findall(r"^(\w+): ", lines, re.M)
    assert statuses == ["verified", "altered", "misattributed", "fabricated"]
    assert "    found in minutes" in lines
    assert "quote_verification 0.25" in lines


def test_contract(printed: Printed) -> None:
    lines = printed("examples/contract.py").splitlines()
    assert lines[0] == "answer 1: follows all"
    assert "    I3 marker_syntax: 1 marker is not written as [doc:<id>]" in lines
    assert "    I5 sources_section: listed but not cited: hr-12" in lines
    assert "    I6 no_citation_in_refusals: the answer declines, yet cites hr-12" in lines
    # 19 instructions apply, 15 are followed: I3 once, I5 twice and I6 once are not. One answer of
    # four follows all. Without its last line answer 3 lists just what it cites.
    assert "prompt_level_strict_acc 0.250" in lines
    assert f"inst_level_strict_acc {15 / 19:.3f}" in lines
    assert "prompt_level_loose_acc 0.500" in lines
    assert f"inst_level_loose_acc {16 / 19:.3f}" in lines
    assert lines[-1] == "not tested by any answer: I7"


@pytest.mark.slow  # a command in README.md has judged the same answers
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


def test_guardrail(printed: Printed) -> None:
    lines = printed("examples/guardrail.py").splitlines()
    # With every passage allowed nothing is taken out; with each answer's last passage hidden, its
    # citations are.
    assert "all passages: flag 14, pass 36; ids taken out: 0" in lines
    assert "the last passage hidden: flag 3, pass 5, strip 42; ids taken out: 49" in lines
    assert lines[-1] == "shown before the block: 112 characters"
