"""Words folded and stemmed, so that "Employees" and "employee" are one word."""

from __future__ import annotations

import unicodedata
from functools import cache

from citemeter.judges.lexical.word_lists import read_table


def fold(word: str) -> str:
    """Return the word without case, accents, width variants and possessive ending.

    >>> fold("São"), fold("Smith’s"), fold("ＡＢＣ")
    ('sao', 'smith', 'abc')
    """
    if not word.isascii():
        decomposed = unicodedata.normalize("NFKD", word.replace("’", "'"))
        word = "".join([c for c in decomposed if not unicodedata.combining(c)])
    word = word.casefold()
    if word.endswith("'s"):
        return word[:-2]
    return word


def stem(word: str) -> str:
    """Return the stem of a folded word: endings of number, tense and a few derivations removed.

    It joins what a paraphrase changes ("located", "location"; "carried", "carry") and is no
    dictionary form. Words with other than ASCII letters, and short ones, stay as they are.

    >>> [stem(w) for w in ("located", "location", "carried", "carry", "running", "employees")]
    ['locat', 'locat', 'carri', 'carri', 'run', 'employe']
    """
    known = _irregular().get(word)
    return _strip(word) if known is None else known


def _has_vowel(word: str) -> bool:
    return any(c in "aeiouy" for c in word)


def _strip(word: str) -> str:
    """Strip endings in four steps: plural, tense, adverb and noun endings, final vowel."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    if word.endswith("ied") and len(word) > 4:
        word = word[:-3] + "y"
    else:
        for ending in ("ing", "ed"):
            if word.endswith(ending):
                head = word[: -len(ending)]
                if len(head) > 2 and _has_vowel(head):
                    word = head
                break
    if len(word) > 5:
        for ending, instead, least in _DERIVATIONS:
            if word.endswith(ending):
                if len(word) - len(ending) >= least:
                    word = word[: -len(ending)] + instead
                break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    if len(word) > 3 and word[-1] == "y":
        word = word[:-1] + "i"
    return word


# (ending, what takes its place, how many letters must stand before it)
_DERIVATIONS = (
    ("bly", "ble", 3),
    ("ically", "ic", 3),
    ("ally", "al", 3),
    ("ily", "y", 3),
    ("ly", "", 3),
    ("ational", "at", 3),
    ("ional", "ion", 3),
    ("ication", "y", 3),
    ("ization", "iz", 3),
    ("isation", "iz", 3),
    ("ise", "ize", 4),
    ("tion", "t", 4),
    ("sion", "s", 4),
    ("ment", "", 4),
    ("ness", "", 3),
)


@cache
def _irregular() -> dict[str, str]:
    return {fold(form): _strip(row[0]) for row in read_table("irregular_forms.txt") for form in row}
