"""Hand-labelled answers: which of them abstain."""

from typing import Any

import pytest

from citemeter.text.phrases.refusals import abstains
from support import CASES, read_jsonl


def rows(name: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in read_jsonl(CASES / name)]


# refusals_more.jsonl is the project's own, in the same form and languages and a few more.
@pytest.mark.parametrize("row", rows("refusals.jsonl") + rows("refusals_more.jsonl"))
def test_abstains(row: dict[str, Any]) -> None:
    assert abstains(row["text"]) is row["abstains"], row["text"]
