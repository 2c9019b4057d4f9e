"""What many tests share: where things are, judges of one line, files of labelled cases."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from citemeter.models import Response

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
NEED_A_JUDGE = {
    "citation_recall",
    "citation_precision",
    "citation_f1",
    "citation_f1_per_response",
    "support_rate",
    "overcitation",
}
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


def check_offsets(response: Response) -> None:
    """Check that statements and citations stand in the answer where they say, in its order."""
    answer = response.answer
    assert answer is not None
    assert response.statements is not None
    end = 0
    for statement in response.statements:
        assert statement.span is not None
        assert statement.span.of(answer) == statement.raw
        assert statement.span.start >= end
        end = statement.span.end
        assert statement.text.strip() == statement.text != ""
        for citation in statement.citations:
            assert citation.span is not None
            assert citation.span.of(answer) == citation.marker != ""
            assert statement.span.start <= citation.span.start
            # A statement inside "<cite id=…>…</cite>" is cited by a closing tag further on.
            assert citation.span.end <= end or citation.marker.startswith("</")
    for citation in response.unattached:
        assert citation.span is not None
        assert citation.span.of(answer) == citation.marker
    for skipped in response.parsing.skipped if response.parsing else ():
        assert 0 <= skipped.span.start < skipped.span.end <= len(answer)


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def write_jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Write a JSON Lines file, and the folder that it is to be in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
