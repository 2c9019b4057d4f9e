"""Rows of the labelled sets, and the baseline that the scripts here compare with."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_WORD = re.compile(r"\w+")
DEVELOPMENT = "attributionbench_dev"


class Row(NamedTuple):
    """One labelled pair: evidence, claim, whether it is fully supported, and whence it comes."""

    premise: str
    hypothesis: str
    supported: bool
    source: str


def read_rows(data: Path, name: str) -> list[Row]:
    """Read ``labelled/NAME.jsonl``; rows that people left undecided are left out."""
    path = data / "labelled" / f"{name}.jsonl"
    with path.open(encoding="utf-8") as lines:
        records: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [
        Row(record["evidence"], record["claim"], record["y"] == 1, record.get("src", ""))
        for record in records
        if record["y"] is not None
    ]


def token_overlap(premise: str, hypothesis: str) -> float:
    """Return the share of the hypothesis' distinct words that the premise has: the baseline."""
    words = set(_WORD.findall(hypothesis.lower()))
    return len(words & set(_WORD.findall(premise.lower()))) / len(words) if words else 0.0


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
