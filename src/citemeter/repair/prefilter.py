"""Which sources are worth asking the judge about: a ranking by shared words, made in microseconds.

It decides nothing: it only says in which order the judge is asked, and where to stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from citemeter.judges.lexical.terms import overlap, terms_of

__all__ = ["Prefilter"]


class Prefilter:
    r"""Ranks the sources of one answer by the informative words they share with a statement.

    .. math:: \mathrm{score}(s, d) = \frac{\sum_{t \in s \cap d} \omega_t}{\sum_{t \in s} \omega_t}

    over the content words :math:`t` of statement :math:`s` and source :math:`d`, lightly stemmed,
    with :math:`\omega_t` how informative a word is, from the lexical judge's word list.

    Args:
        texts: What the judge reads of each source.

    >>> prefilter = Prefilter(["Cats purr.", "Dogs bark at cats.", "Fish swim."])
    >>> prefilter.rank("Dogs bark."), prefilter.rank("Cats purr.")
    ([1, 0, 2], [0, 1, 2])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._terms = [frozenset(terms_of(text)) for text in texts]

    def scores(self, statement: str) -> list[float]:
        """Return each source's share of the statement's informative words, in [0, 1]."""
        wanted = dict.fromkeys(terms_of(statement))
        return [overlap(wanted, terms) for terms in self._terms]

    def rank(self, statement: str) -> list[int]:
        """Return the places of all sources, the likeliest first, equals in their own order."""
        scores = self.scores(statement)
        return sorted(range(len(scores)), key=lambda place: -scores[place])

    def complements(self, statement: str, places: Sequence[int]) -> list[tuple[int, int]]:
        """Return pairs of sources by how much of a statement they cover together, most first.

        Two sources that share the same words with it cover no more than one of them does.

        Args:
            statement: The statement.
            places: The sources to pair, best first.
        """
        wanted = dict.fromkeys(terms_of(statement))
        covered = {
            (a, b): overlap(wanted, self._terms[a] | self._terms[b])
            for a, b in combinations(places, 2)
        }
        return sorted(covered, key=lambda pair: -covered[pair])
