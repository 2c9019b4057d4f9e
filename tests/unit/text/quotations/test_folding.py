"""Folding for comparison, and the way back to the original's offsets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.text.quotations import folding as normalize
from citemeter.text.quotations.folding import OPTIONAL_HYPHEN, Folded, fold, fold_text

# Characters that fold in every way there is, more often than chance would bring them.
DELICATE = (
    "ab1 2\n\t-—–*_`~&;\"'«»‹›“”’…\u00a0\u00ad\u200be\u00e9\u0301ﬁß½²⁻Œæ"
    "가ᄀ\u1161\u11a8カﾞｶ中İÅ\uff0dX"
)
TEXT = st.text(st.one_of(st.sampled_from(DELICATE), st.characters(exclude_categories=["Cs"])))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Pets ARE Allowed", "pets are allowed"),
        ("“the rule”", '"the rule"'),
        ("‘the rule’", "«the rule»"),
        ("« the rule »", '"the rule"'),
        ("don’t", "don't"),
        ("open — until six", "open - until six"),
        ("open—until six", "open -- until six"),
        ("9–5", "9-5"),
        ("long\u2011term", "long-term"),
        ("27\u00a0degrees", "27 degrees"),
        ("two  words\n\tmore", "two words more"),
        ("ﬁrst oﬃce", "first office"),
        ("coeur", "cœur"),
        ("ＡＢＣ　１２", "abc 12"),
        ("cafe\u0301", "café"),
        ("straße", "STRASSE"),
        ("soft\u00adhyphen, zero\u200bwidth", "softhyphen, zerowidth"),
        ("**Pets** are _allowed_", "Pets are allowed"),
        ("AT&amp;T &quot;x&quot;", 'AT&T "x"'),
        ("wait…", "wait..."),
    ],
)
def test_equal_after_folding(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("220 degrees", "200 degrees"),
        ("10² m", "102 m"),
        ("1,250", "1250"),
        ("1.5", "15"),
        ("café", "cafe"),
        ("2*3", "23"),
        ("snake_case", "snakecase"),
        ("weather resistant", "weather-resistant"),
        ("oven, then", "oven then"),
        ("A & B", "A B"),
    ],
)
def test_different_after_folding(left: str, right: str) -> None:
    assert fold(left) != fold(right)


def test_a_hyphen_at_a_line_end_may_be_either() -> None:
    assert fold("weather-\nresistant") == f"weather{OPTIONAL_HYPHEN}resistant"
    assert fold("weather-resistant") == "weather-resistant"
    assert fold("9-\n5") == "9-5"


@given(TEXT)
@settings(max_examples=100)
def test_every_folded_character_maps_into_the_original(text: str) -> None:
    folded = Folded(text)
    starts = []
    for position in range(len(folded.text)):
        span = folded.span(position, position + 1)
        assert 0 <= span.start < span.end <= len(text)
        starts.append(span.start)
    assert starts == sorted(starts)


@given(TEXT)
@settings(max_examples=100)
def test_a_word_folds_to_the_place_it_maps_to(text: str) -> None:
    answer = f"x {text} unmistakable {text} y"
    folded = Folded(answer)
    at = folded.text.index("unmistakable")
    assert folded.span(at, at + 12).of(answer) == "unmistakable"


@given(TEXT, TEXT)
@settings(max_examples=200)
def test_long_texts_fold_chunk_by_chunk(left: str, right: str) -> None:
    whole = normalize._fold_chunk(f"{left}x y{right}")
    assert whole == normalize._fold_chunk(f"{left}x ") + normalize._fold_chunk(f"y{right}")


@given(TEXT)
@settings(max_examples=100)
def test_the_quick_way_equals_the_thorough_one(text: str) -> None:
    thorough = normalize._ATOM.sub(normalize._replace, text).casefold()
    assert normalize._fold_chunk(text) == thorough


def test_offsets_in_a_long_text() -> None:
    text = "The café’s rule — number one.\n" * 2000 + "The very last ﬁnding stands here."
    folded = Folded(text)
    at = folded.text.index("last finding")
    assert folded.span(at, at + len("last finding")).of(text) == "last ﬁnding"


def test_folded_texts_are_remembered_within_bounds() -> None:
    for number in range(200):
        fold_text(f"{number} words")
    held = fold_text.cache_info()
    assert held.maxsize is not None
    assert held.currsize == held.maxsize < 200


def test_a_mark_that_stays_maps_to_itself() -> None:
    folded = Folded("2 ** 3 – é ** 4")
    assert [folded.span(n, n + 1) for n in (2, 3)] == [(2, 3), (3, 4)]


@pytest.mark.parametrize(
    "part", [" ", "-", "- ", "*", "&", "&#", "'", "\u0301", "«", "\u200b", "["]
)
def test_hostile_text_folds_in_linear_time(part: str) -> None:
    assert isinstance(fold(part * (1_000_000 // len(part))), str)
