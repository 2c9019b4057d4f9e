"""Comparing a quotation with sources: verbatim, altered, stitched together or made up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import Indel

from citemeter.models import Source, Span
from citemeter.results import Place, QuoteStatus
from citemeter.text.quotations.alignment import Alignment, Token, nearest, tokens
from citemeter.text.quotations.folding import SOLID, Folded, fold_text
from citemeter.text.quotations.longest_match import longest_run
from citemeter.text.quotations.negation import drops_negation
from citemeter.text.quotations.pattern import QuotePattern, at_boundaries, find, find_in_order
from citemeter.text.sentences.boundaries import PLAIN_END

_NEAR = 0.6
"""Share of equal words, or of characters in one run, from which a source is the one altered."""
_INFLECTED = 0.4
_ALIKE = 0.75
_REORDERED = 0.8
_LONG = 5_000
_PLAIN = 0.7
_PLAIN_WORDS = 5
_PART_WORDS = 3
_MOST_PARTS = 6
_SMALL_GAP = 3
"""Words that may be missing inside one sentence before it is two places instead of one altered."""
_JOINTS = frozenset(
    # "and", "or", "but", "then" of several languages
    re.findall(
        r"\w+", "and or but then while und oder aber et ou mais y o e pero ma en of maar och i и"
    )
)


class Match(NamedTuple):
    """What became of one quotation.

    Args:
        status: The verdict.
        found_in: The id of the one source that holds it, or nearly does.
        places: Where its parts stand.
        ellipsis: Whether it leaves something out under an ellipsis.
        share: The longest run of characters shared with the sources it was to be in, over its
            length; summed over the parts between omissions.
        changes: Pairs of the quotation's words and the source's, where they differ.
        warnings: What a reader should look at although the words are verbatim.
    """

    status: QuoteStatus
    found_in: str | None
    places: tuple[Place, ...]
    ellipsis: bool
    share: float
    changes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


def match_quote(quote: str, cited: Sequence[Source], others: Sequence[Source]) -> Match:
    """Compare a quotation with the sources it cites, then with the others.

    Args:
        quote: The quotation as written, without its marks and without citation markers.
        cited: The sources it may stand in: those cited, or all when none is.
        others: The sources searched to name the true one.

    Returns:
        The match; its status is never "unverified", which is decided by the ids alone.

    >>> lease = Source(id="lease", text="The tenant must keep the garden tidy.")
    >>> match_quote("must keep the garden", [lease], []).status
    'verified'
    >>> near = match_quote("The tenant may keep the garden tidy", [lease], [])
    >>> near.status, near.changes
    ('altered', (('may', 'must'),))
    """
    for source in cited:
        # Of several places the one that is written alike, in its case too.
        at = source.text.find(quote)
        if at >= 0 and quote and at_boundaries(source.text, at, at + len(quote)):
            place = Place(source.id, Span(at, at + len(quote)))
            return Match("verified", source.id, (place,), False, 1.0)
    pattern = QuotePattern.read(quote)
    if not pattern.parts:
        return Match("fabricated", None, (), pattern.ellipsis, 0.0)
    for source in cited:
        found = _verbatim(pattern, source, "verified")
        if found is not None:
            return found
    elsewhere = None
    for source in others:
        elsewhere = _verbatim(pattern, source, "misattributed")
        if elsewhere is not None:
            break
    else:
        # Cheap where nothing fits, and decisive where all parts do.
        stitched = _stitched(pattern, cited, others)
        if stitched is not None:
            return stitched._replace(share=_share(pattern, cited))
    near = [_nearest(pattern, source, _INFLECTED) for source in cited]
    for item in near:
        if item is not None and not item.differs:
            return _in_order(pattern, item.source, item.spans, "verified")
    share = _share(pattern, cited)
    if elsewhere is not None:
        return elsewhere._replace(share=share)
    best = _best(pattern, near)
    if best is not None:
        return _altered(quote, pattern, best, share)
    # Where nothing points, a resemblance must be plain: few words are like some others anywhere.
    best = _best(pattern, [_nearest(pattern, source, _PLAIN) for source in others])
    if best is not None and best.similarity >= _PLAIN and best.words >= _PLAIN_WORDS:
        warning = f"nearly the words of source {best.source.id!r}, which is not cited"
        return _altered(quote, pattern, best, share, (warning,))
    return Match("fabricated", None, (), pattern.ellipsis, share)


def _verbatim(pattern: QuotePattern, source: Source, status: QuoteStatus) -> Match | None:
    folded = fold_text(source.text)
    for needle in (pattern.with_stop, pattern.whole):
        at = find(needle, folded) if needle else None
        if at is not None:
            return Match(status, source.id, _places([(source, at)]), False, 1.0)
    if pattern.parts == (pattern.whole,):
        return None
    spans = find_in_order(pattern, folded)
    return None if spans is None else _in_order(pattern, source, spans, status)


def _in_order(
    pattern: QuotePattern, source: Source, spans: Sequence[tuple[int, int]], status: QuoteStatus
) -> Match:
    """Return that the parts stand in one source, with warnings of what was left out between."""
    places = _places((source, span) for span in spans)
    warnings = _warnings(pattern, fold_text(source.text), spans)
    return Match(status, source.id, places, pattern.ellipsis, 1.0, (), warnings)


def _places(found: Iterable[tuple[Source, tuple[int, int]]]) -> tuple[Place, ...]:
    return tuple(Place(source.id, fold_text(source.text).span(*span)) for source, span in found)


def _warnings(
    pattern: QuotePattern, folded: Folded, spans: Sequence[tuple[int, int]]
) -> tuple[str, ...]:
    found: list[str] = []
    for insertion, before, after in zip(pattern.insertions, spans[:-1], spans[1:], strict=True):
        dropped = folded.text[before[1] : after[0]]
        negation = drops_negation(dropped)
        if insertion is None:
            if negation is not None:
                found.append(f"ellipsis drops a negation: {negation!r}")
            continue
        added = drops_negation(insertion.lower())
        if (negation is None) != (added is None):
            verb = "drop" if added is None else "add"
            found.append(f"bracketed words {verb} a negation: {(added or negation)!r}")
        elif dropped.strip():
            found.append(f"bracketed words stand for {dropped.strip()!r}")
    return tuple(found)


class _Candidate(NamedTuple):
    """A source that may be the one quoted.

    Args:
        source: The source.
        alignments: How each part of the quotation lies upon it; ``None`` for one that does not.
        similarity: Equal words over the words of the longer side.
        words: The words of the longer side.
        differs: Whether any word differs, or the parts stand in another order.
    """

    source: Source
    alignments: tuple[Alignment | None, ...]
    similarity: float
    words: int
    differs: bool

    @property
    def spans(self) -> list[tuple[int, int]]:
        return [(a.start, a.end) for a in self.alignments if a is not None]


def _nearest(pattern: QuotePattern, source: Source, at_least: float) -> _Candidate | None:
    folded = fold_text(source.text)
    whole = pattern.parts[0]
    if len(pattern.parts) > 1 or (
        at_least < _NEAR and longest_run(whole, folded).size >= _NEAR * len(whole)
    ):
        at_least = 0.0  # near by its longest run, or by its other parts
    alignments = tuple(nearest(part, folded, at_least) for part in pattern.parts)
    aligned = [a for a in alignments if a is not None]
    if not aligned:
        return None
    words = sum(
        max(a.quote_words, a.source_words) if a is not None else sum(t.word for t in tokens(part))
        for a, part in zip(alignments, pattern.parts, strict=True)
    )
    differs = (
        len(aligned) < len(alignments)
        or any(a.changes or a.matched < a.quote_words for a in aligned)
        or any(a.end > b.start for a, b in pairwise(aligned))
    )
    similarity = sum(a.matched for a in aligned) / max(words, 1)
    return _Candidate(source, alignments, similarity, words, differs)


def _best(pattern: QuotePattern, candidates: Sequence[_Candidate | None]) -> _Candidate | None:
    """Return the source that the quotation is altered from, if it is near enough to any."""
    found = [candidate for candidate in candidates if candidate is not None]
    if not found:
        return None
    best = max(found, key=lambda candidate: candidate.similarity)
    if best.similarity >= _NEAR or _reads_alike(pattern, best):
        return best
    shares = [_share(pattern, [candidate.source]) for candidate in found]
    top = max(range(len(found)), key=shares.__getitem__)
    return found[top] if shares[top] >= _NEAR else None


def _reads_alike(pattern: QuotePattern, candidate: _Candidate) -> bool:
    """Whether most characters agree, words being inflected, or nearly all words in other order."""
    size = sum(map(len, pattern.parts))
    if candidate.similarity < _INFLECTED or size > _LONG:
        return False
    text = fold_text(candidate.source.text).text
    alike = words = same = 0.0
    for part, alignment in zip(pattern.parts, candidate.alignments, strict=True):
        said = Counter(token.text for token in tokens(part) if token.word)
        words += said.total()
        if alignment is not None:
            stretch = text[alignment.start : alignment.end]
            alike += len(part) * Indel.normalized_similarity(part, stretch)
            around = max(0, alignment.end - len(part)), alignment.start + len(part)
            there = Counter(token.text for token in tokens(text, *around))
            same += (said & there).total()
    return alike >= _ALIKE * size or same >= _REORDERED * words


def _altered(
    quote: str,
    pattern: QuotePattern,
    candidate: _Candidate,
    share: float,
    warnings: tuple[str, ...] = (),
) -> Match:
    source = candidate.source
    folded = fold_text(source.text)
    changes: list[tuple[str, str]] = []
    whole = Folded(quote) if pattern.parts == (pattern.whole,) else None
    for part, alignment in zip(pattern.parts, candidate.alignments, strict=True):
        if alignment is None:
            changes.append((part, ""))
            continue
        for quote_start, quote_end, start, end in alignment.changes:
            said = part[quote_start:quote_end]
            if whole is not None and said:
                shift = len(whole.text) - len(whole.text.lstrip())
                said = whole.span(quote_start + shift, quote_end + shift).of(quote)
            changes.append((said, folded.span(start, end).of(source.text) if end > start else ""))
    places = _places((source, span) for span in candidate.spans)
    return Match("altered", source.id, places, pattern.ellipsis, share, tuple(changes), warnings)


def _share(pattern: QuotePattern, sources: Sequence[Source]) -> float:
    """Return the longest shared run over the quotation's length, part by part, at its best."""
    best = 0
    for source in sources:
        folded = fold_text(source.text)
        runs = [longest_run(part, folded).size for part in pattern.parts]
        best = max(best, sum(runs))
    return best / max(sum(map(len, pattern.parts)), 1)


