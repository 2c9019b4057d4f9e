"""Folding of text for comparison, with an exact way back to offsets in the original.

Two texts that differ only in how they are typeset fold to the same string: case, Unicode
compatibility forms (full width, ligatures, composed or decomposed accents), white space, dashes,
quotation marks, emphasis marks of Markdown, HTML entities, invisible characters. Digits, words and
every other punctuation mark stay as they are.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from citemeter.models import Span

OPTIONAL_HYPHEN = "\u00ad"
"""In folded text: a hyphen at a line end, which may belong to the word or to the line break."""

SOLID_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Character ranges of scripts whose words are not set apart by spaces, or take suffixes freely."""

SOLID = re.compile(f"[{SOLID_SCRIPTS}]")
"""A character of such a script."""

# Tables of what is typeset in several ways, as ranges for character classes, without ASCII.
_INVISIBLE = "\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f"
_DASHES = "\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"
_OPENING_GUILLEMETS = "\u00ab\u2039"
_CLOSING_GUILLEMETS = "\u00bb\u203a"
_QUOTES = (
    "\u00b4\u2018-\u201f\u2032\u2033\u2035\u2036\u275b-\u275e\u300c-\u300f\u301d-\u301f"
    "\uff02\uff07\uff62\uff63\u02bc"
)
_BLANK = f"[\\s{_INVISIBLE}]"
_DASH = f"\\-{_DASHES}"
_QUOTE = f'"{_QUOTES}'
_PARTS = (
    # A lone space before an ordinary character is left alone; all other white space is an atom.
    f"(?P<blank>(?: (?=[\\s{_INVISIBLE}{_DASH}{_CLOSING_GUILLEMETS}])|[^\\S ]|[{_INVISIBLE}])"
    f"{_BLANK}*(?:[{_DASH}][\\s{_INVISIBLE}{_DASH}]*|[{_CLOSING_GUILLEMETS}])?)"
    f"|(?P<dash>[{_DASH}][\\s{_INVISIBLE}{_DASH}]*)"
    f"|(?P<quote>[{_OPENING_GUILLEMETS}]{_BLANK}*|[{_CLOSING_GUILLEMETS}]|'(?=[{_QUOTE}'])"
    f"['{_QUOTE}]*|[{_QUOTE}][{_QUOTE}']*)"
    "|(?P<emphasis>[*_]+|~~+|`+)"
    "|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,15});)"
)
_LETTERS = "\u00c6\u00e6\u0152\u0153"
_SPECIAL = f"\\x00-\\x7f\\s{_INVISIBLE}{_DASHES}{_OPENING_GUILLEMETS}{_CLOSING_GUILLEMETS}{_QUOTES}"
_ATOM = re.compile(f"(?P<other>[0-9A-Za-z=<>]?[^{_SPECIAL}]+)|{_PARTS}")
_SPELLED_OUT = str.maketrans({"\u0153": "oe", "\u00e6": "ae"})
_SUPERSCRIPTS = frozenset(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b"
)

