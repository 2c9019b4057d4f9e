"""Markers written as tags: ``<cite id="a">…</cite>``, ``<sup>1</sup>``, ``<co: 0>…</co>``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citemeter.text.markers.known_ids import digits_of
from citemeter.text.markers.marker import Marker
from citemeter.text.markers.resolve import curly_brackets, id_list, square_brackets
from citemeter.text.markers.sources import SourceIndex, ids_are_urls
from citemeter.text.markers.superscripts import superscript_cites

_ATTRIBUTE = re.compile(
    r"\b(id|ids|index|indices|idx|sources?|source_ids?|src|refs?|docs?|doc_?ids?|documents?|keys?|n"
    r"|number|name|rid|target|data-[\w-]{1,20}|href|url|cite|citations?)\s*=\s*"
    r"(?:\"([^\"<>]*)\"|'([^'<>]*)'|“([^”<>]*)”|([^\s\"'<>]+))",
    re.IGNORECASE,
)


_TAG_NAMES = (
    r"(?:[\w-]{1,12}:)?(?:cite|citation|citations|ref|reference|source|sources|src|doc|co|sup|fn"
    r"|footnote|quote|claim)"
)


_OPEN = re.compile(rf"[<(]({_TAG_NAMES})\b((?:\s|:)[^<>\n]{{0,400}}?)?(/?)>", re.IGNORECASE)


_CLOSE = re.compile(rf"</({_TAG_NAMES})\b(:?[^<>\n]*)>", re.IGNORECASE)


_WRAPPER = re.compile(
    r"</?(?:statement|answer|response|final_answer|result|output|s|sent|sentence|text|p|span|br|div"
    r"|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|h[1-6]|section|article|details|summary|blockquote|hr"
    r"|co|cite|citation|claim)\b[^<>\n]*>|<!--[^<>]*-->",
    re.IGNORECASE,
)


_ANCHOR = re.compile(r"<a\b[^<>]*>[^\S\n]*(\[?[^<>\[\]]{1,40}\]?)[^\S\n]*</a>", re.IGNORECASE)


_DOC_SENTENCE = re.compile(r"(\d+)-(\d+)(?::(?:\d+-)?\d+)?")


_ANGLE_URL = re.compile(r"<(https?://[^\s<>]+)>")


_DOUBLE_ANGLE = re.compile(
    r"<<([^<>\n]{1,80})>>|<((?:doc|source|ref|cite|id)[ :_-]?[^<>\n]{1,40})>", re.I
)


def _attribute_ids(tail: str, index: SourceIndex) -> tuple[str, ...]:
    tail = tail.strip()
    if tail.startswith(":"):
        return id_list(tail[1:].strip(" []"), index)
    ids: list[str] = []
    for match in _ATTRIBUTE.finditer(tail):
        value = next((g for g in match.groups()[1:] if g), "").strip()
        if not value:
            continue
        if match.group(1).lower() in ("href", "url", "target"):
            url = index.by_url(value)
            number = re.fullmatch(r"#[\w.-]*?(\d+)", value)
            if url:
                ids.append(url)
            elif number and not ids:
                ids.append(index.by_number(number.group(1)))
            continue
        if match.group(1).lower() in ("name", "n") and ids:
            continue
        for part in (
            re.split(r"[,;]\s*|\s+(?![-–]\s)", value) if value not in index.ids else [value]
        ):
            ids.extend(_one_attribute(part.strip(), match.group(1).lower(), index))
    return tuple(dict.fromkeys(ids))


def _one_attribute(part: str, name: str, index: SourceIndex) -> tuple[str, ...]:
    if not part or part in index.ids:
        return (part,) if part else ()
    sentence = _DOC_SENTENCE.fullmatch(part)
    if sentence and name in ("index", "indices", "idx"):
        ends = part.split(":")
        known = [end for end in ends if end in index.ids]
        if known:
            return tuple(known)
        document = sentence.group(1)
        return (index.by_number(document),) if index.knows_number(document) else (part,)
    return id_list(part, index) or (part,)


def tags(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``<cite id="a">…</cite>``, ``<ref>1</ref>``, ``<sup>1</sup>``, ``<co: 0>…</co>``."""
    closes = [(m.start(), m.end(), m.group(1).lower(), m.group(2)) for m in _CLOSE.finditer(text)]
    used: set[int] = set()
    cursor = 0
    for match in _OPEN.finditer(text):
        name = match.group(1).lower()
        while cursor < len(closes) and closes[cursor][0] < match.end():
            cursor += 1
        close = closes[cursor] if cursor < len(closes) and closes[cursor][2] == name else None
        ids = _attribute_ids(match.group(2) or "", index)
        if match.group(3) or (close is None and ids):
            if ids:
                yield Marker(match.start(), match.end(), ids, "tag")
            continue
        if close is None:
            continue
        near = close[0] - match.end() <= 200
        inner = text[match.end() : close[0]] if near else "far"
        style = "superscript" if name.endswith("sup") else "tag"
        whole = _content_ids(inner, index) if near else ()
        if style == "superscript" and whole and not superscript_cites(text, match.start(), inner):
            continue
        if whole or (ids and not inner.strip()):
            used.add(cursor)
            if whole and not all(i in index.ids for i in ids):
                ids = whole  # '<ref name="a">1</ref>'
            end = close[1]
            yield Marker(match.start(), end, whole if whole and not ids else ids or whole, style)
        elif style == "superscript" and inner.strip() in (",", ";", "–", "-", ""):
            used.add(cursor)
            yield Marker(match.start(), close[1], (), "leftover")
        elif ids and style == "tag":
            used.add(cursor)
            yield Marker(match.start(), match.end(), ids, "tag", close[1])
            yield Marker(close[0], close[1], (), "tag")
    for number, (start, end, name, tail) in enumerate(closes):
        if number not in used and name == "co" and tail.strip(": "):
            used.add(number)
            yield Marker(start, end, id_list(tail.strip(": []"), index), "tag")
    for match in _WRAPPER.finditer(text):
        yield Marker(match.start(), match.end(), (), "leftover")
    for match in _ANCHOR.finditer(text):
        inner = match.group(1).strip("[] ")
        digits = digits_of(inner)
        if digits:
            yield Marker(match.start(), match.end(), (index.by_number(digits),), "numeric")
    if index.urls:
        for match in _ANGLE_URL.finditer(text):
            url = index.by_url(match.group(1))
            if url or ids_are_urls(index):
                yield Marker(match.start(), match.end(), (url or match.group(1),), "url")


def _content_ids(inner: str, index: SourceIndex) -> tuple[str, ...]:
    """The ids of an element that holds nothing else: ``1``, ``[1-2][4-4]``, ``hr-12``."""
    text = re.sub(r"<[^<>]*>", "", inner).strip()
    if not text:
        return ()
    link = re.fullmatch(r"\[([^\[\]]*)\]\([^()\s]*\)", text)
    if link:
        text = link.group(1)
    if text in index.ids:
        return (text,)
    ids: list[str] = []
    for part in re.findall(r"\[([^\[\]]*)\]", text) or [text]:
        same = re.fullmatch(r"(\d+)\s*-\s*\1", part.strip())
        reading = square_brackets(same.group(1) if same else part, index)
        if reading is None:
            return ()
        ids.extend(reading[0])
    if re.sub(r"\[[^\[\]]*\]", "", text).strip(" ,;") and "[" in text:
        return ()
    return tuple(dict.fromkeys(ids))


def angles(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``<<key>>``, ``<doc 1>``."""
    for match in _DOUBLE_ANGLE.finditer(text):
        body = match.group(1) or match.group(2)
        reading = curly_brackets(body, index)
        if reading:
            yield Marker(match.start(), match.end(), reading[0], "id")
