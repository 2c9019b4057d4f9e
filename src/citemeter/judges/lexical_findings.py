"""What of a statement a passage says, and what of it clashes: the facts the lexical score rests on."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from citemeter.judges.lexical_numbers import Date, Quantity
from citemeter.judges.lexical_passage import Line, Passage, denials, opposites
from citemeter.judges.lexical_statement import Statement, Term

__all__ = ["Findings", "compare"]

_ALIGNED = 0.5  # a sentence with less of the statement's weight is about something else
_AS_GOOD = 0.9  # sentences this near to the best one are read too
_LINKS = "(?:of|the|and|for|de|on|in) "


class Findings(NamedTuple):
    """What was found.

    Args:
        whole: The share of the statement's weight that the passage has anywhere, in ``[0, 1]``.
        window: The share that its best window of words has.
        second: The share that the next best window adds to that.
        missing: The terms that the passage lacks.
        numbers: What is wrong with the statement's numbers and dates, in words.
        counts: The same for small number words, which may count what the passage lists.
        polarity: How the best sentence contradicts the statement, in words.
    """

    whole: float
    window: float
    second: float
    missing: tuple[Term, ...]
    numbers: tuple[str, ...]
    counts: tuple[str, ...]
    polarity: str | None


def compare(statement: Statement, passage: Passage, width: int) -> Findings:
    """Look for a statement in a passage, ``width`` words at a time."""
    hits: list[tuple[int, int]] = []
    missing: list[Term] = []
    found = 0.0
    for index, term in enumerate(statement.terms):
        before = len(hits)
        for line, offset in zip(passage.lines, passage.offsets, strict=True):
            places = line.places.get(term.term)
            if places is not None:
                hits += [(offset + place, index) for place in places]
        if len(hits) > before:
            found += term.weight
        else:
            missing.append(term)
    if missing:
        spelled = _spelled_out(missing, passage)
        if spelled:
            found += sum([term.weight for term in spelled])
            missing = [term for term in missing if term not in spelled]
    hits.sort()
    total = statement.total or 1.0
    weights = [term.weight for term in statement.terms]
    inside, place, members = _best_window(hits, weights, width)
    # What is spelled out otherwise has no place of its own; it counts wherever the window is.
    elsewhere = found - sum([weights[i] for i in {index for _, index in hits}])
    second = 0.0
    if len(members) < len(weights) - len(missing):
        rest = [hit for hit in hits if hit[1] not in members]
        second, _, joined = _best_window(rest, weights, width)
        if len(joined) < 2:
            second = 0.0
    numbers, counts = _number_problems(statement, passage)
    return Findings(
        found / total,
        (inside + elsewhere) / total,
        second / total,
        tuple(missing),
        numbers,
        counts,
        _polarity(statement, passage, hits, weights),
    )


def _best_window(
    hits: list[tuple[int, int]], weights: list[float], width: int
) -> tuple[float, int, set[int]]:
    """Return the most weight in ``width`` words, where they begin, and the terms they hold."""
    counts = [0] * len(weights)
    best, current, start, oldest = 0.0, 0.0, 0, 0
    for position, index in hits:
        counts[index] += 1
        if counts[index] == 1:
            current += weights[index]
        while hits[oldest][0] <= position - width:
            gone = hits[oldest][1]
            counts[gone] -= 1
            if not counts[gone]:
                current -= weights[gone]
            oldest += 1
        if current > best + 1e-9:
            best, start = current, hits[oldest][0]
    members = {index for position, index in hits if start <= position < start + width}
    return sum([weights[index] for index in members]), start, members


@lru_cache(maxsize=1024)
def _initials(letters: str) -> re.Pattern[str]:
    words = [rf"{letter}[^\W\d_]+" for letter in letters]
    return re.compile(rf"(?<![^\W_])" + rf"[ -](?:{_LINKS})?(?:the )?".join(words))


def _spelled_out(missing: list[Term], passage: Passage) -> list[Term]:
    """Return the missing terms that the passage has in other words.

    These are abbreviations, spelled-out abbreviations, and "not permitted" for "prohibited".
    """
    spelled = []
    for term in missing:
        if term.negated and any(map(passage.has, opposites().get(term.term, ()))):
            spelled.append(term)
            continue
        letters = term.text.replace(".", "")
        if 2 <= len(letters) <= 6 and letters.isupper() and letters.isalpha():
            pattern = _initials(letters)
            if any([pattern.search(line.text) for line in passage.lines]):
                spelled.append(term)
    names = [term for term in missing if term.is_name and term not in spelled]
    if len(names) > 1:
        letters = "".join([term.text[0] for term in names]).casefold()
        if passage.has(letters) or passage.has(letters + "^"):
            spelled += names
    return spelled


def _number_problems(
    statement: Statement, passage: Passage
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    problems: list[str] = []
    counts: list[str] = []
    for quantity in statement.quantities:
        if any([line.numbers.holds(quantity) for line in passage.lines]):
            continue
        other = next(filter(None, [line.numbers.elsewhere(quantity) for line in passage.lines]), "")
        problem = (
            f"the passage has {other!r} for {quantity.text!r}"
            if other
            else f"number {quantity.text} is not in the passage"
        )
        (counts if quantity.small_word and not other else problems).append(problem)
    for readings in statement.dates:
        problem = _date_problem(readings, passage)
        if problem:
            problems.append(problem)
    return tuple(problems), tuple(counts)


def _date_problem(readings: tuple[Date, ...], passage: Passage) -> str | None:
    faces: set[float] = set()
    dated = False
    for line in passage.lines:
        faces.update(line.numbers.faces)
        for other in line.numbers.dates:
            dated = dated or bool(other.day)
            for date in readings:
                if (
                    date.month == other.month
                    and (not date.day or date.day == other.day)
                    and (not date.year or not other.year or date.year == other.year)
                ):
                    if date.year and not other.year and float(date.year) not in faces:
                        continue
                    return None
    if not dated:
        # The passage may write its dates in another language: its numbers must do.
        for date in readings:
            if all([not part or float(part) in faces for part in (date.day, date.year)]):
                return None
    return f"date {readings[0].text} is not in the passage"


def _polarity(
    statement: Statement, passage: Passage, hits: list[tuple[int, int]], weights: list[float]
) -> str | None:
    """Say how the sentences nearest to the statement contradict it, or ``None``."""
    sentences = _sentences(passage, hits)
    scores = {key: sum([weights[i] for i in found]) for key, found in sentences.items()}
    best = max(scores.values(), default=0.0)
    if best < _ALIGNED * statement.total:
        return None
    clash = None
    for key, score in scores.items():
        if score >= _AS_GOOD * best:
            clash = _clash(statement, passage.lines[key[0]], key[1], sentences[key])
            if clash is None:
                return None
    return clash


def _sentences(
    passage: Passage, hits: list[tuple[int, int]]
) -> dict[tuple[int, int], dict[int, list[int]]]:
    """Group hits by ``(line, sentence)``, as the positions of each term found there."""
    sentences: dict[tuple[int, int], dict[int, list[int]]] = {}
    number, offsets = 0, passage.offsets
    for position, index in hits:
        while number + 1 < len(offsets) and offsets[number + 1] <= position:
            number += 1
        place = position - offsets[number]
        key = (number, passage.lines[number].sentence_of(place))
        sentences.setdefault(key, {}).setdefault(index, []).append(place)
    return sentences


def _clash(
    statement: Statement, line: Line, sentence: int, found: dict[int, list[int]]
) -> str | None:
    start, end = line.sentence_range(sentence)
    negated = {place for place in line.negated if start <= place < end}
    denied = any([start <= place < end for place in line.denied])
    terms = statement.terms
    opposite = None
    for index, term in enumerate(terms):
        if index in found:
            continue
        for other in opposites().get(term.term, ()):
            places = [p for p in line.places.get(other, ()) if start <= p < end]
            if places and other not in {t.term for t in terms}:
                cancelled = term.negated or any([p in negated for p in places])
                if cancelled:
                    return None
                opposite = f"the passage has the opposite of {term.text!r}"
    if opposite:
        return opposite
    denies = any([term.term in denials() for term in terms])
    if statement.negates:
        if negated or denied:
            return None
        for index in found:
            if terms[index].negated:
                return f"the statement negates {terms[index].text!r} and the passage does not"
        return None
    if denies:
        return None
    for index, places in found.items():
        if all([place in negated for place in places]):
            return f"the passage negates {terms[index].text!r} and the statement does not"
    return None