# What is common folds by plain replacements; what is rarer, atom by atom.
_TYPOGRAPHY = [
    *[(old, "'") for old in "\u2018\u2019\u201c\u201d"],
    *[(old, "-") for old in "\u2010\u2011\u2012\u2013\u2014"],
    ("\u00a0", " "),
    ("\u2026", "..."),
]
_ASCII = {
    code: " " if chr(code).isspace() else "'" if code == 34 else chr(code).lower()
    for code in range(128)
}
_ENTITY = re.compile("&(?:#[0-9]|#[xX][0-9A-Fa-f]|[A-Za-z][A-Za-z0-9])")
_RARE = re.compile(
    f"[{_INVISIBLE}{_DASHES}{_OPENING_GUILLEMETS}{_CLOSING_GUILLEMETS}{_QUOTES}{_LETTERS}"
    "\x0b\x0c\x1c-\x1f\x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
_HYPHENS = re.compile("-[- ]*")
_APOSTROPHES = re.compile("''+")

_CHUNK = 4096
_BREAK = re.compile(r"[A-Za-z0-9][ \n](?=[A-Za-z0-9])")
"""Between two such characters no atom runs on, so that chunks fold independently."""


def is_word(character: str) -> bool:
    """Whether a character is part of a word: a letter, a digit or a mark upon one.

    >>> is_word("e"), is_word("7"), is_word(","), is_word("")
    (True, True, False, False)
    """
    if character.isascii():
        return character.isalnum()
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def fold(text: str) -> str:
    r"""Return ``text`` folded for comparison.

    Args:
        text: Any text.

    Returns:
        The folded text. A hyphen at the end of a line becomes ``OPTIONAL_HYPHEN``.

    >>> fold("“Full\u00a0width １２” — and ﬁne")
    "'full width 12'-and fine"
    """
    return Folded(text).text


class Folded:
    """A text folded for comparison, which finds the way back to its original.

    Args:
        original: The text as written.

    >>> folded = Folded("Bake  for “35” minutes")
    >>> folded.text
    "bake for '35' minutes"
    >>> at = folded.text.index("35")
    >>> folded.span(at, at + 2).of(folded.original)
    '35'
    """

    def __init__(self, original: str) -> None:
        self.original = original
        self._chunks: list[_Chunk] = []
        parts: list[str] = []
        start = size = 0
        for end in _chunk_ends(original):
            self._chunks.append(_Chunk(start, size, original[start:end]))
            parts.append(_fold_chunk(original[start:end]))
            start, size = end, size + len(parts[-1])
        self.text = "".join(parts)

    def span(self, start: int, end: int) -> Span:
        """Return the offsets in the original of ``text[start:end]``; the range is not empty."""
        return Span(self._original(start, start=True), self._original(end - 1, start=False))

    def _original(self, position: int, *, start: bool) -> int:
        """Return where the original of a folded character starts, or ends."""
        chunk = self._chunks[bisect_right(self._chunks, position, key=attrgetter("new")) - 1]
        position -= chunk.new
        pieces = _pieces(chunk.text)
        piece = pieces[bisect_right(pieces, position, key=attrgetter("new")) - 1]
        if piece.each:
            return chunk.old + piece.old + position - piece.new + (not start)
        return chunk.old + piece.old + (0 if start else piece.size)


class _Chunk(NamedTuple):
    """A part of a text that folds on its own: where it starts, and where it starts folded."""

    old: int
    new: int
    text: str


class _Piece(NamedTuple):
    """A part of a chunk that folds on its own.

    Args:
        new: Where it starts in the folded chunk.
        old: Where it starts in the original chunk.
        size: Its size there.
        each: Whether it folds character by character.
    """

    new: int
    old: int
    size: int
    each: bool


def _chunk_ends(text: str) -> Iterator[int]:
    start, size = 0, len(text)
    while size - start > 2 * _CHUNK:
        found = _BREAK.search(text, start + _CHUNK)
        if found is None:
            break
        start = found.end()
        yield start
    yield size


def _fold_chunk(text: str) -> str:
    """Fold by plain replacements where those suffice, else atom by atom; the result is the same."""
    plain = text
    if not text.isascii():
        for old, new in _TYPOGRAPHY:
            plain = plain.replace(old, new)
    if plain.isascii():
        plain = plain.translate(_ASCII)
    else:
        folded = plain.casefold()
        if (
            len(folded) != len(plain)
            or not unicodedata.is_normalized("NFKC", plain)
            or not unicodedata.is_normalized("NFKC", folded)
            or _RARE.search(folded) is not None
        ):
            return _fold_atoms(text)
        plain = folded.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace('"', "'")
    if "*" in plain or "_" in plain or "`" in plain or "~~" in plain or _ENTITY.search(plain):
        return _fold_atoms(text)
    while "  " in plain:
        plain = plain.replace("  ", " ")
    if "-" in plain:
        plain = _HYPHENS.sub(_dash, plain).replace(" -", "-")
    return _APOSTROPHES.sub("'", plain) if "''" in plain else plain


def _fold_atoms(text: str) -> str:
    return _ATOM.sub(_replace, text).casefold()


def _replace(match: re.Match[str]) -> str:
    """Return what an atom folds to."""
    found = match[0]
    if match.lastgroup == "blank":
        last = found.rstrip()[-1:]
        if last and last in _CLOSING_GUILLEMETS:
            return "'"
        if _HAS_DASH.search(found):
            return "-"
        return " " if any(map(str.isspace, found)) else ""
    if match.lastgroup == "dash":
        return _dash(match)
    if match.lastgroup == "quote":
        return "'"
    if match.lastgroup == "emphasis":
        return _emphasis(match)
    if match.lastgroup == "entity":
        character = html.unescape(found)
        return found if character == found else _fold_chunk(character)
    return _fold_run(found)


_HAS_DASH = re.compile(f"[{_DASH}]")


def _dash(match: re.Match[str]) -> str:
    """Fold a run of dashes; one hyphen between a letter and white space may end a line only."""
    found = match[0]
    text, start, end = match.string, match.start(), match.end()
    if (
        len(found) > 1
        and found[1].isspace()
        and not _HAS_DASH.search(found, 1)
        and text[start - 1 : start].isalpha()
        and text[end : end + 1].isalpha()
    ):
        return OPTIONAL_HYPHEN
    return "-"


def _emphasis(match: re.Match[str]) -> str:
    """Drop marks that hug a word from outside; keep those of arithmetic and of identifiers."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    inside = is_word(before) and is_word(after)
    apart = (not before or before.isspace()) and (not after or after.isspace())
    return match[0] if inside or apart else ""


def _fold_run(run: str) -> str:
    # 10² is not 102: a raised digit after a digit keeps its distance.
    if len(run) > 1 and run[0].isdigit() and run[1] in _SUPERSCRIPTS:
        return f"{run[0]}^{_compatible(run[1:])}"
    return _compatible(run)


def _compatible(run: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    return folded.translate(_SPELLED_OUT)


@lru_cache(maxsize=128)
def _pieces(chunk: str) -> list[_Piece]:
    """Return the parts of a chunk, but for those that fold to nothing."""
    pieces: list[_Piece] = []
    new = old = 0
    for match in _ATOM.finditer(chunk):
        start = match.start()
        if start > old:
            pieces.append(_Piece(new, old, start - old, True))
            new += start - old
        old = match.end()
        if match.lastgroup == "other":
            parts = [(a, b, _fold_run(match[0][a:b])) for a, b in _clusters(match[0])]
        else:
            parts = [(0, old - start, _replace(match))]
        for first, last, text in parts:
            if size := len(text.casefold()):
                kept = text == match[0] and match.lastgroup != "other"
                pieces.append(_Piece(new, start + first, last - first, kept))
                new += size
    if len(chunk) > old:
        pieces.append(_Piece(new, old, len(chunk) - old, True))
    return pieces


def _clusters(run: str) -> list[tuple[int, int]]:
    """Cut a run where nothing composes across the cut: before every character but marks."""
    starts = [0]
    for position, character in enumerate(run):
        if position == 0 or "\u1160" <= character <= "\u11ff" or character in _SUPERSCRIPTS:
            continue
        if unicodedata.category(character)[0] == "M" or unicodedata.combining(character):
            continue
        if character in "\uff9e\uff9f":  # half-width voicing marks compose like marks
            continue
        starts.append(position)
    return list(zip(starts, [*starts[1:], len(run)], strict=True))


@lru_cache(maxsize=128)
def fold_text(text: str) -> Folded:
    """Return ``text`` folded; the texts folded last are remembered.

    >>> fold_text("A text") is fold_text("A text")
    True
    """
    return Folded(text)
