"""The sentences of a premise that a statement needs: what a reader with a short sight is given."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.terms import UNSPACED, WORD, term_of, weight_of
from citemeter.text.sentences.boundaries import SPACED_STOPS, WIDE_STOPS

__all__ = ["GAP", "Evidence"]

GAP = " … "
"""What stands between two chosen sentences that are not neighbours."""

_WORD = re.compile(WORD)
_STOPS = SPACED_STOPS.replace("…", "")  # it may stand inside a sentence
_END = re.compile(
    rf"(?<=[{_STOPS}])[\"”’')\]]*\s+(?=[\"“‘'(\[]*[^\W_a-z])|(?<=[{WIDE_STOPS}])|\s*\n\s*"
)
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_LONGEST = 60  # words of a piece: a longer sentence, or a text without full stops, is cut
_NEAR = 3  # neighbours on either side that may be added for context


class _Piece:
    """A sentence, or a part of a very long one."""

    __slots__ = ("size", "terms", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        words = _WORD.findall(text)
        # A script without spaces has no words to count: two characters stand for one.
        self.size = len(words) + len(_UNSPACED.findall(text)) // 2
        self.terms = frozenset([term for term in map(term_of, words) if term])


def _pieces(text: str) -> Iterator[str]:
    for part in _END.split(text):
        if not part or part.isspace():
            continue
        words = part.split(None, _LONGEST)
        while len(words) > _LONGEST:
            yield " ".join(words[:_LONGEST])
            part = words[_LONGEST]
            words = part.split(None, _LONGEST)
        yield part.strip()


class Evidence:
    """The sentences of one premise, each with its terms.

    Args:
        text: The premise.

    >>> text = "Ann sold boats. It rained. It snowed. In 1990 her brother bought a boat in Rome."
    >>> Evidence(text).select(Statement("Her brother bought a boat."), 9)
    'In 1990 her brother bought a boat in Rome.'
    >>> Evidence(text).select(Statement("Ann sold boats in Rome."), 12)
    'Ann sold boats. … In 1990 her brother bought a boat in Rome.'
    """

    __slots__ = ("pieces", "size", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = [_Piece(part) for part in _pieces(text)]
        self.size = sum([piece.size for piece in self.pieces])

    def select(self, statement: Statement, words: int) -> str:
        """Return the sentences that cover a statement best, in their order.

        Sentences are taken one by one, each the one that adds most of the weight that the
        statement's terms have and the sentences taken before lack. What room is left goes to their
        neighbours, since a pronoun's name stands in the sentence before.

        Args:
            statement: What is to be found.
            words: The room, in words; the first sentence taken may exceed it.

        Returns:
            The chosen sentences, ``GAP`` between those that are not neighbours; the whole premise
            if it has no more words than that.
        """
        if self.size <= words:
            return " ".join(self.text.split())
        wanted = _wanted(statement)
        places: dict[int, set[str]] = {}
        for at, piece in enumerate(self.pieces):
            found = wanted.keys() & piece.terms
            if found:
                places[at] = found
        chosen: list[int] = []
        room = words
        while places:
            best = max(places, key=lambda at: (sum([wanted[t] for t in places[at]]), -at))
            gained = places.pop(best)
            if chosen and self.pieces[best].size > room:
                continue
            chosen.append(best)
            room -= self.pieces[best].size
            places = {at: left for at, found in places.items() if (left := found - gained)}
        if not chosen:
            chosen.append(0)
            room -= self.pieces[0].size
        self._add_neighbours(chosen, room)
        return self._joined(sorted(chosen))

    def _add_neighbours(self, chosen: list[int], room: int) -> None:
        taken = set(chosen)
        for away in range(1, _NEAR + 1):
            for at in tuple(chosen):
                for near in (at - away, at + away):
                    if not 0 <= near < len(self.pieces) or near in taken:
                        continue
                    if self.pieces[near].size <= room:
                        taken.add(near)
                        room -= self.pieces[near].size
        chosen[:] = taken

    def _joined(self, places: list[int]) -> str:
        text = self.pieces[places[0]].text
        for before, at in itertools.pairwise(places):
            text += (" " if at == before + 1 else GAP) + self.pieces[at].text
        return " ".join(text.split())


def _wanted(statement: Statement) -> dict[str, float]:
    """Return the weight of each term of a statement, its numbers among them."""
    wanted = {term.term: term.weight for term in statement.terms}
    for quantity in statement.quantities:
        for word in _WORD.findall(quantity.text):
            if term := term_of(word):
                wanted.setdefault(term, weight_of(term))
    for readings in statement.dates:
        for word in _WORD.findall(readings[0].text):
            if term := term_of(word):
                wanted.setdefault(term, weight_of(term))
    return wanted
