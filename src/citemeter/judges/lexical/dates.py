"""Calendar dates in English and in digits, as the lexical judge reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from citemeter.judges.lexical.word_lists import read_sections

LATIN_WORD = re.compile(r"[A-Za-z]+")
"""To look words up, which is far faster than searching for the alternatives of a pattern."""


class Date(NamedTuple):
    """A calendar date: its spelling, and day, month and year, 0 where the text leaves one out."""

    text: str
    day: int
    month: int
    year: int


_MONTHS = {
    form: number
    for number, forms in enumerate(read_sections("number_words.txt")["months"], start=1)
    for name in forms
    for form in (name, name.upper())
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"\d\d?(?:st|nd|rd|th)?(?![\w:])"
_SPAN = rf"(?:(?P<first>{_DAY}) ?(?:-|to|and|or) ?)?(?P<last>{_DAY})"
_MONTH_WORD = re.compile(rf"(?<![^\W\d_])(?:{_MONTH})(?![^\W_])\.?")
_BEFORE = re.compile(rf"(?<![\w.,/]){_SPAN}(?: of)? $")
_AFTER = re.compile(rf"(?: {_SPAN})?(?:,? (?P<year>[12]\d{{3}})(?!\w))?")
_DIGIT_DATE = re.compile(
    r"(?<![\w./-])(?:(?P<y>[12]\d{3})[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)"
    r"|(?P<a>\d\d?)[-/.](?P<b>\d\d?)[-/.](?P<c>[12]\d{3}))(?![\w/-])"
)


def read_dates(text: str) -> Iterable[Date]:
    """Yield the dates of a text; digits that may be read in two orders are read in both.

    >>> [date[1:] for date in read_dates("from 5 to 7 August 2020, 2021-03-04")]
    [(5, 8, 2020), (7, 8, 2020), (4, 3, 2021)]
    """
    named = not _MONTHS.keys().isdisjoint(LATIN_WORD.findall(text))
    for match in _MONTH_WORD.finditer(text) if named else ():
        month = _MONTHS[match[0].rstrip(".")]
        start, end = match.span()
        before = _BEFORE.search(text, max(0, start - 24), start)
        after = _AFTER.match(text, end)
        year = 0
        days: list[str | None] = []
        if before:
            start = before.start()
            days += [before["first"], before["last"]]
        if after:
            end = after.end()
            year = int(after["year"] or 0)
            days += [after["first"], after["last"]]
        spelling = text[start:end]
        numbers = [int(day.rstrip("stndrh")) for day in days if day]
        if year and not numbers:
            yield Date(spelling, 0, month, year)
        for number in numbers:
            if 0 < number < 32:
                yield Date(spelling, number, month, year)
    for match in _DIGIT_DATE.finditer(text):
        if match["y"]:
            orders = [(int(match["d"]), int(match["m"]), int(match["y"]))]
        else:
            first, second, year = int(match["a"]), int(match["b"]), int(match["c"])
            orders = [(first, second, year)]
            if first != second:
                orders.append((second, first, year))
        for day, month, year in orders:
            if 0 < day < 32 and 0 < month < 13:
                yield Date(match[0], day, month, year)
