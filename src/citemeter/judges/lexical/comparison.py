"""What of a statement a passage says and what clashes: the facts the lexical score rests on."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from citemeter.judges.lexical.dates import Date
from citemeter.judges.lexical.hypothesis import Statement, Term
from citemeter.judges.lexical.premise import Line, Passage, denials, opposites

_ALIGNED = 0.5  # a sentence with less of the statement's weight is about something else
_NEAR = 4  # words from one term to the next: what stands between them is mostly small words
_AS_GOOD = 0.9  # sentences this near to the best one are read too
_NAME_ENDINGS = ("n", "an", "ian", "ism", "ish", "ic", "ist", "i")
_LINKS = "(?:of|the|and|for|de|on|in) "


class Comparison(NamedTuple):
    """What of a statement was found in a passage.

    Args:
        whole: The share of the statement's weight that the passage has anywhere, in ``[0, 1]``.
        window: The share that its best window of words has.
        second: The share that the next best window adds to that.
        adjacent: The share of the statement's neighbouring terms, two by two, that stand near
            each other and in that order in the passage; 1 for a single term that it has.
        missing: The terms that the passage lacks.
        names: The names among them whose last word is missing: a surname, not a first name.
        numbers: What is wrong with the statement's numbers and dates, in words.
        counts: The same for small number words, which may count what the passage lists.
        polarity: How the best sentence contradicts the statement, in words.
    """

    whole: float
    window: float
    second: float
    adjacent: float
    missing: tuple[Term, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    counts: tuple[str, ...]
    polarity: str | None


def compare(statement: Statement, passage: Passage, width: int) -> Comparison:
    """Look for a statement in a passage, ``width`` words at a time."""
    terms = statement.terms
    positions = [passage.positions(term.term) for term in terms]
    missing = [index for index, found in enumerate(positions) if not found]
    hits = sorted((at, index) for index, found in enumerate(positions) for at in found)
    weights = [term.weight for term in terms]
    total = statement.total or 1.0
    reworded: set[int] = set()
    if missing:
        reworded = _in_other_words(statement, missing, passage)
        missing = [index for index in missing if index not in reworded]
    inside, members = _best_window(hits, weights, width)
    # What stands there in other words has no place of its own: it counts as in the window.
    inside += sum([weights[index] for index in reworded])
    second = 0.0
    if len(members) + len(reworded) + len(missing) < len(terms):
        rest = [hit for hit in hits if hit[1] not in members]
        second, joined = _best_window(rest, weights, width)
        if len(joined) < 2:
            second = 0.0  # a stray word is no second piece of evidence
    numbers, counts = _number_problems(statement, passage)
    return Comparison(
        (total - sum([weights[index] for index in missing])) / total if terms else 0.0,
        inside / total,
        second / total,
        _in_order(positions),
        tuple([terms[index] for index in missing]),
        tuple([terms[run[-1]].text for run in statement.names if run[-1] in missing]),
        numbers,
        counts,
        _polarity(statement, passage, hits, weights),
    )


def _in_order(positions: Sequence[Sequence[int]]) -> float:
    """Return the share of neighbours that stay neighbours."""
    if len(positions) < 2:
        return float(any(positions))
    kept = [
        any(_between(there, at + 1, at + _NEAR + 1) for at in here)
        for here, there in itertools.pairwise(positions)
    ]
    return sum(kept) / len(kept)


def _best_window(
    hits: list[tuple[int, int]], weights: list[float], width: int
) -> tuple[float, set[int]]:
    """Return the most weight that ``width`` words hold, and the terms that make it up."""
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
    return sum([weights[index] for index in members]), members


@lru_cache(maxsize=1024)
def _initials(letters: str) -> re.Pattern[str]:
    words = [rf"{letter}[^\W\d_]+" for letter in letters]
    return re.compile(r"(?<![^\W_])" + rf"[ -](?:{_LINKS})?(?:the )?".join(words))


def _derived(name: str, passage: Passage) -> bool:
    """Whether the passage has a name's adjective or the name of an adjective ("Babylonian")."""
    if len(name) < 5:
        return False
    forms = [name[:size] for size in range(max(5, len(name) - 4), len(name))]
    forms += [name + ending for ending in _NAME_ENDINGS]
    return any(map(passage.has, forms))


