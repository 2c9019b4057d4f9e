"""A quotation as a pattern of verbatim parts, and finding it in a source at word boundaries."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from citemeter.text.quotations.folding import OPTIONAL_HYPHEN, SOLID, Folded, fold, is_word

_ELLIPSIS = re.compile(r"[\[(<]\s?(?:[…⋯]+|\.(?:\s?\.)+)\s?[\])>]|[…⋯]+(?:\s?\.)?|\.(?:\s?\.){2,}")
_REMARK = re.compile(
    r"\s?[\[(]\s?(?:sic!?|emphasis (?:added|mine|ours)|(?:my|our) emphasis|italics (?:added|mine))"
    r"\s?[\])]",
    re.IGNORECASE,
)
_PART_OF_WORD = re.compile(r"\[(\w{1,12})\](?=\w)|(?<=\w)\[(\w{1,12})\]")
_INSERTION = re.compile(r"\[([^\[\]]{1,80})\]")
_ENDS = " .,;:、。，；：।､｡'"
_MOST_TRIES = 64
_HYPHENS = {"-": f"[-{OPTIONAL_HYPHEN}]", OPTIONAL_HYPHEN: f"[-{OPTIONAL_HYPHEN}]?"}
_INSERTION_STANDS_FOR = 80
"""How many characters of the source a bracketed insertion may stand for."""


class QuotePattern(NamedTuple):
    """What has to stand in a source for a quotation to be verbatim.

    Args:
        whole: The folded quotation, brackets and dots included, without the stop at its end.
        with_stop: The same with that stop.
        parts: The stretches between omissions, folded, each to be found verbatim.
        insertions: For each gap between parts, the editor's words in brackets, or ``None`` where
            the gap is an ellipsis.
        ellipsis: Whether anything was left out under an ellipsis, at the ends too.
    """

    whole: str
    with_stop: str
    parts: tuple[str, ...]
    insertions: tuple[str | None, ...]
    ellipsis: bool

    @classmethod
    def read(cls, quote: str) -> QuotePattern:
        """Take a quotation apart.

        >>> pattern = QuotePattern.read("[T]he gate … closes [sic] at [the] dusk.")
        >>> pattern.parts, pattern.insertions
        (('the gate', 'closes at', 'dusk'), (None, 'the'))
        """
        with_stop = fold(quote).strip()
        whole = with_stop.rstrip(_ENDS).lstrip("' ")
        plain = _REMARK.sub("", quote)
        plain = _PART_OF_WORD.sub(lambda m: m[1] or m[2], plain)
        pieces: list[str] = []
        gaps: list[str | None] = []
        ellipsis = False
        done = 0
        for start, end, insertion in _gaps(plain):
            pieces.append(plain[done:start])
            ellipsis |= insertion is None
            gaps.append(insertion)
            done = end
        pieces.append(plain[done:])
        # Dots at the end that stand for an omission are no stop to be taken off.
        return cls(with_stop if ellipsis else whole, with_stop, *_parts(pieces, gaps), ellipsis)


def _gaps(text: str) -> list[tuple[int, int, str | None]]:
    """Return the omissions of a quotation: offsets, and the words in brackets for them."""
    found: list[tuple[int, int, str | None]] = []
    done = 0
    dots = [match.span() for match in _ELLIPSIS.finditer(text)]
    for start, end in [*dots, (len(text), len(text))]:
        found += [(m.start(), m.end(), m[1]) for m in _INSERTION.finditer(text, done, start)]
        if end > start:
            found.append((start, end, None))
        done = end
    return found


def _parts(
    pieces: list[str], gaps: list[str | None]
) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    parts: list[str] = []
    insertions: list[str | None] = []
    pending: list[str | None] = []
    for position, piece in enumerate(pieces):
        part = fold(piece).strip(_ENDS)
        if any(map(is_word, part)):
            if parts:
                # Of several gaps in a row, an ellipsis allows most.
                words = [gap for gap in pending if gap is not None]
                insertions.append(" ".join(words) if len(words) == len(pending) else None)
            parts.append(part)
            pending = []
        if position < len(gaps):
            pending.append(gaps[position])
    return tuple(parts), tuple(insertions)


def at_boundaries(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` begins and ends where words and numbers do.

    Scripts that do not set words apart have no such boundaries inside them.

    >>> at_boundaries("heart is longing", 2, 13)
    False
    >>> at_boundaries("art is long", 0, 11)
    True
    """
    if start > 0:
        before, first = text[start - 1], text[start]
        if is_word(first):
            if _runs_on(before, first):
                return False
            if first.isdigit() and before in ".," and text[max(0, start - 2)].isdigit():
                return False
    if end < len(text):
        last, after = text[end - 1], text[end]
        if is_word(last):
            if _runs_on(last, after):
                return False
            following = text[end + 1 : end + 3]
            if last.isdigit() and after in ".,^" and following[:1].isdigit():
                return False
            # "can" is not a word of "can't".
            if after in "'’" and following[:1].lower() == "t" and not following[1:].isalpha():
                return False
    return True


