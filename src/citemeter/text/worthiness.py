"""Statements that need a citation, and those that do not."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["WORTHINESS_RULES", "WorthinessRule", "exemption"]

WorthinessRule = Callable[[str], str | None]


def exemption(text: str) -> str | None:
    """Return why a statement needs no citation, or ``None`` when it needs one."""
    return "question" if text.endswith("?") else None


def _none(text: str) -> str | None:
    return None


WORTHINESS_RULES: dict[str, WorthinessRule] = {"default": exemption, "all": _none}
