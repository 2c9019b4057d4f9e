"""The sentences of a premise that a statement needs: what a reader with a short sight is given."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.terms import HANGUL, UNSPACED, WORD, terms_of, weight_of

GAP = " … "
"""What stands between two chosen sentences that are not neighbours."""

_WORD = re.compile(WORD)
_END = re.compile(r"(?<=[.!?])[\"”’')\]]*\s+(?=[\"“‘'(\[]*[^\W_a-z])|(?<=[。！？])|\s*\n\s*")
_UNSPACED = re.compile(f"[{UNSPACED}{HANGUL}]")
_LONGEST = 60  # words of a piece: a longer sentence, or a text without full stops, is cut
_NEAR = 3  # neighbours on either side that may be added for context


class _Piece:
    """A sentence, or a part of a very long one."""

    __slots__ = ("size", "terms", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # A script without spaces has no words to count: two characters stand for one.
        self.size = len(_WORD.findall(text)) + len(_UNSPACED.findall(text)) // 2
        self.terms = frozenset(terms_of(text))


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
        statement's terms have and the sentences taken before lack. The words that are left go to
        their neighbours, since a pronoun's name stands in the sentence before.

        Args:
            statement: What is to be found.
            words: How many words it may have; the first sentence taken may have more.

        Returns:
            The chosen sentences, ``GAP`` between those that are not neighbours; the whole premise
            if it has no more words than that.
        """
        if self.size <= words:
            return " ".join(self.text.split())
        wanted = _wanted(statement)
        gains = {
            at: found
            for at, piece in enumerate(self.pieces)
            if (found := wanted.keys() & piece.terms)
        }
        chosen: list[int] = []
        left = words
        while gains:
            best = max(gains, key=lambda at: (sum([wanted[t] for t in gains[at]]), -at))
            gained = gains.pop(best)
            if chosen and self.pieces[best].size > left:
                continue
            chosen.append(best)
            left -= self.pieces[best].size
            gains = {at: rest for at, found in gains.items() if (rest := found - gained)}
        if not chosen:
            chosen.append(0)
            left -= self.pieces[0].size
        return self._joined(sorted(self._with_neighbours(chosen, left)))

    def _with_neighbours(self, chosen: list[int], left: int) -> set[int]:
        taken = set(chosen)
        for away in range(1, _NEAR + 1):
            for at in chosen:
                for near in (at - away, at + away):
                    if not 0 <= near < len(self.pieces) or near in taken:
                        continue
                    if self.pieces[near].size <= left:
                        taken.add(near)
                        left -= self.pieces[near].size
        return taken

    def _joined(self, places: list[int]) -> str:
        text = self.pieces[places[0]].text
        for before, at in itertools.pairwise(places):
            text += (" " if at == before + 1 else GAP) + self.pieces[at].text
        return " ".join(text.split())


def _wanted(statement: Statement) -> dict[str, float]:
    """Return the weight of each term of a statement, its numbers among them."""
    wanted = {term.term: term.weight for term in statement.terms}
    numbers = [quantity.text for quantity in statement.quantities]
    for text in (*numbers, *(readings[0].text for readings in statement.dates)):
        for term in terms_of(text):
            wanted.setdefault(term, weight_of(term))
    return wanted
