"""Blocks: what holds statements, and what is skipped and why."""

from __future__ import annotations

import time

import pytest

from citemeter.text.markdown.blocks import split_blocks
from citemeter.text.markdown.reference_lists import is_reference_heading
from citemeter.text.parse import parse

SOURCES = {"1": "…", "2": "…", "3": "…"}


def kinds(text: str) -> list[tuple[str, str]]:
    return [(b.kind, text[b.start : b.end].strip()) for b in split_blocks(text)]


def test_kinds_of_blocks() -> None:
    text = "# T\n\nA.\nB.\n\n- c\n  d\n- e\n\n> f\n> g\n\n```\nh\n```\n\n---\n\n1. i"
    assert kinds(text) == [
        ("heading", "# T"),
        ("sentence", "A.\nB."),
        ("list_item", "c\n  d"),
        ("list_item", "e"),
        ("block_quote", "f\n> g"),
        ("code", "```\nh\n```"),
        ("list_item", "i"),
    ]


def test_an_indented_paragraph_behind_a_blank_line_is_a_block_of_its_own() -> None:
    # As deep as the item's words it is the item's; one space in front is how some models begin.
    assert kinds("- a\n\n  B.\n\n C.\n\n    d") == [
        ("list_item", "a"),
        ("list_item", "B."),
        ("sentence", "C."),
        ("list_item", "d"),
    ]


def test_a_table_without_a_rule_and_a_line_with_a_bar() -> None:
    assert kinds("| a | b |\n| c \\| `d|` | e |") == [
        ("table_row", "| a | b |"),
        ("table_row", "| c \\| `d|` | e |"),
    ]
    text = "| c \\| `d|` | e |"
    (row,) = split_blocks(text)
    assert [text[a:b].strip() for a, b in row.cells] == ["", "c \\| `d|`", "e", ""]
    assert kinds("a | b") == [("sentence", "a | b")]


def test_quotes_keep_what_is_syntax_out_of_their_text() -> None:
    text = "> > A\n> > b\n> - c\n> [!NOTE]\n> d\ne"
    blocks = split_blocks(text)
    assert [(b.kind, text[b.start : b.end]) for b in blocks] == [
        ("block_quote", "A\n> > b"),
        ("block_quote", "c"),
        ("block_quote", "d\ne"),
    ]
    assert [text[a:b] for a, b in blocks[0].cuts] == ["> > "]


def test_circled_numbers_in_one_line_stay_in_their_sentences() -> None:
    assert kinds("①门。②院子。") == [("sentence", "①门。②院子。")]
    assert kinds("①门。\n②院子。") == [("list_item", "门。"), ("list_item", "院子。")]


def test_an_html_comment_is_no_text() -> None:
    assert kinds("A.\n<!-- B.\n\nC. -->\nD.\n<!-- E") == [
        ("sentence", "A."),
        ("code", "<!-- B.\n\nC. -->"),
        ("sentence", "D."),
        ("code", "<!-- E"),
    ]
    assert kinds("<!-- note --> It is dry.") == [("sentence", "<!-- note --> It is dry.")]


def test_code_inside_a_list_does_not_end_it() -> None:
    text = "- a\n  ```\n  x\n  ```\n    b"
    assert [kind for kind, _ in kinds(text)] == ["list_item", "code", "list_item"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "**a**{}x",
        "---{}x",
        "a|b\n|-|{}x",
        "a|b\n{}|x",
        "a\n\n[1]{}",
        "Sources{}x",
        "Sources:{}x",
        "# {}#",
    ],
)
def test_time_is_linear_in_white_space(line: str) -> None:
    start = time.process_time()
    split_blocks(line.format(" " * 500_000))
    assert time.process_time() - start < 2.0


def test_windows_line_ends_make_the_same_blocks() -> None:
    text = "# T\n\nA.\n\n- c\n- e\n"
    unix = [(kind, words) for kind, words in kinds(text)]
    assert kinds(text.replace("\n", "\r\n")) == unix


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert kinds("A.\n```\nx[1]\ny") == [("sentence", "A."), ("code", "```\nx[1]\ny")]


@pytest.mark.parametrize(
    "heading",
    [
        "Sources:",
        "References",
        "## Sources",
        "**Sources**",
        "**Sources:**",
        "Quellen:",
        "参考文献",
        "参考文献：",
        "Références :",
        "Источники:",
        "المصادر:",
        "出典",
        "### 4. References",
        "Works Cited",
        "Fuentes:",
        "출처:",
    ],
)
def test_reference_list_headings(heading: str) -> None:
    assert is_reference_heading(heading)
    response = parse(f"It is dry [1].\n\n{heading}\n[1] almanac\n[2] guide", SOURCES)
    assert [s.text for s in response.statements or ()] == ["It is dry."]
    assert [c.source_id for c in response.citations] == ["1"]
    assert response.parsing is not None
    assert [s.kind for s in response.parsing.skipped] == ["reference_list"]


@pytest.mark.parametrize("line", ["Sources of iron vary.", "References to it are rare.", "Notes"])
def test_what_is_no_reference_heading(line: str) -> None:
    assert not is_reference_heading(line)


def test_an_answer_that_goes_on_after_its_reference_list() -> None:
    response = parse(
        "It is dry [1].\n\n## Sources\n[1] almanac\n\n## More\n\nIt is wet [2].", SOURCES
    )
    assert [s.text for s in response.statements or ()] == ["It is dry.", "It is wet."]


def test_footnote_definitions_are_skipped_with_their_continuation() -> None:
    response = parse("It is dry.[^1]\n\n[^1]: Almanac,\n    second edition [2].", SOURCES)
    assert [c.source_id for c in response.citations] == ["1"]


def test_citations_in_headings_are_unattached() -> None:
    response = parse("## Opening [2]\n\nIt opens [1].", SOURCES)
    assert [c.source_id for c in response.unattached] == ["2"]
    assert [s.source_ids for s in response.statements or ()] == [("1",)]


def test_reasoning_is_skipped_closed_or_not() -> None:
    for answer in ("<think>Hm [1].</think>It is dry [2].", "Hm [1].</think>\nIt is dry [2]."):
        response = parse(answer, SOURCES)
        assert [(s.text, s.source_ids) for s in response.statements or ()] == [
            ("It is dry.", ("2",))
        ]
        assert response.parsing is not None
        assert [s.kind for s in response.parsing.skipped] == ["reasoning"]
    assert parse("<think>Hm [1].", SOURCES).statements == ()


def test_a_table_row_is_a_statement_and_its_header_is_none() -> None:
    response = parse(
        "| Pump | Bar | Source |\n|---|---|---|\n| North | 12 | [1] |\n| South `a|b` | 9 | |",
        SOURCES,
    )
    assert [(s.text, s.source_ids, s.kind) for s in response.statements or ()] == [
        ("North | 12", ("1",), "table_row"),
        ("South `a|b` | 9", (), "table_row"),
    ]


def test_markers_alone_on_a_line_belong_to_the_statement_before() -> None:
    for answer in ("It is dry.\n\n[1]", "- It is dry.\n  [1]", "It is dry.\n[1]"):
        response = parse(answer, SOURCES)
        (statement,) = response.statements or ()
        assert statement.source_ids == ("1",)
        assert statement.raw.endswith("[1]")


def test_an_answer_of_markers_alone() -> None:
    response = parse("[1][2]\n\n[3]", SOURCES)
    assert response.statements == ()
    assert [c.source_id for c in response.unattached] == ["1", "2", "3"]
    assert response.parsing is not None
    assert {s.kind for s in response.parsing.skipped} == {"markers"}
