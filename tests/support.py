"""What many tests share: where things are, judges of one line, files of labelled cases."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "data" / "cases"
EXAMPLE = ROOT / "examples" / "hagrid.jsonl"

Done = subprocess.CompletedProcess[str]
Command = Callable[..., Done]
"""What the fixtures ``citemeter`` and ``citemeter_process`` give."""

HIGHER_IS_BETTER = [
    "citation_recall",
    "citation_precision",
    "citation_f1",
    "citation_f1_per_response",
    "citation_coverage",
    "citation_validity",
    "support_rate",
    "quote_verification",
    "source_recall",
    "source_precision",
    "source_f1",
]
STATEMENT_STATES = (
    "supported",
    "unsupported",
    "uncited",
    "invalid_statements",
    "unjudged_statements",
)
CITATION_STATES = (
    "precise",
    "irrelevant",
    "unsupported_citations",
    "invalid_citations",
    "voided_citations",
    "unjudged_citations",
)


def words(premise: str, hypothesis: str) -> bool:
    """Entailed iff the premise has every word of the hypothesis; nothing entails no words."""
    return bool(wanted := _words(hypothesis)) and wanted <= _words(premise)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def contains(premise: str, hypothesis: str) -> bool:
    """Entailed iff the hypothesis stands in the premise, but for its full stop."""
    return hypothesis.rstrip(".") in premise


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
