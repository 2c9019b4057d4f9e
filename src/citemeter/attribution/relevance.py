"""Whether a citation has to do with a question and its answer at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from citemeter.errors import InputError, callable_name
from citemeter.judges.lexical.terms import overlap, terms_of

__all__ = ["LexicalRelevance", "Relevance"]

Relevance: TypeAlias = Callable[[str, str, str], bool]
"""From question, answer and citation to whether the citation has to do with the other two."""


class LexicalRelevance:
    r"""Relevant iff the citation has enough of the informative words of question and answer.

    .. math:: r = \frac{\sum_{w \in T \cap C} \omega_w}{\sum_{w \in T} \omega_w}

    with :math:`T` the content words of question and answer together, :math:`C` those of the
    citation, lightly stemmed, and :math:`\omega_w` how informative a word is, from the lexical
    judge's word list. The citation is relevant iff :math:`r` is at least the threshold.

    Args:
        threshold: The share from which a citation is relevant, in [0, 1].

    Raises:
        InputError: If the threshold is outside [0, 1].

    Undefined when: never. Without any content word in question and answer the share is 0.

    >>> relevant = LexicalRelevance()
    >>> passage = "The harbour museum opened in 1904."
    >>> relevant("When did the harbour museum open?", "It opened in 1902.", passage)
    True
    >>> relevant("Who wrote Middlemarch?", "George Eliot.", passage)
    False
    """

    def __init__(self, threshold: float = 0.5) -> None:
        if not 0 <= threshold <= 1:
            raise InputError(
                f"the relevance threshold is {threshold}.", fix="give a share between 0 and 1."
            )
        self.threshold = threshold

    def share(self, question: str, answer: str, citation: str) -> float:
        """Return the share of the informative words that the citation has, in [0, 1]."""
        return overlap(terms_of(f"{question}\n{answer}"), frozenset(terms_of(citation)))

    def __call__(self, question: str, answer: str, citation: str) -> bool:
        """Whether the citation is relevant."""
        return self.share(question, answer, citation) >= self.threshold

    def __str__(self) -> str:
        return f"lexical@{self.threshold:g}"


def relevance_name(relevance: Relevance) -> str:
    """Return what a report calls a relevance check."""
    if isinstance(relevance, LexicalRelevance):
        return str(relevance)
    return f"callable:{callable_name(relevance)}"
