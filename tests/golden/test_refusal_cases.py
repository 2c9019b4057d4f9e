"""Hand-labelled answers: which of them abstain."""

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.text.phrases.refusals import abstains

CASES = Path(__file__).parents[1] / "data" / "cases"


def rows(name: str) -> list[Any]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(row, id=row["id"]) for row in map(json.loads, lines)]


# refusals_more.jsonl is the project's own, in the same form and languages and a few more.
@pytest.mark.parametrize("row", rows("refusals.jsonl") + rows("refusals_more.jsonl"))
def test_abstains(row: dict[str, Any]) -> None:
    assert abstains(row["text"]) is row["abstains"], row["text"]
