"""Assembling: which words make a statement, and which markers belong to it."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.models import Statement
from citemeter.text.markdown.blocks import Block, split_blocks
from citemeter.text.markers import Marker, find_markers, index_of
from citemeter.text.markers.marker import DEFAULT_STYLES
from citemeter.text.parse import parse
from citemeter.text.sentences.segmenters import segmenter_named
from citemeter.text.statements import Assembler

INDEX = index_of(parse("", ["a", "b", "c"]).sources, None)
SEGMENT = segmenter_named("citemeter")[1]


def assembler_of(answer: str, **options: Any) -> Assembler:
    return Assembler(answer, SEGMENT, lambda text: None, known=INDEX.ids, **options)


def assembled(answer: str, **options: Any) -> Assembler:
    """Assemble an answer whose blocks hold all of its markers."""
    assembler = assembler_of(answer, **options)
    markers = find_markers(answer, INDEX, DEFAULT_STYLES)
    for block in split_blocks(answer):
        assembler.add(block, [m for m in markers if block.start <= m.start < block.end])
    assembler.finish()
    return assembler


def shown(statements: list[Statement]) -> list[tuple[str, str, str]]:
    """The text of each statement, what it is in the answer, and the ids it cites."""
    return [(s.text, s.raw, " ".join(c.source_id for c in s.citations)) for s in statements]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "It is dry [1]. It is warm.",
            [("It is dry.", "It is dry [1].", "1"), ("It is warm.", "It is warm.", "")],
        ),
        (
            "It is dry. [1] It is warm [2][3].",
            [("It is dry.", "It is dry. [1]", "1"), ("It is warm.", "It is warm [2][3].", "2 3")],
        ),
        (
            "[1] It is dry. [2] It is warm.",
            [("It is dry.", "[1] It is dry.", "1"), ("It is warm.", "[2] It is warm.", "2")],
        ),
        # Markers alone belong to the words before them, else to those behind.
        ("It is dry.\n\n[1]", [("It is dry.", "It is dry.\n\n[1]", "1")]),
        ("[1]\n\nIt is dry.", [("It is dry.", "[1]\n\nIt is dry.", "1")]),
        (
            "It is dry.\n\n[1]\n\n[2]\n\nIt is warm.",
            [("It is dry.", "It is dry.\n\n[1]\n\n[2]", "1 2"), ("It is warm.", "It is warm.", "")],
        ),
        # An element that holds several sentences cites all of them, the last by its closing tag.
        (
            '<cite id="1">It is dry. It is warm.</cite>',
            [
                ("It is dry.", '<cite id="1">It is dry.', "1"),
                ("It is warm.", "It is warm.</cite>", "1"),
            ],
        ),
        # Two brackets that go leave one blank, which is no part of the statement.
        (
            "J. R. Marsh(see [1], p. 4)(see [1], p. 4)<li>",
            [("J. R. Marsh", "J. R. Marsh(see [1], p. 4)(see [1]", "1 1")],
        ),
        ("- It is\n  dry [1]", [("It is dry", "It is\n  dry [1]", "1")]),
        ("It\u200b is dry [1].", [("It is dry.", "It\u200b is dry [1].", "1")]),
    ],
)
def test_statements(answer: str, expected: list[tuple[str, str, str]]) -> None:
    assembler = assembled(answer)
    assert shown(assembler.statements) == expected
    assert assembler.unattached == []
    for statement in assembler.statements:
        assert statement.span is not None
        assert statement.span.of(answer) == statement.raw
        for citation in statement.citations:
            assert citation.span is not None
            assert citation.span.of(answer) == citation.marker


def test_a_marker_after_the_stop_goes_to_the_next_sentence_on_request() -> None:
    assembler = assembled("It is dry. [1] It is warm.", attach_next=True)
    assert [len(s.citations) for s in assembler.statements] == [0, 1]
    assert assembler.statements[1].raw == "[1] It is warm."


def test_table_rows_are_statements_and_headers_are_none() -> None:
    answer = "| a | b [1] |\n|---|---|\n| dry [2] | [3] |\n| [1] | [2] |"
    assembler = assembled(answer)
    [row] = assembler.statements
    # A cell of markers leaves no text; a row of them belongs to the row before it.
    assert (row.text, row.kind) == ("dry", "table_row")
    assert [c.source_id for c in row.citations] == ["2", "3", "1", "2"]
    assert [c.source_id for c in assembler.unattached] == ["1"]


def test_markers_of_headings_belong_to_no_statement() -> None:
    assembler = assembled("# Weather [1]\n\nIt is dry [2].")
    assert [c.source_id for c in assembler.unattached] == ["1"]
    assert shown(assembler.statements) == [("It is dry.", "It is dry [2].", "2")]


def test_an_answer_of_markers_has_no_statement() -> None:
    assembler = assembled("[1]\n\n[2]")
    assert assembler.statements == []
    assert [marker.ids for marker in assembler.pending] == [("1",), ("2",)]
    assert [c.source_id for c in assembler.unattached] == ["1", "2"]


def test_what_the_answer_calls_a_source_stands_for_it() -> None:
    assembler = assembled("It is dry [1] [9].", aliases={"1": "b", "9": "c"})
    # An id of the sources is that source, whatever the answer's own list says.
    assert [c.source_id for c in assembler.statements[0].citations] == ["1", "c"]


def test_a_reason_needs_no_citation() -> None:
    answer = "Hello! It is dry."
    assembler = Assembler(answer, SEGMENT, lambda text: "greeting" if "Hello" in text else None)
    assembler.add(Block("sentence", 0, len(answer)), [])
    assert [(s.needs_citation, s.exemption) for s in assembler.statements] == [
        (False, "greeting"),
        (True, None),
    ]


def test_thousands_of_blocks_of_markers_alone_take_linear_time() -> None:
    answer = "It is dry." + "\n\n[1]" * 20_000
    assembler = assembler_of(answer)
    assembler.add(Block("sentence", 0, 10), [])
    for start in range(12, len(answer), 5):
        assembler.add(
            Block("sentence", start, start + 3), [Marker(start, start + 3, ("1",), "numeric")]
        )
    assembler.finish()
    [statement] = assembler.statements
    assert len(statement.citations) == 20_000
    assert statement.raw == answer
