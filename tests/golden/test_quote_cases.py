"""Hand-labelled quotations, through the real parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.metrics.quotations import check_quotes
from citemeter.text.parse import parse
from support import CASES, read_jsonl

ROWS = read_jsonl(CASES / "quotes.jsonl")


def checked(row: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for check in check_quotes(parse(row["answer"], row["sources"])):
        item: dict[str, Any] = {
            "quote": check.quote,
            "cited": list(check.cited),
            "status": check.status,
            "found_in": check.found_in,
        }
        if check.ellipsis and check.status in ("verified", "misattributed"):
            item["ellipsis"] = True
        found.append(item)
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_case(row: dict[str, Any]) -> None:
    assert checked(row) == row["quotes"]


def test_a_meaning_turned_round_is_warned_of() -> None:
    (row,) = (row for row in ROWS if row["id"] == "quote-039")
    (check,) = check_quotes(parse(row["answer"], row["sources"]))
    assert check.warnings == ("ellipsis drops a negation: 'not'",)


# Cases with several defensible readings: which one is taken, and why.
READINGS = {
    "amb-030": (0, "bracketed words are marked as the writer's; a warning names what they replace"),
    "amb-031": (0, "a bracketed capital changes no word"),
    "amb-032": (0, "[sic] is the writer's, not the source's"),
    "amb-033": (0, "one word left out inside a sentence is a change"),
    "amb-034": (1, "a few words left out inside one sentence are a change, not a second place"),
    "amb-035": (0, "a fabricated id is looked up nowhere else"),
    "amb-036": (0, "without a citation all sources are searched"),
    "amb-037": (0, "an id in another case is invalid"),
    "amb-038": (1, "a quotation cites what its sentence cites"),
    "amb-039": (0, "a stop before the closing mark is the answer's"),
    "amb-040": (0, "marks inside a quotation follow its nesting"),
    "amb-041": (0, "a translation is not verbatim"),
    "amb-042": (0, "simplified characters are other characters"),
    "amb-043": (0, "œ is spelled oe in typesetting"),
    # amb-044, a block quote without a marker, is searched in all sources, and so is verified with
    # no id cited, which none of its readings says.
    "amb-045": (0, "more than half of the words are verbatim"),
    "amb-046": (1, "a paraphrase is not near enough to be a slip"),
    "amb-047": (0, "the source's reference marks are no words"),
    "amb-048": (0, "white space that separates no two words does not count"),
}


def test_ambiguous_cases(shared: Path) -> None:
    lines = (shared / "cases" / "ambiguous.jsonl").read_text("utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    for name, (reading, _why) in READINGS.items():
        assert checked(rows[name]) == rows[name]["readings"][reading]["quotes"], name


def test_an_uncited_block_quote_is_searched_everywhere(shared: Path) -> None:
    lines = (shared / "cases" / "ambiguous.jsonl").read_text("utf-8").splitlines()
    (row,) = (row for row in map(json.loads, lines) if row["id"] == "amb-044")
    (check,) = checked(row)
    assert (check["cited"], check["status"], check["found_in"]) == ([], "verified", "1")
