"""Exempt statements in scripts other than Latin: each has a list of its own."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from citemeter.text.phrases.lists import expand, load

__all__ = ["non_latin_label"]

_FIGURE = re.compile(
    r"[0-9０-９٠-٩०-९]{2,}|[0-9０-９٠-٩一二三四五六七八九十百千万]+(?:年|月|日|元|円|公斤|公里|米|%|％|원|킬로|미터|년)"
)
_LONGEST = 90  # characters


class _Rules(NamedTuple):
    label: str
    pattern: re.Pattern[str]


@cache
def _rules(script: str) -> tuple[_Rules, ...]:
    data = load("worthiness", script)
    words = data.get("words", {})
    rules = []
    for label, patterns in data["exempt"].items():
        source = "|".join(f"(?:{expand(pattern, words)})" for pattern in patterns)
        rules.append(_Rules(label, re.compile(source)))
    return tuple(rules)


def non_latin_label(text: str, script: str) -> str | None:
    """Return why a statement needs no citation, or ``None``.

    Args:
        text: A statement.
        script: As ``script_of`` returns it, other than ``"latin"``.
    """
    text = text.lower().strip(" \t\r\n*_~`。.!！…।")
    if len(text) > _LONGEST:
        return None
    for label, pattern in _rules(script):
        if pattern.search(text) and not (
            label not in ("greeting", "question") and _FIGURE.search(text)
        ):
            return label
    return None
