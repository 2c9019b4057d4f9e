"""The phrases with which statements begin."""

from __future__ import annotations

import json
from pathlib import Path

from citemeter.text.phrases.lists import script_of
from citemeter.text.phrases.opening_phrases import first_words, label_of, may_begin_phrase

CASES = Path(__file__).parents[3] / "data" / "cases"


def test_the_look_up_never_hides_a_phrase() -> None:
    """Where the two-word look-up says no, no pattern may match."""
    rows = (CASES / "worthiness_more.jsonl").read_text(encoding="utf-8").splitlines()
    for text in (json.loads(row)["text"] for row in rows):
        if script_of(text) != "latin" or not text[0].isalpha():
            continue
        word, _, rest = text.partition(" ")
        if word.isalpha() and not may_begin_phrase(word.lower(), rest.partition(" ")[0].lower()):
            assert label_of(text) is None, text


def test_first_words_hold_both_cases() -> None:
    assert {"hello", "Hello", "bonjour", "Bonjour"} <= first_words().keys()
    assert "Aqueducts" not in first_words()
