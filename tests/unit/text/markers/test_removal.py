"""Taking markers out: what is left, what goes with them, and the way back to the answer."""

from __future__ import annotations

import re
from typing import Any

import pytest

from citemeter.text.markers import Marker, find_markers, index_of
from citemeter.text.markers.marker import DEFAULT_STYLES
from citemeter.text.markers.removal import Removal, markers_lead, remove_markers
from citemeter.text.parse import parse

INDEX = index_of(parse("", ["a", "b", "c"]).sources, None)


def markers_of(answer: str) -> list[Marker]:
    return find_markers(answer, INDEX, DEFAULT_STYLES)


def removed(answer: str, **options: Any) -> Removal:
    return remove_markers(answer, markers_of(answer), 0, len(answer), **options)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("It is dry.", "It is dry."),
        ("It is dry [1].", "It is dry."),
        ("It is dry[1].", "It is dry."),
        ("It is dry. [1]", "It is dry."),
        ("It is dry [1] and warm.", "It is dry and warm."),
        ("It is[1]dry.", "It isdry."),
        ("[1] It is dry.", " It is dry."),
        # Markers that go together, and what joins them.
        ("It is dry [1][2].", "It is dry."),
        ("It is dry [1] [2].", "It is dry."),
        ("It is dry [1], [2].", "It is dry."),
        ("It is dry [1] and [2].", "It is dry."),
        ("It is dry [1], [2], and [3].", "It is dry."),
        ("It is dry. [1], [2], and [3].", "It is dry."),
        ("Both [1] and [2] say so.", "Both and say so."),
        # What stands around them for their sake.
        ("It is dry (see [1]).", "It is dry."),
        ("It is dry ([1], p. 4).", "It is dry."),
        ("It is dry ( [1] ).", "It is dry."),
        ("It is dry (as [1] says).", "It is dry (as says)."),
        ("It is dry (see [1], p. 4) (see [2], p. 5), and warm.", "It is dry, and warm."),
        ("It is dry (see [1], p. 4)(see [2], p. 5)(see [3], p. 6)", "It is dry "),
        ("It is **[1]** dry.", "It is dry."),
        ("It is dry **[1]**.", "It is dry."),
        # Stops.
        ("It is dry. [1]. It is warm.", "It is dry. It is warm."),
        ("It is dry. [1] .", "It is dry."),
        ("It is dry.[1]It is warm.", "It is dry. It is warm."),
        ("这里很干。[1]那里很湿。", "这里很干。那里很湿。"),
    ],
)
def test_what_is_left(answer: str, text: str) -> None:
    assert removed(answer).text == text


@pytest.mark.parametrize(
    "answer",
    [
        "It is dry [1]. It is warm [2], and bright.",
        "[1] It is dry. [2] It is warm.",
        "It is dry (see [1]). “It is warm.” [2]",
        "no marker at all",
    ],
)
def test_every_word_is_found_again_in_the_answer(answer: str) -> None:
    removal = removed(answer)
    spans = [match.span() for match in re.finditer(r"\w+", removal.text)]
    words = [removal.text[start:end] for start, end in spans]
    assert [answer[start:end] for start, end in removal.in_answer(spans)] == words


def test_spans_over_a_marker_hold_it() -> None:
    answer = "It is [1] dry."
    removal = removed(answer)
    assert removal.in_answer([(0, len(removal.text))]) == [(0, len(answer))]


def test_a_stretch_of_an_answer() -> None:
    answer = "Not this [1]. It is dry [2]. Nor this [3]."
    removal = remove_markers(answer, markers_of(answer)[1:2], 14, 28)
    assert removal.text == "It is dry."
    assert removal.in_answer([(0, 10)]) == [(14, 28)]


def test_where_markers_were_and_where_sentences_must_end() -> None:
    removal = removed("It is dry [1]. It is warm. [2].")
    assert removal.text == "It is dry. It is warm."
    assert removal.marks == {9, 22}
    assert removal.breaks == [22]
    # A marker in place of the stop.
    assert removed("It is dry [1]The yard is wet.").breaks == [9]
    assert removed("<li>It is dry</li><li>it is wet</li>").breaks == [9, 18]


def test_cuts_leave_the_text_as_markers_do() -> None:
    answer = "It is dry\n> and warm [1]."
    removal = removed(answer, cuts=[(10, 12)])
    assert removal.text == "It is dry and warm."


def test_the_segmenters_text_has_no_stops_inside_code() -> None:
    answer = "Call `a. B` now [1]."
    removal = removed(answer, segmentable="Call `a_ B` now [1].")
    assert (removal.text, removal.segmentable) == ("Call `a. B` now.", "Call `a_ B` now.")


@pytest.mark.parametrize(
    ("answer", "leads"),
    [
        ("[1] It is dry. [2] It is warm.", True),
        ("**[1]** It is dry. **[2]** It is warm.", True),
        ("[1][2] It is dry. [3] It is warm.", True),
        ("It is dry. [1] It is warm. [2]", False),
        ("[1] It is dry. It is warm. [2]", False),
        ("[1] It is dry [2] and warm.", False),
        ("[1]. It is dry. [2] It is warm.", False),
    ],
)
def test_markers_before_their_sentences(answer: str, leads: bool) -> None:
    assert markers_lead(answer, markers_of(answer), 0, len(answer)) is leads
