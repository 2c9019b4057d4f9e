"""What is done about each kind of finding."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from citemeter.errors import InputError, check_choice
from citemeter.results import MIN_QUOTE_WORDS

__all__ = ["Action", "Choice", "FindingKind", "Policy"]

Choice: TypeAlias = Literal["allow", "flag", "strip", "block"]
Action: TypeAlias = Literal["pass", "flag", "strip", "block"]
FindingKind: TypeAlias = Literal[
    "invalid_id",
    "listed_id",
    "unverified_quote",
    "uncited_claim",
    "uncited_answer",
    "refusal",
    "unclean",
]

KINDS: tuple[FindingKind, ...] = (
    "invalid_id",
    "listed_id",
    "unverified_quote",
    "uncited_claim",
    "uncited_answer",
    "refusal",
)
"""The kinds that a policy decides about; ``"unclean"`` is always a block."""

_STRIPPABLE = frozenset(("invalid_id", "listed_id"))
_CHOICES = ("allow", "flag", "strip", "block")
_GRAVITY = {"pass": 0, "flag": 1, "strip": 2, "block": 3}


@dataclass(frozen=True)
class Policy:
    """What is done about each kind of finding: allow, flag, strip or block.

    ``"allow"`` leaves the finding out, ``"flag"`` reports it and passes the answer, ``"strip"``
    takes the marker out of the answer, ``"block"`` withholds the answer. Words are never
    rewritten, so only markers and entries of reference lists can be stripped.

    Args:
        invalid_id: A marker whose id is none of the sources that may be cited: made up, or of a
            document that this caller may not see. The two are one kind, told apart nowhere.
        listed_id: An entry of the answer's own list of sources with such an id.
        unverified_quote: A quotation that does not stand verbatim in what it cites.
        uncited_claim: A statement that needs a citation and has no valid one.
        uncited_answer: An answer with claims, none of them with a valid citation.
        refusal: An answer that declines to answer. Its sentences are no uncited claims.
        min_quote_words: How many words a quotation has at least.

    Raises:
        InputError: If a field is none of the choices, or asks to strip what cannot be stripped.

    >>> Policy(invalid_id="block").invalid_id
    'block'
    >>> Policy(uncited_claim="strip")
    Traceback (most recent call last):
    ...
    citemeter.errors.InputError: field 'uncited_claim': words are never taken out of an answer.
    Fix: use allow, flag or block.
    """

    invalid_id: Choice = "strip"
    listed_id: Choice = "strip"
    unverified_quote: Choice = "flag"
    uncited_claim: Choice = "flag"
    uncited_answer: Choice = "flag"
    refusal: Choice = "allow"
    min_quote_words: int = MIN_QUOTE_WORDS

    def __post_init__(self) -> None:
        """Check the fields, so that a wrong word is an error before any answer is let through."""
        for kind in KINDS:
            value = getattr(self, kind)
            check_choice(kind, value, _CHOICES)
            if value == "strip" and kind not in _STRIPPABLE:
                raise InputError(
                    "words are never taken out of an answer.",
                    field=kind,
                    fix="use allow, flag or block.",
                )
        words = self.min_quote_words
        if not isinstance(words, int) or isinstance(words, bool) or words < 1:
            raise InputError(f"min_quote_words is {words!r}.", fix="give 1 or more.")

    def __str__(self) -> str:
        return ",".join(f"{field.name}:{getattr(self, field.name)}" for field in fields(self))


def graver(first: Action, second: Action) -> Action:
    """Return the graver of two actions: pass, flag, strip, block.

    >>> graver("strip", "flag")
    'strip'
    """
    return first if _GRAVITY[first] >= _GRAVITY[second] else second
