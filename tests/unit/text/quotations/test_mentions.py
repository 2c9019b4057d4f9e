"""Counting words, and telling quotations from titles and names."""

from __future__ import annotations

import pytest

from citemeter.text.quotations.mentions import count_words, is_mention


def test_words_are_counted_in_scripts_without_spaces() -> None:
    assert count_words("“the gate’s shut”") == 3
    assert count_words("自転車は外に置くこと") == 5
    assert count_words("ห้ามสูบบุหรี่ในอาคาร") >= 3


@pytest.mark.parametrize(
    ("words", "before", "after", "mention"),
    [
        ("Pride and Prejudice", "He saw ", "", True),
        ("PETS ARE ALLOWED with consent", "It adds ", "", False),
        ("from September to May", "It is shut ", "", False),
        ("Synthesis of gels by drying.", "Gao, C. et al. ", " Nano Letters", True),
        ("the gate is shut,", "The sign says ", " he said", False),
        ("best efforts basis", "the notion of a ", "", True),
        ("how can it be so?", "He asked: ", "", True),
        ("grünes Dach im Hof", "Das sogenannte ", "", True),
    ],
)
def test_mentions(words: str, before: str, after: str, mention: bool) -> None:
    assert is_mention(words, before, after) is mention
