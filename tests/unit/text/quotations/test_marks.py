"""Pairing quotation marks."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.text.quotations.marks import has_marks, pair_marks


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ('a "b c" d ‘e f’ «g h»', "straight single guillemet"),
        ("„i j“ 「k l」 ``m n''", "german cjk latex"),
        ("»a b« ‹c d› ❝e f❞ 〝g h〟", "guillemet guillemet curly cjk"),
        ("(‘a b’) ['c d'] —'e f'", "single single single"),
        ("'tis the boats' and the crews' 12\" pipe of the '80s", ""),
        ('```\n"a b"\n``` and `"c d"`', ""),
    ],
)
def test_kinds_of_marks(text: str, kinds: str) -> None:
    assert " ".join(pair.kind for pair in pair_marks(text)) == kinds


def test_of_nested_quotations_the_outer_one_is_returned() -> None:
    text = "“a ‘b c’ d” "
    (pair,) = pair_marks(text)
    assert text[pair.inner_start : pair.inner_end] == "a ‘b c’ d"


def test_an_apostrophe_at_an_end_closes_if_nothing_else_does() -> None:
    text = "'the boats' masts are bare."
    (pair,) = pair_marks(text)
    assert text[pair.inner_start : pair.inner_end] == "the boats"


@given(st.text(st.sampled_from("ab \n\"'“”‘’«»„`|>-1[]s."), max_size=60))
@settings(max_examples=400)
def test_pairs_are_in_order_and_apart(text: str) -> None:
    end = 0
    for pair in pair_marks(text):
        assert end <= pair.start < pair.inner_start <= pair.inner_end < pair.end <= len(text)
        end = pair.end
    if not has_marks(text):
        assert not pair_marks(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ['"', "'", "“", "”", "«", "»", "„", "‘", "’", '" ', ' "', " '", "s' ", "`", "``", "'' ",
             "|", "\n", '\n"', "> ", "“a ", '"a" ', "「", "```\n", "~~~\n", '1" ', "([{", "\\\""]
)  # fmt: skip
def test_hostile_marks_pair_in_linear_time(part: str) -> None:
    text = part * (100_000 // len(part))
    start = time.process_time()
    has_marks(text)
    pair_marks(text)
    assert time.process_time() - start < 2
