"""The common case in one pass: one plain paragraph whose markers are square brackets.

Most answers that are measured by the million are a few sentences with ``[1]`` here and there. For
those the general way (blocks, markers, masked text, sentences, offsets mapped back) does several
times the work that is needed. ``read_plain`` walks once over brackets and stops. Whenever
anything calls for a closer look it gives up, and the general way takes over; on what it does read,
both give equal results, which a test asserts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from citemeter.text.markers import SourceIndex
from citemeter.text.markers.scan import is_plain, plain_bracket
from citemeter.text.parsed import Row
from citemeter.text.sentences.boundaries import is_clear, stop_ends
from citemeter.text.sentences.citemeter_segmenter import is_fragment

__all__ = ["read_plain"]

_EVENT = re.compile(r"\[[^\[\]]*\]|[.!?](?=[\s\"')\]}*_`”’»›“«A-ZÀ-ÞА-Я\[])")
_CLOSERS = re.compile(r"[\"')\]}*_`]+(?= )")
_MARKED = re.compile(r"(?: ?\[\d[\d, ]*\])+(?= [A-Z]|$)")
_ALNUM = re.compile(r"[^\W_]")
_JOINERS = frozenset(("", " ", "  ", ", ", ",", "; ", ";", " ,"))
_NOT_BEHIND = frozenset(",;.")
_BLANK = frozenset(("", " "))
_ARTICLES = frozenset(("A ", "I "))
_STOPS = frozenset(".!?")
# A bracket not seen before: ``ids`` is empty, so the general way reads and remembers it.
_MISSING: tuple[tuple[str, ...], str] = ((), "")


def read_plain(
    text: str, index: SourceIndex, styles: frozenset[str], exemption: Callable[[str], str | None]
) -> tuple[list[Row], set[str]] | None:
    """Return the statements of a plain paragraph and the styles of its markers.

    Args:
        text: The answer.
        index: What its sources can be cited as.
        styles: The marker styles to look for.
        exemption: Why a statement needs no citation.

    Returns:
        ``None`` if the paragraph is not plain enough.
    """
    plain_start = text[:1].isalpha() and (text[1:2].isalnum() or text[:2] in _ARTICLES)
    if not plain_start or not text.isprintable() or not is_plain(text, index):
        return None
    if text.find(":", 0, 61) > 0:
        return None
    memo = index.memo
    used: set[str] = set()
    rows: list[Row] = []
    cited: tuple[str, ...] = ()
    markers: list[tuple[int, int, tuple[str, ...]]] = []
    words = ""  # of the sentence so far
    begin = 0  # where it starts in the answer
    finish = -1  # where it has ended, if it has; markers may follow
    marked = -1  # where the last marker ended
    position = 0  # how far the words are read

    for match in _EVENT.finditer(text):
        start, end = match.span()
        if text[start] == "[":
            body = text[start + 1 : end - 1]
            reading = memo.get(body, _MISSING)
            if reading is None:
                if "." in body or "!" in body or "?" in body or finish == start:
                    return None
                continue
            ids, style = reading
            following = text[end : end + 1]
            if style not in styles or not ids:
                return None
            if (
                finish >= 0
                and following in _NOT_BEHIND
                and (following != "." or text[end + 1 : end + 2] not in _BLANK)
            ):
                return None
            if (
                following
                and following not in " .,;"
                and (following != "[" or not memo.get(text[end + 1 : text.find("]", end)]))
            ):
                return None
            before = text[start - 1]
            if before == "]":
                if marked != start:
                    return None
            elif (before not in " ." or "," in body) and not plain_bracket(
                text, start, end, body, ids, style, index
            ):
                return None
            left = text[position:start]
            if finish >= 0:
                if left.strip() and (marked != position or left not in _JOINERS):
                    # Words behind the last stop: that sentence is complete.
                    rows.append(_row(words, cited, begin, max(finish, marked), markers, exemption))
                    cited, markers = (), []
                    finish = -1
                    words = left.strip()
                    begin = start - len(left.lstrip())
            elif marked != position or left not in _JOINERS:
                left = left.rstrip()
                if left[-1:] in _STOPS:
                    return None  # "in the U.S. [1].": whether it ends there takes more to say
                words = words + left if words else left.lstrip()
            cited += ids
            markers.append((start, end, ids))
            used.add(style)
            position = marked = end
            continue
        following = text[end]
        if text[start - 1] == " " and marked != start and start != marked + 1:
            return None  # a stop that stands alone
        if finish >= 0:
            if marked == start and position == start:
                # A second stop behind the marker: ". [1]. The".
                if following != " " or text[start] != ".":
                    return None
                position = end
                continue
            left = text[position:start]
            rows.append(_row(words, cited, begin, max(finish, marked), markers, exemption))
            cited, markers = (), []
            finish = -1
            words = ""
            begin = start - len(left.lstrip())
        if following == "[":
            # ".[1] See": only if the bracket is known to be a marker.
            if not memo.get(text[end + 1 : text.find("]", end)]) or text[start] != ".":
                return None
        elif following != " ":
            if following.isupper() and text[start - 1].isupper() and text[start - 2] in " .(":
                continue  # inside "U.S."
            closing = _CLOSERS.match(text, end)
            if closing is None:
                return None
            end = closing.end()
            after = text[end + 1 : end + 2]
            if not after.isalnum():
                return None
            if after.islower():
                continue  # a quotation inside the sentence
        if text[start] != ".":
            after = text[end + 1 : end + 2]
            if not after.isalpha() or after.islower() or text[start - 1] in ".!?":
                return None
        elif marked != start:
            if text[start - 1] in ".!?":
                return None
            low = start - 60 if start - 60 > position else position
            space = text.rfind(" ", low, start)
            token = text[space + 1 if space >= 0 else low : start]
            # "in 1941. [1] The": a year ends the sentence, whatever stands between.
            if not is_clear(token) and not (
                len(token) > 3 and token.isdigit() and _MARKED.match(text, end)
            ):
                far = text.find(" ", end + 1, end + 80)
                if far <= end + 1 or "[" in text[max(begin, start - 24) : far]:
                    return None
                if not stop_ends(text, begin, start, end, token):
                    continue
        left = text[position:end]
        words = words + left if words else left.lstrip()
        if (len(words) <= 7 or not words[0].isalnum()) and is_fragment(words):
            return None
        finish = position = end

    left = text[position:].strip()
    if finish >= 0:
        if left and not (left == "." and marked == position):
            if not _ALNUM.search(left):
                return None
            rows.append(_row(words, cited, begin, max(finish, marked), markers, exemption))
            cited, markers = (), []
            words = left
            begin = text.index(left, position)
            finish = begin + len(left)
    else:
        tail = text[position:].rstrip()
        words = words + tail if words else tail.lstrip()
        finish = position + len(tail)
    if not _ALNUM.search(words):
        return None
    rows.append(_row(words, cited, begin, max(finish, marked), markers, exemption))
    return rows, used


def _row(
    words: str,
    cited: tuple[str, ...],
    begin: int,
    finish: int,
    markers: list[tuple[int, int, tuple[str, ...]]],
    exemption: Callable[[str], str | None],
) -> Row:
    if "  " in words:
        words = " ".join(words.split())
    return (words, cited, exemption(words), begin, finish, markers)
