"""Hand-labelled answers: which of them abstain."""

import pytest

from citemeter.text.phrases.refusals import abstains
from support import CASES, read_jsonl


# refusals_more.jsonl is the project's own, in the same form and languages and a few more.
@pytest.mark.parametrize("name", ["refusals.jsonl", "refusals_more.jsonl"])
def test_abstains(name: str) -> None:
    rows = read_jsonl(CASES / name)
    wrong = {row["id"]: row["text"] for row in rows if abstains(row["text"]) != row["abstains"]}
    assert not wrong
