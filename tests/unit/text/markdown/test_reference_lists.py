"""Lists of sources in an answer: where they end, and what is none."""

from __future__ import annotations

import pytest

from citemeter.models import Source
from citemeter.text.markdown.blocks import split_blocks
from citemeter.text.markdown.reference_lists import definitions
from citemeter.text.markers import index_of


def lists(text: str) -> list[str]:
    return [text[b.start : b.end] for b in split_blocks(text) if b.kind == "reference_list"]


def test_a_list_runs_to_the_next_heading_or_rule_or_sentence() -> None:
    entries = "Sources:\n[1] Almanac\n\n[2] Guide, 2nd edition"
    for following in ("## More", "**More**", "---", "It is wet now."):
        assert lists(f"Dry [1].\n\n{entries}\n\n{following}\n\nWet [2].") == [entries]


def test_a_heading_with_a_number_or_link_belongs_to_the_list() -> None:
    text = "Sources\n\n### 1. Almanac\n\n### https://a.example"
    assert lists(text) == [text]


@pytest.mark.parametrize(
    "entries",
    [
        "[1] almanac.pdf\n[2] guide.pdf",
        "[1] https://a.example\n\n[2] https://b.example",
        "- [1] Almanac\n- [2] Guide",
        "¹ Almanac\n² Guide",
        "[1] Almanac: a long title that goes on…\n[2] Guide",
    ],
)
def test_a_list_without_a_heading_at_the_end(entries: str) -> None:
    assert lists(f"Dry [1]¹. Wet [2]².\n\n{entries}") == [entries]


@pytest.mark.parametrize(
    "lines",
    [
        "[1] It is dry all year.\n[2] It was wet in May.",
        "[1], as it is\n[2] guide.pdf",
        "[1] Almanac\n[2] Guide\n\nIt is wet.",
        "- It is dry [1]\n- It is wet [2]",
    ],
)
def test_lines_that_begin_with_markers_and_are_no_list(lines: str) -> None:
    assert lists(f"Dry [1]. Wet [2].\n\n{lines}") == []


def test_a_heading_without_anything_behind_it() -> None:
    assert lists("Dry.\n\nSources:") == ["Sources:"]
    assert lists("Dry.\n\nSources:\n\n") == []


def test_definitions_of_footnotes_and_links_and_their_continuation() -> None:
    text = "[^1]: Almanac,\n  second edition\n\n[2]: https://a.example\n[3]: guide.pdf"
    assert lists(f"Dry[^1].\n\n{text}\n\nWet.") == [text]


def test_what_numbers_stand_for() -> None:
    url = {"url": "https://a.example/x"}
    sources = (Source(id="hr-12", text="A."), Source(id="b", text="B.", metadata=url))
    block = "Sources:\n[1] hr-12\n[2] Guide, https://a.example/x.\n[b] other\n[3] nothing"
    assert definitions(block, index_of(sources, None)) == {"1": "hr-12", "2": "b"}
