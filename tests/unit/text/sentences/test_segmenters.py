"""Sentences: the default segmenter, and those that can take its place."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from citemeter.errors import InputError
from citemeter.text.parse import ParseOptions, parse
from citemeter.text.sentences.citemeter_segmenter import sentence_spans
from citemeter.text.sentences.segmenters import SEGMENTERS, segmenter_named


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Reyes met Mr. Hall at 5 p.m. in Washington, D.C. on Jan. 5.", "They left."],
        ["See Fig. 2, No. 5 and Sec. 3.1, e.g. the U.S. one vs. the rest.", "It holds."],
        ["J. R. Doe et al. agreed.", "Others did not."],
        ["It costs 3.50 dollars.", "Version 2.0.1 is in config.yaml."],
        ["It causes cancer.", "Smoking is worse.", "So are holidays.", "Peter agrees."],
        ["The FDA approved it.", "NASA did not."],
        ["He waited...", "Then he left."],
        ["It was odd... but true."],
        ['He said "It is open."', "Then he left."],
        ['They ask "Is it shut?" at noon.'],
        ["Yahoo! in 1995 was new.", "It grew."],
        ["Is it dry?", "Yes!", "It is."],
        ["Am 3. Mai war es kalt.", "Z. B. im Norden, bzw. am See, fror es."],
        ["Nach § 7 Abs. 2 ist es frei.", "Nr. 5 gilt nicht."],
        ["Im 19. Jahrhundert kam es dazu.", "Das war neu."],
        ["Il ferme, p. ex. le lundi.", "Il rouvre à 14 h."],
        ["„Es ist offen.“", "Er ging."],
        ["« Fermez la porte. »", "Il ferme."],
        ["यह खुला है।", "वह बंद है।"],
        ["هل هو مفتوح؟", "نعم."],
        ["(See above.)", "It holds."],
        ["The box holds 5.", "Then it is full."],
        ["Visit https://a.example/x.html today.", "It opens."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_sentences(sentences: list[str]) -> None:
    assert cut(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("阁楼很干燥。谷仓潮湿！真的吗？是。", ["阁楼很干燥。", "谷仓潮湿！", "真的吗？", "是。"]),
        ("彼は「開く。」と言った。次だ。", ["彼は「開く。」と言った。", "次だ。"]),
        ("It was here.However, it left.", ["It was here.", "However, it left."]),
        ("Use Node.Js and System.Out here.", ["Use Node.Js and System.Out here."]),
        ("1. Open it. 2. Close it.", ["1. Open it.", "2. Close it."]),
        ("**Title.** It is dry.", ["**Title.** It is dry."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_without_spaces_between(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


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


def test_agrees_with_nupunkt_on_real_answers_but_for_what_is_documented(shared: Path) -> None:
    nupunkt = pytest.importorskip("nupunkt")
    same = total = 0
    with (shared / "data" / "answers" / "hagrid.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            words = re.sub(r"\s*\[\d[\d, ]*\]", "", json.loads(line)["answer"])
            text = " ".join(words.split())
            theirs = [s.strip() for s in nupunkt.sent_tokenize(text)]
            total += 1
            same += cut(text) == theirs
    # The rest: "7th century" and other words that its parameters hold as abbreviations, list
    # numbers as sentences, "SHAZAM!) and", sentences glued together.
    assert same / total > 0.96


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
