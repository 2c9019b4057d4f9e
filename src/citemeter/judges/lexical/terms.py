r"""Words as every comparison by words reads and weighs them.

The lexical judge, the grounding's text check, the relevance of a citation and the order in which a
repair asks about sources all cut texts into these words. What two texts have in common is weighed
by one rule:

.. math:: \mathrm{overlap}(W, T) = \frac{\sum_{t \in W \cap T} \omega_t}{\sum_{t \in W} \omega_t}
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import cache, lru_cache

from citemeter.judges.lexical.stems import fold, stem
from citemeter.judges.lexical.word_lists import read_sections, read_table

HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
"""Letters of Korean, which sets words apart but adds particles and endings to them."""

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"  # Thai, Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3\u17d7\u17dc\u17dd"  # Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3031-\u3035\u303b\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3100-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese, Japanese
)
"""Letters of scripts that do not set words apart."""

_SOLID = UNSPACED + HANGUL
# Upon or between the letters of a word: points and vowel signs of Hebrew, Arabic, Indic scripts.
_MARKS = "\u0591-\u05bd\u064b-\u065f\u0900-\u0903\u093a-\u0963\u0981-\u0dff"
_LETTERS = rf"[^\W_{_SOLID}]+"

WORD = (
    rf"(?<![^\W_])(?:[A-Z]\.){{2,}}[A-Z]?(?![^\W_])"
    rf"|{_LETTERS}(?:(?:['’]|[{_MARKS}]+['’]?){_LETTERS})*[{_MARKS}]*"
    rf"|[{HANGUL}]+|[{UNSPACED}]+"
)
"""Pattern of an abbreviation ("U.S."), a word, or a run of a script without words."""

_TOKEN = re.compile(rf"{WORD}|[.!?;:,…](?=[\s\"'”’)\]]|$)|[。！？；，、]")
_RUN = re.compile(f"[{_SOLID}]")
_SENTENCE_ENDS = frozenset(".!?;…。！？；")
_CLAUSE_ENDS = frozenset(":,，、")

STOP = ""
"""The term of a word that carries no claim of its own."""

SENTENCE, CLAUSE = "\x01", "\x02"
"""What stands in place of a term at the end of a sentence and of a clause."""

_NO_TERMS = frozenset((STOP, SENTENCE, CLAUSE))
_REMEMBERED = 100_000  # spellings


@cache
def _stop_words() -> frozenset[str]:
    words = {fold(word) for row in read_table("stop_words.txt") for word in row}
    # An apostrophe is often lost on the way ("dont"); "'s" was folded away.
    return frozenset(words | {word.replace("'", "") for word in words if word.endswith("n't")})


@cache
def _negations() -> frozenset[str]:
    """Return the folded words that negate a clause; those that end in "n't" are found by rule."""
    return frozenset(
        fold(word) for row in read_sections("polarity.txt")["negations"] for word in row
    )


@cache
def _weights() -> dict[str, float]:
    return {row[0]: float(row[1]) for row in read_table("term_weights.txt")}


@lru_cache(maxsize=_REMEMBERED)
def term_of(word: str) -> str:
    """Return the term a word counts as, or ``STOP``.

    >>> term_of("Employees"), term_of("the")
    ('employe', '')
    """
    capitals = word.replace(".", "")
    if 2 <= len(capitals) <= 6 and capitals.isupper() and capitals.isalpha():
        folded = fold(capitals)
        # "US" and "WHO" are names, not pronouns; "^" keeps them apart.
        return folded + "^" if folded in _stop_words() else stem(folded)
    folded = fold(word)
    return STOP if folded in _stop_words() else stem(folded)


def weight_of(term: str) -> float:
    """Return how informative a term is, in ``(0, 1]``: 1 for one that background text lacks."""
    return _weights().get(term, 1.0)


def is_listed(term: str) -> bool:
    """Whether background text has the term often enough to know how informative it is."""
    return term in _weights()


@lru_cache(maxsize=_REMEMBERED)
def _read(token: str) -> tuple[str, str, bool]:
    """Return a token that is no run with its term or mark, and whether it negates."""
    if token in _SENTENCE_ENDS:
        return token, SENTENCE, False
    if token in _CLAUSE_ENDS:
        return token, CLAUSE, False
    folded = fold(token)
    negates = folded in _negations() or folded.endswith("n't")
    return token, STOP if negates else term_of(token), negates


def pairs_of(run: str) -> list[str]:
    """Return the pairs of neighbours in a run of a script that does not set words apart."""
    return [run[start : start + 2] for start in range(len(run) - 1)]


def tokens(text: str) -> Iterator[tuple[str, str, bool]]:
    r"""Yield ``(spelling, term or mark, negates)`` of each token; runs in pairs of characters.

    A single character of a run says too little to be looked for: its term is ``STOP``.

    >>> list(tokens("Cats don't swim."))
    [('Cats', 'cat', False), ("don't", '', True), ('swim', 'swim', False), ('.', '\x01', False)]
    """
    for token in _TOKEN.findall(text):
        if token[0] >= "\u0e00" and _RUN.match(token):
            if len(token) == 1:
                yield token, STOP, False
            for pair in pairs_of(token):
                yield pair, pair, False
        else:
            yield _read(token)


def terms_of(text: str) -> list[str]:
    """Return the terms of a text's content words, one for each occurrence.

    >>> terms_of("The employees carried 5 days over.")
    ['employe', 'carri', '5', 'day']
    """
    return [term for _, term, _ in tokens(text) if term not in _NO_TERMS]


def overlap(wanted: Iterable[str], found: Container[str]) -> float:
    """Return the share of the weight of the wanted terms that a text has, in ``[0, 1]``.

    Args:
        wanted: Terms, each counted once.
        found: The text's terms.

    Undefined when: never. Of no terms nothing is found: 0.

    >>> overlap(["museum", "zorvak"], {"museum"}) < 0.5
    True
    """
    wanted = dict.fromkeys(wanted)  # a set's order, and so the rounding, differs between runs
    total = sum([weight_of(term) for term in wanted])
    return sum([weight_of(term) for term in wanted if term in found]) / total if total else 0.0
