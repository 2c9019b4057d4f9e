"""What people and other tools write for yes, no and no verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

YES = (
    "true", "yes", "y", "t", "supported", "supports", "support", "fully supported",
    "full support", "complete support", "entailment", "entailed", "entails", "attributable",
    "fully attributable", "grounded", "consistent",
)  # fmt: skip
"""Words read as a yes, in any case, with blanks, hyphens or underscores."""

NO = (
    "false", "no", "n", "f", "not supported", "unsupported", "no support", "does not support",
    "partially supported", "partial support", "refutes", "refuted", "contradiction",
    "contradicted", "contradicts", "contradictory", "neutral", "not entailment",
    "non entailment", "not entailed", "not attributable", "unattributable",
    "partially attributable", "not enough info", "not enough information", "nei", "extrapolatory",
    "refute", "irrelevant", "ungrounded", "not grounded", "inconsistent",
)  # fmt: skip
"""Words read as a no: whatever is short of full support, partial support included."""

UNJUDGED = ("", "null", "none", "nan", "n/a", "na", "unjudged")
"""Words for no verdict at all: a failure, not a no."""

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(YES, True),
    **dict.fromkeys(NO, False),
    **dict.fromkeys(UNJUDGED, None),
}
"""What each of these words means."""


def word_key(word: str) -> str:
    """Return a word as the lists above have it.

    >>> word_key(" Not_Supported ")
    'not supported'
    """
    return " ".join(re.sub(r"[_\s-]+", " ", word).split()).casefold()


def read_label(
    value: Any, words: Mapping[str, bool | None] = WORDS, *, scores: bool = False
) -> bool | float | None:
    """Return what a cell of labels says: yes, no, a score between 0 and 1, or nothing.

    Args:
        value: The cell.
        words: The words that are known, under their ``word_key``.
        scores: Whether the numbers 1 and 0 are scores too; otherwise they are yes and no.

    Raises:
        ValueError: If it says something else.

    >>> read_label("Supported"), read_label(0), read_label("n/a"), read_label(0.25)
    (True, False, None, 0.25)
    """
    if hasattr(value, "item"):  # a number or truth value of numpy
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (str, int, float)):
        word = word_key(str(value))
        if word in words:
            return words[word]
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = -1.0
        if 0 <= number <= 1:
            return number if scores or 0 < number < 1 else number == 1
    raise ValueError(f"{value!r} is no verdict that is known here")
