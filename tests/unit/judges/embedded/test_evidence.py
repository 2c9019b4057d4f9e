from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemeter.judges.embedded.evidence import GAP, Evidence
from citemeter.judges.lexical.hypothesis import Statement

FILLER = " ".join(f"Nothing of note happened in week {week} at all." for week in range(60))
BRIDGE = "The old bridge over the Danube was built by Ida Kemény in 1873."
TOLL = "A toll of two crowns was levied on every crossing until 1919."


def select(premise: str, statement: str, words: int = 40) -> str:
    return Evidence(premise).select(Statement(statement), words)


def test_a_short_premise_is_shown_whole_on_one_line() -> None:
    assert select("One  line.\n\nAnother\tline.", "Anything.") == "One line. Another line."


def test_the_sentence_that_a_statement_needs_is_found_anywhere() -> None:
    for premise in (f"{BRIDGE} {FILLER}", f"{FILLER} {BRIDGE}", f"{FILLER} {BRIDGE} {FILLER}"):
        assert BRIDGE in select(premise, "Ida Kemény built the Danube bridge.")


def test_two_needed_sentences_are_both_shown_in_their_order() -> None:
    premise = f"{TOLL} {FILLER} {BRIDGE}"
    shown = select(premise, "The Danube bridge built by Kemény levied a toll of two crowns.")
    assert TOLL in shown
    assert BRIDGE in shown
    assert shown.index(TOLL) < shown.index(BRIDGE)
    assert GAP in shown


def test_a_number_or_a_date_alone_can_decide() -> None:
    premise = f"{FILLER} It closed on 4 May 1931. {FILLER} It had 417 rooms. {FILLER}"
    assert "417 rooms" in select(premise, "There were 417 of them.")
    assert "4 May 1931" in select(premise, "That was on 4 May 1931.", 20)


def test_the_sentence_before_comes_along_since_a_pronoun_needs_it() -> None:
    premise = f"{FILLER} Ida Kemény was an engineer. She designed a viaduct near Szeged. {FILLER}"
    shown = select(premise, "The viaduct near Szeged was designed by an architect.", 30)
    assert "Ida Kemény was an engineer. She designed" in shown


def test_what_no_sentence_speaks_of_is_shown_the_beginning() -> None:
    assert select(f"{BRIDGE} {FILLER}", "Zebras gallop.").startswith(BRIDGE)
    assert select(f"{BRIDGE} {FILLER}", "").startswith(BRIDGE)


def test_text_without_full_stops_is_cut_too() -> None:
    words = [f"word{n}" for n in range(500)]
    words[321] = "zanzibar"
    shown = select(" ".join(words), "Zanzibar is named.", 80)
    assert "zanzibar" in shown
    assert len(shown.replace(GAP, " ").split()) <= 80


def test_scripts_without_spaces_are_cut_at_their_stops() -> None:
    filler = "これは関係のない文です。" * 60
    shown = select(f"{filler}橋は1873年に建設された。{filler}", "橋は1873年に建設された。")
    assert "橋は1873年に建設された。" in shown
    assert len(shown) < 200


@pytest.mark.parametrize("premise", ["", " \n\t ", "...", "!?", "\n\n"])
def test_an_empty_premise_shows_nothing_much(premise: str) -> None:
    assert select(premise, BRIDGE) == " ".join(premise.split())


SENTENCES = st.lists(
    st.lists(
        st.sampled_from(["alpha", "beta", "Gamma", "delta", "12", "epsilon", "zeta"]), min_size=1
    ).map(lambda words: " ".join(words).capitalize() + "."),
    max_size=30,
)


@given(SENTENCES, st.text("abgdez lphimn.", max_size=60), st.integers(1, 60))
def test_what_is_shown_stands_in_the_premise_and_keeps_to_its_size(
    sentences: list[str], statement: str, words: int
) -> None:
    premise = " ".join(sentences)
    evidence = Evidence(premise)
    shown = evidence.select(Statement(statement), words)
    assert shown == evidence.select(Statement(statement), words)
    parts = shown.split(GAP)
    for part in parts:
        assert part in premise
    longest = max([piece.size for piece in evidence.pieces], default=0)
    assert sum(len(part.split()) for part in parts) <= max(words, longest)
