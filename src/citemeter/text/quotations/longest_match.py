"""The longest stretch that a quotation and a source share, fast on long sources.

``difflib`` walks every pair of equal characters. Here a source is indexed once by its short runs of
characters (eight of Latin text, four or two of others); a quotation then meets only the places
where one of its own runs occurs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from citemeter.text.quotations.folding import Folded

_SHORT = 300_000
"""Up to this many character pairs, trying substrings one by one is quicker than an index."""
_MOST_HITS = 4_000_000
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class Run(NamedTuple):
    """Equal characters: how many, and where they start in the quotation and in the source."""

    size: int
    quote_start: int
    source_start: int


Runs: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


def _run_hashes(text: str, size: int) -> NDArray[Any]:
    """Return a polynomial 64-bit hash of every run of so many characters, a power of two."""
    hashes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") * _MULTIPLIER
    width, power = 1, int(_MULTIPLIER)
    while width < size:
        hashes = hashes[:-width] * np.uint64(power) + hashes[width:]
        width, power = 2 * width, power * power % 2**64
    return hashes


@lru_cache(maxsize=128)
def _source_hashes(source: Folded, size: int) -> NDArray[Any]:
    return _run_hashes(source.text, size)


def _run_size(text: str) -> int:
    """Return how many characters are rare enough together: the more letters, the fewer."""
    top = "" if text.isascii() else max(text)
    return 8 if top < "\u0100" else 4 if top < "\U00010000" else 2


@lru_cache(maxsize=128)
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
    text = source.text
    if len(quote) * len(text) > _SHORT:
        size = _run_size(text)
        for shortest in (size, size // 2):
            runs = shared_runs(quote, source, shortest)
            if runs is None:
                break
            if len(runs[0]):
                sizes, quote_starts, source_starts = runs
                longest = np.flatnonzero(sizes == sizes.max())
                best = longest[np.lexsort((source_starts[longest], quote_starts[longest]))[0]]
                run = Run(int(sizes[best]), int(quote_starts[best]), int(source_starts[best]))
                if quote[run.quote_start :][: run.size] == text[run.source_start :][: run.size]:
                    return run
                break  # two runs of one hash
    return _by_trying(quote, text)


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


@lru_cache(maxsize=16)
def shared_runs(quote: str, source: Folded, shortest: int = 0) -> Runs | None:
    """Return every maximal run that both texts share and that is long enough.

    Args:
        quote: The folded quotation.
        source: The folded source.
        shortest: How many characters it has at least, a power of two; by default 8 in Latin text,
            4 or 2 in others.

    Returns:
        Sizes, starts in the quotation and starts in the source; ``None`` when the texts are so
        repetitive that there are millions of runs.
    """
    shortest = shortest or _run_size(source.text)
    none = np.zeros(0, np.int64)
    if min(len(quote), len(source.text)) < shortest:
        return none, none, none
    wanted, hashes = _run_hashes(quote, shortest), _source_hashes(source, shortest)
    # Most places in the source are ruled out by a part of their hash.
    likely = np.zeros(65536, np.bool_)
    likely[wanted >> np.uint64(48)] = True
    places = np.flatnonzero(likely[hashes >> np.uint64(48)])
    # Match each place left with every position of the same run in the quotation.
    order = np.argsort(wanted, kind="stable")
    first = np.searchsorted(wanted, hashes[places], "left", sorter=order)
    counts = np.searchsorted(wanted, hashes[places], "right", sorter=order) - first
    if int(counts.sum()) > _MOST_HITS:
        return None
    source_at = np.repeat(places, counts)
    steps = np.arange(len(source_at)) - np.repeat(np.cumsum(counts) - counts, counts)
    quote_at = order[np.repeat(first, counts) + steps]
    # Hits that follow each other on one diagonal are one run.
    key = (source_at - quote_at + len(quote)) * (len(quote) + 1) + quote_at
    by = np.argsort(key)
    key, quote_at, source_at = key[by], quote_at[by], source_at[by]
    starts = np.flatnonzero(np.diff(key, prepend=-1) != 1)
    sizes = np.diff(np.append(starts, len(by))) + (shortest - 1)
    return sizes, quote_at[starts], source_at[starts]
