"""Comparing a quotation with sources: verbatim, altered, stitched together or made up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from citemeter.models import Source, Span
from citemeter.results import Place, QuoteStatus
from citemeter.text.quotations.alignment import Alignment, Token, nearest, tokens
from citemeter.text.quotations.folding import SOLID_SCRIPTS, Folded, fold_text
from citemeter.text.quotations.longest_match import longest_run
from citemeter.text.quotations.negation import drops_negation
from citemeter.text.quotations.pattern import Claim, at_boundaries, find, find_in_order
from citemeter.text.sentences.boundaries import PLAIN_END

__all__ = ["Match", "match_quote"]

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
_SOLID = re.compile(f"[{SOLID_SCRIPTS}]")


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
        # As written, without folding: the common case costs one search.
        at = source.text.find(quote)
        if at >= 0 and quote and at_boundaries(source.text, at, at + len(quote)):
            place = Place(source.id, Span(at, at + len(quote)))
            return Match("verified", source.id, (place,), False, 1.0)
    claim = Claim.read(quote)
    if not claim.parts:
        return Match("fabricated", None, (), claim.ellipsis, 0.0)
    for source in cited:
        found = _verbatim(claim, source, "verified")
        if found is not None:
            return found
    elsewhere = None
    for source in others:
        elsewhere = _verbatim(claim, source, "misattributed")
        if elsewhere is not None:
            break
    else:
        # Cheap where nothing fits, and decisive where all parts do.
        stitched = _stitched(claim, cited, others)
        if stitched is not None:
            return stitched._replace(share=_share(claim, cited))
    near = [_near(claim, source, _INFLECTED) for source in cited]
    for item in near:
        if item is not None and not item.changes:
            return _finished(claim, item, "verified", 1.0)
    share = _share(claim, cited)
    if elsewhere is not None:
        return elsewhere._replace(share=share)
    best = _best(claim, near)
    if best is not None:
        return _altered(quote, claim, best, share)
    # Where nothing points, a resemblance must be plain: few words are like some others anywhere.
    best = _best(claim, [_near(claim, source, _PLAIN) for source in others])
    if best is not None and best.similarity >= _PLAIN and best.words >= _PLAIN_WORDS:
        warning = f"nearly the words of source {best.source.id!r}, which is not cited"
        return _altered(quote, claim, best, share, (warning,))
    return Match("fabricated", None, (), claim.ellipsis, share)


def _verbatim(
    claim: Claim, source: Source, status: Literal["verified", "misattributed"]
) -> Match | None:
    folded = fold_text(source.text)
    for needle in (claim.with_stop, claim.whole):
        at = find(needle, folded) if needle else None
        if at is not None:
            place = Place(source.id, folded.span(*at))
            return Match(status, source.id, (place,), False, 1.0)
    if len(claim.parts) == 1 and claim.parts[0] == claim.whole:
        return None
    spans = find_in_order(claim, folded)
    if spans is None:
        return None
    places = tuple(Place(source.id, folded.span(*span)) for span in spans)
    warnings = _warnings(claim, folded, spans)
    return Match(status, source.id, places, claim.ellipsis, 1.0, (), warnings)


def _warnings(claim: Claim, folded: Folded, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    found: list[str] = []
    for insertion, before, after in zip(claim.insertions, spans[:-1], spans[1:], strict=True):
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


class _Near(NamedTuple):
    source: Source
    folded: Folded
    alignments: tuple[Alignment | None, ...]
    similarity: float
    words: int
    changes: bool


def _near(claim: Claim, source: Source, at_least: float) -> _Near | None:
    folded = fold_text(source.text)
    whole = claim.parts[0]
    if len(claim.parts) > 1 or (
        at_least < _NEAR and longest_run(whole, folded).size >= _NEAR * len(whole)
    ):
        at_least = 0.0  # near by its longest run, or by its other parts
    alignments = tuple(nearest(part, folded, at_least) for part in claim.parts)
    matched = sum(a.matched for a in alignments if a is not None)
    if not matched:
        return None
    longer = sum(
        max(a.quote_words, a.source_words) if a is not None else sum(t.word for t in tokens(part))
        for a, part in zip(alignments, claim.parts, strict=True)
    )
    changes = any(a is None or a.changes or a.matched < a.quote_words for a in alignments) or any(
        a is not None and b is not None and a.end > b.start for a, b in pairwise(alignments)
    )
    return _Near(source, folded, alignments, matched / max(longer, 1), longer, changes)


def _finished(claim: Claim, near: _Near, status: QuoteStatus, share: float) -> Match:
    spans = [(a.start, a.end) for a in near.alignments if a is not None]
    places = tuple(Place(near.source.id, near.folded.span(*span)) for span in spans)
    warnings = _warnings(claim, near.folded, spans)
    return Match(status, near.source.id, places, claim.ellipsis, share, (), warnings)


def _best(claim: Claim, near: Sequence[_Near | None]) -> _Near | None:
    """Return the source that the quotation is altered from, if it is near enough to any."""
    found = [item for item in near if item is not None]
    if not found:
        return None
    best = max(found, key=lambda item: item.similarity)
    if best.similarity >= _NEAR or _reads_alike(claim, best):
        return best
    shares = [_share(claim, [item.source]) for item in found]
    top = max(range(len(found)), key=shares.__getitem__)
    return found[top] if shares[top] >= _NEAR else None


def _reads_alike(claim: Claim, near: _Near) -> bool:
    """Whether most characters agree, words being inflected, or nearly all words in other order."""
    from rapidfuzz.distance import Indel  # late, so that importing the package stays quick

    if near.similarity < _INFLECTED or sum(map(len, claim.parts)) > _LONG:
        return False
    characters = alike = words = same = 0.0
    for part, alignment in zip(claim.parts, near.alignments, strict=True):
        said = Counter(token.text for token in tokens(part) if token.word)
        characters += len(part)
        words += said.total()
        if alignment is not None:
            stretch = near.folded.text[alignment.start : alignment.end]
            alike += len(part) * Indel.normalized_similarity(part, stretch)
            around = max(0, alignment.end - len(part)), alignment.start + len(part)
            there = Counter(token.text for token in tokens(near.folded.text, *around))
            same += (said & there).total()
    return alike >= _ALIKE * characters or same >= _REORDERED * words


def _altered(
    quote: str, claim: Claim, near: _Near, share: float, warnings: tuple[str, ...] = ()
) -> Match:
    changes: list[tuple[str, str]] = []
    places: list[Place] = []
    whole = Folded(quote) if claim.parts == (claim.whole,) else None
    for part, alignment in zip(claim.parts, near.alignments, strict=True):
        if alignment is None:
            changes.append((part, ""))
            continue
        places.append(Place(near.source.id, near.folded.span(alignment.start, alignment.end)))
        for quote_start, quote_end, start, end in alignment.changes:
            said = part[quote_start:quote_end]
            if whole is not None and said:
                shift = len(whole.text) - len(whole.text.lstrip())
                said = whole.span(quote_start + shift, quote_end + shift).of(quote)
            stands = near.folded.span(start, end).of(near.source.text) if end > start else ""
            changes.append((said, stands))
    return Match(
        "altered", near.source.id, tuple(places), claim.ellipsis, share, tuple(changes), warnings
    )


def _share(claim: Claim, sources: Sequence[Source]) -> float:
    """Return the longest shared run over the quotation's length, part by part, at its best."""
    total = sum(map(len, claim.parts))
    best = 0
    for source in sources:
        folded = fold_text(source.text)
        size = sum(
            len(part) if part in folded.text else longest_run(part, folded).size
            for part in claim.parts
        )
        best = max(best, size)
    return best / total if total else 0.0


