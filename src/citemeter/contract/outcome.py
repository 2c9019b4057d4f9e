"""What a rule says of an answer: followed or not, why, and where."""

from __future__ import annotations

from citemeter.models import Model, Span

__all__ = ["Finding", "Outcome"]


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
    def of(cls, findings: list[Finding], reason: str) -> Outcome:
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
