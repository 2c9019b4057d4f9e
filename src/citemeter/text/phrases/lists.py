"""The phrase lists in ``citemeter/data``: loading them and turning them into regular expressions.

A phrase is written as people say it, in lower case, with three additions: ``a|b`` between spaces
gives alternatives, parentheses group as in a regular expression, and ``{name}`` stands for a list
of words defined beside the phrases. The first word selects the phrases that are tried at all, so
most sentences are dismissed by one dictionary look-up. The last word may say how the sentence goes
on:

- nothing: it ends there;
- ``...``: in any way;
- ``~12``: in at most 12 words that carry no sign of a claim (figures, names);
- ``~target``: the same, and they name someone to ask or a place to look;
- ``~ref``: the same, without a *that* clause.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

# "da" also holds Norwegian, which shares most of its words.
LATIN = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "sv", "da", "vi", "id")

_DATA = Path(__file__).resolve().parents[2] / "data"
_CAPTURING = re.compile(r"\((?!\?)")
_NAME = re.compile(r"\{([a-z_]+)\}")
_FIRST = re.compile(r"([^\W\d_]+)(.*)", re.DOTALL)


class Phrase(NamedTuple):
    """A phrase: its first word, the regular expression of what follows, and how it may go on."""

    first: str
    pattern: str
    tail: str


@cache
def load(room: str, language: str) -> dict[str, Any]:
    """Return the phrase lists of one language."""
    path = _DATA / room / f"{language}.json"
    lists: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return lists


def expand(pattern: str, words: dict[str, str]) -> str:
    """Replace each ``{name}`` by its words; bound every repetition; capture nothing.

    Words repeat at most five times: alternatives that overlap ("yet", "yet been") would otherwise
    take exponential time on a text made of them.
    """
    while _NAME.search(pattern):
        pattern = _NAME.sub(lambda m: f"(?:{words[m[1]]})", pattern)
    return _CAPTURING.sub("(?:", pattern.replace(")*", "){0,5}").replace(")+", "){1,5}"))


def read_phrase(text: str, words: dict[str, str]) -> Iterator[Phrase]:
    """Read a phrase, once for each alternative of its first word."""
    heads, *rest = _split(text)
    tail = rest.pop() if rest and rest[-1].startswith(("...", "~")) else ""
    body = ""
    for part in rest:
        source = expand(part, words)
        # A word that may be left out takes its space with it.
        body += f"(?:,? {source})?" if _optional(part) else f",? (?:{source})"
    if tail != "...":
        body += r"(?:(?<= )|(?!\w))" if tail else r"[\W_]*\Z"
    plain, bracket, suffix = heads.partition("(")
    for head in plain.split("|"):
        first = _FIRST.fullmatch(head)
        if not first:
            raise ValueError(f"the first word of a phrase must begin with a letter: {text!r}")
        yield Phrase(first[1], first[2] + expand(bracket + suffix, words) + body, tail)


def _split(text: str) -> list[str]:
    """Split at the spaces outside brackets; a space that may be left out is no such place."""
    text = text.replace(" ?", "(?: )?")
    parts = [""]
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character != " " or depth:
            parts[-1] += character
        else:
            parts.append("")
    return parts


def _optional(part: str) -> bool:
    """Whether a part is one bracket with ``?`` or ``*`` behind it."""
    depth = 0
    for position, character in enumerate(part):
        depth += (character == "(") - (character == ")")
        if not depth:
            return position == len(part) - 2 and part[-1] in "?*"
    return False


_SCRIPTS = re.compile(
    r"(?P<ko>[\uac00-\ud7af\u1100-\u11ff])|(?P<ja>[\u3040-\u30ff])|(?P<ar>[\u0600-\u06ff])"
    r"|(?P<zh>[\u4e00-\u9fff])|(?P<hi>[\u0900-\u097f])|(?P<ru>[\u0400-\u04ff])"
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_UKRAINIAN = re.compile(r"[іїєґІЇЄҐ]")


def script_of(text: str) -> str:
    """Return ``"latin"``, ``"zh"``, ``"ja"``, ``"ko"``, ``"ar"``, ``"hi"``, ``"ru"`` or ``"uk"``.

    Anything else is ``"latin"``.

    >>> script_of("図書館の蔵書は三万冊である。")
    'ja'
    """
    if text.isascii():
        return "latin"
    middle = len(text) >> 1
    # A look at three places spares the search in Latin text with an accent or a curly quote.
    for probe in (text[0], text[middle], text[middle >> 1], text[-1]):
        if probe >= "\u0400" and not "\u1e00" <= probe <= "\u2fff":
            break
    else:
        return "latin"
    found = _SCRIPTS.search(text)
    if not found or not found.lastgroup:
        return "latin"
    if found.lastgroup == "zh" and _KANA.search(text):
        return "ja"
    if found.lastgroup == "ru" and _UKRAINIAN.search(text):
        return "uk"
    return found.lastgroup
