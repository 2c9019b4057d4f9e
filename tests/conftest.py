"""Fixtures that all tests share."""

from __future__ import annotations

import json
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
