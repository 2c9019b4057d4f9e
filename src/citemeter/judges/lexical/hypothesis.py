"""A statement as the lexical judge checks it: what it would have the passage say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from citemeter.judges.lexical.dates import Date
from citemeter.judges.lexical.premise import QUESTIONING, WEAKENING, opposites
from citemeter.judges.lexical.quantities import NUMBER_WORDS, Quantity, read_numbers
from citemeter.judges.lexical.terms import CLAUSE, SENTENCE, STOP, is_listed, tokens, weight_of

_MARKERS = re.compile(r"\[[\d, –-]{1,40}\]")
# What an assistant says about its sources and not about the subject.
_FRAME = re.compile(
    r"\s{0,9}(?:(?:yes|no), )?(?:based on|according to|as per|from)(?: \w{1,20}){0,3}?"
    r" (?:contexts?|information|passages?|sources?|documents?|texts?|articles?|results|evidence)"
    r"(?: \w{1,20}){0,2},"
    r"(?: it (?:can|could|may) be (?:inferred|concluded|said|seen) that"
    r"| it (?:appears|seems) that)?",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[\s.,-]+")
_NUMBER_WORDS = NUMBER_WORDS - {"one"}  # compared by value; "one" is more often a pronoun
_GERMAN = frozenset(["der", "das", "den", "dem", "und", "ist", "ein", "eine", "mit", "von", "wird"])


class Term(NamedTuple):
    """An informative word of the statement.

    Args:
        text: How the statement spells it.
        term: Its stem.
        weight: How informative it is.
        negated: Whether a negation reaches it.
    """

    text: str
    term: str
    weight: float
    negated: bool


class Statement:
    """The terms, numbers, dates and polarity of one hypothesis.

    Args:
        text: The hypothesis; citation markers left in it are ignored.

    Attributes:
        terms: Each informative word once, numbers left out.
        total: The sum of the terms' weights.
        names: Runs of names as positions in ``terms``: "New York" is one run of two.
        quantities: The numbers that it states.
        dates: The dates that it states, one tuple of readings for each.
        opposites: The opposites of its terms, each with the term's position.
        negates: Whether any word of it negates.
        text: The hypothesis without markers, and without "based on the given context,".
    """

    def __init__(self, text: str) -> None:
        text = _MARKERS.sub(" ", text)
        frame = _FRAME.match(text)
        self.text = text = text[frame.end() :] if frame else text
        numbers = read_numbers(text, statement=True)
        self.quantities: tuple[Quantity, ...] = numbers.quantities
        readings: dict[str, list[Date]] = {}
        for date in numbers.dates:
            readings.setdefault(date.text, []).append(date)
        self.dates = tuple([tuple(dates) for dates in readings.values()])
        # A unit belongs to its number, "pm" to its hour and "May" to its date: they are compared
        # by value, since "5 miles" may be "8 km" in the passage.
        amounts = [quantity.text for quantity in self.quantities if quantity.readings[0][0]]
        by_value = {word for found in (*amounts, *readings) for word in _SPLIT.split(found.lower())}
        spoken = [word for word in _spoken(text) if word.text.lower() not in by_value]
        self.negates = any(word.negates for word in spoken)
        # In a headline or a German sentence capitals say nothing about names.
        content = [word.text for word in spoken if word.term and word.text[0].isalpha()]
        headline = len(content) > 3 and all(text[0].isupper() for text in content)
        german = sum([word.text in _GERMAN for word in spoken]) > 1
        naming = not headline and not german
        numbered: dict[str, int] = {}
        terms: list[Term] = []
        names: list[list[int]] = []
        running = False
        for word in spoken:
            term = word.term
            is_name = naming and bool(term) and word.is_name
            if term and term not in numbered:
                numbered[term] = len(terms)
                terms.append(Term(word.text, term, weight_of(term), word.negated))
            if is_name and running:
                names[-1].append(numbered[term])
            elif is_name:
                names.append([numbered[term]])
            running = is_name and not word.ends
        self.terms = tuple(terms)
        self.names = tuple([tuple(run) for run in names])
        known = opposites()
        self.opposites = tuple(
            [
                (index, other)
                for index, term in enumerate(terms)
                for other in known.get(term.term, ())
                if other not in numbered
            ]
        )
        self.total = sum([term.weight for term in terms])


@dataclass(slots=True)
class _Word:
    """A word of the statement in its place."""

    text: str
    term: str
    is_name: bool
    negated: bool
    negates: bool = False
    ends: bool = False


def _spoken(text: str) -> list[_Word]:
    """List the words with what stands before them: the start of a sentence, a negation."""
    spoken: list[_Word] = []
    initial = True
    reach = since = 0
    for spelling, term, negates in tokens(text):
        if term in (SENTENCE, CLAUSE):
            reach = 0
            initial = initial or term == SENTENCE or spelling == ":"
            if spoken:
                spoken[-1].ends = True
            if term == SENTENCE:
                since = len(spoken)
            continue
        if spelling.isdecimal() or spelling.lower() in _NUMBER_WORDS:
            term = STOP
        elif (reach and spelling.lower() in WEAKENING) or spelling == "until":
            # "not only" and "not until" assert what follows.
            reach = 0
            for word in spoken[since:]:
                word.negates = word.negated = False
        is_name = spelling[0].isupper() and (not initial or not is_listed(term))
        word = _Word(spelling, term, is_name, negated=bool(term) and reach > 0)
        if negates and not (spoken and spoken[-1].text in QUESTIONING):
            word.negates, reach = True, 2
        elif term and reach:
            reach -= 1
        spoken.append(word)
        initial = False
    return spoken
