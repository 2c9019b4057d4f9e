"""A passage as the lexical judge searches it: each line analysed once, in linear time."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache, cached_property

from citemeter.judges.lexical.dates import Date
from citemeter.judges.lexical.quantities import Numbers, Quantity, read_numbers
from citemeter.judges.lexical.terms import CLAUSE, SENTENCE, term_of, tokens
from citemeter.judges.lexical.word_lists import read_sections

WEAKENING = frozenset(
    ["only", "just", "merely", "simply", "solely", "necessarily", "all", "every", "always"]
)
"""Words after which a negation denies nothing, or not everything ("not only", "not all")."""

QUESTIONING = frozenset(["or", "if", "why"])
"""Words after which a negation denies nothing ("whether or not")."""

_YEARS = {"decade": (0.0, 9.0), "century": (-100.0, 0.0)}
_CLOSE = 1e-6
_CONVERTED = 0.02  # "8 km" for "5 miles": amounts are rounded when they are converted


@cache
def denials() -> frozenset[str]:
    """Return the terms that deny in themselves ("prohibited", "fails")."""
    return frozenset(
        term_of(word) for row in read_sections("polarity.txt")["denials"] for word in row
    )


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Return each term's opposites."""
    pairs: dict[str, set[str]] = {}
    for first, second in read_sections("polarity.txt")["opposites"]:
        one, other = term_of(first), term_of(second)
        pairs.setdefault(one, set()).add(other)
        pairs.setdefault(other, set()).add(one)
    return {term: frozenset(others) for term, others in pairs.items()}


class Line:
    """One line of a passage.

    Args:
        text: Its characters.

    Attributes:
        size: How many words it has.
        positions: Where each term stands, counted in words.
        sentences: Where each sentence but the first begins.
        negated: Positions of content words within the reach of a negation.
        denied: Positions of words that deny in themselves.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.positions: dict[str, list[int]] = {}
        self.sentences: list[int] = []
        self.negated: list[int] = []
        self.denied: list[int] = []
        denying = denials()
        position = reach = 0
        before = ""
        for spelling, term, negates in tokens(text):
            if term in (SENTENCE, CLAUSE):
                reach = 0
                if term == SENTENCE and self.sentences[-1:] != [position]:
                    self.sentences.append(position)
                continue
            if negates:
                reach = int(before not in QUESTIONING)
            elif reach and spelling in WEAKENING:
                reach = 0
            elif spelling == "until":
                self._assert_from(self.sentences[-1] if self.sentences else 0)
            if term:
                self.positions.setdefault(term, []).append(position)
                if reach:
                    self.negated.append(position)
                    reach -= 1
                if term in denying:
                    self.denied.append(position)
            position += 1
            before = spelling
        self.size = position

    def _assert_from(self, start: int) -> None:
        """Drop a sentence's negations: "did not open until May" says that it opened."""
        while self.negated and self.negated[-1] >= start:
            self.negated.pop()

    def sentence_of(self, position: int) -> int:
        """Return the number of the sentence that a position is in."""
        return bisect_right(self.sentences, position)

    def sentence_range(self, sentence: int) -> tuple[int, int]:
        """Return where a sentence begins and ends."""
        start = self.sentences[sentence - 1] if sentence else 0
        end = self.sentences[sentence] if sentence < len(self.sentences) else self.size
        return start, end

    @cached_property
    def numbers(self) -> NumberIndex:
        """Its numbers and dates, read when first asked for."""
        return NumberIndex(read_numbers(self.text, statement=False))


class NumberIndex:
    """The numbers of a line: each face value's dimensions, and each dimension's amounts."""

    def __init__(self, numbers: Numbers) -> None:
        self.dates: tuple[Date, ...] = numbers.dates
        self.face_values: dict[float, set[str]] = {}
        self.amounts: dict[str, list[tuple[float, float, str]]] = {}
        for quantity in numbers.quantities:
            for dimension, base, face in quantity.readings:
                self.face_values.setdefault(face, set()).add(dimension)
                self.amounts.setdefault(dimension, []).append((base, face, quantity.text))

    def holds(self, quantity: Quantity) -> bool:
        """Whether the line has the quantity in one of its readings."""
        return any(self._holds(reading, quantity.slack) for reading in quantity.readings)

    def _holds(self, reading: tuple[str, float, float], slack: tuple[float, float]) -> bool:
        dimension, base, face = reading
        if dimension in _YEARS:
            return self._holds_years(dimension, face)
        dimensions = self.face_values.get(face)
        # A number without a unit on either side is taken to be the same: tables, "5 unused days".
        if dimensions and ("" in dimensions or (not dimension and dimensions - _YEARS.keys())):
            return True
        low, high = slack
        if not dimension and (low, high) == (1.0, 1.0):
            return False
        for other, other_face, _ in self.amounts.get(dimension, ()):
            if low * base - _CLOSE <= other <= high * base + _CLOSE:
                return True
            same_unit = abs(base * other_face - other * face) <= _CLOSE * abs(base * other_face)
            if not same_unit and abs(other - base) <= _CONVERTED * abs(base):
                return True
        return False

    def _holds_years(self, dimension: str, face: float) -> bool:
        if dimension in self.face_values.get(face, ()):
            return True
        below, above = _YEARS[dimension]
        first = face * (100 if dimension == "century" else 1)
        return any(
            first + below < year + (dimension == "decade") and year <= first + above
            for year in self.face_values
            if 1000 <= year <= 2100
        )

    def elsewhere(self, quantity: Quantity) -> str | None:
        """Return the text of an amount with the same face value in another unit, if there is."""
        wanted = {face for _, _, face in quantity.readings}
        every = (amount for amounts in self.amounts.values() for amount in amounts)
        return next((text for _, face, text in every if face in wanted), None)


class Passage:
    """A premise: its lines, and where each begins when their words are counted through."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        *self.offsets, self.size = itertools.accumulate((line.size for line in lines), initial=0)

    def positions(self, term: str) -> list[int]:
        """Return where a term stands, counted through the lines."""
        lines = zip(self.lines, self.offsets, strict=True)
        return [offset + at for line, offset in lines for at in line.positions.get(term, ())]

    def has(self, term: str) -> bool:
        """Whether any line has a term."""
        return any(term in line.positions for line in self.lines)
