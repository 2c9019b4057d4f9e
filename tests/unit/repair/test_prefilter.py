"""The pre-filter: a ranking that can be worked out by hand."""

from __future__ import annotations

from math import isclose

import pytest

from citemeter.judges.lexical.terms import term_of, weight_of
from citemeter.repair import Prefilter


def test_the_score_is_the_formula() -> None:
    # "zorvak" is in no list and weighs 1; "time" is a frequent word.
    common = weight_of(term_of("time"))
    scores = Prefilter(["Zorvak.", "Zorvak time.", "Time.", "Fish."]).scores("It is zorvak time.")
    expected = [1 / (1 + common), 1.0, common / (1 + common), 0.0]
    assert all(map(isclose, scores, expected))


def test_informative_words_count_more_than_frequent_ones() -> None:
    prefilter = Prefilter(["A time.", "Quelnim.", "Quelnim time."])
    assert prefilter.rank("Quelnim time") == [2, 1, 0]


def test_word_forms_are_joined() -> None:
    assert Prefilter(["Geese fly.", "Employees carried it."]).rank("An employee carries.")[0] == 1


def test_a_repeated_word_counts_once_in_the_statement() -> None:
    prefilter = Prefilter(["Cats purr.", "Dogs bark."])
    assert prefilter.scores("purr purr purr") == prefilter.scores("purr")


def test_equals_keep_their_order() -> None:
    assert Prefilter(["a b", "a b", "a b"]).rank("nothing shared") == [0, 1, 2]


def test_scripts_without_spaces() -> None:
    prefilter = Prefilter(["図書館は九時に開く。", "土曜日は休館である。"])
    assert prefilter.rank("土曜日は休みである")[0] == 1


@pytest.mark.parametrize("texts", [[], [""], ["", " \n"], ["the of and"]])
def test_sources_without_words(texts: list[str]) -> None:
    prefilter = Prefilter(texts)
    assert prefilter.scores("Cats purr.") == [0.0] * len(texts)
    assert prefilter.rank("Cats purr.") == list(range(len(texts)))
    assert prefilter.rank("") == list(range(len(texts)))


def test_complements_prefer_what_covers_more_together() -> None:
    # The first two share the same words with the statement; the third has the other half.
    texts = ["Hens eat zorvak grain.", "Zorvak grain for hens.", "Geese like quelnim ponds.", "x"]
    prefilter = Prefilter(texts)
    pairs = prefilter.complements("Hens eat zorvak grain and geese like quelnim ponds.", [0, 1, 2])
    assert pairs[0] == (0, 2)
    assert pairs[-1] == (0, 1)
    assert len(pairs) == 3


def test_long_texts_take_linear_time() -> None:
    long = "zorvak quelnim " * 100_000
    prefilter = Prefilter([long, "quelnim", "土" * 100_000])
    assert prefilter.rank("zorvak")[0] == 0
    assert len(prefilter.scores("土" * 50_000)) == 3
