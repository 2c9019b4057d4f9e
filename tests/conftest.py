"""Fixtures that all tests share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(__file__).parent / "data" / "cases"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and reference values beside the checkout; skips where it is not."""
    folder = ROOT.parent / "shared"
    if not (folder / "reference").is_dir():
        pytest.skip("the shared data folder is not beside this checkout")
    return folder


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@pytest.fixture(scope="session")
def rows() -> Callable[[Path], list[dict[str, Any]]]:
    """Read a JSON Lines file."""
    return lambda path: list(read_jsonl(path))


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def citemeter() -> Command:
    """Run the command line as a user runs it."""

    def run(
        *arguments: str, stdin: str | None = None, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "citemeter.cli", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "COLUMNS": "120", "PYTHONIOENCODING": "utf-8", **(env or {})},
            timeout=60,
            check=False,
        )

    return run
