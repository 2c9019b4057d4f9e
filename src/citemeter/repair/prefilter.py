"""Which sources are worth asking the judge about: a ranking by shared words, made in microseconds.

It decides nothing: it only says in which order the judge is asked, and where to stop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from math import log

from citemeter.judges.lexical.terms import STOP, UNSPACED, WORD, term_of, weight_of

__all__ = ["Prefilter", "terms_of"]

_WORD = re.compile(WORD)
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_LONG, _REMEMBERED = 8, 100_000
_terms: dict[str, tuple[str, ...]] = {}
_SATURATION = 0.6
_LENGTH = 0.25  # a long passage may well be the one that says it


def terms_of(text: str) -> list[str]:
    """Return the stems of a text's content words, one for each occurrence.

    Scripts written without spaces are cut into overlapping pairs of characters.

    >>> terms_of("The employees carried 5 days over.")
    ['employe', 'carri', '5', 'day']
    """
    known = _terms.get
    terms: list[str] = []
    for word in _WORD.findall(text):
        found = known(word)
        if found is None:
            found = _read(word)
        if len(found) == 1:
            terms.append(found[0])
        else:
            terms.extend(found)
    return terms


def _read(word: str) -> tuple[str, ...]:
    """Return the terms of a word, remembered if it is no long run of an unspaced script."""
    if not word.isascii() and _UNSPACED.match(word):
        found = tuple([word[i : i + 2] for i in range(len(word) - 1)]) or (word,)
        if len(found) > _LONG:
            return found
    else:
        term = term_of(word)
        found = () if term == STOP else (term,)
    if len(_terms) >= _REMEMBERED:
        _terms.clear()
    _terms[word] = found
    return found


class Prefilter:
    r"""Ranks the sources of one answer by the informative words they share with a statement.

    .. math:: \mathrm{score}(s, d) = \sum_{t \in s} \iota_t \ln\frac{N + 1}{n_t + \frac{1}{2}}\;
              \frac{f_{t,d}\,(k + 1)}{f_{t,d} + k\,(1 - b + b\,\ell_d / \bar\ell)}

    This is BM25 over the answer's own :math:`N` sources, :math:`n_t` of which have the term
    :math:`t`, each term weighed by how informative it is in general, :math:`\iota_t`;
    :math:`f_{t,d}` is how often source :math:`d` has it, :math:`\ell_d` the source's length in
    terms, :math:`k = 0.6` and :math:`b = 0.25`.

    Args:
        texts: What the judge reads of each source.

    >>> prefilter = Prefilter(["Cats purr.", "Dogs bark at cats.", "Fish swim."])
    >>> prefilter.rank("Dogs bark."), prefilter.rank("Cats purr.")
    ([1, 0, 2], [0, 1, 2])

    Reference: Robertson and Zaragoza (2009), The Probabilistic Relevance Framework.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.size = len(texts)
        listed = [terms_of(text) for text in texts]
        mean = sum(map(len, listed)) / self.size if self.size else 0.0
        self._places: dict[str, dict[int, float]] = {}
        for place, terms in enumerate(listed):
            if not terms:
                continue
            times = Counter(terms)
            norm = _SATURATION * (1 - _LENGTH + _LENGTH * len(terms) / mean)
            for term, number in times.items():
                gain = number * (_SATURATION + 1) / (number + norm)
                found = self._places.get(term)
                if found is None:
                    self._places[term] = {place: gain}
                else:
                    found[place] = gain
        self._weights: dict[str, float] = {}

    def scores(self, statement: str) -> list[float]:
        """Return each source's score for a statement; 0 where no informative word is shared."""
        scores = [0.0] * self.size
        for term in dict.fromkeys(terms_of(statement)):
            found = self._places.get(term)
            if found is not None:
                weight = self._weight(term, len(found))
                for place, gain in found.items():
                    scores[place] += weight * gain
        return scores

    def rank(self, statement: str) -> list[int]:
        """Return the places of all sources, the likeliest first, equals in their own order."""
        scores = self.scores(statement)
        return sorted(range(self.size), key=lambda place: -scores[place])

    def complements(self, statement: str, places: Sequence[int]) -> list[tuple[int, int]]:
        """Return pairs of sources by how much of a statement they cover together, most first.

        Two sources that share the same words with it cover no more than one of them does.

        Args:
            statement: The statement.
            places: The sources to pair, best first.
        """
        terms = [t for t in dict.fromkeys(terms_of(statement)) if t in self._places]
        shares: list[tuple[float, Collection[int]]] = [
            (self._weight(term, len(self._places[term])), self._places[term]) for term in terms
        ]
        pairs = [(a, b) for n, a in enumerate(places) for b in places[n + 1 :]]
        gains = {
            (a, b): sum([weight for weight, found in shares if a in found or b in found])
            for a, b in pairs
        }
        return sorted(pairs, key=lambda pair: -gains[pair])

    def _weight(self, term: str, sources: int) -> float:
        weight = self._weights.get(term)
        if weight is None:
            rarity = log((self.size + 1) / (sources + 0.5))
            weight = self._weights[term] = weight_of(term) * rarity
        return weight
