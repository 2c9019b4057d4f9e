"""What was built of recent texts, remembered within bounds."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

_T = TypeVar("_T")
_LONG = 10_000  # characters
_FEW = 8


class Remembered(Generic[_T]):
    """A function of a text that remembers what it gave for the last ``count`` texts.

    Of texts beyond 10,000 characters only a few are remembered, so that memory is bounded too.
    """

    def __init__(self, build: Callable[[str], _T], count: int) -> None:
        self._many, self._few = lru_cache(count)(build), lru_cache(_FEW)(build)

    def __call__(self, text: str) -> _T:
        """Return what was built of a text, or build it."""
        return (self._few if len(text) > _LONG else self._many)(text)
