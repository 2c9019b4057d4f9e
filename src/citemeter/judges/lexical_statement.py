"""A statement as the lexical judge checks it: what it would have the passage say."""

from __future__ import annotations

import re
from typing import NamedTuple

from citemeter.judges.lexical_numbers import Date, Quantity, read_numbers
from citemeter.judges.lexical_passage import CLAUSE, SENTENCE, tokens
from citemeter.judges.lexical_words import STOP, is_listed, weight_of

__all__ = ["Statement", "Term"]

_MARKERS = re.compile(r"\[[\d, –-]{1,40}\]")
_NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
    "thousand million billion trillion".split()
)


class Term(NamedTuple):
    """An informative word of the statement.

    Args:
        text: How the statement spells it.
        term: Its stem.
        weight: How informative it is.
        is_name: Whether it is written as a name.
        negated: Whether a negation reaches it.
    """

    text: str
    term: str
    weight: float
    is_name: bool
    negated: bool


class Statement:
    """The terms, numbers, dates and polarity of one hypothesis.

    Args:
        text: The hypothesis; citation markers left in it are ignored.
        name_weight: How many times its weight a name counts.

    Attributes:
        terms: Each informative word once, numbers left out.
        total: The sum of the terms' weights.
        quantities: The numbers that it states.
        dates: The dates that it states, one tuple of readings for each.
        negates: Whether any word of it negates.
    """

    __slots__ = ("dates", "names", "negates", "quantities", "terms", "total")

    def __init__(self, text: str, name_weight: float = 1.0) -> None:
        text = _MARKERS.sub(" ", text)
        numbers = read_numbers(text, statement=True)
        self.quantities: tuple[Quantity, ...] = numbers.quantities
        readings: dict[str, list[Date]] = {}
        for date in numbers.dates:
            readings.setdefault(date.text, []).append(date)
        self.dates = tuple([tuple(dates) for dates in readings.values()])
        # A unit belongs to its number: "5 miles" may be "8 km" in the passage.
        units = {
            word
            for quantity in self.quantities
            if quantity.readings[0][0]
            for word in quantity.text.lower().replace("-", " ").split()
        }
        self.negates = False
        seen: dict[str, Term] = {}
        for word, term, initial, negated in _spoken(text):
            self.negates = self.negates or negated is None
            if not term or term in seen or negated is None or word.lower() in units:
                continue
            is_name = word[0].isupper() and (not initial or not is_listed(term))
            seen[term] = Term(word, term, weight_of(term), is_name, bool(negated))
        terms = list(seen.values())
        words = [term for term in terms if term.text[0].isalpha()]
        # In a headline or a German sentence capitals say nothing about names.
        if len(words) > 3 and 2 * sum([w.text[0].isupper() for w in words]) > 1.4 * len(words):
            terms = [term._replace(is_name=False) for term in terms]
        self.terms = tuple(
            [t._replace(weight=t.weight * name_weight) if t.is_name else t for t in terms]
        )
        self.total = sum([term.weight for term in self.terms])


def _spoken(text: str) -> list[tuple[str, str, bool, bool | None]]:
    """List ``(spelling, term, opens a sentence, negated)``; a negation itself has ``None``."""
    spoken: list[tuple[str, str, bool, bool | None]] = []
    initial, reach = True, 0
    for word, term, negates in tokens(text):
        if term in (SENTENCE, CLAUSE):
            reach = 0
            initial = initial or term == SENTENCE
            continue
        if negates:
            reach = 2
            spoken.append((word, STOP, initial, None))
        elif word.isdecimal() or word.lower() in _NUMBER_WORDS:
            spoken.append((word, STOP, initial, False))
        else:
            spoken.append((word, term, initial, reach > 0))
            if term and reach:
                reach -= 1
        initial = False
    return spoken
