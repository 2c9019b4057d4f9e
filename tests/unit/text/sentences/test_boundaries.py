"""What the words around a full stop say, and the characters that end sentences."""

from __future__ import annotations

import unicodedata

import pytest

from citemeter.text.sentences.boundaries import (
    PLAIN_END,
    SENTENCE_ENDS,
    ends_sentence,
    is_clear,
    stop_ends,
)


def ends(before: str, after: str, start: int = 0) -> bool:
    """Whether the stop between two texts ends a sentence; closing marks begin the second."""
    text = before + "." + after
    closed = len(after) - len(after.lstrip("\"”’')]"))
    return stop_ends(text, start, len(before), len(before) + 1 + closed, before.split()[-1])


def test_characters_that_end_sentences_are_single_punctuation_marks() -> None:
    assert all(unicodedata.category(character) == "Po" for character in SENTENCE_ENDS)
    assert "" not in SENTENCE_ENDS
    assert not SENTENCE_ENDS & set(",;:、，")


@pytest.mark.parametrize(
    "text",
    [
        "It is.",
        "Is it?",
        'He said "It is."',
        "(It is.)",
        "**It is.**",
        "是。",
        "「是。」",
        "यह खुला है।",
        "نعم؟",
    ],
)
def test_what_ends_a_sentence(text: str) -> None:
    assert ends_sentence(text)


@pytest.mark.parametrize("text", ["", "in 1904,", '"It is"', "(see", "Costs:", "是，"])
def test_what_does_not(text: str) -> None:
    assert not ends_sentence(text)


@pytest.mark.parametrize(
    "word", ["drip", "holidays", "cancer", "NASA", "FDA", "(closed", "the", "был"]
)
def test_words_behind_which_a_stop_always_ends(word: str) -> None:
    assert is_clear(word)


@pytest.mark.parametrize(
    "word", ["Dr", "e.g", "Fig", "No", "U.S", "J", "XIV", "3", "12.5", "bzw", "l'art.", "co", "A"]
)
def test_words_behind_which_what_follows_decides(word: str) -> None:
    assert not is_clear(word)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at 5 p.m", " The gate shuts"),
        ("They paint, write etc", " Others sing"),
        ("held in 1998", " Der Bau begann"),
        ("by a factor of 3", " Then it fell"),
        ("It weighs 12 kg", " Did you know"),
        ("Bake it for 10 min", " Heat the oil"),
        ("It gives vitamin D", " Plants do not"),
        ("cooled to 20 C", " Done"),
        ("sold by Acme Inc", " The firm"),
        ("в 1998 г", " Завод"),
        ("It was built in the U.S", ""),
        ("It is about ca", ' The "best"'),
    ],
)
def test_stops_that_end_a_sentence(before: str, after: str) -> None:
    assert ends(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It was Dr", " Reyes"),
        ("See Fig", " 2"),
        ("See app", " B"),
        ("Art", " IV says"),
        ("Roe v", " Wade"),
        ("J", " Doe agreed"),
        ("Am 3", " Mai war es kalt"),
        ("Im 19", " Jahrhundert"),
        ("Lee et al", " (2020) say"),
        ("z", " B. im Norden"),
        ("at approx", " ten"),
        ("They paint, write etc", " and sing"),
        ("in the U.S", " for years"),
        ("в 1998", " завод"),
        ("Ludwig XIV", " starb"),
    ],
)
def test_stops_that_do_not(before: str, after: str) -> None:
    assert not ends(before, after)


def test_the_decision_does_not_depend_on_what_was_asked_before() -> None:
    texts = [("op 3 u", " 's Avonds is het dicht"), ("op 3 u", " 's avonds is het dicht")]
    once = [ends(*text) for text in texts]
    assert [ends(*text) for text in reversed(texts)] == once[::-1]


def test_the_words_before_the_sentence_say_nothing() -> None:
    text = "Lee et al. is short."
    assert stop_ends(text, 7, 9, 10, "al") == stop_ends("al. is short.", 0, 2, 3, "al")


def test_plain_ends_stand_before_white_space_or_are_wide() -> None:
    assert [m.start() for m in PLAIN_END.finditer("It costs 3.5. Yes? 是。否")] == [12, 17, 20]