def _stitched(claim: Claim, cited: Sequence[Source], others: Sequence[Source]) -> Match | None:
    """Find every part verbatim somewhere: out of order, in several sources, or joined unmarked."""
    sources = [*cited, *others]
    if claim.ellipsis and len(claim.parts) > 1:
        return _scattered(claim, sources)
    if len(claim.parts) != 1:
        return None
    words = tokens(claim.parts[0])
    shortest = 2 * _PART_WORDS if _SOLID.match(claim.parts[0]) else _PART_WORDS
    if len(words) < 2 * shortest:
        return None
    for source in sources:
        places = _cover(claim.parts[0], words, [source], shortest)
        if places is not None:
            if _is_one_gap(fold_text(source.text), [at for _, at in places]):
                return None  # a word or two left out of one sentence: altered
            return _places("stitched", source.id, places, claim.ellipsis)
    places = _cover(claim.parts[0], words, sources, shortest) if len(sources) > 1 else None
    return None if places is None else _places("stitched", None, places, claim.ellipsis)


def _scattered(claim: Claim, sources: Sequence[Source]) -> Match | None:
    for source in sources:
        folded = fold_text(source.text)
        spans = [find(part, folded) for part in claim.parts]
        if all(spans):
            places = [(source, span) for span in spans if span is not None]
            return _places("stitched", source.id, places, True)
    places = []
    for part in claim.parts:
        for source in sources:
            span = find(part, fold_text(source.text))
            if span is not None:
                places.append((source, span))
                break
        else:
            return None
    return _places("stitched", None, places, True)


def _places(
    status: QuoteStatus,
    found_in: str | None,
    places: Sequence[tuple[Source, tuple[int, int]]],
    ellipsis: bool,
) -> Match:
    where = tuple(Place(source.id, fold_text(source.text).span(*at)) for source, at in places)
    return Match(status, found_in, where, ellipsis, 0.0)


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
    needle = text[words[at].start : words[at + size - 1].end]
    for source in sources:
        span = find(needle, fold_text(source.text))
        if span is not None:
            return source, span
    return None


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
