"""Word-by-word alignment of a quotation with the stretch of a source that resembles it most."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from citemeter.text.quotations.folding import OPTIONAL_HYPHEN, SOLID_SCRIPTS, Folded
from citemeter.text.quotations.longest_match import longest_run, shared_runs

_TOKEN = re.compile(
    rf"\d+(?:[.,]\d+)*|[{SOLID_SCRIPTS}]|[^\W\d_{SOLID_SCRIPTS}]+"
    rf"(?:'[^\W\d_{SOLID_SCRIPTS}]+)*|[^\w\s]|_"
)
_WHOLE = 6_000
"""A source up to this long is searched as a whole; in a longer one, shared runs say where."""
_PLAIN = 0.8
"""Share of equal words from which no other stretch is looked at."""
_MOST_CELLS = 120_000
_PUNCTUATION_COST = 0.25
_DROP_COST = 0.75
_REFERENCE = re.compile(r"\[\d{1,3}\]")


class Token(NamedTuple):
    """A word, a number, a character of a script without spaces, or a punctuation mark."""

    text: str
    start: int
    end: int
    word: bool


class Alignment(NamedTuple):
    """How a quotation lies upon a stretch of a source.

    Args:
        start: Where the stretch begins in the folded source.
        end: Where it ends.
        matched: Words that are equal.
        quote_words: Words in the quotation.
        source_words: Words in the stretch.
        changes: Pairs of ranges that differ: in the folded quotation and in the folded source.
    """

    start: int
    end: int
    matched: int
    quote_words: int
    source_words: int
    changes: tuple[tuple[int, int, int, int], ...]

    @property
    def similarity(self) -> float:
        """Equal words over the words of the longer side, in [0, 1]."""
        return self.matched / max(self.quote_words, self.source_words, 1)


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """Cut folded text into words and punctuation marks.

    >>> [token.text for token in tokens("it's 5km, at 1,250 m")]
    ["it's", '5', 'km', ',', 'at', '1,250', 'm']
    """
    found = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [Token(m[0], m.start(), m.end(), m[0][0].isalnum()) for m in found]


def nearest(quote: str, source: Folded, at_least: float = 0.0) -> Alignment | None:
    """Return the alignment with the stretch of the source most like the quotation.

    Args:
        quote: The folded quotation.
        source: The folded source.
        at_least: Stretches that cannot reach this share of equal words are passed over.

    Returns:
        The alignment that matches most words with fewest others between; ``None`` when no word
        of the quotation is found near its place.

    >>> source = Folded("Unused PTO up to 5 days may be carried over.")
    >>> near = nearest("up to 10 days may be", source)
    >>> near.matched, near.quote_words, source.text[near.start : near.end]
    (5, 6, 'up to 5 days may be')
    """
    wanted = tokens(quote)
    if not wanted:
        return None
    words = [token.text for token in wanted]
    needed = at_least * sum(token.word for token in wanted)
    best: Alignment | None = None
    for start, end in _windows(quote, source):
        # As many tokens as may be equal in order, however far apart: quick, in compiled code.
        if LCSseq.similarity(words, _TOKEN.findall(source.text, start, end)) < needed:
            continue
        found = _align(wanted, tokens(source.text, start, end), source.text)
        if found is not None and (best is None or found.similarity > best.similarity):
            best = found
            if best.similarity >= _PLAIN:
                break
    return best


def _windows(quote: str, source: Folded) -> Iterator[tuple[int, int]]:
    """Yield the stretches of the source worth aligning, the likeliest first, at most three."""
    text, size = source.text, len(quote)
    if len(text) <= min(_WHOLE, 4 * size + 200):
        yield 0, len(text)
        return
    slack = size // 2 + 40
    seen: list[tuple[int, int]] = []
    for anchor in _anchors(quote, source):
        if not any(start <= anchor and anchor + size <= end for start, end in seen):
            seen.append((max(0, anchor - slack), min(len(text), anchor + size + slack)))
            yield _at_words(text, *seen[-1])


def _anchors(quote: str, source: Folded) -> Iterator[int]:
    """Yield where in the source the quotation would begin."""
    run = longest_run(quote, source)
    if run.size:
        yield run.source_start - run.quote_start
    if len(source.text) > _WHOLE:
        yield from _dense_starts(quote, source)
        return
    near = fuzz.partial_ratio_alignment(quote, source.text)
    if near is not None:
        yield near.dest_start - near.src_start


def _dense_starts(quote: str, source: Folded) -> list[int]:
    """Return where the shared runs cover most of the quotation, by diagonals close together."""
    runs = shared_runs(quote, source)
    if runs is None or not len(runs[0]):
        return []
    sizes, quote_starts, source_starts = runs
    step = max(len(quote) // 2, 24)
    bucket = (source_starts - quote_starts) // step
    _, where, inverse = np.unique(bucket, return_index=True, return_inverse=True)
    weight = np.bincount(inverse, weights=sizes)
    top = np.argsort(-weight, kind="stable")[:2]
    return [int(source_starts[where[i]] - quote_starts[where[i]]) for i in top]


def _at_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a stretch to whole words, by forty characters at most."""
    start -= len(list(takewhile(str.isalnum, reversed(text[max(0, start - 40) : start]))))
    end += len(list(takewhile(str.isalnum, text[end : end + 40])))
    return start, end


