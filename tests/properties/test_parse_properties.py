"""Whatever the answer, offsets hold and nothing raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.models import Response, Source, Statement
from citemeter.text.parse import ParseOptions, parse_response
from support import check_offsets

PIECES = [
    "The loft is dry",
    "Dr. Reyes",
    "in the U.S.",
    "e.g. hay",
    "3.5 kg",
    "Is it",
    "“quoted”",
    '"x"',
    ".",
    ". ",
    "? ",
    "! ",
    "... ",
    "。",
    ", ",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\n- ",
    "\n1. ",
    "\n> ",
    "\n# ",
    "\n| a | b |\n|---|---|\n| c [1] | d |\n",
    "```\nx[0]\n```\n",
    "`a[0]`",
    "$x = [1]$",
    "[1]",
    "[2]",
    "[9]",
    "[1, 2]",
    "[1-3]",
    "[0]",
    "[doc-1]",
    "[doc_1]",
    "[sic]",
    "(Source 1)",
    "[[2]]",
    "【1†source】",
    "¹",
    "<sup>1</sup>",
    '<cite id="1">',
    "</cite>",
    "[^1]",
    "\n[^1]: note",
    "\n\nSources:\n",
    "[1](https://a.example/x)",
    "https://a.example/x",
    "(Harper, 2020)",
    "\\cite{doc-1}",
    "@doc-1",
    "\x00",
    "مكتب",
    "[١]",
    "(",
    ")",
    "[",
    "]",
    "\ue200cite\ue202turn0search0\ue201",
    "**bold**",
    "<think>",
]
ANSWERS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.text(max_size=80),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=15).map("".join),
).filter(lambda text: not any("\ud800" <= c <= "\udfff" for c in text))
SOURCES = tuple(
    Source(id=i, text="text")
    for i in ("1", "2", "3", "doc-1", "Harper, 2020", "https://a.example/x")
)
NUMBERED = SOURCES[:3]
OPTIONS = st.builds(
    ParseOptions,
    style=st.sampled_from(["auto", "numeric", "auto+paren_numeric+circled", "id+tag"]),
    segmenter=st.sampled_from(["citemeter", "line"]),
    attach=st.sampled_from(["previous", "next"]),
    numbering=st.sampled_from([None, 0, 1]),
    streaming=st.booleans(),
)


@settings(max_examples=400, deadline=None)
@given(ANSWERS, OPTIONS)
def test_offsets_reproduce_the_answer(answer: str, options: ParseOptions) -> None:
    check_offsets(parse_response(Response(answer=answer, sources=SOURCES), options))


@settings(max_examples=150, deadline=None)
@given(ANSWERS)
def test_parsed_objects_equal_their_validated_selves(answer: str) -> None:
    response = parse_response(Response(answer=answer, sources=SOURCES), ParseOptions())
    assert Response.model_validate(response.model_dump()) == response
    assert Response.model_validate_json(response.model_dump_json()) == response
    for statement in response.statements or ():
        assert Statement.model_validate(statement.model_dump()) == statement


PLAIN = st.lists(
    st.sampled_from(
        [
            "The loft is dry",
            "Dr. Reyes left",
            " in the U.S. ",
            " a factor of 3",
            "It",
            "He",
            "FDA",
            "et al",
            ".",
            ". ",
            "? ",
            "! ",
            ", ",
            " ",
            "  ",
            "; ",
            " [1]",
            "[2]",
            "[9]",
            " [1, 2]",
            "[1-3]",
            " [0]",
            "[sic]",
            "[2020]",
            "(",
            ")",
            "'s",
            ".",
        ]
    ),
    max_size=20,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(PLAIN)
def test_plain_paragraphs(answer: str) -> None:
    check_offsets(
        parse_response(Response(answer="The " + answer, sources=NUMBERED), ParseOptions())
    )


@pytest.mark.parametrize(
    "name", ["hagrid", "expertqa", "scholarqa", "crowdrag25_llm", "deepresearchgym_urls"]
)
def test_offsets_in_real_answers(shared: Path, name: str) -> None:
    options = ParseOptions()
    with (shared / "data" / "answers" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number == 100:
                break
            record = json.loads(line)
            sources = [
                Source(id=p["id"], text=str(p.get("text") or "")) for p in record["passages"]
            ]
            check_offsets(
                parse_response(Response(answer=record["answer"], sources=sources), options)
            )
