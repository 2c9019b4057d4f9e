"""What a judge gives: a verdict on a pair, and the name under which it can be repeated."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field

from citemeter.errors import writable
from citemeter.models import Model

__all__ = ["JudgeIdentity", "LongPremise", "Verdict"]

LongPremise = Literal["chunked", "truncated"]
"""What became of a premise longer than the judge can read: read in windows, or cut short."""


class Verdict(Model):
    """A judge's answer to "does this premise entail this hypothesis?".

    Args:
        supported: Yes or no; ``None`` when the judge failed, which is never counted as a no.
        score: The judge's confidence that the premise entails the hypothesis, in ``[0, 1]``.
        label: The judge's own word, such as ``entailment`` or ``contradiction``.
        reason: Why, in words a reader can check.
        error: What went wrong, when ``supported`` is ``None``.
        long_premise: Whether the premise was too long for the judge, and what it did about it.
    """

    supported: bool | None
    score: float | None = None
    label: str | None = None
    reason: str | None = None
    error: str | None = None
    long_premise: LongPremise | None = None

    @classmethod
    def failed(cls, error: str) -> Verdict:
        """Return the verdict of a judge that gave none."""
        return cls(supported=None, error=writable(error))

    def at(self, threshold: float | None) -> Verdict:
        """Return the verdict that the same score gives at another threshold.

        Without a threshold, or for a failed verdict or one without a score, nothing changes.

        >>> Verdict(supported=True, score=0.6).at(0.7).supported
        False
        """
        if threshold is None or self.score is None or self.supported is None:
            return self
        supported = self.score >= threshold
        if supported is self.supported:
            return self
        return self.model_copy(update={"supported": supported})


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

    @property
    def key(self) -> str:
        """Everything but the threshold, as canonical JSON: what a kept score belongs to.

        >>> a, b = (JudgeIdentity(name="lexical", version="1", threshold=t) for t in (0.5, 0.7))
        >>> a.key == b.key
        True
        """
        parts = self.model_dump(mode="json", exclude={"threshold"}, exclude_none=True)
        return json.dumps(parts, sort_keys=True, ensure_ascii=False)