def _align(quote: list[Token], source: list[Token], text: str) -> Alignment | None:
    if not source:
        return None
    long = len(quote) * len(source) > _MOST_CELLS
    pairs = _equal_in_order(quote, source) if long else _equal_at_least_cost(quote, source)
    return _alignment(pairs, quote, source, text)


def _equal_at_least_cost(quote: list[Token], source: list[Token]) -> list[tuple[int, int]]:
    """Align all of the quotation with any stretch of the source at least cost.

    A word costs 1 to add or replace, a punctuation mark a quarter. To leave a word of the source
    out costs a little less, so that equal words after an omission are still found.
    """
    letters = [t.text for t in source]
    drop = [_DROP_COST if t.word else _PUNCTUATION_COST for t in source]
    row = [0.0] * (len(source) + 1)
    table = [row]
    for token in quote:
        add = 1.0 if token.word else _PUNCTUATION_COST
        word = token.text
        current = [row[0] + add]
        above_left = row[0]
        for above, letter, weight in zip(row[1:], letters, drop, strict=True):
            cost = above_left
            if letter != word:
                cost = min(cost + max(add, weight), above + add, current[-1] + weight)
            current.append(cost)
            above_left = above
        row = current
        table.append(row)
    j = min(range(len(row)), key=row.__getitem__)
    i = len(quote)
    pairs: list[tuple[int, int]] = []
    while i and j:
        cost = table[i][j]
        token, other = quote[i - 1], source[j - 1]
        add = 1.0 if token.word else _PUNCTUATION_COST
        if token.text == other.text and cost == table[i - 1][j - 1]:
            pairs.append((i - 1, j - 1))
            i, j = i - 1, j - 1
        elif cost == table[i - 1][j - 1] + max(add, drop[j - 1]) and token.text != other.text:
            i, j = i - 1, j - 1
        elif cost == table[i - 1][j] + add:
            i -= 1
        else:
            j -= 1
    pairs.reverse()
    return pairs


def _equal_in_order(quote: list[Token], source: list[Token]) -> list[tuple[int, int]]:
    """Align very long quotations by a plain edit distance, in compiled code."""
    if len(quote) > 20_000 or len(source) > 60_000:
        return []
    codes = LCSseq.opcodes([t.text for t in quote], [t.text for t in source])
    return [
        (code.src_start + k, code.dest_start + k)
        for code in codes
        if code.tag == "equal"
        for k in range(code.src_end - code.src_start)
    ]


def _alignment(
    pairs: list[tuple[int, int]], quote: list[Token], source: list[Token], text: str
) -> Alignment | None:
    matched = sum(quote[i].word for i, _ in pairs)
    if not matched:
        return None
    first, last = pairs[0], pairs[-1]
    # Replaced words at the ends take as many source words as they stand for.
    low = max(0, first[1] - first[0])
    high = min(len(source), last[1] + 1 + len(quote) - 1 - last[0])
    changes: list[tuple[int, int, int, int]] = []
    done = (-1, low - 1)
    for i, j in [*pairs, (len(quote), high)]:
        if i > done[0] + 1 or j > done[1] + 1:
            change = _change(quote[done[0] + 1 : i], source[done[1] + 1 : j], text)
            if change is not None:
                changes.append(change)
        done = (i, j)
    stretch = source[low:high]
    return Alignment(
        stretch[0].start,
        stretch[-1].end,
        matched,
        sum(t.word for t in quote),
        sum(t.word for t in stretch),
        tuple(changes),
    )


def _change(quote: list[Token], source: list[Token], text: str) -> tuple[int, int, int, int] | None:
    """Return the ranges that differ, or ``None`` where only an editor's apparatus does."""
    if all(token.text == "'" for token in (*quote, *source)):
        return None  # quotation marks within a quotation come and go with its nesting
    if not quote and source:
        # The source's own reference marks, as in "safe[4] and dry", are no words of it.
        if _REFERENCE.fullmatch(text[source[0].start : source[-1].end]):
            return None
        if all(token.text == OPTIONAL_HYPHEN for token in source):
            return None
    texts = [token.text for token in quote], [token.text for token in source]
    if texts in ((["-"], [OPTIONAL_HYPHEN]), ([OPTIONAL_HYPHEN], ["-"])):
        return None
    at_quote = (quote[0].start, quote[-1].end) if quote else (0, 0)
    at_source = (source[0].start, source[-1].end) if source else (0, 0)
    return (*at_quote, *at_source)
