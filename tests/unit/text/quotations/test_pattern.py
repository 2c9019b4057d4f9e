"""Quotations as patterns, and finding them at word boundaries."""

from __future__ import annotations

import pytest

from citemeter.text.quotations.folding import Folded
from citemeter.text.quotations.pattern import QuotePattern, at_boundaries, find, find_in_order


def test_quotations_are_taken_apart() -> None:
    pattern = QuotePattern.read("One (...) two [...] three . . . four…")
    assert pattern.parts == ("one", "two", "three", "four")
    assert pattern.ellipsis
    assert QuotePattern.read("only (two) words").parts == ("only (two) words",)


def test_the_shortest_omission_is_taken() -> None:
    source = Folded("The rule. The rule is here, and here it ends. It ends.")
    spans = find_in_order(QuotePattern.read("the rule … it ends"), source)
    assert spans is not None
    assert source.text[spans[0][0] : spans[1][1]] == "the rule is here, and here it ends"


def test_boundaries_of_numbers_and_solid_scripts() -> None:
    assert not at_boundaries("1,250", 2, 5)
    assert not at_boundaries("10^2", 0, 2)
    assert at_boundaries("5km", 0, 1)
    assert at_boundaries("自転車は外", 0, 3)


def test_finding_goes_on_to_whole_words() -> None:
    assert find("art", Folded("heart start art")) == (12, 15)


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("weather-resistant", "weather-\nresistant paint", True),
        ("environment", "the environ-\nment", True),
        ("resign", "re-sign here", False),
    ],
)
def test_a_hyphen_at_a_line_end_may_be_left_out(quote: str, text: str, found: bool) -> None:
    assert (find(quote, Folded(text)) is not None) is found


def test_an_insertion_stands_for_a_few_words_only() -> None:
    pattern = QuotePattern.read("the gate [here] is shut")
    assert find_in_order(pattern, Folded("the gate at the end is shut")) is not None
    assert find_in_order(pattern, Folded(f"the gate {'and so on ' * 20} is shut")) is None


def test_of_several_beginnings_one_that_fits_is_taken() -> None:
    pattern = QuotePattern.read("the gate [x] is shut")
    source = Folded(f"the gate {'and so on ' * 20} the gate now is shut")
    spans = find_in_order(pattern, source)
    assert spans is not None
    assert source.text[spans[0][0] : spans[1][1]] == "the gate now is shut"
