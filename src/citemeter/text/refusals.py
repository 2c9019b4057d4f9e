"""Answers that decline to answer."""

from __future__ import annotations

__all__ = ["abstains", "is_refusal"]


def is_refusal(sentence: str) -> bool:
    """Whether one sentence declines to answer."""
    return "i don't know" in sentence.lower()


def abstains(text: str) -> bool:
    """Whether the whole answer declines to answer; a partial answer does not."""
    return is_refusal(text)