def _stitched(
    pattern: QuotePattern, cited: Sequence[Source], others: Sequence[Source]
) -> Match | None:
    """Find every part verbatim somewhere: out of order, in several sources, or joined unmarked."""
    sources = [*cited, *others]
    groups = [[source] for source in sources]
    if len(sources) > 1:
        groups.append(sources)
    words = tokens(pattern.parts[0])
    shortest = 2 * _PART_WORDS if SOLID.match(pattern.parts[0]) else _PART_WORDS
    for group in groups:
        if pattern.ellipsis and len(pattern.parts) > 1:
            parts = [_first_place(part, group) for part in pattern.parts]
            found = [place for place in parts if place is not None]
            if len(found) < len(parts):
                continue
        elif len(pattern.parts) > 1 or len(words) < 2 * shortest:
            return None
        else:
            cover = _cover(pattern.parts[0], words, group, shortest)
            if cover is None:
                continue
            found = cover
            if len(group) == 1 and _is_one_gap(fold_text(group[0].text), [at for _, at in found]):
                return None  # a word or two left out of one sentence: altered
        found_in = group[0].id if len(group) == 1 else None
        return Match("stitched", found_in, _places(found), pattern.ellipsis, 0.0)
    return None


def _first_place(needle: str, sources: Sequence[Source]) -> tuple[Source, tuple[int, int]] | None:
    for source in sources:
        span = find(needle, fold_text(source.text))
        if span is not None:
            return source, span
    return None


