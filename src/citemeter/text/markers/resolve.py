"""From the words between a marker's brackets to the ids they cite."""

from __future__ import annotations

import re
from typing import TypeAlias

from citemeter.text.markers.known_ids import (
    MAX_BODY,
    RANGE,
    digits_of,
    expand_range,
    id_with_description,
    is_year,
    known_ids,
    without_locator,
)
from citemeter.text.markers.sources import SourceIndex
from citemeter.text.markers.vocabulary import (
    AND,
    LABEL,
    LOCATOR,
    PAREN_LABEL,
    PLURAL_LOCATOR,
    STRONG_LABEL,
    VAGUE_WORDS,
)

Resolved: TypeAlias = "tuple[tuple[str, ...], str] | None"
"""The ids cited and the style they are written in; ``None`` if the words are no marker."""

NOTHING: Resolved = ((), "leftover")
"""A marker that cites nothing: it leaves the text, and no citation."""


_NUMERIC = re.compile(r"\d+(?:\s*[,;]\s*\d+)*")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_DATE = re.compile(
    r"(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ].*)?"
)
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?")
_GROUPS = re.compile(r"\s*[;；؛|]\s*")
_COMMAS = re.compile(
    rf"\s*(?:[,，、､،&]|\b(?:{AND})\b|/(?=\s*\d+$)"
    r"|(?<=\d)\s*(?:\+|和|与|與|及|と|및|와|과)\s*(?=\d)"
    r"|(?<=\d)\s(?:e|i|и|или|та|en|of|og|och|oraz|ve|ja|és|và|dan|or|oder|ou|o|u|و)\s(?=\d))\s*"
)
_DAGGER = re.compile(r"[†‡]")
_TAG = re.compile(r"</?\w[^<>]*>")
_DATA = re.compile(r"[^\W\d_][\w ]*\(([^()]*)\)")
_GRAPHRAG = re.compile(r"data\s*:\s*", re.IGNORECASE)
_OAI = re.compile(r"oai_?cit(?:e|ation)(?:_attribution)?:(\d+)(?:‡.*)?", re.IGNORECASE)
_START = re.compile(r"/?cite(?:_start|_end)|/cite|cite_?(?:begin|stop)", re.IGNORECASE)
_AT_KEY = re.compile(r"(?<![^\s(])-?@\{?([A-Za-z_][\w:.#$%&\-+?<>~/]*)")
_CARET_LIST = re.compile(r"\^?\d+\^?(?:\s*[,;]\s*\^?\d+\^?)*")
_WRAP = "\"'`“”‘’*_~"
_ID_LIKE = re.compile(r"(?=.*[\d_\-./:])[\w.\-:/#@]+|[\w\-]+\.[A-Za-z]{2,5}")


def id_list(text: str, index: SourceIndex) -> tuple[str, ...]:
    """Return the ids of an attribute or argument that holds nothing but ids."""
    reading = _read(text, index, sure=True)
    return reading[0] if reading else ()


def square_brackets(body: str, index: SourceIndex) -> Resolved:
    """Read the words between square, lenticular or similar brackets."""
    if body in index.ids and index.numbering is None:
        return (body,), "numeric" if body.isdecimal() else "id"
    if len(body) > MAX_BODY:
        return None
    text = body.strip()
    if not text:
        return None
    if _NUMERIC.fullmatch(text):
        return _numbers(text, index)
    if _START.fullmatch(text):
        return NOTHING
    return _read(text, index, sure=False)


def round_brackets(body: str, index: SourceIndex) -> Resolved:
    """Read the words between round brackets: much less of what stands there is a citation."""
    if len(body) > MAX_BODY:
        return None
    text = VAGUE_WORDS.sub("", body.strip(), count=1)
    if text in index.ids:
        return ((text,), "id") if text in index.unmistakable else None
    label = PAREN_LABEL.match(text)
    if label:
        rest = text[label.end() :]
        reading = _read(text, index, sure=True)
        if reading is None or not label.end():
            return None
        ids = reading[0]
        if all(i in index.ids or digits_of(i) for i in ids):
            return ids, "id"
        # "(Source: World Bank)" names a source in words; "(source: hr-99)" cites an id.
        strong = STRONG_LABEL.match(text)
        if strong and _ID_LIKE.fullmatch(rest.strip(_WRAP)):
            return ids, "id"
        return None
    if not index.unmistakable:
        return None
    reading = _read(text, index, sure=False)
    if reading and any(i in index.unmistakable for i in reading[0]):
        return reading
    if reading and all(index.near(i) in index.unmistakable for i in reading[0]):
        return reading
    if reading and index.resembles_ids(text) and re.search(r"\d", text) and " " not in text:
        return reading if re.search(r"[_\-]", text) else None
    return None


