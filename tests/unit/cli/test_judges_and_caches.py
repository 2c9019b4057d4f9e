"""Judges, thresholds, caches, failures and interrupts on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from citemeter.results import Report
from support import Command, write_jsonl

SOURCES = [{"id": "1", "text": "Cats purr."}, {"id": "2", "text": "Dogs bark."}]
JUDGES = """
import os, time
from citemeter.judges.base import Judge
from citemeter.verdicts import JudgeIdentity, Verdict


class Log(Judge):
    identity = JudgeIdentity(name="log", version="1")

    def judge(self, pairs):
        with open(os.environ["JUDGED"], "a") as file:
            file.write("".join(hypothesis + "\\n" for _, hypothesis in pairs))
        return [self.one(*pair) for pair in pairs]

    def one(self, premise, hypothesis):
        return Verdict(supported=hypothesis.rstrip(".") in premise)


class Failing(Log):
    def one(self, premise, hypothesis):
        failed = Verdict.failed("no answer")
        return failed if "bark" in hypothesis else super().one(premise, hypothesis)


class Slow(Log):
    def stream(self, pairs):
        for position, pair in enumerate(pairs):
            [verdict] = self.judge([pair])
            yield position, verdict
            time.sleep(0.02)
"""


@pytest.fixture
def judges(tmp_path: Path) -> dict[str, str]:
    """A module of judges, and the environment that finds it."""
    (tmp_path / "own_judges.py").write_text(JUDGES, encoding="utf-8")
    return {"PYTHONPATH": str(tmp_path), "JUDGED": str(tmp_path / "judged.txt")}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    rows = [
        {"id": "a", "answer": "Cats purr [1]. Dogs bark [2].", "sources": SOURCES},
        {"id": "b", "answer": "Cats purr [2].", "sources": SOURCES},
    ]
    return write_jsonl(tmp_path / "answers.jsonl", rows)


def judged(environment: dict[str, str]) -> list[str]:
    path = Path(environment["JUDGED"])
    return path.read_text().splitlines() if path.exists() else []


def test_a_failed_judge_is_code_3_and_its_range_is_shown(
    citemeter: Command, answers: Path, judges: dict[str, str]
) -> None:
    options = ["score", str(answers), "--judge", "own_judges:Failing"]
    done = citemeter(*options, env=judges)
    assert done.returncode == 3
    assert "failed on 1 of 3 pairs" in done.stderr
    # b's recall is 0; a's is 1/2 or 2/2, so their mean is in [0.25, 0.5].
    row = next(line for line in done.stdout.splitlines() if line.startswith("citation_recall"))
    assert row.split()[1:7] == ["0.000", "0.000", "1", "0", "1", "0.250–0.500"]
    assert citemeter(*options, "--allow-unjudged", env=judges).returncode == 0
    barred = citemeter(*options, "--fail-under", "citation_recall=0.9", env=judges)
    assert barred.returncode == 1
    shown = citemeter("explain", str(answers), "--judge", "own_judges:Failing", env=judges)
    assert "1. supported: Cats purr." in shown.stdout
    assert "2. unjudged: Dogs bark." in shown.stdout
    assert "failed (no answer)" in shown.stdout
    assert "the judge failed; if judged 0.500–1.000" in shown.stdout


def test_a_cache_answers_the_second_run(
    citemeter: Command, answers: Path, judges: dict[str, str], tmp_path: Path
) -> None:
    cache = tmp_path / "verdicts.sqlite"
    options = ["score", str(answers), "--judge", "own_judges:Log", "--cache", str(cache)]
    first = citemeter(*options, env=judges)
    assert first.returncode == 0, first.stderr
    assert len(judged(judges)) == 3
    second = citemeter(*options, "--format", "json", env=judges)
    assert len(judged(judges)) == 3
    report = Report.model_validate_json(second.stdout)
    assert report.usage["cached"] == 3
    assert "0 of 3 pairs were there" in first.stderr
    assert "3 of 3 pairs were there (100.0 %); it holds 3 verdicts" in second.stderr


def test_stats_export_and_clear(
    citemeter: Command, answers: Path, judges: dict[str, str], tmp_path: Path
) -> None:
    cache, exported = tmp_path / "verdicts.sqlite", tmp_path / "exported.jsonl"
    for judge in ("own_judges:Log", "toy:contains"):
        done = citemeter("score", str(answers), "--judge", judge, "--cache", str(cache), env=judges)
        assert done.returncode == 0, done.stderr
    shown = citemeter("cache", "stats", str(cache))
    assert shown.returncode == 0, shown.stderr
    assert "6 verdicts of 2 judges" in shown.stdout
    listed: Any = json.loads(citemeter("cache", "stats", str(cache), "--json").stdout)
    assert [(row["judge"], row["pairs"]) for row in listed["judges"]] == [
        ("log-1", 3),
        ("toy:contains", 3),
    ]
    ambiguous = citemeter("cache", "export", str(cache), "--judge", "")
    assert ambiguous.returncode == 2
    assert "2 judges of this cache begin with ''" in ambiguous.stderr
    assert citemeter("cache", "export", str(cache), "--judge", "nobody").returncode == 2
    citemeter("cache", "export", str(cache), "--judge", "log", "--out", str(exported))
    replayed = citemeter("score", str(answers), "--judge", f"recorded:{exported}")
    assert replayed.returncode == 0, replayed.stderr
    direct = citemeter("score", str(answers), "--judge", "own_judges:Log", env=judges)
    assert replayed.stdout.splitlines()[:8] == direct.stdout.splitlines()[:8]
    kept = citemeter("cache", "clear", str(cache), stdin="n\n")
    assert kept.returncode != 0
    cleared = citemeter("cache", "clear", str(cache), "--judge", "log", "--yes")
    assert "3 verdicts deleted" in cleared.stderr
    assert "3 verdicts of 1 judges" in citemeter("cache", "stats", str(cache)).stdout
    assert citemeter("cache", "stats", str(tmp_path / "missing.sqlite")).returncode == 2
    assert not (tmp_path / "missing.sqlite").exists()


def test_ctrl_c_keeps_what_was_judged_and_says_how_to_go_on(
    judges: dict[str, str], tmp_path: Path, citemeter: Command
) -> None:
    answers, cache = tmp_path / "many.jsonl", tmp_path / "verdicts.sqlite"
    text = " ".join(f"Cats purr {number} [1]." for number in range(200))
    answers.write_text(json.dumps({"answer": text, "sources": SOURCES}), encoding="utf-8")
    command = ["score", str(answers), "--judge", "own_judges:Slow", "--cache", str(cache)]
    process = subprocess.Popen(
        [sys.executable, "-m", "citemeter.cli", *command],
        env={**os.environ, **judges},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # What is started in the background may ignore interrupts, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    end = time.monotonic() + 30
    while len(judged(judges)) < 20:
        assert time.monotonic() < end
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"in {cache}: run the same command again to go on" in errors
    before = len(judged(judges))
    assert before < 200
    resumed = citemeter(*command[:3], "own_judges:Log", *command[4:], env=judges)
    assert resumed.returncode == 0, resumed.stderr
    # The pair that was being decided when the interrupt came may be judged again.
    assert len(judged(judges)) <= 201
    assert set(judged(judges)) == {f"Cats purr {number}." for number in range(200)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "toy:contains", "--device", "cpu"], "has no option device"),
        (["--judge", "lexical", "--batch-size", "4"], "has no option batch_size"),
        (["--judge", "lexical", "--concurrency", "4"], "has no option concurrency"),
        (["--judge", "lexical", "--threshold", "2"], "threshold"),
        (["--judge", "nli:"], "there is no judge"),
        (["--judge", "nli:/missing/folder"], "/missing/folder"),
        (["--judge", "recorded:missing.jsonl"], "missing.jsonl"),
        (["--judge", "own_judges:Log", "--cache", "/missing/folder/c.sqlite"], "/missing/folder"),
        (["--judge", "os.path:join", "--cache", "c.sqlite"], "CallableJudge"),
    ],
)
def test_what_does_not_fit_is_code_2_with_a_message(
    citemeter: Command, answers: Path, judges: dict[str, str], options: list[str], message: str
) -> None:
    done = citemeter("score", str(answers), *options, env=judges)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_threshold_reads_scores_anew(
    citemeter: Command, answers: Path, judges: dict[str, str]
) -> None:
    done = citemeter("score", str(answers), "--threshold", "0.9", "--format", "json")
    assert Report.model_validate_json(done.stdout).signature.judge.threshold == 0.9  # type: ignore[union-attr]
    unscored = citemeter(
        "score", str(answers), "--judge", "own_judges:Log", "--threshold", "0.9", env=judges
    )
    assert unscored.returncode == 3
    assert "failed on 3 of 3" in unscored.stderr


PAIRS = [
    {"evidence": "Cats purr.", "claim": "Cats purr.", "y": 1},
    {"evidence": "Cats purr.", "claim": "Dogs bark.", "y": 1},
    {"evidence": ["Cats purr.", "Fish swim."], "claim": "Dogs hum.", "y": 0},
    {"evidence": "Cats purr.", "claim": "Hens cluck.", "y": None},
]
NAMES = ["--field", "premise=evidence", "--field", "hypothesis=claim"]


def test_judge_compares_with_labels(citemeter: Command, tmp_path: Path) -> None:
    path, out = write_jsonl(tmp_path / "pairs.jsonl", PAIRS), tmp_path / "verdicts.jsonl"
    options = ["judge", str(path), *NAMES, "--judge", "toy:contains", "--gold", "y"]
    done = citemeter(*options, "--out", str(out))
    assert done.returncode == 0, done.stderr
    # Two supported pairs, one of them found; one unsupported, rejected: (1/2 + 1/1) / 2.
    assert "balanced accuracy  0.750" in done.stdout
    assert "4 pairs (4 distinct): 1 supported, 3 unsupported, 0 unjudged" in done.stdout
    assert "not counted: 1 people left open" in done.stdout
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["supported"] for row in rows] == [True, False, False, False]
    assert [row.get("gold") for row in rows] == [True, True, False, None]
    as_json: Any = json.loads(citemeter(*options, "--format", "json").stdout)
    assert as_json["agreement"]["balanced_accuracy"] == 0.75
    fitted = citemeter(*options, "--fit-threshold")
    assert "threshold that agrees best" in fitted.stdout
    # What was written is replayed by the judge of recorded verdicts.
    again = citemeter("judge", str(out), "--judge", f"recorded:{out}", "--gold", "gold")
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[:-1] == done.stdout.splitlines()[:-1]


def test_judge_reports_what_is_no_pair(citemeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(PAIRS[0]) + "\n{\n", encoding="utf-8")
    done = citemeter("judge", str(path), *NAMES)
    assert done.returncode == 0
    assert f"{path}:2" in done.stderr
    assert citemeter("judge", str(path), *NAMES, "--strict").returncode == 2
    assert citemeter("judge", str(path)).returncode == 2  # no record has a premise
    assert citemeter("judge", str(path), *NAMES, "--fit-threshold").returncode == 2
    assert citemeter("judge", str(path), *NAMES, "--judge", "none").returncode == 2
