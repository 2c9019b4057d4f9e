"""A rule that answers can be held to, and what it says of one: followed or not, why, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citemeter.contract.answer import CheckedAnswer
from citemeter.errors import InputError
from citemeter.metrics.base import RecordLike
from citemeter.models import Citation, Model, Span, Statement
from citemeter.text.parse import ParseOptions

__all__ = ["Finding", "Outcome", "Rule"]

EMPTY = "the answer is empty"
"""Why a blank answer fails: as in IFEval, it follows no instruction that asks for something."""


class Finding(Model):
    """One place where an answer breaks a rule.

    Args:
        problem: What is wrong there.
        text: The words concerned, as they stand in the answer.
        span: Their offsets in the answer; ``None`` where there is no place to point at.
        statement: The index of the statement that holds them, if one does.
        ids: The source ids concerned.
    """

    problem: str
    text: str = ""
    span: Span | None = None
    statement: int | None = None
    ids: tuple[str, ...] = ()

    @classmethod
    def in_statement(
        cls, problem: str, number: int, statement: Statement, ids: tuple[str, ...]
    ) -> Finding:
        """Return that a whole statement breaks a rule."""
        text = statement.raw or statement.text
        return cls(problem=problem, text=text, span=statement.span, statement=number, ids=ids)

    @classmethod
    def in_citation(cls, problem: str, number: int | None, citation: Citation) -> Finding:
        """Return that a citation breaks a rule."""
        return cls(
            problem=problem,
            text=citation.marker or citation.source_id,
            span=citation.span,
            statement=number,
            ids=(citation.source_id,),
        )


class Outcome(Model):
    """Whether an answer follows a rule. As a truth value it is true only if it does.

    Args:
        passed: ``None`` if the rule does not apply to this answer.
        reason: Why it is broken, or does not apply.
        findings: Every place where it is broken.
    """

    passed: bool | None
    reason: str | None = None
    findings: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return self.passed is True

    @classmethod
    def of(cls, findings: Sequence[Finding], reason: str) -> Outcome:
        """Return a pass if nothing was found, else a failure.

        >>> bool(Outcome.of([], "")), Outcome.of([Finding(problem="uncited")], "1 claim").reason
        (True, '1 claim')
        """
        if not findings:
            return cls(passed=True)
        return cls(passed=False, reason=reason, findings=tuple(findings))

    @classmethod
    def failed(cls, reason: str) -> Outcome:
        """Return a failure that has no single place."""
        return cls(passed=False, reason=reason, findings=(Finding(problem=reason),))

    @classmethod
    def not_applicable(cls, reason: str) -> Outcome:
        """Return that the rule does not apply, and why."""
        return cls(passed=None, reason=reason)


@dataclass(frozen=True)
class Rule:
    """A rule that an answer can be held to. Called with an answer, it says what it found.

    Args:
        name: Its name, as in a contract file.
        parameters: What it was made with, as in a contract file.
        test: What decides.
        conditional: Whether the rule is about something that an answer may do without, such as a
            quotation: it does not apply to a blank answer, where other rules are broken.
    """

    name: str
    parameters: Mapping[str, Any] = field(hash=False)
    test: Callable[[CheckedAnswer], Outcome] = field(repr=False, compare=False)
    conditional: bool = field(default=False, repr=False)

    def __call__(
        self, record: str | RecordLike | CheckedAnswer, options: ParseOptions | None = None
    ) -> Outcome:
        """Check one answer.

        Args:
            record: The answer's text, a response or a plain record.
            options: How answers are read.
        """
        answer = record if isinstance(record, CheckedAnswer) else CheckedAnswer.of(record, options)
        if not answer.shown.strip():
            return Outcome.not_applicable(EMPTY) if self.conditional else Outcome.failed(EMPTY)
        return self.test(answer)


def whole_number(rule: str, name: str, value: object) -> None:
    """Refuse a parameter that must be a whole number and is none.

    Raises:
        InputError: If it is none, or below 0.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InputError(
            f"rule {rule!r}: {name} is {shortened(value)}.", fix="give a whole number, 0 or more."
        )


def shortened(value: object) -> str:
    """Return a value as it is shown in a message."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def counted(findings: Sequence[Finding], one: str, many: str) -> str:
    """Return how many there are of something, with its words for one and for many.

    >>> counted([Finding(problem="")] * 2, "marker is", "markers are")
    '2 markers are'
    """
    return f"{len(findings)} {one if len(findings) == 1 else many}"
