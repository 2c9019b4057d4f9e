"""Ids known by their very text, alone or with numbers, ranges, locators and titles around them."""

from __future__ import annotations

import re

from citemeter.text.markers.sources import SourceIndex
from citemeter.text.markers.vocabulary import LABEL, LOCATOR_TAIL

MAX_BODY = 400


MAX_RANGE = 500
_BEYOND = 20  # numbers past the last source that a range is spelt out for


RANGE = re.compile(r"(\d+)\s*(?:[-‐‑‒–—−~～]|\.\.\.?|…|\bto\b|\bbis\b|至|到)\s*(\d+)")


_PREFIX_RANGE = re.compile(
    r"(.*?[^\W\d_][\W_]*?)(\d{1,6})\s*(?:[–—−~]|\.\.\.?|…|\s-\s|-|\bto\b)\s*(.*?)(\d{1,6})",
    re.DOTALL,
)


_NUMBER_WORDS = re.compile(r"\d+(?:\s+\d+)+")


def digits_of(text: str) -> str | None:
    """Return a whole number of any script in ASCII digits, or ``None``.

    >>> digits_of("١٢"), digits_of("７"), digits_of("x")
    ('12', '7', None)
    """
    if not text.isdecimal():
        return None
    return text if text.isascii() else "".join([str(int(c)) for c in text])


def is_year(digits: str) -> bool:
    """Whether a number can be a year."""
    return len(digits) == 4 and digits[0] in "12"


def known_ids(text: str, index: SourceIndex) -> list[str] | None:
    """Ids known by this very text: an id, a number, a range, a run of numbers, a URL."""
    if text in index.ids and not (index.numbering is not None and text.isdecimal()):
        return [text]
    number = digits_of(text)
    if number:
        return [index.by_number(number)] if index.knows_number(number) else None
    ids = expand_range(text, index)
    if ids:
        return ids
    if _NUMBER_WORDS.fullmatch(text):
        numbers = [digits_of(part) or part for part in text.split()]
        if all(index.knows_number(n) for n in numbers):
            return [index.by_number(n) for n in numbers]
    if "/" in text and "://" not in text:
        parts = [part.strip() for part in text.split("/")]
        if all(part in index.ids for part in parts):
            return parts
    if index.urls and ("." in text or "/" in text):
        found = index.urls.get(text) or index.by_url(text)
        if found:
            return [found]
    return None


def expand_range(text: str, index: SourceIndex) -> list[str] | None:
    """Return the ids of a range, both ends included."""
    match = RANGE.fullmatch(text)
    if match:
        first, last = digits_of(match.group(1)) or "", digits_of(match.group(2)) or ""
        if len(last) > 6 or len(first) > 6 or not first or not last:
            return None
        low, high = int(first), int(last)
        if not low <= high <= low + MAX_RANGE:
            return None
        known = index.knows_number(first) or index.knows_number(last)
        if not known and (is_year(first) or not index.has_numbers or low > index.largest + 50):
            return None
        if high > index.largest + _BEYOND:
            # Eight characters must not become hundreds of citations of what is not there.
            numbers = [*range(low, max(low, index.largest + _BEYOND)), high]
            return [index.by_number(str(number)) for number in numbers]
        return [index.by_number(str(number)) for number in range(low, high + 1)]
    match = _PREFIX_RANGE.fullmatch(text) if len(text) <= 120 else None
    if match:
        prefix, low_text, second, high_text = match.groups()
        if second and second != prefix:
            return None
        low, high = int(low_text), int(high_text)
        if prefix + low_text in index.ids and low < high <= low + MAX_RANGE:
            width = len(low_text) if low_text.startswith("0") else 0
            return [f"{prefix}{number:0{width}d}" for number in range(low, high + 1)]
        label = LABEL.fullmatch(prefix.strip())
        if label and low < high <= low + MAX_RANGE and index.knows_number(str(low)):
            return [index.by_number(str(number)) for number in range(low, high + 1)]
    return None


def without_locator(text: str) -> str:
    """Take a page, line or section off the end: ``marsh2019 pages 21–23``, ``a.pdf#page=3``."""
    match = LOCATOR_TAIL.search(text) if len(text) <= MAX_BODY else None
    return text[: match.start()].rstrip(" ,:(") if match else text


def id_with_description(text: str, index: SourceIndex) -> list[str] | None:
    """A known id with something behind it: ``1#intro``, ``1: Almanac``, ``hr-12 – Leave``."""
    for separator in ("#", ": ", ":", " - ", " – ", " — ", "–", " (", " | ", ". ", "?", "@"):
        head, found, tail = text.partition(separator)
        head = head.strip()
        number = digits_of(head)
        known = index.knows_number(number) if number else head in index.ids
        if not found or not tail.strip() or not known:
            continue
        if not number:
            return [head]
        # "1.5", "9 - 17" and "3:10 sharp" are no source with a title; "1:10-12" is one with pages.
        figure = separator not in ("#", ": ", " | ") and re.match(r"\s*[\d.]", tail)
        pages = separator == ":" and re.fullmatch(r"\d+(?:[-–]\d+)?", tail)
        if separator not in "–?.@" and (pages or not figure):
            return [index.by_number(number)]
    return None
