"""Offsets hold on mixtures of markers, Markdown, HTML and sentence ends of many scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.models import Response, Source
from citemeter.text.parse import ParseOptions, parse_response
from support import check_offsets

PIECES = [
    "J. R. Marsh",
    "m<sup>2</sup>",
    "<sup>1</sup>",
    "[@k; see @doc-1, p. 3]",
    "x[-1]",
    "list[1:]",
    "**The gate is shut**",
    "**",
    "*",
    "_",
    "[1] and [2]",
    " and ",
    "(see ",
    "(see [1], p. 4)",
    "、",
    "，",
    "[١]",
    "[١، ٢]",
    "[1 & 2]",
    "&#91;1&#93;",
    "<li>",
    "</li>",
    "<br>",
    "<p>",
    "<h2>A</h2>",
    "\n- ",
    "\nA. ",
    "\nII. ",
    "\n: ",
    "・",
    "> >",
    "\n>\n",
    "~~~",
    "```",
    "\n---\n",
    "[^1, ^2]",
    "et al. ",
    "Eq. (3)",
    "a.m. ",
    "?!",
    "…",
    "‽",
    ";",
    "(1)",
    "①",
    "[[1]](u)",
    "[a [b]](https://a.example/x)",
    '[2](https://a.example/x "t")',
    "##0$$",
    "turn0search1",
    "e.g., ",
    "“",
    "”",
    "«",
    "»",
    "\u200b",
    "\u00a0",
    "\u3000",
    "門は",
    "。",
    "！",
    "」",
    "「",
    "؟",
    "۔",
    "।",
    "<think>",
    "</think>",
    "\\[1\\]",
    "$",
    "`",
    "\t",
    "[1]The",
    "[2]* Bat",
    "1. X [1] 2. Y",
    '<cite id="1">',
    "</cite>",
    "[9]",
    "[1, 2]",
    "[1-3]",
    "【1†source】",
    "The loft is dry",
    "It ",
    ". ",
    "! ",
    "? ",
    "\n",
    "\n\n",
    "\n1. ",
    "\n> ",
    "\n# ",
    "\n\nSources:\n",
    "\n[^1]: note",
    "(Harper, 2020)",
    "\\cite{doc-1}",
    "@doc-1",
    "(Source 1)",
    "¹",
    "Dr. Reyes",
    "in the U.S.",
    "3.5 kg",
    "| a | [1] |\n",
]
SOURCES = tuple(
    Source(id=i, text="text")
    for i in ("1", "2", "3", "doc-1", "Harper, 2020", "https://a.example/x")
)
MIXTURES = st.lists(st.sampled_from(PIECES), max_size=25)
OPTIONS = [
    ParseOptions(),
    ParseOptions(attach="next"),
    ParseOptions(streaming=True),
    ParseOptions(style="auto+paren_numeric+circled"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=["auto", "next", "streaming", "more styles"])
@settings(max_examples=150, deadline=None)
@given(MIXTURES, st.sampled_from(["", " "]))
def test_offsets_in_mixtures(options: ParseOptions, pieces: list[str], joint: str) -> None:
    answer = joint.join(pieces)
    response = parse_response(Response(answer=answer, sources=SOURCES), options)
    check_offsets(response)
