"""Hand-labelled answers in the forms that real assistants write."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.models import Response
from citemeter.text.parse import parse
from support import CASES, check_offsets, read_jsonl


def rows(name: str) -> list[dict[str, Any]]:
    return read_jsonl(CASES / name)


def read(row: dict[str, Any]) -> Response:
    options = row.get("options") or {}
    keywords: dict[str, Any] = {}
    if "format" in options:
        keywords["style"] = options["format"]
    if options.get("streaming"):
        keywords["streaming"] = True
    return parse(row["answer"], dict.fromkeys(row["source_ids"], "text"), **keywords)


def squeeze(text: str) -> str:
    return "".join(text.split())


def outcome(response: Response) -> list[tuple[str, list[str], list[str]]]:
    return [
        (
            squeeze(s.text),
            list(s.source_ids),
            [i for i in s.source_ids if not response.has_source(i)],
        )
        for s in response.statements or ()
    ]


@pytest.mark.parametrize("row", rows("parse.jsonl"), ids=lambda row: row["id"])
def test_labelled_answer(row: dict[str, Any]) -> None:
    response = read(row)
    got = outcome(response)
    assert len(got) == len(row["statements"])
    for (text, citations, invalid), expected in zip(got, row["statements"], strict=True):
        accepted = [expected["text"], *(expected.get("text_also") or ())]
        assert text in [squeeze(t) for t in accepted]
        assert citations == expected["citations"]
        assert invalid == expected["invalid"]
    check_offsets(response)


# Which of the listed readings is this package's, for every answer that can be read in several ways.
READINGS = {
    "amb-001": 1,  # distinct ids; the occurrences are all in ``citations``
    "amb-002": 2,  # a list item is cut into sentences
    "amb-003": 1,  # a paragraph of markers belongs to the statement before it
    "amb-004": 1,  # "Source: id" on a line of its own cites for the statement before it
    "amb-005": 1,  # a leading marker goes to the sentence that follows
    "amb-006": 2,  # the bracketed year leaves the text, the name stays; "and" equals "&"
    "amb-007": 2,  # digits glued to a word are no marker
    "amb-008": 1,  # "[^1^][4]": the display number counts
    "amb-009": 1,  # "#suffix" is a locator
    "amb-010": 1,  # so is "#page=3"
    "amb-011": 1,  # escaped brackets are a marker escaped for Markdown
    "amb-012": 1,  # "A)" is list syntax
    "amb-013": 1,  # a marker used as a noun leaves the text
    "amb-014": 1,  # "(see [2])" leaves it as a whole
    "amb-015": 2,  # "Document[2]": the noun stays
    "amb-016": 1,  # a bracketed year far above the ids is a year
    "amb-017": 1,  # "[0, 1]" cites both if both are ids and no word says interval
    "amb-018": 1,  # a bold line alone is a heading
    "amb-019": 1,  # a note about the paragraph belongs to its last sentence
    "amb-020": 1,  # a bracket unlike the known ids is content
    "amb-021": 2,  # bare "ref2" is content
    "amb-022": 2,  # "[01]" is not the id "1"
    "amb-023": 2,  # "[citation needed]" stays
    "amb-024": 1,  # a header row is no statement
    "amb-025": 1,  # reasoning is no part of the answer
    "amb-026": 3,  # an unclosed marker of a finished answer is content
    "amb-027": 1,  # a reference link whose label is an id cites it
    "amb-028": 1,  # full-width digits are digits
    "amb-029": 1,  # a range of ids with a prefix
}


@pytest.mark.parametrize(
    "row",
    [row for row in rows("ambiguous.jsonl") if row["kind"] == "parse"],
    ids=lambda row: row["id"],
)
def test_reading_of_an_ambiguous_answer(row: dict[str, Any]) -> None:
    response = read(row)
    chosen = row["readings"][READINGS[row["id"]] - 1]
    assert outcome(response) == [
        (squeeze(s["text"]), list(dict.fromkeys(s["citations"])), s["invalid"])
        for s in chosen["statements"]
    ]
    check_offsets(response)


@pytest.mark.parametrize("name", ["markers.jsonl", "kinds.jsonl"])
def test_marker_families(name: str) -> None:
    wrong = {}
    for row in rows(name):
        response = read(row)
        check_offsets(response)
        got = [(text, citations) for text, citations, _ in outcome(response)]
        expected = [(squeeze(s["text"]), s["citations"]) for s in row["statements"]]
        if got != expected:
            wrong[row["id"]] = got, expected
    assert not wrong
