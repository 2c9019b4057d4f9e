"""Numbers, amounts and dates as the lexical judge compares them: by value, whatever the format."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from citemeter.judges.lexical.dates import LATIN_WORD, Date, read_dates
from citemeter.judges.lexical.word_lists import read_sections, read_table


class Quantity(NamedTuple):
    """A number in a text.

    Args:
        text: How it is written, with its unit.
        readings: What it may mean, each ``(dimension, value in base units, face value)``; the
            dimension is empty for a plain number.
        slack: ``(lower, upper)`` factors that a hedge such as "about" or "over" allows.
        small_word: Whether it is a word up to twelve, which often counts what the text lists.
    """

    text: str
    readings: tuple[tuple[str, float, float], ...]
    slack: tuple[float, float] = (1.0, 1.0)
    small_word: bool = False

    @property
    def kind(self) -> str:
        """What to call it: a number, or an amount of something."""
        return "amount" if self.readings[0][0] else "number"


class Numbers(NamedTuple):
    """The quantities and dates of a text."""

    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]


def _vocabulary(section: str) -> dict[str, float]:
    return {row[0]: float(row[1]) for row in read_sections("number_words.txt")[section]}


_SMALL = _vocabulary("small")
_SCALES = _vocabulary("scales")
_SUFFIXES = _SCALES | _vocabulary("suffixes")
_LOOSE = _vocabulary("loose")
_ROMAN = _vocabulary("roman")
_FRACTIONS = {
    row[0]: tuple(map(float, row[1:])) for row in read_sections("number_words.txt")["fractions"]
}
_CURRENCIES = {row[0]: row[1] for row in read_sections("number_words.txt")["currencies"]}

# Letters of spaced scripts: next to a digit they make a code ("B12", "5G"), no number.
_LETTER = "A-Za-z\u00b5\u00c0-\u02af\u0370-\u052f"
_NUMBER = re.compile(
    rf"(?:(?P<currency>US\$|[$€£¥₹₩]|(?<![{_LETTER}\d])(?:USD|EUR|GBP|JPY|INR)) ?"
    rf"|(?<![{_LETTER}\d])(?<!\d[.,:]))"
    r"(?P<digits>\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,'’]\d+)*)(?P<clock>:[0-5]\d(?!\d))?"
)
_NEXT = re.compile(
    rf"[ -]?([{_LETTER}]+|[万萬亿億]|[%％€£¥₹₩]|°[CF]?)(?:([/²³])(?:([hs])(?!\w))?)?"
)
_SECOND = re.compile(rf"[ -]([{_LETTER}]+)")
_PER_TIME = re.compile(r" (?:per|an) (hour|second)(?!\w)")
NUMBER_WORDS = frozenset([*_SMALL, *_SCALES])
"""The words that numbers are made of."""

_COUNTS = "|".join([*sorted(_SMALL, key=len, reverse=True), *_SCALES])
_WORDS = re.compile(
    rf"(?<![^\W_])(?:{_COUNTS})(?:[ -](?:and )?(?:{_COUNTS}))*(?![^\W_])", re.IGNORECASE
)
_WHOLE_WORD = re.compile(r"(?<![^\W_])[A-Za-z]+(?![^\W_])")
_HEDGES = re.compile(
    r"(?:(?P<about>about|around|approximately|roughly|circa|approx\.?|some|estimated|c\.|~|≈)"
    r"|(?P<over>over|above|exceeding|exceeds|exceeded|(?:more|greater|higher) than|at least)"
    r"|(?P<under>under|below|nearly|almost|(?:less|fewer|lower) than|at most))"
    r" ?(?:a |an |the )?(?:US\$|[$€£¥₹₩])?$",
    re.IGNORECASE,
)
_SEASON = re.compile(r"(?<!\d)[12]\d{3}[-/]$")
_LIST_NUMBER = re.compile(r"\s{0,9}\d{1,3}[.)] ")
_ODD_DIGIT = re.compile(r"[^\x00-\x7f]")
_UNIT_STARTS = frozenset(["square", "sq", "cubic", "degree", "degrees", "°", "per"])
_CODES = frozenset("GHS")  # "5G": capitals that are no units
_DIGIT = re.compile(r"\d")
_LOOSELY = frozenset([*_LOOSE, *_FRACTIONS, *map(str.lower, _ROMAN)])
_LONGEST = 24  # digits; a longer run is a code, not a number


@cache
def _units() -> dict[str, tuple[str, float]]:
    return {name: (row[0], float(row[1])) for row in read_table("units.txt") for name in row[2:]}


def _plain(match: re.Match[str]) -> str:
    char = match[0]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if char in "–—−‐‑‒":
        return "-"
    return " " if char.isspace() else char


def read_numbers(text: str, *, statement: bool) -> Numbers:
    """Find the quantities and dates of a text.

    Args:
        text: A statement, or a line of a passage.
        statement: Whether the numbers found will be asked for. A statement's list number and loose
            number words ("one", "second") are then left out, while a passage's are taken in every
            way they can be read.

    >>> found = read_numbers("It cost $1.5 million on 3 May 2020.", statement=True)
    >>> found.quantities[0].readings
    (('usd', 1500000.0, 1500000.0),)
    >>> found.dates[0][1:]
    (3, 5, 2020)
    """
    if not text.isascii():
        text = _ODD_DIGIT.sub(_plain, text)
    if statement and (number := _LIST_NUMBER.match(text)):
        text = text[number.end() :]
    digits = _DIGIT.search(text) is not None
    dates = tuple(read_dates(text)) if digits else ()
    quantities = list(_digit_quantities(text, statement)) if digits else []
    words = {word.lower() for word in LATIN_WORD.findall(text)}
    if not NUMBER_WORDS.isdisjoint(words):
        quantities += _word_quantities(text, statement)
    parts = [(date.text, part) for date in dates for part in (date.day, date.year) if part]
    if statement:
        # A date asks for day, month and year as a whole: its parts need not be asked for again.
        asked = {("", float(part)) for _, part in parts}
        quantities = [
            quantity
            for quantity in quantities
            if len(quantity.readings) > 1 or quantity.readings[0][:2] not in asked
        ]
    else:
        if not _LOOSELY.isdisjoint(words):
            quantities += _loose_quantities(text)
        quantities += [_number(name, part) for name, part in parts]
    return Numbers(tuple(quantities), dates)


def _values(digits: str) -> tuple[float, ...]:
    """Return what a group of digits may mean: "1.000" is a thousand or one."""
    digits = digits.replace("’", "'")
    if digits.isdecimal():
        return (float(digits),)
    groups = re.split(r"[.,' ]", digits)
    last = max(digits.rfind(mark) for mark in ".,")
    readings = []
    whole = "".join(groups)
    if all(len(group) in (2, 3) for group in groups[1:-1]) and len(groups[-1]) == 3:
        readings.append(float(whole))
    if last >= 0 and len(digits) - last - 1 == len(groups[-1]):
        head = "".join(groups[:-1])
        marks = set(digits[:last]) - set("0123456789")
        if digits[last] not in marks:
            reading = float(f"{head}.{groups[-1]}")
            # "1,234" is never 1.234 in English; "1.234" may be a thousand elsewhere.
            if not readings or digits[last] == ".":
                readings.insert(0, reading)
    if not readings:
        readings = [float(group) for group in groups]
    return tuple(readings)


def _digit_quantities(text: str, statement: bool) -> Iterable[Quantity]:
    for match in _NUMBER.finditer(text):
        if len(match["digits"]) <= _LONGEST:
            quantity = _digit_quantity(text, match, statement)
            if quantity is not None:
                yield quantity


def _digit_quantity(text: str, match: re.Match[str], statement: bool) -> Quantity | None:
    """Read one number in digits with what follows it, or ``None`` when it is part of a code."""
    start, stop = match.span()
    values = _values(match["digits"])
    if match["clock"]:
        minutes = int(values[0]) * 60.0 + int(match["clock"][1:])
        return Quantity(match[0], (("clock", minutes % 720, minutes),))
    following, word, attached = _following(text, stop)
    if following and word in ("a", "p") and text.startswith(".m", following.end(1)):
        word += "m"
    if following and word in ("am", "pm") and values[0] <= 12:
        name = text[start : following.end(1)]
        return Quantity(name, (("clock", values[0] * 60 % 720, values[0]),))
    if attached and following and word in ("st", "nd", "rd", "th", "s"):
        stop = following.end(1)
        if word == "s":
            return Quantity(text[start:stop], (("decade", values[0], values[0]),))
        following, word, _ = _following(text, stop)
        if following and word in ("century", "centuries"):
            name = text[start : following.end(1)]
            return Quantity(name, (("century", values[0], values[0]),))
        attached = False
    slack = _slack(text, start) if statement else (1.0, 1.0)
    readings: list[tuple[str, float, float]] = []
    currency = _CURRENCIES.get((match["currency"] or "").lower(), "")
    if following and (word in _SUFFIXES or (word == "m" and attached)):
        if word == "m" and not currency:
            readings = [("length", value, value) for value in values]
        scale = _SUFFIXES.get(word, 1e6)
        if statement and slack == (1.0, 1.0):
            slack = _rounding(match["digits"])
        values = tuple([value * scale for value in values])
        stop = following.end(1)
        following, word, _ = _following(text, stop)
        attached = False
    if len(match["digits"]) == 2 and _SEASON.search(text, max(0, start - 5), start):
        # "2022-23": the second year is written short.
        year = float(text[start - 5 : start - 3] + match["digits"])
        return Quantity(text[start - 5 : stop], (("", year, year), ("", values[0], values[0])))
    dimension, unit, end = _unit(text, following, stop)
    if currency:
        dimension, unit, end = currency, 1.0, stop
    elif attached and end == stop and following and text[stop] not in "%％°€£¥₹₩万萬亿億":
        return None  # "5G", "3D": a code, compared as a word
    readings = [(dimension, _base(dimension, v, unit), v) for v in values] + readings
    if word in ("pound", "pounds") and dimension == "gbp" and not currency:
        readings += [("mass", v * 0.45359237, v) for v in values]
    return Quantity(_name(text, start, stop, end), tuple(readings), slack)


def _name(text: str, start: int, stop: int, end: int) -> str:
    """Return how a quantity is written, without a word between number and unit."""
    between = text[stop:end].split()
    if len(between) == 2 and between[0].lower() not in _UNIT_STARTS:
        return f"{text[start:stop].strip()} {between[1]}"
    return text[start:end].strip()


def _following(text: str, end: int) -> tuple[re.Match[str] | None, str, bool]:
    """Find the word after a number, and whether it is written onto it ("5km")."""
    following = _NEXT.match(text, end)
    if following is None:
        return None, "", False
    return following, following[1].lower(), text[end] not in " -"


def _rounding(digits: str) -> tuple[float, float]:
    """Return what a rounded number such as "1.5 million" may stand for: half its last place."""
    value = _values(digits)[0]
    places = len(digits) - digits.rfind(".") - 1 if "." in digits else 0
    half = min(0.05, 0.5 * 10.0**-places / value) if value else 0.0
    return (1 - half, 1 + half)


def _base(dimension: str, value: float, unit: float) -> float:
    if dimension == "temperature" and unit < 0:  # Fahrenheit
        return (value - 32) / 1.8
    return value * abs(unit)


def _unit(text: str, following: re.Match[str] | None, stop: int) -> tuple[str, float, int]:
    """Read the unit after a number: its dimension, factor and where it ends."""
    units = _units()
    if following is None:
        return "", 1.0, stop
    raw, word, mark, per = following[1], following[1].lower(), following[2], following[3]
    end = following.end(1)
    second = _SECOND.match(text, end)
    following_word = second[1].lower() if second else ""
    if mark == "/" and per and (known := units.get(f"{word}/{per}")):
        return *known, following.end()
    if word in ("square", "sq", "cubic"):
        known = units.get(following_word)
        if second and known and known[0] == "length":
            return *_power(known[1], 3 if word == "cubic" else 2), second.end(1)
        return "", 1.0, stop
    if raw in ("°C", "°F", "C", "F"):
        return "temperature", -1.0 if raw[-1] == "F" else 1.0, end
    if word in ("degree", "degrees", "°"):
        if second and following_word in ("celsius", "centigrade", "c", "fahrenheit", "f"):
            return "temperature", -1.0 if following_word[0] == "f" else 1.0, second.end(1)
        return "", 1.0, end
    if word == "per":
        if second and following_word == "cent":
            return "percent", 1.0, second.end(1)
        return "", 1.0, stop
    per_time = _PER_TIME.match(text, end)
    if per_time and units.get(word, ("",))[0] == "length":
        seconds = 3600 if per_time[1] == "hour" else 1
        return "speed", units[word][1] / seconds, per_time.end()
    known = (_CURRENCIES[word], 1.0) if word in "€£¥₹₩" else units.get(word)
    if known is None or raw in _CODES:
        known = units.get(following_word) if len(following_word) > 2 else None
        if second is None or known is None or text[stop : stop + 1] != " ":
            return "", 1.0, stop
        return *known, second.end(1)  # "5 unused days"
    if mark and mark in "²³" and known[0] == "length":
        return *_power(known[1], 2 if mark == "²" else 3), following.end(2)
    return *known, end


def _power(factor: float, power: int) -> tuple[str, float]:
    # A cubic metre is 1,000 litres, the base of volume.
    return ("volume", factor**3 * 1000) if power == 3 else ("area", factor**2)


def _number(text: str, value: float) -> Quantity:
    return Quantity(text, (("", float(value), float(value)),))


def _word_quantities(text: str, statement: bool) -> Iterable[Quantity]:
    for match in _WORDS.finditer(text):
        words = match[0].lower().replace("-", " ").replace(" and ", " ").split()
        value = _count(words)
        if statement and (words[0] in ("one", "zero") or words[0] in _SCALES) and len(words) == 1:
            continue
        if (
            words[0] in _SCALES
            and text[max(0, match.start() - 2) : match.start()].rstrip()[-1:].isdigit()
        ):
            continue  # the scale of a number in digits
        following = _NEXT.match(text, match.end())
        dimension, unit, stop = _unit(text, following, match.end())
        yield Quantity(
            _name(text, match.start(), match.end(), stop),
            ((dimension, _base(dimension, value, unit), value),),
            _slack(text, match.start()),
            len(words) == 1 and value <= 12,
        )


def _loose_quantities(text: str) -> Iterable[Quantity]:
    """Read the words of a passage that may stand for a number: ordinals, shares, Roman numerals."""
    for match in _WHOLE_WORD.finditer(text):
        word = match[0].lower()
        if word in _LOOSE:
            yield _number(word, _LOOSE[word])
        if word in _FRACTIONS:
            shares = _FRACTIONS[word]
            readings = [("percent", share, share) for share in shares]
            yield Quantity(word, (*readings, ("", shares[0] / 100, shares[0] / 100)))
        if match[0] in _ROMAN:
            yield _number(match[0], _ROMAN[match[0]])


def _count(words: list[str]) -> float:
    total, current = 0.0, 0.0
    for word in words:
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            total += (current or 1) * _SCALES[word]
            current = 0.0
    return total + current


def _slack(text: str, start: int) -> tuple[float, float]:
    hedge = _HEDGES.search(text, max(0, start - 24), start)
    if hedge is None:
        return (1.0, 1.0)
    if hedge["about"]:
        return (0.9, 1.1)
    return (1.0, 1.25) if hedge["over"] else (0.8, 1.0)
