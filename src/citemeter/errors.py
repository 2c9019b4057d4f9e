"""The errors citemeter raises: one base class and two children."""

from __future__ import annotations

__all__ = ["CitemeterError", "CitemeterWarning", "InputError", "JudgeError"]


def writable(text: object) -> str:
    r"""Return foreign words in a form that can be written as UTF-8: lone surrogates are replaced.

    >>> writable("caf\udce9")
    'caf?'
    """
    return str(text).encode("utf-8", "replace").decode("utf-8")


class CitemeterError(Exception):
    """Base class of every error that citemeter raises on purpose."""


class CitemeterWarning(UserWarning):
    """Class of every warning that citemeter gives, so that one filter reaches them all."""


class InputError(CitemeterError, ValueError):
    """A record, an option or a file cannot be used; the message names it and how to fix it.

    Args:
        problem: What is wrong, in one sentence.
        record: The record's id or position, if a record is at fault.
        field: The field's dotted name, if one field is at fault.
        fix: What to change so that the input is accepted.
    """

    def __init__(
        self,
        problem: str,
        *,
        record: str | None = None,
        field: str | None = None,
        fix: str | None = None,
    ) -> None:
        self.problem = problem = writable(problem)
        self.record = record = None if record is None else writable(record)
        self.field = field
        self.fix = fix
        where = ", ".join(
            f"{name} {value!r}" for name, value in (("record", record), ("field", field)) if value
        )
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text} Fix: {fix}" if fix else text)

    def at(self, record: str | None, field: str | None = None) -> InputError:
        """Return the same error with the record's name filled in, and what its field stands in."""
        return InputError(
            self.problem,
            record=self.record or record,
            field=".".join(filter(None, [field, self.field])) or None,
            fix=self.fix,
        )


class JudgeError(CitemeterError):
    """A judge cannot be built or used at all (a single failed verdict is a state, not an error)."""


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse an option that is none of the choices.

    Raises:
        InputError: If ``value`` is not among ``choices``.
    """
    if value not in choices:
        raise InputError(f"{name} is {value!r}.", fix=f"use one of {', '.join(choices)}.")


def callable_name(thing: object) -> str:
    """Return what a callable of the caller's own is called in a signature.

    >>> callable_name(str.strip), callable_name(3)
    ('str.strip', 'int')
    """
    return getattr(thing, "__qualname__", None) or type(thing).__qualname__
