"""Markers: what cites, what does not, and what an id resolves to."""

from __future__ import annotations

import re
import time

import pytest

from citemeter.errors import InputError
from citemeter.models import Source
from citemeter.text.markers import DEFAULT_STYLES, STYLES, find_markers, index_of
from citemeter.text.parse import ParseOptions, parse


def ids_in(
    answer: str, *source_ids: str, numbering: int | None = None, **options: object
) -> list[str]:
    response = parse(answer, dict.fromkeys(source_ids, "x"), numbering=numbering, **options)  # type: ignore[arg-type]
    return [c.source_id for c in response.citations]


def test_numbers_are_ids_unless_numbering_is_given() -> None:
    assert ids_in("A [10] b [1].", "10", "20") == ["10", "1"]
    assert ids_in("A [1] b [2].", "x", "y", numbering=1) == ["x", "y"]
    assert ids_in("A [0] b [1].", "x", "y", numbering=0) == ["x", "y"]


def test_zero_under_one_based_numbering_is_invalid_and_never_the_last_source() -> None:
    response = parse("It is dry [0].", {"x": "…", "y": "…"}, numbering=1)
    assert [c.source_id for c in response.citations] == ["0"]
    assert not response.has_source("0")


def test_a_number_out_of_range_never_becomes_another_sources_id() -> None:
    response = parse("It is dry [10].", {"10": "…", "20": "…"}, numbering=1)
    (citation,) = response.citations
    assert not response.has_source(citation.source_id)
    assert citation.marker == "[10]"


def test_numbers_in_brackets_inside_a_marker_are_no_second_one() -> None:
    response = parse("It is dry [Data: Reports (1, 2)].", {"a-1": "x", "b-2": "y"}, numbering=1)
    (statement,) = response.statements or ()
    assert [c.source_id for c in statement.citations] == ["a-1", "b-2"]


def test_a_range_is_never_expanded_without_end() -> None:
    assert ids_in("It is dry [1-99999999].", "1", "2") in ([], ["1-99999999"])


@pytest.mark.parametrize(
    "answer",
    [
        "arr[0] is first",
        "the year [2020] was wet",
        "so it goes [sic] on",
        "fill this in [TODO] later",
        "- [ ] buy hay",
        "- [x] sell hay",
        "x lies in the interval [0, 1] here",
        "a speed of 3 [km / h] here",
        "```\nx[1]\n```",
        "`x[1]`",
        "$v = [1, 2]$",
        "see [your name] here",
        "from [2024-05-01] on",
        "at [12:30] sharp",
        "[1,000] and more",
    ],
)
def test_what_looks_like_a_marker_but_is_content(answer: str) -> None:
    response = parse(answer, {"1": "…", "2": "…"})
    assert response.citations == ()


def test_auto_says_which_styles_it_found() -> None:
    sources = {"1": "…", "a.pdf": "…"}
    assert parse("A is b [1]. C is d【4:0†a.pdf】.", sources).parsing.style == "numeric+lenticular"  # type: ignore[union-attr]
    assert parse("A is b.", sources).parsing.style == "none"  # type: ignore[union-attr]


def test_a_named_style_finds_only_its_own_markers() -> None:
    assert ids_in("A is b [1], c【2†source】.", "1", "2", style="lenticular") == ["2"]
    assert ids_in("A is b (1).", "1", style="paren_numeric") == ["1"]
    assert ids_in("A is b (1).", "1") == []
    assert ids_in("In [2020] it rained.", "1", style="numeric") == ["2020"]


def test_a_style_of_ones_own() -> None:
    pattern = re.compile(r"\|(?P<id>\w+)\|")
    assert ids_in("A is b |k7|.", "k7", style=pattern) == ["k7"]

    def find(text: str) -> list[tuple[int, int, list[str]]]:
        return [(m.start(), m.end(), [m[1]]) for m in re.finditer(r"!(\d)!", text)]

    response = parse("A is b !1!. C is d [2].", {"1": "…", "2": "…"}, style=("auto", find))
    assert [c.source_id for c in response.citations] == ["1", "2"]
    assert response.parsing is not None
    assert response.parsing.requested_style.startswith("auto+callable:")


def test_an_unknown_style_is_an_error_with_the_names() -> None:
    with pytest.raises(InputError, match=r"unknown marker style 'numbers'.*numeric"):
        ParseOptions(style="numbers")


def test_urls_cite_whatever_their_spelling() -> None:
    source = Source(id="7", text="…", metadata={"url": "https://www.a.example/x/"})
    for url in (
        "http://a.example/x",
        "https://a.example/x#top",
        "https://a.example/x?utm_source=y",
    ):
        response = parse(f"It closes at six ({url}).", [source])
        assert [c.source_id for c in response.citations] == ["7"]
        assert response.statements is not None
        assert response.statements[0].text == "It closes at six."


def test_author_and_year_from_metadata() -> None:
    sources = [
        Source(id="p1", text="…", metadata={"author": "Harper, Jane; Lee, A.", "year": 2019}),
        Source(id="p2", text="…", metadata={"authors": ["Kim"], "year": "2021"}),
    ]
    response = parse(
        "Hedges slow wind (Harper et al., 2019; Kim, 2021). Kim (2021) agrees.", sources
    )
    assert [c.source_id for c in response.citations] == ["p1", "p2", "p2"]


def test_definitions_say_what_a_number_stands_for() -> None:
    answer = "It froze [1].\n\n[1]: https://a.example/frost"
    assert ids_in(answer, "https://a.example/frost/") == ["https://a.example/frost/"]


def test_styles_are_documented_and_default_ones_exist() -> None:
    assert set(STYLES) > DEFAULT_STYLES
    assert all(STYLES.values())


HOSTILE = [
    "[",
    "]",
    "[[",
    "[1",
    "[1, ",
    "((",
    "(cite ",
    "<cite ",
    "<cite id=1>",
    "【1†",
    "`",
    "$",
    "\\(",
    "\\[",
    "\\cite",
    "https://a.b/",
    "[a](",
    "[1](a",
    "(Harper, 2020; ",
    "Harper (2019) ",
    "¹",
    "¹ ",
    "\ue200cite",
    "citeturn0search0",
    "{{",
    "@a",
    "^1",
    "<",
    "<!--",
    "[1]–",
    "[1]:3",
    "[p. 1, ",
    "doc:",
    "[x] ",
    "www.",
    ")",
    "source: ",
    "<sup>",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE, ids=repr)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    sources = {"1": "x", "doc-1": "y", "Harper, 2020": "z", "https://a.b/": "u", "§ 4": "s"}
    index = index_of(parse("a", sources).sources, None)
    seconds = []
    for length in (20_000, 160_000):
        text = (unit * (length // len(unit) + 1))[:length]
        started = time.process_time()
        find_markers(text, index, frozenset(STYLES))
        seconds.append(time.process_time() - started)
    # Eight times the text may take eight times as long, not sixty-four.
    assert seconds[1] < 24 * seconds[0] + 0.25
