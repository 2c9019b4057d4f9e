"""The search for markers in an answer: one pass over its brackets, one more per rare style."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citemeter.errors import InputError
from citemeter.text.markers.author_year import author_years
from citemeter.text.markers.content import (
    is_call,
    is_code,
    is_interval,
    is_slice,
    is_word_end,
)
from citemeter.text.markers.marker import Marker
from citemeter.text.markers.other_markers import FINDERS, link_target
from citemeter.text.markers.resolve import Resolved, id_list, round_brackets, square_brackets
from citemeter.text.markers.sources import SourceIndex, ids_are_urls

__all__ = ["find_markers", "unfinished"]

_SQUARE = re.compile(r"[\[［【〔〖⟦]([^\[\]［］【】〔〕〖〗⟦⟧\n]*)[\]］】〕〗⟧]")
_ROUND = re.compile(r"[(（]([^()（）\[\]\n]{1,400})[)）]")
_PAGE = re.compile(
    r":[^\S\n]?\d{1,4}(?:[^\S\n]?[-–][^\S\n]?\d{1,4})?(?:,[^\S\n]?\d{1,4}(?:[-–]\d{1,4})?)*"
    r"(?=$|[.,;)\]]|[^\S\n]*\n|[^\S\n]*\[|[^\S\n]+[A-Z\"“]|[^\S\n]*$)"
)
_GLUED_PAGE = re.compile(r":\d{1,4}(?:[-–]\d{1,4})?(?![\d:])")
_BRIDGE = re.compile(r"[^\S\n]?[-‐‑–—−][^\S\n]?[\[［【](\d{1,6})[\]］】]")
_GLUED_LABEL = re.compile(r"(?<![\w:]):?(?:cite|citation|ref|footnote|note|source)$")
_LABEL_TEXT = re.compile(
    r"(?:\W|\d|\b(?:source|link|ref|reference|see|here|doc|document|website|site|via|quelle|fuente)s?\b)*",
    re.IGNORECASE,
)
_DOMAIN = re.compile(r"(?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+)+(?:/\S*)?(?:\s*\+\d+)?")
_UNFINISHED = re.compile(
    r"[^\S\n]*[*_^]{0,3}(?:"
    r"[\[［【〔]{1,2}(?![^\[［【〔\n]{80})[^\[\]［］【】\n]*(?:\](?:\([^()\s]{0,300})?)?(?<![^\]]\])"
    r"|<(?:/|[a-zA-Z][^<>\n]{0,80})?|<(?:sup|ref|co)\b[^<>\n]{0,40}>[^<>\n]{0,20}(?:</?\w{0,3})?"
    r"|\ue200[^\ue201]{0,200}|##[^\S\n]?\d*\$?|:(?:cite|contentR)[^\]}\n]{0,40}"
    r"|\\(?:[a-z]{0,5}cite[a-z]{0,3})?(?:\{[^{}\n]{0,80})?|(?:file|web)?cite(?:turn\w{0,20})?"
    r"|&(?:#|l)[^&;\n]{0,8}(?:;[^&\n]{0,20}(?:&[^;\n]{0,8})?)?"
    r"|\((?:(?:source|doc|id|ref|see|quelle|fuente|fonte)\b[^()\n]{0,80}|[a-z]{1,10}[-_:]\w{0,20})?"
    r")$",
    re.IGNORECASE,
)
_DASHES = frozenset("-‐‑–—−")
_RELATIONS = frozenset("=∈≤≥⊂⊆")
_OPERATORS = frozenset("=∈×+*/<>≤≥·⊂⊆→^~")


def unfinished(text: str) -> int:
    """Return where an unfinished marker at the end of a streamed answer starts, or its length."""
    tail = max(0, len(text) - 400)
    match = _UNFINISHED.search(text, tail)
    return match.start() if match else len(text)


def find_markers(
    text: str,
    index: SourceIndex,
    styles: frozenset[str],
    zones: Sequence[tuple[int, int]] = (),
    custom: Sequence[object] = (),
    forced: bool = False,
) -> list[Marker]:
    """Return the markers of a text in order, without overlaps.

    Args:
        text: The answer.
        index: What its sources can be cited as.
        styles: The names of the styles to look for.
        zones: Stretches that are content whatever they look like, such as code, in order.
        custom: Compiled patterns and callables that find markers of a style of one's own.
        forced: Whether the caller named the styles, so that ``[2020]`` is a number like others.
    """
    found: list[Marker] = []
    for style, triggers, finder in FINDERS:
        if style == "section" and not (index.sections or forced):
            continue
        if style in styles and (not triggers or any(map(text.__contains__, triggers))):
            found.extend(finder(text, index))
    if "author_year" in styles and (index.works or forced):
        found.extend(author_years(text, index, forced=forced and not index.works))
    for extra in custom:
        found.extend(_custom(extra, text, index))
    brackets = _brackets(text, index, styles, forced)
    if "id" in styles:
        brackets.extend(_rounds(text, index))
    return _without_overlaps(found, brackets, zones)


def _without_overlaps(
    found: list[Marker], brackets: list[Marker], zones: Sequence[tuple[int, int]]
) -> list[Marker]:
    """Special markers win over brackets inside them, longer ones over shorter, zones over all."""
    ranked = [(m.start, -m.end, 0, m) for m in found] + [(m.start, -m.end, 1, m) for m in brackets]
    ranked.sort(key=lambda entry: entry[:3])
    result: list[Marker] = []
    end = 0
    zone = 0
    for start, _, _, marker in ranked:
        if start < end:
            continue
        while zone < len(zones) and zones[zone][1] <= start:
            zone += 1
        if zone < len(zones) and zones[zone][0] < marker.end:
            continue
        result.append(marker)
        end = marker.end
    return result


def _brackets(text: str, index: SourceIndex, styles: frozenset[str], forced: bool) -> list[Marker]:
    found: list[Marker] = []
    taken = 0
    loose_end = loose_start = -1  # the last bracket that was no marker
    code_end = -1  # of the last bracket that indexes a name
    length = len(text)
    for match in _SQUARE.finditer(text):
        start, end = match.span()
        if start < taken:
            continue
        body = text[start + 1 : end - 1]
        reading = square_brackets(body, index)
        following = text[end] if end < length else ""
        if reading is None:
            if forced and body.isdecimal() and "numeric" in styles:
                reading = ((index.by_number(body),), "numeric")
            elif following == "(":
                link = _link(text, start, end, body, None, index, styles)
                if link:
                    found.extend(link)
                    taken = link[-1].end
                continue
            else:
                if start and (start == code_end or is_slice(text, start, body)):
                    code_end = end
                loose_start, loose_end = start, end
                continue
        ids, style = reading
        before = text[start - 1] if start else " "
        if before not in " .\n]" and style == "numeric":
            if before.isalpha() or before.isdigit() or before == "_":
                label = _GLUED_LABEL.search(text, max(0, start - 10), start)
                if label:
                    start = label.start()
                elif is_code(text, start, end, ids, index):
                    code_end = end
                    continue
            elif before in _OPERATORS and before != "*" and not is_word_end(text, start):
                continue
            elif before == ")" and is_call(text, start, ids, index):
                code_end = end
                continue
        if start == code_end or (start == loose_end and loose_start == code_end):
            code_end = end
            continue
        if style == "numeric" and "," in body and is_interval(text, start, end, body, ids, index):
            continue
        if before == "\\" and text[end - 2 : end - 1] == "\\":
            continue
        if before == " " and style == "numeric" and text[start - 2] in _RELATIONS:
            continue
        if following and following in "+{" and not body.isdecimal():
            continue  # the regular expression "[0-9]+"
        if text[start] == "【" and style != "id" and "lenticular" in styles:
            style = "lenticular"
        if style not in styles:
            continue
        if start == loose_end and body.isdecimal() and f"[{body}]:" in text:
            # "[harbour office][1]": the first bracket's words are content, its brackets are not.
            found.append(Marker(loose_start, loose_start + 1, (), style))
            found.append(Marker(start - 1, end, ids, style))
            continue
        # What may belong to the marker: a second bracket, a link, pages, the other end of a range.
        if following == "]" and before == "[":
            start, end = start - 1, end + 1
            following = text[end] if end < length else ""
        if following == "(":
            link = _link(text, start, end, body, reading, index, styles)
            if link:
                found.extend(link)
                taken = link[-1].end
                continue
        marker = _with_what_follows(text, Marker(start, end, ids, style), index)
        taken = marker.end
        found.append(marker)
    return found


def _with_what_follows(text: str, marker: Marker, index: SourceIndex) -> Marker:
    """Take in what belongs to a marker behind it: pages, the other end of a range."""
    start, end, ids = marker.start, marker.end, marker.ids
    following = text[end : end + 1]
    if following == ":":
        if start and text[start - 1] != "\n":
            page = _GLUED_PAGE.match(text, end) or _PAGE.match(text, end)
            if page:
                return marker._replace(end=page.end())
    elif (following in _DASHES or following == " ") and len(ids) == 1 and ids[0].isdecimal():
        bridge = _BRIDGE.match(text, end)
        ids_between = id_list(f"{ids[0]}-{bridge[1]}", index) if bridge else ()
        if bridge and len(ids_between) > 1:
            return marker._replace(end=bridge.end(), ids=ids_between)
    elif following == "[" and text[end - 2] == "^" and marker.style == "footnote":
        # "[^1^][4]": the second bracket only says where the link of the first one goes.
        label = _SQUARE.match(text, end)
        if label and label[1].isdecimal():
            return marker._replace(end=label.end())
    return marker


def _link(
    text: str,
    start: int,
    end: int,
    body: str,
    reading: Resolved,
    index: SourceIndex,
    styles: frozenset[str],
) -> list[Marker]:
    """Read ``[words](target)``: one marker, or two around words that stay in the text."""
    target = link_target(text, end)
    if target is None or (start and text[start - 1] == "!"):
        return []
    url, stop = target
    known = index.by_url(url)
    if known is None and url.startswith("#"):
        key = url.lstrip("#")
        key = key if key in index.ids else re.sub(r"^\D*?-?(?=\d+$)", "", key)
        if key in index.ids:
            known = key
    words = body.strip("[]*_` ")
    if reading is not None and reading[0]:
        ids = (known,) if known else reading[0]
        return [Marker(start, stop, ids, reading[1])]
    if "link" not in styles or not index.order:
        return []
    if known is None:
        if not ids_are_urls(index) or "://" not in url:
            return []
        known = url
    in_brackets = text[start - 1 : start] == "(" and text[stop : stop + 1] == ")"
    if in_brackets or _LABEL_TEXT.fullmatch(words) or _DOMAIN.fullmatch(words):
        return [Marker(start, stop, (known,), "link")]
    return [Marker(start, start + 1, (), "link"), Marker(end - 1, stop, (known,), "link")]


def _rounds(text: str, index: SourceIndex) -> list[Marker]:
    found: list[Marker] = []
    for match in _ROUND.finditer(text):
        reading = round_brackets(match[1], index)
        if reading is not None and text[match.start() - 1 : match.start()] != "]":
            found.append(Marker(match.start(), match.end(), *reading))
    return found


def _custom(extra: object, text: str, index: SourceIndex) -> list[Marker]:
    found: list[Marker] = []
    if isinstance(extra, re.Pattern):
        groups = extra.groupindex
        group = groups.get("ids") or groups.get("id") or min(extra.groups, 1)
        for match in extra.finditer(text):
            body = match.group(group)
            if body and match.end() > match.start():
                ids = id_list(body, index)
                found.append(Marker(match.start(), match.end(), ids or (body.strip(),), "regex"))
        return found
    assert callable(extra)
    position = 0
    for start, end, ids in extra(text):
        if not position <= start < end <= len(text):
            raise InputError(
                f"the marker style returned the span ({start}, {end}) of a text of {len(text)} "
                f"characters after position {position}.",
                fix="return ascending (start, end, ids) that do not overlap.",
            )
        position = end
        ids = (ids,) if isinstance(ids, str) else ids
        found.append(Marker(start, end, tuple([str(i) for i in ids]), "callable"))
    return found
