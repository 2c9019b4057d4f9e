"""The entry: what a parse keeps, sets and refuses."""

from __future__ import annotations

import pickle
import time

import pytest

from citemeter.errors import InputError
from citemeter.models import Response
from citemeter.text.parse import ParseOptions, parse, parse_response

SOURCES = {"1": "…", "2": "…"}


def test_everything_but_the_statements_is_kept() -> None:
    response = Response(
        id="r",
        question="q",
        answer="It is dry [1].",
        sources=SOURCES,
        gold_source_ids=["1"],
        answerable=True,
        metadata={"k": 1},
    )
    parsed = parse_response(response, ParseOptions())
    for field in (
        "id",
        "question",
        "answer",
        "sources",
        "gold_source_ids",
        "answerable",
        "metadata",
    ):
        assert getattr(parsed, field) == getattr(response, field)
    assert parsed.by_id == response.by_id


def test_statements_that_came_split_stay() -> None:
    response = Response(statements=[("It is dry", ["1"])], sources=SOURCES, answer="Else [2].")
    assert parse_response(response, ParseOptions()) is response


def test_a_second_parse_replaces_the_first() -> None:
    first = parse("It is dry. [1] It is wet.", SOURCES)
    second = parse_response(first, ParseOptions(attach="next"))
    assert [s.source_ids for s in first.statements or ()] == [("1",), ()]
    assert [s.source_ids for s in second.statements or ()] == [(), ("1",)]


def test_options_are_hashable_comparable_and_picklable() -> None:
    options = ParseOptions(style=["numeric", "id"])  # type: ignore[arg-type]
    assert options == ParseOptions(style=("numeric", "id"))
    assert hash(options) == hash(ParseOptions(style=("numeric", "id")))
    assert pickle.loads(pickle.dumps(options)) == options


@pytest.mark.parametrize(
    "options",
    [
        {"attach": "both"},
        {"numbering": 2},
        {"numbering": True},
        {"worthiness": "no such"},
        {"style": 3},
        {"segmenter": 3},
        {"worthiness": 3},
    ],
)
def test_a_wrong_option_is_an_error_with_its_mend(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="Fix"):
        ParseOptions(**options)  # type: ignore[arg-type]


def test_worthiness_is_pluggable_and_named() -> None:
    def short(text: str) -> str | None:
        return "short" if len(text) < 5 else None

    response = parse("Yes. It is dry.", SOURCES, worthiness=short)
    assert [(s.needs_citation, s.exemption) for s in response.statements or ()] == [
        (False, "short"),
        (True, None),
    ]
    assert response.parsing is not None
    assert response.parsing.worthiness.endswith("short")


def test_empty_answers() -> None:
    for answer in ("", "  \n", "\x00"):
        response = parse(answer, SOURCES)
        assert response.statements == ()
        assert response.citations == ()


def test_an_unfinished_marker_is_held_back_while_streaming() -> None:
    answer = "It is dry [1]. It is wet [2"
    streamed = parse(answer, SOURCES, streaming=True)
    assert [s.text for s in streamed.statements or ()] == ["It is dry.", "It is wet"]
    assert [s.text for s in parse(answer, SOURCES).statements or ()][1] == "It is wet [2"


def test_ten_thousand_citations_in_one_sentence() -> None:
    answer = "It is dry " + "[1][2]" * 5_000 + "."
    (statement,) = parse(answer, SOURCES).statements or ()
    assert len(statement.citations) == 10_000
    assert statement.text == "It is dry."


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "It is dry [1]. ",
        "word ",
        "א ב [1]. ",
        "[",
        "(",
        "- a\n",
        "> a\n",
        "| a | b |\n",
        "a.",
        "U.S. ",
        "\x00 ",
        "1. ",
        "<think>",
        "Sources:\n",
        "[1]: x\n",
        "```\n",
        "    x\n\n",
        '"a." ',
        "**a** ",
        "<cite id='1'>a.</cite> ",
    ],
    ids=repr,
)
def test_long_answers_take_linear_time(unit: str) -> None:
    seconds = []
    for length in (15_000, 120_000):
        answer = (unit * (length // len(unit) + 1))[:length]
        started = time.process_time()
        parse(answer, SOURCES)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 24 * seconds[0] + 0.4


@pytest.mark.slow
@pytest.mark.parametrize(
    "head", ["Sources:", "Sources", "**Sources**:", "Sources (", "- Sources :"]
)
def test_blanks_after_a_heading_take_linear_time(head: str) -> None:
    seconds = []
    for length in (10_000, 80_000):
        started = time.process_time()
        parse(f"Cats purr [1].\n\n{head}{' ' * length}x", SOURCES)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 24 * seconds[0] + 0.4
