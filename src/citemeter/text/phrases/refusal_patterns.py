"""Whether a sentence declines to answer.

The phrase lists of ``citemeter/data/refusals`` hold, for each language, how people say that the
documents are silent (*strong*, *anywhere*), that they themselves do not know (*first*) or that
nothing was found (*plain*). Polite openings are taken off first, and a refusal that turns to
something else ("…, but the warranty lasts two years") is none: it is a partial answer.
"""

from __future__ import annotations

import re
from functools import cache

from citemeter.text.phrases.lists import LATIN, expand, load, script_of
from citemeter.text.sentences.boundaries import QUESTION_MARKS

_LONGEST = 360  # characters; a refusal is shorter
_FEW = 8  # words; in a sentence this short a negation alone is worth a closer look
_QUOTED = re.compile(r"[\"“«「『][^\"“”«»「」『』]{0,200}[\"”»」』]")
_EDGES = " \t\r\n*_~`\"'“”«»()[]-–—•>.。।"


class _Lists(dict[str, re.Pattern[str]]):
    """The phrases of one language by name; each is compiled when first asked for."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.data = load("refusals", language)
        self.nouns = frozenset(self.data.get("nouns", "").split())
        self.topics = frozenset(self.data.get("topics", "").split())

    def __missing__(self, name: str) -> re.Pattern[str]:
        patterns = [expand(pattern, self.data["words"]) for pattern in self.data.get(name, ())]
        self[name] = re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or "(?!)")
        return self[name]


@cache
def _lists(language: str) -> _Lists:
    return _Lists(language)


@cache
def _gates() -> dict[str, tuple[str, ...]]:
    """Return the words without one of which nothing is denied, and whose words they are."""
    gates: dict[str, tuple[str, ...]] = {}
    for language in LATIN:
        for word in _lists(language).data["gate"].split():
            gates[word] = (*gates.get(word, ()), language)
    return gates


def declines(sentence: str, *, cited: bool = False) -> bool:
    """Whether a sentence, without its markers, declines to answer.

    Args:
        sentence: One sentence.
        cited: Whether it carried a citation. Then only a sentence about the documents or about
            what the writer can do is a refusal; "it is unknown who built it [2]" is an answer.
    """
    if not sentence or len(sentence) > _LONGEST or sentence.rstrip().endswith(QUESTION_MARKS):
        return False
    script = script_of(sentence)
    if script != "latin":
        return _declines(_plain(sentence), _lists(script), cited, anywhere=True)
    text = _plain(sentence)
    gates = _gates()
    words = set(text.replace(",", " ").replace(":", " ").split())
    if gates.keys().isdisjoint(words):
        return False
    languages = {language for word in gates.keys() & words for language in gates[word]}
    for language in sorted(languages, key=LATIN.index):
        lists = _lists(language)
        if len(words) > _FEW and lists.topics and lists.topics.isdisjoint(words):
            continue
        anywhere = not lists.nouns or not lists.nouns.isdisjoint(words)
        if _declines(text, lists, cited, anywhere):
            return True
    return False


def is_aside(sentence: str) -> bool:
    """Whether a sentence only says what the documents are about or where else to look."""
    script = script_of(sentence)
    text = _plain(sentence)
    for language in LATIN if script == "latin" else (script,):
        lists = _lists(language)
        opener = lists["openers"].match(text)
        if lists["asides"].match(text, opener.end() if opener else 0):
            return True
    return False


def _plain(sentence: str) -> str:
    """Lower case, single spaces, no emphasis; what stands in quotation marks is left out."""
    text = " ".join(sentence.replace("İ", "I").lower().replace("’", "'").split()).strip(_EDGES)
    return _QUOTED.sub('"', text)


def _declines(text: str, lists: _Lists, cited: bool, anywhere: bool) -> bool:
    rest, source, attributed = _without_openers(text, lists)
    sourced = bool(source)
    if not rest or lists["concession"].match(rest):
        return False
    found = lists["strong"].match(rest) or lists["first"].match(rest)
    if not found and (sourced or not cited):
        found = lists["plain"].match(rest)
    if not found and sourced:
        found = lists["after_source"].match(rest)
        if not found and not attributed:
            found = lists["unclear_after_source"].match(rest)
        if not found and lists["strong"].match(source):
            found, rest = lists["strong"].match(source), source
    if not found:
        if not anywhere:
            return False
        found = lists["anywhere"].search(rest)
        if not found or lists["turn"].search(rest, 0, found.start()):
            return False
    return not _turns_to_content(rest, found.end(), lists)


def _without_openers(text: str, lists: _Lists) -> tuple[str, str, bool]:
    """Return what follows the openings, the text from where they name a source, and how."""
    source = ""
    attributed = False
    for _ in range(8):
        for name in ("openers", "source_prefix", "attribution"):
            opener = lists[name].match(text)
            if opener and opener.end():
                break
        else:
            break
        if name != "openers":
            source = source or text
            attributed = attributed or name == "attribution"
        text = text[opener.end() :].lstrip(" ,")
    return text, source, attributed


def _turns_to_content(text: str, start: int, lists: _Lists) -> bool:
    for turn in lists["turn"].finditer(text, start):
        clause = text[turn.end() :]
        if not clause or lists["neutral"].match(clause):
            continue
        inner, _, _ = _without_openers(clause, lists)
        if (
            lists["strong"].match(inner)
            or lists["first"].match(inner)
            or lists["plain"].match(inner)
        ):
            continue
        return True
    return False
