"""The longest stretch that a quotation and a source share, fast on long sources.

``difflib`` walks every pair of equal characters. Here a source is indexed once by its short runs of
characters (8 of Latin text, 4 of any other in the basic plane); a quotation then meets only the
places where one of its own runs occurs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from citemeter.text.normalize import Folded

__all__ = ["Run", "longest_run", "shared_runs"]

_SHORT = 300_000
"""Up to this many character pairs, trying substrings one by one is quicker than an index."""
_MOST_HITS = 4_000_000
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(48)


class Run(NamedTuple):
    """Equal characters: how many, and where they start in the quotation and in the source."""

    size: int
    quote_start: int
    source_start: int


_NOTHING = Run(0, 0, 0)


class _Index:
    """Where each run of characters occurs in a text, by a 16-bit hash.

    The hashes are kept in text order at first; a second look-up sorts them, which costs as much as
    a few scans and makes every further one independent of the text's length.
    """

    __slots__ = ("_hashes", "_offsets", "_order", "_queries", "grams", "width")

    def __init__(self, text: str) -> None:
        top = ord(max(text)) if not text.isascii() else 0
        self.width = 1 if top < 256 else 2 if top < 0x10000 else 4
        self.grams = _grams(text, self.width)
        self._hashes = _hash(self.grams)
        self._order: NDArray[Any] | None = None
        self._offsets: NDArray[Any] | None = None
        self._queries = 0

    def places(self, hashes: NDArray[Any]) -> NDArray[Any]:
        """Return the positions whose hash is one of these."""
        self._queries += 1
        if self._order is None and self._queries == 1:
            wanted = np.zeros(65536, dtype=np.bool_)
            wanted[hashes] = True
            return np.flatnonzero(wanted.take(self._hashes))
        if self._order is None or self._offsets is None:
            self._order = np.argsort(self._hashes, kind="stable").astype(np.int32)
            counts = np.bincount(self._hashes, minlength=65536)
            self._offsets = np.concatenate(([0], np.cumsum(counts)))
        order, offsets = self._order, self._offsets
        return np.concatenate([order[offsets[h] : offsets[h + 1]] for h in np.unique(hashes)])


def _grams(text: str, width: int) -> NDArray[Any]:
    """View every run of 8 bytes as one integer, without copying the text once for each."""
    codec = ("latin-1", "", "utf-16-le", "", "utf-32-le")[0 if width == 1 else width]
    data = text.encode(codec, "surrogatepass" if width > 1 else "strict")
    count = (len(data) - 8) // width + 1
    if count <= 0:
        return np.zeros(0, dtype="<u8")
    return np.ndarray((count,), dtype="<u8", buffer=data, strides=(width,))


def _hash(grams: NDArray[Any]) -> NDArray[Any]:
    return ((grams * _MULTIPLIER) >> _SHIFT).astype(np.uint16)


def _index(source: Folded) -> _Index:
    index = source.index
    if not isinstance(index, _Index):
        index = source.index = _Index(source.text)
    return index


def longest_run(quote: str, source: Folded) -> Run:
    """Return the longest stretch of characters that a folded quotation and a source share.

    The size equals that of ``difflib.SequenceMatcher(None, quote, source.text,
    autojunk=False).find_longest_match()``; of several, the first in the quotation is returned.

    Args:
        quote: The folded quotation.
        source: The folded source.

    >>> longest_run("pto up to 10 days", Folded("PTO up to 5 days")).size
    10
    """
    if not quote or not source.text:
        return _NOTHING
    if len(quote) * len(source.text) > _SHORT:
        runs = shared_runs(quote, source)
        if runs is not None and len(runs[0]):
            sizes, quote_starts, source_starts = runs
            best = int(np.lexsort((source_starts, quote_starts, -sizes))[0])
            return Run(int(sizes[best]), int(quote_starts[best]), int(source_starts[best]))
    return _by_trying(quote, source.text)


def _by_trying(quote: str, text: str) -> Run:
    """Grow a window over the quotation as long as the source holds it, else move it on.

    At most ``2 * len(quote)`` searches, each linear in the source.
    """
    best, at, where = 0, 0, 0
    start, size = 0, len(quote)
    while start + best < size:
        found = text.find(quote[start : start + best + 1])
        if found < 0:
            start += 1
        else:
            best, at, where = best + 1, start, found
    return Run(best, at, where)


def shared_runs(
    quote: str, source: Folded
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """Return every maximal run that both texts share and that is at least one gram long.

    Returns:
        Sizes, starts in the quotation and starts in the source; ``None`` when the quotation cannot
        be compared this way: too short, or so repetitive that there are millions of runs.
    """
    index = _index(source)
    width = index.width
    if width < 4:
        limit = "\xff" if width == 1 else "\uffff"
        if not quote.isascii() and max(quote) > limit:
            # A character that the source cannot hold breaks every run it is in.
            stand_in = "\x00" if "\x00" not in source.text else "\x01"
            if stand_in in source.text:
                return None
            quote = "".join(c if c <= limit else stand_in for c in quote)
    wanted = _grams(quote, width)
    if not len(wanted) or not len(index.grams):
        return None
    places = index.places(_hash(wanted))
    # Match each place with every position of the same gram in the quotation.
    order = np.argsort(wanted, kind="stable")
    ordered = wanted[order]
    found = index.grams[places]
    first = np.searchsorted(ordered, found, "left")
    counts = np.searchsorted(ordered, found, "right") - first
    if int(counts.sum()) > _MOST_HITS:
        return None
    kept = counts > 0
    places, first, counts = places[kept], first[kept], counts[kept]
    if not len(places):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    source_at = np.repeat(places.astype(np.int64), counts)
    steps = np.arange(len(source_at)) - np.repeat(np.cumsum(counts) - counts, counts)
    quote_at = order[np.repeat(first, counts) + steps]
    # Hits that follow each other on one diagonal are one run.
    diagonal = source_at - quote_at
    by = np.lexsort((quote_at, diagonal))
    diagonal, quote_at, source_at = diagonal[by], quote_at[by], source_at[by]
    new = np.ones(len(by), dtype=np.bool_)
    new[1:] = (diagonal[1:] != diagonal[:-1]) | (quote_at[1:] != quote_at[:-1] + 1)
    starts = np.flatnonzero(new)
    sizes = np.diff(np.append(starts, len(by))) + (8 // width - 1)
    return sizes, quote_at[starts], source_at[starts]