def curly_brackets(body: str, index: SourceIndex) -> Resolved:
    """Read the words between curly or angle brackets: a label or a known id is needed."""
    text = body.strip()
    if len(text) > MAX_BODY:
        return None
    if text in index.unmistakable:
        return (text,), "id"
    if STRONG_LABEL.match(text) or re.match(r"(?:doc|source|ref|cite|citation)[ _]?\d", text, re.I):
        reading = _read(text, index, sure=True)
        if reading and all(i in index.ids or digits_of(i) for i in reading[0]):
            return reading
    return None


def _numbers(text: str, index: SourceIndex) -> Resolved:
    """Read ``1``, ``1, 2``: all are ids, unless they are a year or a large number."""
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    digits = [digits_of(part) or part for part in parts]
    ids = [index.by_number(d) for d in digits]
    if not all(i in index.ids for i in ids):
        if len(digits) == 1 and is_year(digits[0]) and index.largest < 1000:
            return None
        if _THOUSANDS.fullmatch(text) and not any(i in index.ids for i in ids[1:]):
            return None
        if len(digits) == 1 and len(digits[0]) > 5 and len(digits[0]) > len(str(index.largest)):
            return None
    return tuple(ids), "numeric"


def _read(text: str, index: SourceIndex, *, sure: bool) -> Resolved:
    """Read a group of ids. ``sure`` means that a label or a tag says that these are ids."""
    if text in index.ids:
        return (text,), "id"
    if "†" in text or "‡" in text:
        found = _dagger(text, index)
        return (found, "lenticular") if found else None
    if _GRAPHRAG.match(text):
        return _graphrag(text, index)
    if "<" in text:
        text = _TAG.sub("", text).strip()
    text = text.strip("[]［］").strip()
    if text in index.ids:
        return (text,), "id"
    if text[:1] in "^$" or text[-1:] == "^":
        inner = text.strip("^$ ").strip("{} ")
        if "^" in inner and _CARET_LIST.fullmatch(text):
            inner = text.replace("^", "")
        if inner.startswith("{") or not inner:
            return None
        reading = square_brackets(inner, index)
        if reading is None and text[0] == "^" and re.fullmatch(r"[\w.\-]{1,40}", inner):
            return (inner,), "footnote"
        return (reading[0], "footnote") if reading else None
    if _DATE.fullmatch(text) or _CLOCK.fullmatch(text):
        return None
    if "@" in text:
        keys = _pandoc(text, index)
        if keys:
            return keys, "pandoc"
    ids: list[str] = []
    labelled = sure
    for group in _GROUPS.split(text):
        outcome = _group(group, index, labelled, first=not ids)
        if outcome is None:
            if not ids:
                return None
            continue
        part, was_labelled = outcome
        labelled = labelled or was_labelled
        ids.extend(part)
    if not ids:
        return None
    return tuple(dict.fromkeys(ids)) if len(ids) > 1 else (ids[0],), _style(text, ids)


def _pandoc(text: str, index: SourceIndex) -> tuple[str, ...] | None:
    """``see @marsh2019, chap. 3; also -@orchard2021``: every part holds a key, words around it."""
    ids: list[str] = []
    for part in _GROUPS.split(text):
        match = _AT_KEY.search(part)
        if match is None:
            return None
        key = match[1].rstrip(".:?,;}")
        while key and key not in index.ids and key[-1] in ".:?-/":
            key = key[:-1]
        bare = match.start() == 0 or VAGUE_WORDS.fullmatch(part, 0, match.start())
        if not bare and key not in index.ids:
            return None
        ids.append(key)
    return tuple(dict.fromkeys(ids))


def _style(text: str, ids: list[str]) -> str:
    return "numeric" if text[0].isdecimal() and ids[0].isdecimal() else "id"


def _dagger(text: str, index: SourceIndex) -> tuple[str, ...]:
    """``4:0†handbook.pdf``, ``1†source``, ``4†L12-L20``: whichever side is known, else the file."""
    left, right = (part.strip() for part in _DAGGER.split(text, maxsplit=1))
    for candidate in (right, right.rpartition("/")[2], left, *left.split(":")[::-1][:1]):
        if candidate and candidate in index.ids and index.numbering is None:
            return (candidate,)
    number = digits_of(left.rpartition(":")[2])
    if number and index.knows_number(number):
        return (index.by_number(number),)
    oai = _OAI.fullmatch(left)
    if oai:
        return (index.by_number(oai.group(1)),)
    first = digits_of(left.partition(":")[0])
    if first and ":" in left and index.knows_number(first):
        return (index.by_number(first),)
    url = index.by_url(right) if "." in right else None
    if url:
        return (url,)
    if "." in right and not LOCATOR.fullmatch(right):
        return (right,)
    return (left,) if left and len(left) <= 40 else ()


