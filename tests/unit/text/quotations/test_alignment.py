"""Aligning a quotation with the stretch of a source most like it, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.text.quotations import alignment
from citemeter.text.quotations.alignment import Alignment, nearest, tokens
from citemeter.text.quotations.folding import OPTIONAL_HYPHEN, Folded

LEASE = (
    "The tenant must keep the garden tidy at all times. The landlord shall repair the roof "
    "within thirty days of written notice. Pets are allowed with written consent."
)


def align(quote: str, text: str, at_least: float = 0.0) -> Alignment:
    found = nearest(quote, Folded(text), at_least)
    assert found is not None
    return found


def differences(quote: str, text: str) -> list[tuple[str, str]]:
    found = align(quote, text)
    source = Folded(text).text
    return [(quote[a:b], source[c:d]) for a, b, c, d in found.changes]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("it's 1,250.5 km", ["it's", "1,250.5", "km"]),
        ("5km", ["5", "km"]),
        ("a_b-c", ["a", "_", "b", "-", "c"]),
        ("外に置く", ["外", "に", "置", "く"]),
        ("", []),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    found = tokens(text)
    assert [token.text for token in found] == words
    assert all(text[token.start : token.end] == token.text for token in found)
    assert [token.word for token in found] == [token.text not in "_-" for token in found]


def test_tokens_of_a_stretch_keep_their_offsets() -> None:
    assert [(t.text, t.start) for t in tokens("one two three", 4, 7)] == [("two", 4)]


@pytest.mark.parametrize(
    ("quote", "matched", "changes"),
    [
        ("must keep the garden tidy", 5, []),
        ("must keep the lawn tidy", 4, [("lawn", "garden")]),
        ("must keep the garden very tidy", 5, [("very", "")]),
        ("must the garden tidy", 4, [("", "keep")]),
        ("may keep the garden tidy", 4, [("may", "must")]),
        ("must keep the garden neat", 4, [("neat", "tidy")]),
        ("keep the garden, tidy", 4, [(",", "")]),
        ("within 30 days of notice", 4, [("30", "thirty"), ("", "written")]),
    ],
)
def test_changes_are_named_on_both_sides(
    quote: str, matched: int, changes: list[tuple[str, str]]
) -> None:
    found = align(quote, LEASE)
    assert found.matched == matched
    assert differences(quote, LEASE) == changes


def test_similarity_is_equal_words_over_the_longer_side() -> None:
    found = align("must keep the lawn tidy", LEASE)
    assert (found.quote_words, found.source_words, found.similarity) == (5, 5, 0.8)
    found = align("keep the garden at all times", LEASE)
    assert (found.quote_words, found.source_words) == (6, 7)
    assert found.similarity == pytest.approx(6 / 7)


def test_the_stretch_begins_and_ends_with_the_words_that_were_replaced() -> None:
    text = Folded(LEASE).text
    found = align("you should keep the garden neat", LEASE)
    assert text[found.start : found.end] == "tenant must keep the garden tidy"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("the dam is safe and dry", "the dam is safe[4] and dry"),
        ("he said stop and left", "he said 'stop' and left"),
        ("a well known rule", f"a well{OPTIONAL_HYPHEN} known rule"),
        ("a well-known rule", f"a well{OPTIONAL_HYPHEN}known rule"),
    ],
)
def test_an_editors_apparatus_is_no_change(quote: str, text: str) -> None:
    source = Folded("")
    source.text = text
    found = nearest(quote, source)
    assert found is not None
    assert found.changes == ()


def test_nothing_is_near() -> None:
    assert nearest("", Folded(LEASE)) is None
    assert nearest("...", Folded("no stop")) is None
    assert nearest("zigzag quiz", Folded(LEASE)) is None
    assert nearest("keep the garden", Folded("")) is None


def test_stretches_that_cannot_be_near_enough_are_passed_over() -> None:
    quote = "must keep six large old dogs"
    assert nearest(quote, Folded(LEASE)) is not None
    assert nearest(quote, Folded(LEASE), at_least=0.8) is None


@pytest.mark.parametrize("length", [2_000, 40_000])
def test_in_a_longer_source_the_likeliest_stretch_is_found(length: int) -> None:
    filler = "".join(f"Rule {n} says that item {n * 7919 % 10007} stays. " for n in range(2000))
    text = f"{filler[:length]} {LEASE} {filler[:length]}"
    found = align("the landlord shall mend the roof within thirty days", text)
    assert Folded(text).text[found.start : found.end] == (
        "the landlord shall repair the roof within thirty days"
    )
    assert found.matched == 8


def test_long_texts_are_aligned_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = differences("must keep the lawn tidy at all times", LEASE)
    monkeypatch.setattr(alignment, "_MOST_CELLS", 0)
    assert differences("must keep the lawn tidy at all times", LEASE) == expected


@given(st.lists(st.sampled_from("a b c d e , .".split()), min_size=1, max_size=12), st.data())  # noqa: SIM905
@settings(max_examples=200)
def test_a_stretch_of_the_source_matches_in_all_its_words(
    words: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    quote = " ".join(words[start:end])
    found = nearest(quote, Folded(" ".join(words)))
    count = sum(token.word for token in tokens(quote))
    if not count:
        assert found is None
    else:
        assert found is not None
        assert found.matched == found.quote_words == count
        assert found.changes == ()
