"""From the words between a marker's brackets to the ids they cite."""

from __future__ import annotations

import re
from typing import TypeAlias

from citemeter.text.markers.sources import SourceIndex
from citemeter.text.markers.vocabulary import (
    LABEL,
    LOCATOR,
    LOCATOR_TAIL,
    PAREN_LABEL,
    PLURAL_LOCATOR,
    STRONG_LABEL,
    VAGUE_WORDS,
)

__all__ = ["NOTHING", "Reading", "curly", "digits_of", "id_list", "parenthesis", "square"]

Reading: TypeAlias = "tuple[tuple[str, ...], str] | None"
"""The ids cited and the style they are written in; ``None`` if the words are no marker."""

NOTHING: Reading = ((), "leftover")
"""A marker that cites nothing: it leaves the text, and no citation."""

MAX_BODY = 400
MAX_RANGE = 500

_NUMERIC = re.compile(r"\d+(?:\s*[,;]\s*\d+)*")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_RANGE = re.compile(r"(\d+)\s*(?:[-‐‑‒–—−~～]|\.\.\.?|…|\bto\b|\bbis\b|至|到)\s*(\d+)")
_PREFIX_RANGE = re.compile(
    r"(.*?[^\W\d_][\W_]*?)(\d+)\s*(?:[–—−~]|\.\.\.?|…|\s-\s|-|\bto\b)\s*(.*?)(\d+)", re.DOTALL
)
_DATE = re.compile(r"(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ].*)?")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?")
_GROUPS = re.compile(r"\s*[;；|]\s*")
_COMMAS = re.compile(r"\s*(?:[,，、､&]|\band\b|\bund\b|\bet\b|\by\b|/(?=\s*\d+$))\s*")
_NUMBER_WORDS = re.compile(r"\d+(?:\s+\d+)+")
_DAGGER = re.compile(r"[†‡]")
_TAG = re.compile(r"</?\w[^<>]*>")
_DATA = re.compile(r"[^\W\d_][\w ]*\(([^()]*)\)")
_GRAPHRAG = re.compile(r"data\s*:\s*", re.IGNORECASE)
_OAI = re.compile(r"oai_?cit(?:e|ation)(?:_attribution)?:(\d+)(?:‡.*)?", re.IGNORECASE)
_START = re.compile(r"/?cite(?:_start|_end)|/cite|cite_?(?:begin|stop)", re.IGNORECASE)
_WRAP = "\"'`“”‘’*_~"
_ID_LIKE = re.compile(r"(?=.*[\d_\-./:])[\w.\-:/#@]+|[\w\-]+\.[A-Za-z]{2,5}")


def digits_of(text: str) -> str | None:
    """Return a whole number of any script in ASCII digits, or ``None``.

    >>> digits_of("١٢"), digits_of("７"), digits_of("x")
    ('12', '7', None)
    """
    if not text.isdecimal():
        return None
    return text if text.isascii() else "".join([str(int(c)) for c in text])


def id_list(text: str, index: SourceIndex) -> tuple[str, ...]:
    """Return the ids of an attribute or argument that holds nothing but ids."""
    reading = _read(text, index, sure=True)
    return reading[0] if reading else ()


def square(body: str, index: SourceIndex) -> Reading:
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
    if text in index.ids:
        return (text,), "id"
    if _START.fullmatch(text):
        return NOTHING
    return _read(text, index, sure=False)


def parenthesis(body: str, index: SourceIndex) -> Reading:
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


def curly(body: str, index: SourceIndex) -> Reading:
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


def _numbers(text: str, index: SourceIndex) -> Reading:
    """Read ``1``, ``1, 2``: all are ids, unless they are a year or a large number."""
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    digits = [digits_of(part) or part for part in parts]
    ids = [index.by_number(d) for d in digits]
    if not all(i in index.ids for i in ids):
        if len(digits) == 1 and _is_year(digits[0]) and index.largest < 1000:
            return None
        if _THOUSANDS.fullmatch(text) and not any(i in index.ids for i in ids[1:]):
            return None
        if len(digits) == 1 and len(digits[0]) > 5 and len(digits[0]) > len(str(index.largest)):
            return None
    return tuple(ids), "numeric"


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits[0] in "12"


def _read(text: str, index: SourceIndex, *, sure: bool) -> Reading:
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
        if inner.startswith("{") or not inner:
            return None
        reading = square(inner, index)
        if reading is None and text[0] == "^" and re.fullmatch(r"[\w.\-]{1,40}", inner):
            return (inner,), "footnote"
        return (reading[0], "footnote") if reading else None
    if _DATE.fullmatch(text) or _CLOCK.fullmatch(text):
        return None
    ids: list[str] = []
    labelled = sure
    for group in _GROUPS.split(text):
        found = _group(group, index, labelled, first=not ids)
        if found is None:
            if not ids:
                return None
            continue
        part, was_labelled = found
        labelled = labelled or was_labelled
        ids.extend(part)
    if not ids:
        return None
    return tuple(dict.fromkeys(ids)) if len(ids) > 1 else (ids[0],), _style(text, ids)


def _style(text: str, ids: list[str]) -> str:
    if text[:1] in "@-" and "@" in text:
        return "pandoc"
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


