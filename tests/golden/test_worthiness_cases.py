"""Hand-labelled statements: which of them need a citation."""

from typing import Any

import pytest

from citemeter.text.phrases.citation_worthiness import exemption
from support import CASES, read_jsonl


def rows(name: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in read_jsonl(CASES / name)]


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
    for row in read_jsonl(CASES / "worthiness_more.jsonl"):
        expected = labels.get(row["tags"][0])
        if expected and not row["needs_citation"] and not row["text"].endswith((":", "：")):
            assert exemption(row["text"]) in expected, row