def _runs_on(before: str, after: str) -> bool:
    """Whether two characters are of one word; a unit may follow its number without a space."""
    if not (is_word(before) and is_word(after)) or before.isdigit() != after.isdigit():
        return False
    return not (SOLID.match(before) or SOLID.match(after))


def find(
    needle: str, source: Folded, start: int = 0, end: int | None = None
) -> tuple[int, int] | None:
    """Return where ``needle`` first stands in the source at word boundaries.

    >>> find("art", Folded("The heart of art"))
    (13, 16)
    """
    text = source.text
    stop = len(text) if end is None else end
    at = text.find(needle, start, stop)
    while at >= 0:
        if at_boundaries(text, at, at + len(needle)):
            return at, at + len(needle)
        at = text.find(needle, at + 1, stop)
    if OPTIONAL_HYPHEN in needle or OPTIONAL_HYPHEN in text:
        return _find_hyphenated(needle, text, start, stop)
    return None


def _find_last(needle: str, source: Folded, start: int, end: int) -> tuple[int, int] | None:
    text = source.text
    at = text.rfind(needle, start, end)
    while at >= 0:
        if at_boundaries(text, at, at + len(needle)):
            return at, at + len(needle)
        at = text.rfind(needle, start, at + len(needle) - 1)
    return None


def _find_hyphenated(needle: str, text: str, start: int, stop: int) -> tuple[int, int] | None:
    """Search where a hyphen at a line end, in either text, is a hyphen or nothing."""
    signs = [_HYPHENS.get(sign) or re.escape(sign) for sign in needle]
    pattern = re.compile(f"{OPTIONAL_HYPHEN}?".join(signs))
    for match in islice(pattern.finditer(text, start, stop), _MOST_TRIES):
        if at_boundaries(text, *match.span()):
            return match.span()
    return None


def find_in_order(pattern: QuotePattern, source: Folded) -> list[tuple[int, int]] | None:
    """Return where the parts of a quotation stand in the source one after the other.

    Of several places the last part's first one is taken, and the others as near to it as they can
    be, so that what an ellipsis left out is as short as the source allows.
    """
    parts = pattern.parts
    if not parts:
        return None
    first = find(parts[0], source)
    if first is None or len(parts) == 1:
        return None if first is None else [first]
    for _ in range(_MOST_TRIES):
        spans = _follow(pattern, source, first)
        if spans is not None:
            return _tighten(pattern, source, spans)
        if all(insertion is None for insertion in pattern.insertions):
            return None  # the earliest places are the best there are
        first = find(parts[0], source, first[0] + 1)
        if first is None:
            return None
    return None


def _follow(
    pattern: QuotePattern, source: Folded, first: tuple[int, int]
) -> list[tuple[int, int]] | None:
    spans = [first]
    for part, insertion in zip(pattern.parts[1:], pattern.insertions, strict=True):
        start = spans[-1][1]
        limit = None if insertion is None else start + _INSERTION_STANDS_FOR + len(part)
        found = find(part, source, start, limit)
        if found is None:
            return None
        spans.append(found)
    return spans


def _tighten(
    pattern: QuotePattern, source: Folded, spans: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    for k in range(len(spans) - 2, -1, -1):
        nearer = _find_last(pattern.parts[k], source, spans[k][0], spans[k + 1][0])
        if nearer is not None and (k == 0 or pattern.insertions[k - 1] is None):
            spans[k] = nearer
    return spans
