"""The segmenter of citemeter: what it cuts, and how far it agrees with nupunkt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from citemeter.text.sentences.citemeter_segmenter import sentence_spans


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
        ["工具已更新。", "iPhone 也可以使用。"],
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
