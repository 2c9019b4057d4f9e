"""Words as the lexical judge reads them: folded, lightly stemmed and weighed by informativeness."""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib.resources import files

__all__ = [
    "STOP",
    "UNSPACED",
    "WORD",
    "fold",
    "is_listed",
    "read_sections",
    "read_table",
    "stem",
    "term_of",
    "weight_of",
]

# Scripts written without spaces: their runs are cut into overlapping pairs of characters.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Japanese, Chinese
    "\uac00-\ud7af\U00020000-\U0003ffff"  # Korean, rare Chinese
)

WORD = (
    rf"[{UNSPACED}]+|(?<![^\W_])(?:[A-Z]\.){{2,}}[A-Z]?(?![^\W_])"
    rf"|[^\W_{UNSPACED}]+(?:['’][^\W_{UNSPACED}]+)*"
)
"""Pattern of a run of an unspaced script, an abbreviation ("U.S."), or a word with apostrophes."""

STOP = ""
"""What ``term_of`` gives for a word that carries no claim of its own."""

_MEMO_LIMIT = 200_000


@cache
def read_table(name: str) -> tuple[tuple[str, ...], ...]:
    """Read one of the package's word lists as rows of words, comments left out."""
    text = (files("citemeter") / "data" / name).read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return tuple(tuple(row) for row in rows if row)


@cache
def read_sections(name: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Read a word list whose rows stand under ``[section]`` headings."""
    sections: dict[str, list[tuple[str, ...]]] = {}
    for row in read_table(name):
        if row[0].startswith("["):
            rows = sections[row[0].strip("[]")] = []
        else:
            rows.append(row)
    return {section: tuple(rows) for section, rows in sections.items()}


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


@cache
def _irregular() -> dict[str, str]:
    return {fold(form): _strip(row[0]) for row in read_table("irregular_forms.txt") for form in row}


@cache
def _stop_words() -> frozenset[str]:
    words = {fold(word) for row in read_table("stop_words.txt") for word in row}
    # An apostrophe is often lost on the way ("dont"); "'s" was folded away above.
    return frozenset(words | {word.replace("'", "") for word in words if word.endswith("n't")})


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

_terms: dict[str, str] = {}


def term_of(word: str) -> str:
    """Return the term a word counts as, or ``STOP``; remembered for each spelling.

    >>> term_of("Employees"), term_of("the")
    ('employe', '')
    """
    term = _terms.get(word)
    if term is None:
        term = _term(word)
        if len(_terms) >= _MEMO_LIMIT:
            _terms.clear()
        _terms[word] = term
    return term


def _term(word: str) -> str:
    capitals = word.replace(".", "")
    if 2 <= len(capitals) <= 6 and capitals.isupper() and capitals.isalpha():
        folded = fold(capitals)
        # "US" and "WHO" are names, not pronouns; "^" keeps them apart.
        return folded + "^" if folded in _stop_words() else stem(folded)
    folded = fold(word)
    return STOP if folded in _stop_words() else stem(folded)


@cache
def _weights() -> dict[str, float]:
    return {row[0]: float(row[1]) for row in read_table("term_weights.txt")}


def weight_of(term: str) -> float:
    """Return how informative a term is, in ``(0, 1]``: 1 for one that background text lacks."""
    return _weights().get(term, 1.0)


def is_listed(term: str) -> bool:
    """Whether background text has the term often enough to know how informative it is."""
    return term in _weights()