def _in_other_words(statement: Statement, missing: list[int], passage: Passage) -> set[int]:
    """Return the missing terms that the passage, or the statement itself, has in other words.

    These are abbreviations, spelled-out abbreviations, and "not permitted" for "prohibited".
    """
    terms = statement.terms
    found: set[int] = set()
    for index in missing:
        term = terms[index]
        if term.negated and any(map(passage.has, opposites().get(term.term, ()))):
            found.add(index)
            continue
        letters = term.text.replace(".", "")
        if 2 <= len(letters) <= 6 and letters.isupper() and letters.isalpha():
            search = _initials(letters).search
            if search(statement.text) or any(search(line.text) for line in passage.lines):
                found.add(index)
    for run in statement.names:
        found.update([i for i in run if i in missing and _derived(terms[i].term, passage)])
        if len(run) > 1 and not found.issuperset(run):
            letters = "".join([terms[index].text[0] for index in run]).casefold()
            if passage.has(letters) or passage.has(letters + "^"):
                found.update([index for index in run if index in missing])
    return found


def _number_problems(
    statement: Statement, passage: Passage
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    problems: list[str] = []
    counts: list[str] = []
    for quantity in statement.quantities:
        if any(line.numbers.holds(quantity) for line in passage.lines):
            continue
        others = [line.numbers.elsewhere(quantity) for line in passage.lines]
        other = next((text for text in others if text), "")
        problem = (
            f"the passage has {other!r} for {quantity.text!r}"
            if other
            else f"{quantity.kind} {quantity.text} is not in the passage"
        )
        (counts if quantity.small_word and not other else problems).append(problem)
    problems += [
        f"date {readings[0].text} is not in the passage"
        for readings in statement.dates
        if not _has_date(readings, passage)
    ]
    return tuple(problems), tuple(counts)


def _has_date(readings: tuple[Date, ...], passage: Passage) -> bool:
    values = {value for line in passage.lines for value in line.numbers.face_values}
    others = [other for line in passage.lines for other in line.numbers.dates]
    for date in readings:
        for other in others:
            if date.month != other.month or (date.day and date.day != other.day):
                continue
            # A year may be said once for several dates.
            if not date.year or date.year == (other.year or (date.year in values and date.year)):
                return True
    if any(other.day for other in others):
        return False
    # The passage may write its dates in another language: its numbers must do.
    return any(
        all(not part or part in values for part in (date.day, date.year)) for date in readings
    )


def _polarity(
    statement: Statement, passage: Passage, hits: list[tuple[int, int]], weights: list[float]
) -> str | None:
    """Say how the sentences nearest to the statement contradict it, or ``None``."""
    opposed = [(index, other) for index, other in statement.opposites if passage.has(other)]
    if not opposed and not statement.negates and not any(line.negated for line in passage.lines):
        return None
    sentences = _sentences(passage, hits)
    scores = {key: sum([weights[i] for i in found]) for key, found in sentences.items()}
    best = max(scores.values(), default=0.0)
    if best < _ALIGNED * statement.total:
        return None
    clash = None
    for key, score in scores.items():
        if score >= _AS_GOOD * best:
            clash = _clash(statement, opposed, passage.lines[key[0]], key[1], sentences[key])
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
        within = position - offsets[number]
        key = (number, passage.lines[number].sentence_of(within))
        sentences.setdefault(key, {}).setdefault(index, []).append(within)
    return sentences


def _between(positions: Sequence[int], start: int, end: int) -> Sequence[int]:
    """Return the sorted positions that lie in a stretch."""
    return positions[bisect_left(positions, start) : bisect_left(positions, end)]


def _clash(
    statement: Statement,
    opposed: Sequence[tuple[int, str]],
    line: Line,
    sentence: int,
    found: dict[int, list[int]],
) -> str | None:
    start, end = line.sentence_range(sentence)
    negated = set(_between(line.negated, start, end))
    terms = statement.terms
    opposite = None
    for index, other in opposed:
        positions = _between(line.positions.get(other, ()), start, end)
        if index in found or not positions:
            continue
        for near in opposites()[other]:
            if _between(line.positions.get(near, ()), start, end):
                return None  # both directions are spoken of: "as it rises, pressure falls"
        if terms[index].negated or not negated.isdisjoint(positions):
            return None  # "not permitted" for "prohibited"
        opposite = f"the passage has the opposite of {terms[index].text!r}"
    if opposite:
        return opposite
    if statement.negates:
        if negated or _between(line.denied, start, end):
            return None
        for index in found:
            if terms[index].negated:
                return f"the statement negates {terms[index].text!r} and the passage does not"
        return None
    if any(term.term in denials() for term in terms):
        return None
    for index, positions in found.items():
        if negated.issuperset(positions):
            return f"the passage negates {terms[index].text!r} and the statement does not"
    return None
