"""What comes out: verdicts, the state of every statement and citation, scores and reports."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from citemeter.models import Model

__all__ = ["JudgeIdentity", "Score", "Verdict"]


class Verdict(Model):
    """A judge's answer to "does this premise entail this hypothesis?".

    Args:
        supported: Yes or no; ``None`` when the judge failed, which is never counted as a no.
        score: The judge's confidence that the premise entails the hypothesis, in ``[0, 1]``.
        label: The judge's own word, such as ``entailment`` or ``contradiction``.
        reason: Why, in words a reader can check.
        error: What went wrong, when ``supported`` is ``None``.
    """

    supported: bool | None
    score: float | None = None
    label: str | None = None
    reason: str | None = None
    error: str | None = None

    @classmethod
    def failed(cls, error: str) -> Verdict:
        """Return the verdict of a judge that gave none."""
        return cls(supported=None, error=error)


class JudgeIdentity(Model):
    """What must be known of a judge to repeat its verdicts.

    Args:
        name: The judge's name, as ``load_judge`` reads it.
        version: The version of its rules or weights.
        model: The model behind it, if any.
        revision: That model's revision.
        threshold: The score at and above which a pair is supported.
        parameters: Whatever else changes a verdict: prompt hash, dtype, seed.
    """

    name: str
    version: str | None = None
    model: str | None = None
    revision: str | None = None
    threshold: float | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)

    def __str__(self) -> str:
        parts = [self.name if self.version is None else f"{self.name}-{self.version}"]
        for key in ("model", "revision", "threshold"):
            value = getattr(self, key)
            if value is not None:
                parts.append(f"{key}={value}")
        parts += [f"{key}={value}" for key, value in sorted(self.parameters.items())]
        return ",".join(parts)


class Score(Model):
    """A metric's value for one response, with the counts it is made of.

    Args:
        name: The metric.
        value: ``numerator / denominator``, or ``None`` when undefined.
        numerator: What counts in its favour.
        denominator: What was counted.
        reason: Why the value is undefined, or that a ``zero_division`` stands in for it.
    """

    name: str
    value: float | None
    numerator: float
    denominator: float
    reason: str | None = None

    @classmethod
    def ratio(
        cls,
        name: str,
        numerator: float,
        denominator: float,
        *,
        empty: str,
        zero_division: float | None = None,
    ) -> Score:
        """Divide, and say why when there is nothing to divide by.

        Args:
            name: The metric.
            numerator: What counts in its favour.
            denominator: What was counted.
            empty: The reason given at 0/0.
            zero_division: The value to report at 0/0; ``None`` leaves it undefined.

        >>> Score.ratio("citation_recall", 1, 2, empty="no statement").value
        0.5
        >>> Score.ratio("citation_recall", 0, 0, empty="no statement").reason
        'no statement'
        """
        return cls(
            name=name,
            value=numerator / denominator if denominator else zero_division,
            numerator=numerator,
            denominator=denominator,
            reason=None if denominator else empty,
        )

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.name} is undefined: {self.reason}")
        return float(self.value)
