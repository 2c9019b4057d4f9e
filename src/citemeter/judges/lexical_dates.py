"""Calendar dates in English and in digits, as the lexical judge reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from citemeter.judges.lexical_words import read_sections

__all__ = ["Date", "read_dates"]


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
_TEXT_DATE = re.compile(
    rf"(?:(?<![\w.,/])(?:(?P<from1>{_DAY}) ?(?:-|to|and|or) ?)?(?P<day1>{_DAY})(?: of)? )?"
    rf"(?<![^\W\d_])(?P<month>{_MONTH})(?![^\W_])\.?"
    rf"(?: (?:(?P<from2>{_DAY}) ?(?:-|to|and|or) ?)?(?P<day2>{_DAY}))?"
    r"(?:,? (?P<year>[12]\d{3})(?!\w))?"
)
_ALPHA = re.compile(r"[A-Za-z]+")
_DIGIT_DATE = re.compile(
    r"(?<![\w./-])(?:(?P<y>[12]\d{3})[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)"
    r"|(?P<a>\d\d?)[-/.](?P<b>\d\d?)[-/.](?P<c>[12]\d{3}))(?![\w/-])"
)


def read_dates(text: str) -> Iterable[Date]:
    """Yield the dates of a text; digits that may be read in two orders are read in both.

    >>> [date[1:] for date in read_dates("from 5 to 7 August 2020, 2021-03-04")]
    [(5, 8, 2020), (7, 8, 2020), (4, 3, 2021)]
    """
    named = not _MONTHS.keys().isdisjoint(_ALPHA.findall(text))
    for match in _TEXT_DATE.finditer(text) if named else ():
        year = int(match["year"] or 0)
        month = _MONTHS[match["month"]]
        days = [match[name] for name in ("from1", "day1", "from2", "day2") if match[name]]
        if year and not days:
            yield Date(match[0], 0, month, year)
        for day in days:
            number = int(day.rstrip("stndrh"))
            if 0 < number < 32:
                yield Date(match[0], number, month, year)
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
