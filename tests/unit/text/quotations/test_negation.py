"""Negations in what an ellipsis leaves out."""

from __future__ import annotations

import pytest

from citemeter.text.quotations.negation import drops_negation


@pytest.mark.parametrize("word", ["not", "never", "kein", "jamais", "nunca", "не", "لا", "ない"])
def test_negations_of_many_languages(word: str) -> None:
    assert drops_negation(f" x {word} y ") == word


@pytest.mark.parametrize(
    ("dropped", "negation"),
    [
        (" knot ", None),
        (" before noon. Do not run. ", None),
        (" not before noon. Run. ", "not"),
        (" before noon. Run. It is not ", "not"),
    ],
)
def test_only_the_sentences_at_the_ends_bear_on_what_stays(
    dropped: str, negation: str | None
) -> None:
    assert drops_negation(dropped) == negation
