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
from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise

from citemeter.models import Span

__all__ = ["OPTIONAL_HYPHEN", "SOLID_SCRIPTS", "Folded", "fold", "fold_text", "is_word"]

OPTIONAL_HYPHEN = "\u00ad"
"""In folded text: a hyphen at a line end, which may belong to the word or to the line break."""

SOLID_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u30ff\u3400-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Character ranges of scripts whose words are not set apart by spaces, or take suffixes freely."""

_INVISIBLE = "\u00ad\u0640\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe00-\ufe0f"
_DASHES = "\\-\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"
_OPENING_GUILLEMETS = "\u00ab\u2039"
_CLOSING_GUILLEMETS = "\u00bb\u203a"
_QUOTES = (
    '"\u00b4\u2018-\u201f\u2032\u2033\u2035\u2036\u275b-\u275e\u300c-\u300f\u301d-\u301f'
    "\uff02\uff07\uff62\uff63\u02bc"
)
_BLANK = f"[\\s{_INVISIBLE}]"
_PARTS = (
    # A lone space before an ordinary character is left alone; all other white space is an atom.
    f"(?P<blank>(?: (?=[\\s{_INVISIBLE}{_DASHES}{_CLOSING_GUILLEMETS}])|[^\\S ]|[{_INVISIBLE}])"
    f"{_BLANK}*(?:[{_DASHES}][\\s{_INVISIBLE}{_DASHES}]*|[{_CLOSING_GUILLEMETS}])?)"
    f"|(?P<dash>[{_DASHES}][\\s{_INVISIBLE}{_DASHES}]*)"
    f"|(?P<quote>[{_OPENING_GUILLEMETS}]{_BLANK}*|[{_CLOSING_GUILLEMETS}]|'(?=[{_QUOTES}'])"
    f"['{_QUOTES}]*|[{_QUOTES}][{_QUOTES}']*)"
    "|(?P<emphasis>[*_]+|~~+|`+)"
    "|(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,15});)"
)
_LETTERS = "\u00c6\u00e6\u0152\u0153"
_ATOM = re.compile(f"{_PARTS}|(?P<other>[{_LETTERS}])")
_SPECIAL = f"\\x00-\\x7f{_INVISIBLE}{_DASHES}{_OPENING_GUILLEMETS}{_CLOSING_GUILLEMETS}{_QUOTES}\\s"
_FULL_ATOM = re.compile(f"(?P<other>[0-9A-Za-z=<>]?[^{_SPECIAL}]+)|{_PARTS}")

_SPELLED_OUT = str.maketrans({"\u0153": "oe", "\u00e6": "ae"})
_SUPERSCRIPTS = frozenset(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b"
)
_ASCII = {
    code: " " if chr(code).isspace() else "'" if code == 34 else chr(code).lower()
    for code in range(128)
}

_ENTITY = re.compile("&(?:#[0-9]|#[xX][0-9A-Fa-f]|[A-Za-z][A-Za-z0-9])")
_HYPHENS = re.compile("-[- ]*")
_APOSTROPHES = re.compile("''+")
_TYPOGRAPHY = [
    (old, new)
    for olds, new in (
        ("\u2018\u2019\u201c\u201d", "'"),
        ("\u2010\u2011\u2012\u2013\u2014", "-"),
        ("\u00a0", " "),
        ("\u2026", "..."),
    )
    for old in olds
]
_COMMON = (("\n", " "), ("\t", " "), ("\r", " "), ('"', "'"))
_RARE = re.compile(
    f"[{_INVISIBLE}{_OPENING_GUILLEMETS}{_CLOSING_GUILLEMETS}{_LETTERS}*_`~&"
    "\u00b4\u201a\u201b\u201e\u201f\u2032\u2033\u2035\u2036\u275b-\u275e\u300c-\u300f\u301d-\u301f\uff02"
    "\uff07\uff62\uff63\u02bc\u2015\u2043\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"
    "\x0b\x0c\x1c-\x1f\x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)

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
    if len(text) <= 2 * _CHUNK:
        return _fold_chunk(text)
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

    __slots__ = ("_maps", "_new", "_old", "index", "memo", "original", "text")

    def __init__(self, original: str) -> None:
        self.original = original
        self.index: object = None  # kept here by what searches the text
        self.memo: object = None
        self._maps: dict[int, tuple[list[int], list[int], list[int], list[int]]] = {}
        if len(original) <= 2 * _CHUNK:
            self._old, self._new = [0, len(original)], [0]
            self.text = _fold_chunk(original)
            return
        self._old = _chunk_starts(original)
        parts = [
            _fold_chunk(original[start:end])
            for start, end in zip(self._old[:-1], self._old[1:], strict=True)
        ]
        self._new = []
        total = 0
        for part in parts:
            self._new.append(total)
            total += len(part)
        self.text = "".join(parts)

    def span(self, start: int, end: int) -> Span:
        """Return the offsets in the original of ``text[start:end]``; the range is not empty."""
        return Span(self._back(start, False), self._back(end - 1, True))

    def _back(self, position: int, end: bool) -> int:
        chunk = bisect_right(self._new, position) - 1
        base = self._old[chunk]
        chunk_end = self._old[chunk + 1]
        inside = position - self._new[chunk]
        new_length = (
            self._new[chunk + 1] if chunk + 1 < len(self._new) else len(self.text)
        ) - self._new[chunk]
        if new_length == chunk_end - base and self.original.isascii():
            return base + inside + end  # ASCII folding never lengthens: equal length, no shift
        maps = self._maps.get(chunk)
        if maps is None:
            maps = self._maps[chunk] = _piece_map(self.original[base:chunk_end])
        new_starts, new_sizes, old_starts, old_sizes = maps
        piece = bisect_right(new_starts, inside) - 1
        within = inside - new_starts[piece]
        if new_sizes[piece] == old_sizes[piece] and old_sizes[piece] >= 0:
            return base + old_starts[piece] + within + end
        size = abs(old_sizes[piece])
        return base + old_starts[piece] + (size if end else 0)


def _chunk_starts(text: str) -> list[int]:
    starts, size = [0], len(text)
    while size - starts[-1] > _CHUNK:
        found = _BREAK.search(text, starts[-1] + _CHUNK)
        if found is None:
            break
        starts.append(found.end())
    starts.append(size)
    return starts


def _fold_chunk(text: str) -> str:
    """Fold by plain replacements where those suffice, else atom by atom; the result is the same."""
    if text.isascii():
        plain = text.translate(_ASCII)
        return _ATOM.sub(_replace, text).lower() if _has_rare(plain) else _tidy(plain)
    spelled = text
    for old, new in _TYPOGRAPHY:
        if old in spelled:
            spelled = spelled.replace(old, new)
    if spelled.isascii():
        plain = spelled.translate(_ASCII)
        return _FULL_ATOM.sub(_replace, text).casefold() if _has_rare(plain) else _tidy(plain)
    plain = spelled.casefold()
    if (
        len(plain) != len(spelled)
        or not unicodedata.is_normalized("NFKC", spelled)
        or not unicodedata.is_normalized("NFKC", plain)
        or _RARE.search(plain) is not None
    ):
        return _FULL_ATOM.sub(_replace, text).casefold()
    for old, new in _COMMON:
        if old in plain:
            plain = plain.replace(old, new)
    return _tidy(plain)


def _has_rare(plain: str) -> bool:
    return (
        "*" in plain
        or "_" in plain
        or "`" in plain
        or "~~" in plain
        or _ENTITY.search(plain) is not None
    )


def _tidy(plain: str) -> str:
    """Fold runs of blanks, hyphens and quotation marks in text that holds no rarer ones."""
    while "  " in plain:
        plain = plain.replace("  ", " ")
    if "-" in plain:
        parts = plain.split("-")
        if _evenly_spaced(parts):
            plain = "-".join([part.strip(" ") for part in parts[1:-1]])
            first, last = parts[0].rstrip(" "), parts[-1].lstrip(" ")
            plain = f"{first}-{plain}-{last}" if len(parts) > 2 else f"{first}-{last}"
        else:
            plain = plain.replace(" - ", "-")
            plain = _HYPHENS.sub(_dash, plain)
            while " -" in plain:
                plain = plain.replace(" -", "-")
    if "'" in plain and "''" in plain:
        plain = _APOSTROPHES.sub("'", plain)
    return plain


def _evenly_spaced(parts: list[str]) -> bool:
    """Whether every hyphen between these parts has a space on both sides, or on neither."""
    for left, right in pairwise(parts):
        if not left or not right or left == " " or right == " ":
            return False
        if (left[-1] == " ") is not (right[0] == " "):
            return False
    return True


def _pattern(text: str) -> re.Pattern[str]:
    return _ATOM if text.isascii() else _FULL_ATOM


def _replace(match: re.Match[str]) -> str:
    return _REPLACE[match.lastgroup or ""](match)


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    last = found.rstrip()[-1:]
    if last in "\u00bb\u203a" and last:
        return "'"
    for character in found:
        if character in _DASH_SET:
            return "-"
    return " " if any(map(str.isspace, found)) else ""


def _dash(match: re.Match[str]) -> str:
    """Fold a run of dashes; one hyphen between a letter and white space may end a line only."""
    found = match[0]
    text, start, end = match.string, match.start(), match.end()
    if (
        len(found) > 1
        and found[1].isspace()
        and not any(character in _DASH_SET for character in found[1:])
        and text[start - 1 : start].isalpha()
        and text[end : end + 1].isalpha()
    ):
        return OPTIONAL_HYPHEN
    return "-"


def _quote(match: re.Match[str]) -> str:
    return "'"


def _emphasis(match: re.Match[str]) -> str:
    """Drop marks that hug a word from outside; keep those of arithmetic and of identifiers."""
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    inside = is_word(before) and is_word(after)
    apart = (not before or before.isspace()) and (not after or after.isspace())
    return match[0] if inside or apart else ""


def _entity(match: re.Match[str]) -> str:
    character = html.unescape(match[0])
    return match[0] if character == match[0] else _fold_chunk(character)


def _other(match: re.Match[str]) -> str:
    return _fold_run(match[0])


def _fold_run(run: str) -> str:
    # 10² is not 102: a raised digit after a digit keeps its distance.
    if len(run) > 1 and run[0].isdigit() and run[1] in _SUPERSCRIPTS:
        return f"{run[0]}^{_compatible(run[1:])}"
    return _compatible(run)


def _compatible(run: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", run).casefold())
    return folded.translate(_SPELLED_OUT)


_DASH_SET = frozenset(
    "-\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b"
)
_REPLACE: dict[str, Callable[[re.Match[str]], str]] = {
    "blank": _blank,
    "dash": _dash,
    "quote": _quote,
    "emphasis": _emphasis,
    "entity": _entity,
    "other": _other,
}


def _piece_map(chunk: str) -> tuple[list[int], list[int], list[int], list[int]]:
    """Cut a chunk into pieces that fold on their own: starts and sizes, folded and original.

    A piece whose sizes are equal folds character by character; one that does not, though its size
    happens to stay, has its original size negated.
    """
    new_starts: list[int] = []
    new_sizes: list[int] = []
    old_starts: list[int] = []
    old_sizes: list[int] = []
    at = 0

    def add(old: int, old_size: int, new_size: int) -> None:
        nonlocal at
        if new_size:
            new_starts.append(at)
            new_sizes.append(new_size)
            old_starts.append(old)
            old_sizes.append(old_size)
            at += new_size

    done = 0
    for match in _pattern(chunk).finditer(chunk):
        start, end = match.span()
        if start > done:
            add(done, start - done, start - done)
        if match.lastgroup == "other":
            for first, last in _clusters(match[0]):
                size = len(_fold_run(match[0][first:last]).casefold())
                add(start + first, -(last - first), size)
        else:
            add(start, -(end - start), len(_replace(match).casefold()))
        done = end
    if len(chunk) > done:
        add(done, len(chunk) - done, len(chunk) - done)
    return new_starts, new_sizes, old_starts, old_sizes


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


_CACHE_CHARACTERS = 8_000_000
_cache: OrderedDict[str, Folded] = OrderedDict()
_cached = 0


def fold_text(text: str) -> Folded:
    """Return ``text`` folded; the texts folded last are remembered, up to a bounded size.

    >>> fold_text("A text") is fold_text("A text")
    True
    """
    global _cached
    known = _cache.get(text)
    if known is not None:
        return known
    folded = Folded(text)
    _cache[text] = folded
    _cached += len(text) + 100
    while _cached > _CACHE_CHARACTERS and len(_cache) > 1:
        try:
            old, _ = _cache.popitem(last=False)
        except KeyError:  # another thread emptied it
            break
        _cached -= len(old) + 100
    return folded
