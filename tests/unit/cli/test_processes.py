"""The command line in a process of its own: exit codes, streams, modules, a terminal."""

from __future__ import annotations

import json
import logging
import os
import pty
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from support import ROOT, Command

SOURCES = [{"id": "1", "text": "Cats purr ≥ 2 h 🐈."}, {"id": "2", "text": "Dogs bark."}]
RECORD = {"id": "ü", "answer": "Cats purr ≥ 2 h 🐈 [1]. Dogs sleep [2][3].", "sources": SOURCES}
MODULE = """
import logging, os, signal, sys
import helper_of_own_judge


def failing(premise, hypothesis):
    raise ValueError("no verdict")


def changing(premise, hypothesis):
    os.environ["CHANGED"] = "1"
    os.chdir("/")
    sys.path.insert(0, "/changed")
    sys.excepthook = print
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.basicConfig(level=logging.DEBUG)
    return True
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Answers, bare pairs, a cache of verdicts; and a module of judges, in the folder."""
    (tmp_path / "own_judge.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "helper_of_own_judge.py").write_text("", encoding="utf-8")
    written = {
        "answers": json.dumps(RECORD, ensure_ascii=False),
        "pairs": json.dumps({"premise": "Cats purr.", "hypothesis": "Cats purr."}),
    }
    paths = {"folder": tmp_path, "cache": tmp_path / "verdicts.sqlite"}
    for name, text in written.items():
        paths[name] = tmp_path / f"{name}.jsonl"
        paths[name].write_text(text + "\n", encoding="utf-8")
    return paths


def _state() -> list[Any]:
    root = logging.getLogger()
    return [
        dict(os.environ), Path.cwd(), list(sys.path), sys.excepthook, sys.argv,
        sys.stdin, sys.stdout, sys.stderr, signal.getsignal(signal.SIGINT),
        list(root.handlers), root.level, [name for name in sys.modules if "own_judge" in name],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "stdin", "code"),
    [
        ("score {answers} --judge toy:contains --cache {cache}", "", 0),
        ("score {answers} --judge toy:contains --fail-under citation_recall=0.9", "", 1),
        ("explain {answers} --id missing", "", 2),
        ("explain - --judge toy:contains", json.dumps(RECORD).encode("utf-8-sig"), 0),
        ("judge {pairs} --judge own_judge:failing", "", 3),
        ("parse - --source-ids 1,2", "Hens lay 🥚 [1].\r\nDucks swim.", 0),
        ("cache stats {cache}", "", 2),
    ],
    ids=[
        "passed",
        "under the bar",
        "bad input",
        "a byte order mark",
        "unjudged",
        "text",
        "no file",
    ],
)
def test_a_process_says_what_a_run_within_this_one_says(
    citemeter: Command,
    citemeter_process: Command,
    files: dict[str, Path],
    line: str,
    stdin: str | bytes,
    code: int,
) -> None:
    folders = os.pathsep.join([str(files["folder"]), str(ROOT / "src")])
    options: dict[str, Any] = {"stdin": stdin, "env": {"PYTHONPATH": folders}}
    arguments = line.format(**files).split()
    apart = citemeter_process(*arguments, **options)
    assert apart.returncode == code, apart.stderr
    assert bool(apart.stdout) == (code != 2)
    files["cache"].unlink(missing_ok=True)
    before = _state()
    within = citemeter(*arguments, **options)
    assert _state() == before
    assert (within.returncode, within.stdout, within.stderr) == (
        apart.returncode,
        apart.stdout,
        apart.stderr,
    )


def test_a_run_within_this_process_leaves_it_as_it_was(
    citemeter: Command, files: dict[str, Path]
) -> None:
    before = _state()
    options: dict[str, Any] = {"env": {"PYTHONPATH": str(files["folder"])}}
    done = citemeter("judge", str(files["pairs"]), "--judge", "own_judge:changing", **options)
    assert done.returncode == 0, done.stderr
    assert "1 supported" in done.stdout
    assert _state() == before
    # The next run reads a module of the same name anew.
    (files["folder"] / "own_judge.py").write_text("def changing(p, h):\n    return False\n")
    done = citemeter("judge", str(files["pairs"]), "--judge", "own_judge:changing", **options)
    assert "1 unsupported" in done.stdout
    assert _state() == before


def test_a_run_within_this_process_does_not_hide_a_crash(
    citemeter: Command, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("crashed")

    monkeypatch.setattr(import_module("citemeter.cli.score"), "read_records", crash)
    with pytest.raises(RuntimeError, match="crashed"):
        citemeter("score", str(files["answers"]))


def test_version(citemeter: Command) -> None:
    done = citemeter("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip().count(".") == 2


def test_progress_on_a_terminal(files: dict[str, Path]) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "citemeter.cli",
            "score",
            str(files["answers"]),
            "--judge",
            "toy:contains",
        ],
        stdout=subprocess.DEVNULL,
        stderr=slave,
    )
    os.close(slave)
    output = b""
    while True:
        try:
            block = os.read(master, 4096)
        except OSError:
            break
        if not block:
            break
        output += block
    os.close(master)
    assert process.wait(timeout=60) == 0
    assert b"pairs" in output
