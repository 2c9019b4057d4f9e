"""Brackets that are content: indices and slices of code, intervals and vectors of maths."""

from __future__ import annotations

import re

from citemeter.text.markers.sources import SourceIndex
from citemeter.text.markers.vocabulary import CODE_NAMES, INDEXED_WORDS, MATHS_WORDS

_WORD = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*$")
_INDEXING = re.compile(
    r"\s*(?:=|\+=|is the\b|returns\b|holds\b|contains\b|refers\b|stores\b|has\b|and \w+\[)"
)
_INDEX = re.compile(r"-?\d*:-?\d*(?::-?\d*)?|-\d+|[a-z]\w{0,12}(?:[+-]\d+)?|\"[^\"]*\"|'[^']*'")
_CALL = re.compile(r"\w\([^()\s]*\)$")
_CLAUSE_END = re.compile(r"(?:\[\d{1,3}\]){0,20}(?:[.,;:!?)]|\s+[A-Z(]|\s*$|\s*\n)")
_PAIR = re.compile(r"\s*-?[\d.]+\s*,\s*-?[\d.]+\s*")


def is_code(text: str, start: int, end: int, ids: tuple[str, ...], index: SourceIndex) -> bool:
    """Whether a bracket glued to a word indexes it, as in ``items[0]``."""
    match = _WORD.search(text, max(0, start - 60), start)
    if match is None or not match.group().strip("_"):
        return False
    if match.start() and text[match.start() - 1] in "/'’":
        return False  # the end of a URL or path; "men's[5]"
    word = match.group()
    if ids and not all(i.isdecimal() for i in ids):
        return False
    known = all(i in index.ids for i in ids)
    last = word.rpartition(".")[2]
    if (
        CODE_NAMES.fullmatch(word)
        or CODE_NAMES.fullmatch(last)
        or "_" in word
        or (len(word) == 1 and word.islower())
    ):
        return True
    if re.search(r"[a-z][A-Z]", last) and not known:
        # "myList[8]" is code anywhere, "OpenAI[8]." a name.
        return last[0].islower() or _CLAUSE_END.match(text, end) is None
    if INDEXED_WORDS.fullmatch(last.lower()):
        # "the latest data[2]." cites; "items[3] holds" does not, nor does the zeroth of anything.
        cites = known or ("0" not in ids and _CLAUSE_END.match(text, end) is not None)
        return not cites or _INDEXING.match(text, end) is not None
    return False


def is_word_end(text: str, start: int) -> bool:
    """Whether the sign before a bracket ends a word: "[1]/[2]", "aged 55+[3]", "<https://…>[4]"."""
    sign, before = text[start - 1], text[start - 2 : start - 1]
    return (
        before == "]"
        or (sign == "+" and before.isdigit())
        or (sign == ">" and "<" in text[max(0, start - 200) : start])
    )


def is_slice(text: str, start: int, body: str) -> bool:
    """Whether a bracket of no ids indexes a name: ``a[i]``, ``x[-1]``, ``list[1:]``."""
    before = text[start - 1]
    return (before.isalnum() or before in "_)") and bool(_INDEX.fullmatch(body))


def is_call(text: str, start: int, ids: tuple[str, ...], index: SourceIndex) -> bool:
    """Whether a bracket indexes what a call returns: ``fn(x)[0]``."""
    return not all(i in index.ids for i in ids) and bool(
        _CALL.search(text, max(0, start - 40), start)
    )


def is_interval(
    text: str, start: int, end: int, body: str, ids: tuple[str, ...], index: SourceIndex
) -> bool:
    """Whether a list of numbers is an interval or a vector, going by the word before it."""
    window = text[max(0, start - 24) : start].rstrip()
    word = window[window.rfind(" ") + 1 :].strip("(,.;:`$").lower()
    if MATHS_WORDS.fullmatch(word) or word.endswith(("=", "∈", "(")):
        return True
    known = all(i in index.ids for i in ids)
    if known or not _PAIR.fullmatch(body):
        return False
    low, _, high = body.partition(",")
    if not float(low) < float(high):
        return False
    return word in ("in", "from", "over", "on", "to", "closed", "the") or low.strip() == "0"