def _cover(
    text: str, words: Sequence[Token], sources: Sequence[Source], shortest: int
) -> list[tuple[Source, tuple[int, int]]] | None:
    """Cut the quotation into a few stretches that each stand verbatim in one of the sources.

    Each stretch is the longest that can begin where the last one ended; a punctuation mark or one
    joining word may stand between two.
    """
    found: list[tuple[Source, tuple[int, int]]] = []
    at, joined = 0, False
    while at < len(words):
        if not words[at].word:
            at += 1
            continue
        left = len(words) - at
        part = None
        if left >= shortest and len(found) < _MOST_PARTS:
            part = _longest_part(text, words, at, sources, shortest)
        if part is not None:
            size, source, span = part
            rest = len(words) - at - size
            if 0 < rest < shortest and any(t.word for t in words[at + size :]):
                # Leave the next stretch enough words to count as one.
                shorter = len(words) - shortest - at
                again = _part(text, words, at, shorter, sources) if shorter >= shortest else None
                if again is None:
                    return None
                size, (source, span) = shorter, again
            found.append((source, span))
            at += size
            joined = False
        elif found and not joined and words[at].text in _JOINTS:
            at += 1
            joined = True
        else:
            return None
    return found if len(found) > 1 else None


def _part(
    text: str, words: Sequence[Token], at: int, size: int, sources: Sequence[Source]
) -> tuple[Source, tuple[int, int]] | None:
    return _first_place(text[words[at].start : words[at + size - 1].end], sources)


def _longest_part(
    text: str, words: Sequence[Token], at: int, sources: Sequence[Source], shortest: int
) -> tuple[int, Source, tuple[int, int]] | None:
    best = _part(text, words, at, shortest, sources)
    if best is None:
        return None
    low, high = shortest, len(words) - at
    while low < high:
        middle = (low + high + 1) // 2
        longer = _part(text, words, at, middle, sources)
        if longer is None:
            high = middle - 1
        else:
            low, best = middle, longer
    return low, *best


def _is_one_gap(source: Folded, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether the stretches follow each other within a sentence, a few words apart."""
    missing = 0
    for before, after in pairwise(spans):
        if after[0] < before[1] or after[0] - before[1] > 200:
            return False
        dropped = source.text[before[1] : after[0]]
        if PLAIN_END.search(dropped):
            return False
        missing += sum(token.word for token in tokens(dropped))
    return missing <= _SMALL_GAP
