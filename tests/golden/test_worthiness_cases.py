"""Hand-labelled statements: which of them need a citation."""

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.text.phrases.citation_worthiness import exemption

CASES = Path(__file__).parents[1] / "data" / "cases"


def rows(name: str) -> list[Any]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


# worthiness_more.jsonl is the project's own, in the same form and languages and a few more.
@pytest.mark.parametrize("row", rows("worthiness.jsonl") + rows("worthiness_more.jsonl"))
def test_needs_citation(row: dict[str, Any]) -> None:
    label = exemption(row["text"])
    assert (label is None) is row["needs_citation"], (row["text"], label)


def test_the_label_names_the_kind() -> None:
    labels = {
        "lead-in": {"lead_in"},
        "question": {"question"},
        "heading": {"heading"},
        "refusal": {"refusal"},
    }
    lines = (CASES / "worthiness_more.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        expected = labels.get(row["tags"][0])
        if expected and not row["needs_citation"] and not row["text"].endswith((":", "：")):
            assert exemption(row["text"]) in expected, row
