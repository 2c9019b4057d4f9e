from __future__ import annotations

import pytest

from citemeter.judges.lexical.dates import read_dates
from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.premise import Line, opposites
from citemeter.judges.lexical.quantities import read_numbers
from citemeter.judges.lexical.stems import fold, stem
from citemeter.judges.lexical.terms import STOP, overlap, term_of, terms_of, tokens, weight_of
from citemeter.judges.lexical.word_lists import read_table


@pytest.mark.parametrize(
    "words",
    [
        "employ employs employed employing",
        "carry carries carried carrying",
        "locate located locating location locations",
        "stop stops stopped stopping",
        "agree agreed agreement",
        "quick quickly quickness",
        "possible possibly",
        "organize organized organization organisation",
        "child children",
        "write wrote written writing",
        "box boxes",
        "church churches",
        "nation nations national",
    ],
)
def test_stem_joins(words: str) -> None:
    assert len({stem(fold(word)) for word in words.split()}) == 1, [
        stem(fold(word)) for word in words.split()
    ]


@pytest.mark.parametrize(
    "words",
    [
        "universe university",
        "organ organize",
        "sing single",
        "cat car",
        "this thesis",
        "bus business",
    ],
)
def test_stem_keeps_apart(words: str) -> None:
    assert len({stem(fold(word)) for word in words.split()}) == 2


def test_terms() -> None:
    assert term_of("the") == STOP == term_of("The")
    assert term_of("WHO") != term_of("who") == STOP
    assert term_of("U.S.") == term_of("US") != STOP
    assert [term for _, term, _ in tokens("休假三天")] == ["休假", "假三", "三天"]


def test_weights_fall_with_frequency() -> None:
    assert 0 < weight_of(term_of("time")) < weight_of(term_of("museum")) <= 1
    assert weight_of("zyzzyva") == 1
    assert all(0 < float(weight) <= 1 for _, weight in read_table("term_weights.txt"))


def test_opposites_are_mutual() -> None:
    for term, others in opposites().items():
        assert term not in others
        assert all(term in opposites()[other] for other in others)


@pytest.mark.parametrize(
    ("text", "dimension", "base"),
    [
        ("1,000", "", 1000),
        ("1'000'000", "", 1e6),
        ("1,00,000", "", 100000),
        ("one hundred and twenty-five thousand", "", 125000),
        ("3 lakh", "", 300000),
        ("2.5bn", "", 2.5e9),
        ("$5m", "usd", 5e6),
        ("USD 100", "usd", 100),
        ("40 €", "eur", 40),
        ("5km", "length", 5000),
        ("5-kilometre", "length", 5000),
        ("12 sq km", "area", 12e6),
        ("60 miles per hour", "speed", 26.8224),
        ("10 per cent", "percent", 10),
        ("10:30 pm", "clock", 630),
        ("5 a.m.", "clock", 300),
        ("1990s", "decade", 1990),
        ("19th century", "century", 19),
        ("２５％", "percent", 25),
        ("٣", "", 3),
        ("3万", "", 30000),
    ],
)
def test_one_quantity(text: str, dimension: str, base: float) -> None:
    (quantity,) = read_numbers(text, statement=True).quantities
    assert quantity.readings[0][0] == dimension
    assert quantity.readings[0][1] == pytest.approx(base, rel=1e-6)


@pytest.mark.parametrize(
    "text", ["B12", "5G", "3D", "H2O", "v2.0", "one of them", "4. Turn it on."]
)
def test_no_quantity(text: str) -> None:
    assert read_numbers(text, statement=True).quantities == ()


def test_markers_are_no_quantities() -> None:
    statement = Statement("It was seen [3] [1, 2].")
    assert statement.quantities == ()
    assert statement.text == "It was seen    ."


def test_terms_of_content_words() -> None:
    assert terms_of("The cat's toys, and not 5 of them!") == ["cat", "toy", "5"]
    # An Indic vowel sign is part of its word.
    assert len(terms_of("हिन्दी भाषा")) == 2
    assert terms_of("図書館") == ["図書", "書館"]
    assert terms_of("図") == terms_of("") == []


def test_overlap_is_by_weight() -> None:
    # "zorvak" and "quelnim" are in no list, and weigh 1.
    assert overlap(["zorvak", "quelnim", "zorvak"], {"zorvak"}) == 0.5
    common = weight_of(term_of("time"))
    assert overlap([term_of("time"), "zorvak"], {"zorvak"}) == 1 / (1 + common)
    assert overlap([], {"zorvak"}) == 0


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("5 August 1930", [(5, 8, 1930)]),
        ("August 5, 1930", [(5, 8, 1930)]),
        ("the 5th of August", [(5, 8, 0)]),
        ("Aug. 5", [(5, 8, 0)]),
        ("August 1930", [(0, 8, 1930)]),
        ("1930-08-05", [(5, 8, 1930)]),
        ("05/08/1930", [(5, 8, 1930), (8, 5, 1930)]),
        ("5.8.1930", [(5, 8, 1930), (8, 5, 1930)]),
        ("You may 5 times", []),
        ("In May it rains", []),
        ("31/31/1930", []),
    ],
)
def test_dates(text: str, dates: list[tuple[int, int, int]]) -> None:
    assert [tuple(date[1:]) for date in read_dates(text)] == dates


def test_date_parts_are_not_asked_for_twice() -> None:
    found = read_numbers("On 5 August 1930 he had 12 hats.", statement=True)
    assert [quantity.text for quantity in found.quantities] == ["12"]


def test_line() -> None:
    line = Line("Smoking is not permitted. Dogs are banned, but cats sleep.")
    assert line.size == 10
    assert line.sentences == [4, 10]
    assert line.negated == [3]
    assert line.denied == [6]
    assert line.positions[term_of("cats")] == [8]


def test_statement() -> None:
    statement = Statement("The Eiffel Tower isn't 500 m tall, says Gustave Eiffel.")
    assert [term.text for term in statement.terms if term.negated] == ["tall"]
    names = [[statement.terms[i].text for i in run] for run in statement.names]
    assert names == [["Eiffel", "Tower"], ["Gustave", "Eiffel"]]
    assert statement.negates
    assert not Statement("Not only cats sleep.").negates
    assert Statement("The Static Analysis: Perform checks early.").names == ((0, 1),)


def test_headlines_name_nobody() -> None:
    assert Statement("Local Man Eats Large Sandwich").names == ()
