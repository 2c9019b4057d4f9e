"""The words that decide about a full stop, and nupunkt's tokenizer; loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Words(NamedTuple):
    """The sections of ``data/abbreviations.txt``, and what nupunkt adds."""

    abbreviations: frozenset[str]
    never: frozenset[str]
    number: frozenset[str]
    final: frozenset[str]
    pairs: frozenset[str]
    months: frozenset[str]
    ordinary: frozenset[str]
    starters: frozenset[str]
    openers: frozenset[str]
    known: frozenset[str]
    before_ordinal: frozenset[str]
    before_letter: frozenset[str]
    tokenize: Callable[[str], list[str]]


@cache
def load_words() -> Words:
    """Read the word lists and load nupunkt's parameters, once."""
    import nupunkt

    sections: dict[str, list[str]] = {}
    entries: list[str] = []
    text = files("citemeter").joinpath("data/abbreviations.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            entries = sections.setdefault(line.strip("[]"), [])
        elif line and line[0] != "#":
            entries.extend([line] if entries is sections.get("pairs") else line.split())
    tokenizer = nupunkt.load("default")
    named = {name: frozenset(words) for name, words in sections.items()}
    named["openers"] |= named["starters"]
    return Words(
        abbreviations=frozenset(tokenizer.abbreviations),
        known=named["never"] | named["number"] | named["final"],
        tokenize=tokenizer.tokenize,
        **named,
    )