def _graphrag(text: str, index: SourceIndex) -> Resolved:
    """``Data: Reports (2, 7, +more); Entities (3)``."""
    ids: list[str] = []
    for match in _DATA.finditer(text):
        for part in match.group(1).split(","):
            part = part.strip()
            number = digits_of(part)
            if number:
                ids.append(index.by_number(number))
            elif part in index.ids:
                ids.append(part)
    return (tuple(dict.fromkeys(ids)), "graphrag") if ids else None


def _group(
    group: str, index: SourceIndex, labelled: bool, first: bool
) -> tuple[list[str], bool] | None:
    """Read what stands between semicolons: ids, with locators behind them."""
    group = group.strip()
    if not group:
        return None
    if group in index.ids:
        return [group], labelled
    group = VAGUE_WORDS.sub("", group, count=1) or group
    pieces = [piece for piece in _COMMAS.split(group) if piece]
    if not first and LOCATOR.fullmatch(group):
        return [], labelled
    ids: list[str] = []
    position = 0
    locating = ""
    while position < len(pieces):
        # An id may hold commas itself: take the longest run of pieces that is one.
        taken = _joined(group, pieces, position, index)
        if taken:
            ids.append(taken[0])
            position += taken[1]
            locating = ""
            continue
        piece = pieces[position]
        position += 1
        if (
            (ids or not first)
            and LOCATOR.fullmatch(piece)
            and not (digits_of(piece) or piece in index.ids)
            and not (piece[0] == "#" == group[0])
        ):
            locating = "plural" if PLURAL_LOCATOR.match(piece) else "one"
            continue
        if locating == "plural" and (piece.isdecimal() or RANGE.fullmatch(piece)):
            continue
        found, was_labelled = _item(piece, index, labelled)
        labelled = labelled or was_labelled
        if found:
            ids.extend(found)
            locating = ""
        elif not ids and first:
            return None
    return ids, labelled


def _joined(
    group: str, pieces: list[str], position: int, index: SourceIndex
) -> tuple[str, int] | None:
    if len(pieces) - position < 2:
        return None
    start = group.find(pieces[position])
    for last in range(min(len(pieces), position + 5) - 1, position, -1):
        end = group.find(pieces[last], start) + len(pieces[last])
        candidate = group[start:end]
        if candidate in index.ids:
            return candidate, last - position + 1
    return None


def _item(piece: str, index: SourceIndex, labelled: bool) -> tuple[list[str], bool]:
    """Read one id with its label and locator; an empty list if it is none."""
    text = piece.strip().strip(_WRAP).strip()
    known = known_ids(text, index) or known_ids(text.rstrip(". "), index)
    if known:
        return known, labelled
    text = VAGUE_WORDS.sub("", text, count=1) or text
    if text[:2] == "-@" or text[:1] in "@#":
        key = text.lstrip("-@#{").rstrip("}")
        known = known_ids(key, index) or known_ids(without_locator(key), index)
        if known:
            return known, True
        if "@" in text[:2] and re.fullmatch(r"[\w:.#$%&\-+?<>~/]+", key):
            return [key.rstrip(":.?")], True
    strong = STRONG_LABEL.match(text)
    label = strong or LABEL.match(text)
    rest = text
    steps = 0
    while label and label.end() and steps < 3:
        value = rest[label.end() :].strip(_WRAP + " @")
        if not value:
            break
        known = known_ids(value, index) or known_ids(without_locator(value), index)
        if known:
            return known, True
        rest = value
        label = LABEL.match(rest)
        steps += 1
    trimmed = without_locator(text)
    known = known_ids(trimmed, index)
    if known:
        return known, labelled
    known = id_with_description(text, index) or id_with_description(rest, index)
    if known:
        return known, labelled
    # From here on the id is of no source: is it meant as one?
    if text[:1].isalnum() and text[-1:] != ":" and text != trimmed and index.near(trimmed):
        return [trimmed], labelled
    if text[:1].isalnum() and text[-1:] != ":" and index.near(text):
        return [text], labelled
    if index.resembles_ids(text):
        return [text], labelled
    value = without_locator(rest)
    number = digits_of(value)
    if number and (steps or labelled or len(number) <= 4):
        if not steps and not labelled and is_year(number) and index.largest < 1000:
            return [], False
        return [index.by_number(number)], labelled or bool(steps)
    if steps:
        ids = expand_range(value, index)
        if ids:
            return ids, True
        if index.near(value) or index.resembles_ids(value):
            return [value], True
    if (strong or labelled) and value and len(value) <= 120:
        return [value], True
    return [], False
