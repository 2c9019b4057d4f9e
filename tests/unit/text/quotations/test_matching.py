"""Comparing a quotation with sources."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from citemeter.models import Source
from citemeter.text.quotations.folding import fold
from citemeter.text.quotations.matching import Match, match_quote

LEASE = Source(
    id="lease",
    text=(
        "The tenant must keep the garden tidy at all times. The landlord shall repair the roof "
        "within thirty days of written notice. The owner is not allowed to raise the rent in the "
        "first two years. Pets are allowed with written consent."
    ),
)
POOL = Source(
    id="pool",
    text=(
        "The pool opens at seven and closes at nine in the evening. Children under ten must be "
        "accompanied by an adult. Lockers cost 1,250 coins, which are returned."
    ),
)


def check(quote: str) -> Match:
    return match_quote(quote, [LEASE], [POOL])


@pytest.mark.parametrize(
    ("quote", "status", "found_in"),
    [
        ("must keep the garden tidy", "verified", "lease"),
        ("MUST keep  the\ngarden tidy,", "verified", "lease"),
        ("[t]he tenant must keep", "verified", "lease"),
        ("keep [their] garden tidy", "verified", "lease"),
        ("keep the garden [sic] tidy", "verified", "lease"),
        ("The tenant must … at all times", "verified", "lease"),
        ("… keep the garden tidy …", "verified", "lease"),
        ("The tenant may keep the garden tidy", "altered", "lease"),
        ("The tenant must not keep the garden tidy", "altered", "lease"),
        ("The owner is allowed to raise the rent", "altered", "lease"),
        ("within thirty days of notice", "altered", "lease"),
        ("within 30 days of written notice", "altered", "lease"),
        ("keep the garden tidy at all tim", "altered", "lease"),
        ("in the first years two", "altered", "lease"),
        ("The tenant may … garden tidy", "altered", "lease"),
        ("closes at nine in the evening", "misattributed", "pool"),
        ("The pool opens … in the evening", "misattributed", "pool"),
        ("Pets are allowed … keep the garden tidy", "stitched", "lease"),
        ("Pets are allowed … closes at nine", "stitched", None),
        ("Pets are allowed with written consent. The tenant must keep", "stitched", "lease"),
        ("The tenant must keep and pets are allowed", "stitched", "lease"),
        ("Pets are allowed with written consent and children under ten", "stitched", None),
        ("The tenant must keep the garden tidy with written consent", "stitched", "lease"),
        ("Rent is due on the first working day of each month", "fabricated", None),
        ("Der Mieter pflegt den Garten", "fabricated", None),
    ],
)
def test_status(quote: str, status: str, found_in: str | None) -> None:
    match = check(quote)
    assert (match.status, match.found_in) == (status, found_in)


def test_places_are_offsets_in_the_original() -> None:
    match = check("The Tenant … AT ALL TIMES")
    assert match.ellipsis
    assert [place.span.of(LEASE.text) for place in match.places] == ["The tenant", "at all times"]


def test_changes_name_the_words_of_both_sides() -> None:
    match = check("The tenant may keep the lawn tidy")
    assert match.changes == (("may", "must"), ("lawn", "garden"))


def test_a_dropped_word_is_a_change() -> None:
    assert check("The owner is allowed to raise the rent").changes == (("", "not"),)


def test_words_match_at_word_boundaries() -> None:
    source = Source(id="1", text="My heart is longing for the sea.")
    match = match_quote("art is long", [source], [])
    assert match.status == "altered"
    assert match.share == 1.0


@pytest.mark.parametrize(
    ("quote", "text", "same"),
    [
        ("cost 250 coins", "They cost 1,250 coins.", False),
        ("cost 1", "They cost 1,250 coins.", False),
        ("a range of 5km", "It has a range of 5 km.", True),
        ("a range of 5 km", "It has a range of 5km.", True),
        ("may be late", "It maybe late.", False),
        ("they can enter", "So they can't enter.", False),
        ("the dam is safe and dry", "The dam is safe[4] and dry.", True),
        ("needs weather-resistant paint", "It needs weather-\nresistant paint.", True),
        ("the environment is clean", "Here the environ-\nment is clean.", True),
        ("the re-sign is clean", "Here the resign is clean.", False),
        ("this is called ‘a rule’ here", 'This is called "a rule" here.', True),
        ("使用 Python 编程", "请使用Python编程。", True),
        ("they can", "They can't enter.", False),
    ],
)
def test_what_folds_and_what_does_not(quote: str, text: str, same: bool) -> None:
    match = match_quote(quote, [Source(id="1", text=text)], [])
    assert (match.status == "verified") is same


@pytest.mark.parametrize(
    ("quote", "text", "warning"),
    [
        ("is … allowed", "Smoking is not allowed.", "ellipsis drops a negation: 'not'"),
        ("sind … erlaubt", "Hunde sind hier nicht erlaubt.", "ellipsis drops a negation: 'nicht'"),
        ("宠物……入内", "宠物不得入内。", "ellipsis drops a negation: '不'"),
        ("is … allowed", "Smoking is always allowed.", None),
        ("is allowed … inside", "It is allowed. Do not run. Smoke only inside.", None),
        ("must [not] keep", "They must keep it.", "bracketed words add a negation: 'not'"),
        ("keep [the] garden", "They keep their garden.", "bracketed words stand for 'their'"),
    ],
)
def test_warnings_keep_the_status(quote: str, text: str, warning: str | None) -> None:
    match = match_quote(quote, [Source(id="1", text=text)], [])
    assert match.status == "verified"
    assert match.warnings == (() if warning is None else (warning,))


def test_share_is_the_longest_common_run() -> None:
    policy = Source(id="1", text="Unused PTO up to 5 days may be carried over to the next year.")
    match = match_quote("unused PTO up to 10 days may be carried over", [policy], [])
    assert match.share == pytest.approx(25 / 44)


VOCABULARY = (
    "the roof lease must keep may not 5 10 1,250 café naïve don’t “quoted” — km".split()  # noqa: SIM905
)
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=8, max_size=40)
SEPARATORS = st.sampled_from([" ", "\n", "  ", "\u00a0", ", ", ". "])


@given(WORDS, SEPARATORS, st.data())
@settings(max_examples=100)
def test_any_stretch_of_words_is_verified(
    words: list[str], between: str, data: st.DataObject
) -> None:
    text = between.join(words)
    start = data.draw(st.integers(0, len(words) - 4))
    end = data.draw(st.integers(start + 3, len(words)))
    quote = between.join(words[start:end])
    assume(any(map(str.isalnum, quote)) and "…" not in quote)
    match = match_quote(quote.strip(), [Source(id="1", text=text)], [])
    assert match.status == "verified"
    assert match.found_in == "1"
    (place,) = match.places
    assert fold(place.span.of(text)).strip(" .,-'") == fold(quote).strip(" .,-'")


@given(WORDS, st.data())
@settings(max_examples=100)
def test_a_changed_word_is_never_verified(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    position = data.draw(st.integers(0, len(words) - 1))
    changed = [*words[:position], "zebra", *words[position + 1 :]]
    match = match_quote(" ".join(changed), [Source(id="1", text=text)], [])
    assert match.status != "verified"


@given(WORDS, st.data())
@settings(max_examples=100)
def test_the_first_place_of_an_exact_quotation_is_exact(
    words: list[str], data: st.DataObject
) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 4))
    quote = " ".join(words[start : start + 4])
    assume(quote.strip() == quote and quote[0].isalnum() and quote[-1].isalnum())
    match = match_quote(quote, [Source(id="1", text=text)], [])
    assert match.places[0].span.of(text) == quote


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("a" * 500 + "b", "a" * 200_000),
        ("ab " * 300 + "c", "ab " * 60_000),
        ("- " * 300 + "a word", "- " * 100_000),
        ("x-" * 300 + "\nword", "x-\n" * 60_000),
        ("… ".join(["the"] * 300), "the " * 50_000),
        ("[a] " * 300, "a " * 50_000),
        ("the " * 3000 + "end", "the " * 50_000),
    ],
)
def test_repetitive_text_does_not_hang(quote: str, text: str) -> None:
    start = time.process_time()
    match_quote(quote, [Source(id="1", text=text)], [])
    assert time.process_time() - start < 10


@pytest.mark.slow
def test_a_long_source_is_searched_quickly() -> None:
    text = "".join(f"Rule {n} says that item {n * 7919 % 10007} stays. " for n in range(50_000))
    source = Source(id="1", text=text)
    start = time.process_time()
    for number in range(20):
        match_quote(f"Rule {number * 2000} says that nobody stays at all", [source], [])
    assert time.process_time() - start < 20
