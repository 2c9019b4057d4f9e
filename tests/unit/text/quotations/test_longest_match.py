"""The longest stretch that a quotation and a source share."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.text.quotations import longest_match
from citemeter.text.quotations.folding import Folded, fold
from citemeter.text.quotations.longest_match import Run, longest_run, shared_runs


@pytest.mark.parametrize("alphabet", ["ab", "ab é", "a中b", "a\U0001f600b"])
@pytest.mark.parametrize("always_indexed", [False, True])
def test_longest_run_equals_difflib(
    alphabet: str, always_indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(longest_match, "_SHORT", 0 if always_indexed else 300_000)

    @given(st.text(st.sampled_from(alphabet), max_size=40), st.text(st.sampled_from(alphabet)))
    @settings(max_examples=100)
    def compare(quote: str, text: str) -> None:
        source = Folded(text)
        quote = fold(quote)
        matcher = SequenceMatcher(None, quote, source.text, autojunk=False)
        expected = matcher.find_longest_match().size
        run = longest_run(quote, source)
        assert run.size == expected
        at, where = run.quote_start, run.source_start
        assert quote[at : at + run.size] == source.text[where : where + run.size]

    compare()


def test_of_equally_long_runs_the_first_in_the_quotation_is_returned() -> None:
    assert longest_run("cats and dogs", Folded("dogs, cats")) == Run(4, 0, 6)


def test_texts_that_share_nothing() -> None:
    assert longest_run("", Folded("a")) == Run(0, 0, 0)
    assert longest_run("a", Folded("")) == Run(0, 0, 0)
    assert longest_run("abc", Folded("xyz")).size == 0


def test_shared_runs_are_maximal_and_long_enough() -> None:
    source = Folded("the gate is shut at dusk and the gate opens at dawn")
    runs = shared_runs("the gate is open and the gate opens", source, 8)
    assert runs is not None
    found = {source.text[start : start + size] for size, _, start in zip(*runs, strict=True)}
    assert found == {"the gate is ", " and the gate opens", "the gate "}


def test_a_text_shorter_than_a_run_shares_none() -> None:
    runs = shared_runs("the", Folded("the gate is shut"))
    assert runs is not None
    assert all(len(part) == 0 for part in runs)


def test_texts_with_millions_of_common_runs_are_not_compared_by_runs() -> None:
    assert shared_runs("a" * 3000, Folded("a" * 3000)) is None
    assert longest_run("a" * 3000, Folded("a" * 3000)).size == 3000


def test_two_runs_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(text: str, size: int) -> object:
        return np.zeros(max(len(text) - size + 1, 0), np.uint64)

    monkeypatch.setattr(longest_match, "_SHORT", 0)
    monkeypatch.setattr(longest_match, "_run_hashes", same)
    assert longest_run("a walk in the park", Folded("a talk of the town")).size == 5
