"""Exempt statements in scripts other than Latin: each has a list of its own."""

from __future__ import annotations

import re
from functools import cache

from citemeter.text.phrases.lists import expand, load

_FIGURE = re.compile(
    r"[0-9０-９٠-٩०-९]{2,}|[0-9０-９٠-٩一二三四五六七八九十百千万]+(?:年|月|日|元|円|公斤|公里|米|%|％|원|킬로|미터|년)"
)
_LONGEST = 90  # characters


@cache
def _rules(script: str) -> dict[str, re.Pattern[str]]:
    data = load("worthiness", script)
    rules = {}
    for label, patterns in data["exempt"].items():
        source = "|".join(f"(?:{expand(pattern, data['words'])})" for pattern in patterns)
        rules[label] = re.compile(source)
    return rules


def non_latin_label(text: str, script: str) -> str | None:
    """Return why a statement needs no citation, or ``None``.

    Args:
        text: A statement.
        script: As ``script_of`` returns it, other than ``"latin"``.
    """
    text = text.lower().strip(" \t\r\n*_~`。.!！…।")
    if len(text) > _LONGEST:
        return None
    for label, pattern in _rules(script).items():
        if pattern.search(text) and not (
            label not in ("greeting", "question") and _FIGURE.search(text)
        ):
            return label
    return None
