"""The longest stretch that a quotation and a source share, fast on long sources.

``difflib`` walks every pair of equal characters. Here a source is indexed once by its short runs of
characters (8 of Latin text, 4 of any other in the basic plane); a quotation then meets only the
places where one of its own runs occurs.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citemeter.text.quotations.folding import Folded

__all__ = ["Run", "longest_run", "shared_runs"]

_SHORT = 300_000
"""Up to this many character pairs, trying substrings one by one is quicker than an index."""
_MOST_HITS = 4_000_000
_SCANS = 3
"""So many look-ups scan the text; then it is worth sorting, after which none depends on length."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(48)
_MULTIPLIER_32 = np.uint32(0x9E3779B1)
_SHIFT_32 = np.uint32(16)


class Run(NamedTuple):
    """Equal characters: how many, and where they start in the quotation and in the source."""

    size: int
    quote_start: int
    source_start: int


_NOTHING = Run(0, 0, 0)


Runs: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


class _Index:
    """Where each run of 8 or 4 bytes occurs in a text, by a 16-bit hash.

    The hashes are kept in text order at first; after a few look-ups they are sorted.
    """

    __slots__ = ("_hashes", "_offsets", "_order", "_queries", "grams", "size")

    def __init__(self, text: str, width: int, bytes_: int) -> None:
        self.size = bytes_ // width
        self.grams = _grams(text, width, bytes_)
        self._hashes = _hash(self.grams)
        self._order: NDArray[Any] | None = None
        self._offsets: NDArray[Any] | None = None
        self._queries = 0

    def places(self, hashes: NDArray[Any]) -> NDArray[Any]:
        """Return the positions whose hash is one of these."""
        self._queries += 1
        if self._queries <= _SCANS:
            wanted = np.zeros(65536, dtype=np.bool_)
            wanted[hashes] = True
            return np.flatnonzero(wanted.take(self._hashes))
        if self._order is None or self._offsets is None:
            self._order = np.argsort(self._hashes, kind="stable").astype(np.int32)
            counts = np.bincount(self._hashes, minlength=65536)
            self._offsets = np.concatenate(([0], np.cumsum(counts)))
        order, offsets = self._order, self._offsets
        distinct = set(hashes.tolist())
        return np.concatenate([order[offsets[h] : offsets[h + 1]] for h in distinct])


class _Indexes:
    """The indexes of one text, made when first needed, and what was last looked up."""

    __slots__ = ("_by_bytes", "known", "text", "width")

    def __init__(self, text: str) -> None:
        top = 0 if text.isascii() else ord(max(text))
        self.text = text
        self.width = 1 if top < 256 else 2 if top < 0x10000 else 4
        self.known: tuple[str, int, Runs | None] | None = None
        self._by_bytes: dict[int, _Index] = {}

    def of(self, bytes_: int) -> _Index:
        index = self._by_bytes.get(bytes_)
        if index is None:
            index = self._by_bytes[bytes_] = _Index(self.text, self.width, bytes_)
        return index


_CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def _grams(text: str, width: int, bytes_: int) -> NDArray[Any]:
    """View every run of so many bytes as one integer, without copying the text for each."""
    data = text.encode(_CODECS[width], "strict" if width == 1 else "surrogatepass")
    count = (len(data) - bytes_) // width + 1
    kind = f"<u{bytes_}"
    if count <= 0:
        return np.zeros(0, dtype=kind)
    return np.ndarray((count,), dtype=kind, buffer=data, strides=(width,))


def _hash(grams: NDArray[Any]) -> NDArray[Any]:
    if grams.dtype.itemsize == 4:
        return ((grams * _MULTIPLIER_32) >> _SHIFT_32).astype(np.uint16)
    return ((grams * _MULTIPLIER) >> _SHIFT).astype(np.uint16)


def _indexes(source: Folded) -> _Indexes:
    known = source.index
    if not isinstance(known, _Indexes):
        known = source.index = _Indexes(source.text)
    return known


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
    memo = source.memo
    if isinstance(memo, tuple) and memo[0] == quote:
        run: Run = memo[1]
        return run
    run = _longest(quote, source) if quote and source.text else _NOTHING
    source.memo = (quote, run)
    return run


def _longest(quote: str, source: Folded) -> Run:
    if len(quote) * len(source.text) > _SHORT:
        for bytes_ in (8, 4):
            runs = shared_runs(quote, source, bytes_)
            if runs is None:
                break
            if len(runs[0]):
                sizes, quote_starts, source_starts = runs
                longest = np.flatnonzero(sizes == sizes.max())
                best = int(longest[np.lexsort((source_starts[longest], quote_starts[longest]))[0]])
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


def shared_runs(quote: str, source: Folded, bytes_: int = 8) -> Runs | None:
    """Return every maximal run that both texts share and that is at least one gram long.

    Args:
        quote: The folded quotation.
        source: The folded source.
        bytes_: The gram's size, 8 or 4: as many characters of Latin text, half of other text.

    Returns:
        Sizes, starts in the quotation and starts in the source; ``None`` when the texts cannot be
        compared this way: so repetitive that there are millions of runs.
    """
    indexes = _indexes(source)
    known = indexes.known
    if known is not None and known[0] == quote and known[1] == bytes_:
        return known[2]
    runs = _runs(quote, indexes, bytes_)
    indexes.known = (quote, bytes_, runs)
    return runs


def _runs(quote: str, indexes: _Indexes, bytes_: int) -> Runs | None:
    width = indexes.width
    limit = {1: "\xff", 2: "\uffff", 4: "\U0010ffff"}[width]
    if not quote.isascii() and max(quote) > limit:
        # A character that the source cannot hold breaks every run it is in.
        stand_in = next((c for c in "\x00\x01\x02" if c not in indexes.text), None)
        if stand_in is None:
            return None
        quote = "".join(c if c <= limit else stand_in for c in quote)
    none = np.zeros(0, np.int64)
    index = indexes.of(bytes_)
    wanted = _grams(quote, width, bytes_)
    if not len(wanted) or not len(index.grams):
        return none, none, none
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
        return none, none, none
    source_at = np.repeat(places.astype(np.int64), counts)
    steps = np.arange(len(source_at)) - np.repeat(np.cumsum(counts) - counts, counts)
    quote_at = order[np.repeat(first, counts) + steps]
    # Hits that follow each other on one diagonal are one run.
    key = (source_at - quote_at + len(quote)) * (len(quote) + 1) + quote_at
    by = np.argsort(key)
    key, quote_at, source_at = key[by], quote_at[by], source_at[by]
    starts = np.concatenate(([0], np.flatnonzero(np.diff(key) != 1) + 1))
    sizes = np.diff(np.append(starts, len(by))) + (index.size - 1)
    return sizes, quote_at[starts], source_at[starts]
