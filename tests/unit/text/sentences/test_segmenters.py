"""Segmenters by name, and those of one's own."""

from __future__ import annotations

import sys

import pytest

from citemeter.errors import InputError
from citemeter.text.parse import ParseOptions, parse
from citemeter.text.sentences.segmenters import SEGMENTERS, segmenter_named


def test_markers_behind_a_stop_do_not_hide_it() -> None:
    for answer in (
        "It is dry.[1] eBikes help.",
        "It is dry.[1]It helps.",
        "It is dry. [1]. It helps.",
    ):
        assert len(parse(answer, {"1": "…"}).statements or ()) == 2


def test_attach_next_gives_a_trailing_marker_to_the_next_sentence() -> None:
    answer = "It is dry. [1] It is wet. [2]"
    by_rule = {
        attach: [
            s.source_ids
            for s in parse(answer, {"1": "…", "2": "…"}, attach=attach).statements or ()
        ]
        for attach in ("previous", "next")
    }
    assert by_rule == {"previous": [("1",), ("2",)], "next": [(), ("1", "2")]}


def test_punkt_is_loaded_when_asked_for() -> None:
    pytest.importorskip("punkt")
    response = parse("Dr. Reyes left. [1] It is dry.", {"1": "…"}, segmenter="punkt")
    assert [s.text for s in response.statements or ()] == ["Dr. Reyes left.", "It is dry."]
    assert response.parsing is not None
    assert response.parsing.segmenter == "punkt"


def test_punkt_without_its_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from citemeter.text.sentences import segmenters as segment

    monkeypatch.setitem(sys.modules, "punkt", None)
    segment._named.cache_clear()
    with pytest.raises(InputError, match=r"pip install citemeter\[punkt\]"):
        segmenter_named("punkt")


def test_line_segmenter() -> None:
    response = parse("It is dry. So it is\nand wet [1]", {"1": "…"}, segmenter="line")
    assert [s.text for s in response.statements or ()] == ["It is dry. So it is", "and wet"]


def test_any_callable_is_a_segmenter() -> None:
    def halves(text: str) -> list[str]:
        return text.split("; ")

    response = parse("it is dry [1]; it is wet [2]", {"1": "…", "2": "…"}, segmenter=halves)
    assert [s.source_ids for s in response.statements or ()] == [("1",), ("2",)]
    assert response.parsing is not None
    assert response.parsing.segmenter.endswith("halves")


def test_a_segmenter_that_invents_text_is_an_error() -> None:
    with pytest.raises(InputError, match="not in the text"):
        parse("It is dry.", {}, segmenter=lambda text: ["It is wet."])
    with pytest.raises(InputError, match="span"):
        parse("It is dry.", {}, segmenter=lambda text: [(5, 3)])


def test_an_unknown_segmenter_is_an_error_with_the_names() -> None:
    with pytest.raises(InputError, match="citemeter, line, punkt"):
        ParseOptions(segmenter="nupunkt")
    assert set(SEGMENTERS) == {"citemeter", "punkt", "line"}
