"""A ready-made rule: a named test with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from citemeter.contract.outcome import Outcome
from citemeter.contract.subject import Subject
from citemeter.errors import InputError
from citemeter.metrics.base import RecordLike
from citemeter.text.parse import ParseOptions

__all__ = ["EMPTY", "Rule", "whole_number", "words_list"]

EMPTY = "the answer is empty"
"""Why a blank answer fails: as in IFEval, it follows no instruction that asks for something."""


@dataclass(frozen=True)
class Rule:
    """A rule that an answer can be held to. Called with an answer, it says what it found.

    Args:
        name: Its name, as in a contract file.
        parameters: What it was made with, as in a contract file.
        test: What decides, called with the answer and ``arguments``.
        arguments: The parameters as the test takes them.
        conditional: Whether the rule is about something that an answer may do without, such as a
            quotation: it does not apply to a blank answer, where other rules are broken.
    """

    name: str
    parameters: Mapping[str, Any] = field(hash=False)
    test: Callable[..., Outcome] = field(repr=False)
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    conditional: bool = field(default=False, repr=False)

    def __call__(
        self, record: str | RecordLike | Subject, options: ParseOptions | None = None
    ) -> Outcome:
        """Check one answer.

        Args:
            record: The answer's text, a response or a plain record.
            options: How answers are read.
        """
        subject = record if isinstance(record, Subject) else Subject(record, options)
        if not subject.shown.strip():
            return Outcome.not_applicable(EMPTY) if self.conditional else Outcome.failed(EMPTY)
        return self.test(subject, **self.arguments)


def whole_number(rule: str, name: str, value: object, least: int = 0) -> int:
    """Return a parameter that must be a whole number.

    Raises:
        InputError: If it is none, or too small.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(
            f"rule {rule!r}: {name} is {_shown(value)}.",
            fix=f"give a whole number, {least} or more.",
        )
    return value


def words_list(rule: str, values: tuple[object, ...]) -> tuple[str, ...]:
    """Return parameters that must be words to look for.

    Raises:
        InputError: If there are none, or one is blank or no string.
    """
    for value in values:
        if not isinstance(value, str) or not value.strip():
            raise InputError(
                f"rule {rule!r}: {_shown(value)} is nothing to look for.",
                fix="give words or phrases as strings.",
            )
    if not values:
        raise InputError(f"rule {rule!r}: no terms are given.", fix="give one term or more.")
    return tuple(str(value) for value in values)


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
