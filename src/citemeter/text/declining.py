"""Whether a sentence declines to answer.

The phrase lists of ``citemeter/data/refusals`` hold, for each language, how people say that the
documents are silent (*strong*, *anywhere*), that they themselves do not know (*first*) or that
nothing was found (*plain*). Polite openings are taken off first, and a refusal that turns to
something else ("…, but the warranty lasts two years") is none: it is a partial answer.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from citemeter.text.phrases import LATIN, expand, load, script_of

__all__ = ["declines", "is_aside", "may_decline"]

_LONGEST = 360  # characters; a refusal is shorter
_QUOTED = re.compile(r"[\"“«「『][^\"“”«»「」『』]{0,200}[\"”»」』]")
_EDGES = " \t\r\n*_~`\"'“”«»()[]-–—•>.。"
_QUESTION = ("?", "？", "؟")

_BEGINNINGS = (
    "No ",
    "None ",
    "Not ",
    "othing",
    "either ",
    "Keine",
    "Aucun",
    "Unfortunately",
    "orry",
    "I ",
    "none of",
    "Rien",
    "either",
)


class _Lists(NamedTuple):
    cues: tuple[str, ...]
    topics: frozenset[str]
    nouns: tuple[str, ...]
    gate: frozenset[str]
    openers: re.Pattern[str]
    source_prefix: re.Pattern[str]
    attribution: re.Pattern[str]
    strong: re.Pattern[str]
    first: re.Pattern[str]
    plain: re.Pattern[str]
    anywhere: re.Pattern[str]
    after_source: re.Pattern[str]
    unclear_after_source: re.Pattern[str]
    concession: re.Pattern[str]
    turn: re.Pattern[str]
    neutral: re.Pattern[str]
    asides: re.Pattern[str]


@cache
def _lists(language: str) -> _Lists:
    data = load("refusals", language)
    words = data.get("words", {})

    def compiled(name: str) -> re.Pattern[str]:
        patterns = data.get(name) or "(?!)"
        if isinstance(patterns, str):
            patterns = [patterns]
        return re.compile("|".join(f"(?:{expand(pattern, words)})" for pattern in patterns))

    return _Lists(
        tuple(data["cues"]),
        frozenset(data.get("topics", "").split()),
        tuple(data.get("nouns", ())),
        frozenset(data.get("gate", "").split()),
        *[compiled(name) for name in _Lists._fields[4:]],
    )


def may_decline(text: str, script: str) -> bool:
    """Whether a text holds any of the words without which there is no refusal: cheap."""
    if script == "latin":
        return denies(text, 11) or any(cue in text for cue in _BEGINNINGS)
    return any(cue in text for cue in _lists(script).cues)


def denies(text: str, places: int) -> bool:
    """Whether a text in Latin letters may hold a negation: a few substring tests, generous.

    Args:
        text: Any text.
        places: As ``phrase_rules.first_words`` gives it for the first word: 2 asks for the words
            of other languages too, 4 says that the first word is enough, 8 that it may begin a
            sentence about the documents.
    """
    if (
        " not " in text
        or "n't " in text
        or " no " in text
        or "annot " in text
        or "nclear" in text
        or "nknown" in text
        or "nable" in text
        or "utside" in text
        or places & 4
        or len(text) < 40
    ):
        return True
    if places & 8 and (
        "othing" in text
        or " lack" in text
        or " silent" in text
        or "eyond" in text
        or "ufficient" in text
        or " missing" in text
        or " fail" in text
        or " omit" in text
    ):
        return True
    if places & 2 or not text.isascii():
        return (
            "nicht" in text
            or " kein" in text
            or " pas" in text
            or "ucun" in text
            or " non" in text
            or "ão " in text
            or "niet" in text
            or " geen" in text
            or "mpossib" in text
            or "nsuff" in text
            or "ning" in text
            or "fehl" in text
            or " ni " in text
        )
    return False


def declines(sentence: str, *, cited: bool = False) -> bool:
    """Whether a sentence, without its markers, declines to answer.

    Args:
        sentence: One sentence.
        cited: Whether it carried a citation. Then only a sentence about the documents or about
            what the writer can do is a refusal; "it is unknown who built it [2]" is an answer.
    """
    if not sentence or len(sentence) > _LONGEST or sentence.rstrip().endswith(_QUESTION):
        return False
    script = script_of(sentence)
    if script != "latin":
        return may_decline(sentence, script) and _declines(_plain(sentence), _lists(script), cited)
    text = _plain(sentence)
    words = set(text.replace(",", " ").replace(":", " ").split())
    for language in LATIN:
        lists = _lists(language)
        if lists.gate.isdisjoint(words) or (lists.topics and lists.topics.isdisjoint(words)):
            continue
        if _declines(text, lists, cited):
            return True
    return False


def is_aside(sentence: str) -> bool:
    """Whether a sentence only says what the documents are about or where else to look."""
    script = script_of(sentence)
    text = _plain(sentence)
    for language in LATIN if script == "latin" else (script,):
        lists = _lists(language)
        opener = lists.openers.match(text)
        if lists.asides.match(text, opener.end() if opener else 0):
            return True
    return False


def _plain(sentence: str) -> str:
    """Lower case, single spaces, no emphasis; what stands in quotation marks is left out."""
    text = " ".join(sentence.lower().replace("’", "'").split()).strip(_EDGES)
    return _QUOTED.sub('"', text)


def _declines(text: str, lists: _Lists, cited: bool) -> bool:
    about_documents = any(noun in text for noun in lists.nouns) if lists.nouns else True
    rest, sourced, attributed = _without_openers(text, lists)
    if not rest or lists.concession.match(rest):
        return False
    found = lists.strong.match(rest) or lists.first.match(rest)
    if not found and (sourced or not cited):
        found = lists.plain.match(rest)
    if not found and sourced:
        found = lists.after_source.match(rest)
        if not found and not attributed:
            found = lists.unclear_after_source.match(rest)
        if not found and lists.strong.match(text):
            found, rest = lists.strong.match(text), text
    if not found:
        if not about_documents:
            return False
        found = lists.anywhere.search(rest)
        if not found or lists.turn.search(rest, 0, found.start()):
            return False
    return not _turns_to_content(rest, found.end(), lists)


def _without_openers(text: str, lists: _Lists) -> tuple[str, bool, bool]:
    sourced = attributed = False
    for _ in range(8):
        opener = lists.openers.match(text)
        if not opener or not opener.end():
            opener = lists.source_prefix.match(text)
            if not opener or not opener.end():
                opener = lists.attribution.match(text)
                if not opener or not opener.end():
                    break
                attributed = True
            sourced = True
        text = text[opener.end() :].lstrip(" ,")
    return text, sourced, attributed


def _turns_to_content(text: str, start: int, lists: _Lists) -> bool:
    for turn in lists.turn.finditer(text, start):
        clause = text[turn.end() :]
        if not clause or lists.neutral.match(clause):
            continue
        inner, _, _ = _without_openers(clause, lists)
        if lists.strong.match(inner) or lists.first.match(inner) or lists.plain.match(inner):
            continue
        return True
    return False
