"""Hand-labelled statements: which of them need a citation."""

import pytest

from citemeter.text.phrases.citation_worthiness import exemption
from support import CASES, read_jsonl


# worthiness_more.jsonl is the project's own, in the same form and languages and a few more.
@pytest.mark.parametrize("name", ["worthiness.jsonl", "worthiness_more.jsonl"])
def test_needs_citation(name: str) -> None:
    labelled = [(row, exemption(row["text"])) for row in read_jsonl(CASES / name)]
    wrong = {
        row["id"]: (row["text"], label)
        for row, label in labelled
        if (label is None) != row["needs_citation"]
    }
    assert not wrong


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
