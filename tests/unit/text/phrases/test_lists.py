"""Phrase lists: how they are read, and the script of a text."""

from __future__ import annotations

import re

import pytest

from citemeter.text.phrases.lists import LATIN, load, read_phrase, script_of


@pytest.mark.parametrize("language", LATIN)
def test_every_phrase_can_be_read(language: str) -> None:
    lists = load("worthiness", language)
    for room in ("openers", "exempt"):
        for phrases in lists[room].values():
            for text in phrases:
                for phrase in read_phrase(text, lists["words"]):
                    re.compile(phrase.pattern)
                    assert phrase.tail in ("", "...") or phrase.tail[1:].isalnum(), text


def test_a_phrase_must_begin_with_a_letter() -> None:
    with pytest.raises(ValueError, match="must begin with a letter"):
        list(read_phrase("(hello|hi) there", {}))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("naïve café “quoted”", "latin"),
        ("该水库可蓄水四千万升。", "zh"),
        ("PDF文件很大。", "zh"),
        ("図書館です。", "ja"),
        ("도서관입니다.", "ko"),
        ("مكتبة", "ar"),
        ("Библиотека", "ru"),
        ("Бібліотека", "uk"),
        ("पुस्तकालय", "hi"),
        ("Βιβλιοθήκη", "latin"),
    ],
)
def test_script(text: str, script: str) -> None:
    assert script_of(text) == script