def _graphrag(text: str, index: SourceIndex) -> Reading:
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
        if (ids or not first) and LOCATOR.fullmatch(piece):
            if not (digits_of(piece) or piece in index.ids):
                locating = "plural" if PLURAL_LOCATOR.match(piece) else "one"
                continue
        if locating == "plural" and (piece.isdecimal() or _RANGE.fullmatch(piece)):
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
    known = _known(text, index)
    if known:
        return known, labelled
    text = VAGUE_WORDS.sub("", text, count=1) or text
    if text[:2] == "-@" or text[:1] in "@#":
        key = text.lstrip("-@#{").rstrip("}")
        known = _known(key, index) or _known(_cut_locator(key), index)
        if known:
            return known, True
        if text[:1] in "-@" and re.fullmatch(r"[\w:.#$%&\-+?<>~/]+", key):
            return [key.rstrip(":.?")], True
    strong = STRONG_LABEL.match(text)
    label = strong or LABEL.match(text)
    rest = text
    steps = 0
    while label and label.end() and steps < 3:
        value = rest[label.end() :].strip(_WRAP + " @")
        if not value:
            break
        known = _known(value, index) or _known(_cut_locator(value), index)
        if known:
            return known, True
        rest = value
        label = LABEL.match(rest)
        steps += 1
    trimmed = _cut_locator(text)
    known = _known(trimmed, index)
    if known:
        return known, labelled
    known = _described(text, index) or (_described(rest, index) if rest != text else None)
    if known:
        return known, labelled
    # From here on the id is of no source: is it meant as one?
    if index.near(text) or (text != trimmed and index.near(trimmed)):
        return [text if index.near(text) else trimmed], labelled
    if index.resembles_ids(text):
        return [text], labelled
    value = _cut_locator(rest)
    number = digits_of(value)
    if number and (steps or labelled or len(number) <= 4) and not _unit_like(text, steps):
        if not steps and not labelled and _is_year(number) and index.largest < 1000:
            return [], False
        return [index.by_number(number)], labelled or bool(steps)
    if steps:
        spread = _spread(value, index)
        if spread:
            return spread, True
        if index.near(value) or index.resembles_ids(value):
            return [value], True
    if (strong or labelled) and value and len(value) <= 120:
        return [value], True
    return [], False


def _unit_like(text: str, steps: int) -> bool:
    return bool(steps) and not re.search(r"\d", text)


def _known(text: str, index: SourceIndex) -> list[str] | None:
    """Ids known by this very text: an id, a number, a range, a run of numbers, a URL."""
    if text in index.ids and not (index.numbering is not None and text.isdecimal()):
        return [text]
    number = digits_of(text)
    if number:
        return [index.by_number(number)] if index.knows_number(number) else None
    spread = _spread(text, index)
    if spread:
        return spread
    if _NUMBER_WORDS.fullmatch(text):
        numbers = [digits_of(part) or part for part in text.split()]
        if all(index.knows_number(n) for n in numbers):
            return [index.by_number(n) for n in numbers]
    if index.urls and ("." in text or "/" in text):
        found = index.urls.get(text) or index.by_url(text)
        if found:
            return [found]
    return None


def _spread(text: str, index: SourceIndex) -> list[str] | None:
    """Return the ids of a range, both ends included."""
    match = _RANGE.fullmatch(text)
    if match:
        first, last = digits_of(match.group(1)) or "", digits_of(match.group(2)) or ""
        if len(last) > 6 or len(first) > 6 or not first or not last:
            return None
        low, high = int(first), int(last)
        if not low < high <= low + MAX_RANGE:
            return None
        known = index.knows_number(first) or index.knows_number(last)
        if not known and (_is_year(first) or not index.has_numbers or low > index.largest + 50):
            return None
        return [index.by_number(str(number)) for number in range(low, high + 1)]
    match = _PREFIX_RANGE.fullmatch(text) if len(text) <= 120 else None
    if match:
        prefix, low_text, second, high_text = match.groups()
        if second and second != prefix:
            return None
        low, high = int(low_text) if len(low_text) < 7 else 0, (
            int(high_text) if len(high_text) < 7 else 0
        )
        if prefix + low_text in index.ids and low < high <= low + MAX_RANGE:
            width = len(low_text) if low_text.startswith("0") else 0
            return [f"{prefix}{number:0{width}d}" for number in range(low, high + 1)]
        label = LABEL.fullmatch(prefix.strip())
        if label and low < high <= low + MAX_RANGE and index.knows_number(str(low)):
            return [index.by_number(str(number)) for number in range(low, high + 1)]
    return None


def _cut_locator(text: str) -> str:
    """Take a page, line or section off the end: ``marsh2019 pages 21–23``, ``a.pdf#page=3``."""
    match = LOCATOR_TAIL.search(text) if len(text) <= MAX_BODY else None
    return text[: match.start()].rstrip(" ,:(") if match else text


def _described(text: str, index: SourceIndex) -> list[str] | None:
    """A known id with something behind it: ``1#intro``, ``1: Almanac``, ``hr-12 – Leave``."""
    for separator in ("#", ": ", ":", " - ", " – ", " — ", "–", " (", " | ", ". ", "?", "@"):
        head, found, tail = text.partition(separator)
        head = head.strip()
        if not found or not head:
            continue
        number = digits_of(head)
        if separator in "–?.@" and number:
            continue
        if number and separator in (":", " - ", " – ", " — ", " (", ". ") and re.match(
            r"\s*[\d.]", tail
        ):
            if separator == ":" and index.knows_number(number) and re.fullmatch(r"\d+(?:[-–]\d+)?", tail):
                return [index.by_number(number)]
            continue
        if number:
            if index.knows_number(number):
                return [index.by_number(number)]
        elif head in index.ids:
            return [head]
    return None
