"""Long evidence: sentence-aligned windows of it, and windows joined of its best parts.

Nothing here loads a model. What a text costs is asked of a function that returns the character
spans of its tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from citemeter.text.sentences.segmenters import segmenter_named

TokenSpans: TypeAlias = "Callable[[str], Sequence[tuple[int, int]]]"
"""The ``(start, end)`` characters of each token of a text, in order, without special tokens."""

Joint: TypeAlias = Literal["passages", "always", "never"]
"""When the best parts are joined: of several passages, of one long passage too, or never."""

LEAST_PART = 32
"""Tokens below which a part says too little to be judged; rather, passages are left out."""

_TITLE = re.compile(r"Title: [^\r\n]*\S[^\r\n]*\r?\n")
_LINE = re.compile(r"[^\r\n]+")
_JOINER = "\n"
_JOINER_TOKENS = 1  # a line break costs at most one token in all tokenizers met


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a part of one that is too long: what windows are packed of."""

    passage: int
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the evidence that fits the model.

    Args:
        text: What the model reads, the passage's title repeated where the window starts after it.
        tokens: What that costs, by the spans of the whole passages.
        places: ``(passage, start, end)`` of what it holds, in order.
    """

    text: str
    tokens: int
    places: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is judged first: windows over all the evidence, and the parts to be joined.

    Args:
        passages: The passages.
        capacity: Tokens of evidence that fit the model beside the hypothesis.
        windows: Windows that together hold all the evidence.
        parts: Smaller windows of single passages; none if nothing is to be joined.
        titles: The title line that each passage's later parts repeat, and what it costs.
    """

    passages: tuple[str, ...]
    capacity: int
    windows: tuple[Window, ...]
    parts: tuple[Window, ...] = ()
    titles: tuple[tuple[str, int], ...] = field(default=(), repr=False)


def plan_windows(
    passages: Sequence[str], spans: TokenSpans, capacity: int, joint: Joint = "passages"
) -> Plan:
    r"""Cut evidence into windows that hold at most ``capacity`` tokens.

    Windows are runs of whole sentences, as even as their number allows. A passage that fits a
    window is not cut; a sentence that fits none is cut between tokens, at a space where there is
    one. A first line ``Title: …`` is repeated in the passage's later windows, where "he" and "the
    company" would else have no name, if it takes no more than an eighth of the window.

    Parts are smaller: together, one of each passage fits a window, short passages whole and long
    ones in equal shares of the rest. There are none for a single passage unless ``joint`` is
    ``"always"``; then they take half a window. They cost about as many tokens again as the windows.

    Args:
        passages: The passages, in order.
        spans: The character spans of a text's tokens.
        capacity: Tokens, at least 1.
        joint: When parts are wanted.

    >>> words = lambda text: [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]
    >>> plan = plan_windows(["Cats purr. Dogs bark.", "Fish swim. Hens lay eggs."], words, 7)
    >>> [window.text for window in plan.windows]
    ['Cats purr. Dogs bark.', 'Fish swim. Hens lay eggs.']
    """
    if capacity < 1:
        raise ValueError(f"capacity is {capacity}, not 1 or more")
    measured = [_Passage(number, text, spans) for number, text in enumerate(passages)]
    windows = _pack(measured, [passage.title_within(capacity) for passage in measured], capacity)
    parts: list[Window] = []
    titles: list[tuple[str, int]] = []
    several = len(measured) > 1
    if len(windows) > 1 and joint != "never" and (several or joint == "always"):
        if several:
            sizes = [passage.tokens for passage in measured]
            limits = _shares(sizes, capacity - _JOINER_TOKENS * (len(sizes) - 1))
        else:
            limits = [(capacity - _JOINER_TOKENS) // 2]
        # However many passages there are, two parts must fit.
        least = min(LEAST_PART, max((capacity - _JOINER_TOKENS) // 2, 1))
        for passage, limit in zip(measured, limits, strict=True):
            limit = max(limit, least)
            title = passage.title_within(limit)
            parts += _pack([passage], {passage.number: title}, limit)
            titles.append(title)
    return Plan(tuple(passages), capacity, tuple(windows), tuple(parts), tuple(titles))


def join_best(plan: Plan, scores: Sequence[float]) -> Window | None:
    """Join the best parts into one window: one of each passage, then the next best that fit.

    Where not even one part of each fits, the passages with the weakest best parts are left out.

    Args:
        plan: The plan that the parts are of.
        scores: A score for each part; the higher, the likelier to support.

    Returns:
        The joint window, its parts in the evidence's order; ``None`` if fewer than two parts fit.
    """
    order = sorted(range(len(plan.parts)), key=lambda i: (-scores[i], i))
    first: dict[int, int] = {}
    for i in order:
        first.setdefault(plan.parts[i].places[0][0], i)
    leading = list(first.values())
    chosen: list[Window] = []
    used = -_JOINER_TOKENS
    for i in [*leading, *(i for i in order if i not in set(leading))]:
        part = plan.parts[i]
        if used + _JOINER_TOKENS + part.tokens <= plan.capacity:
            chosen.append(part)
            used += _JOINER_TOKENS + part.tokens
    if len(chosen) < 2:
        return None
    chosen.sort(key=lambda part: part.places[0])
    places = [place for part in chosen for place in part.places]
    return _window(plan.passages, plan.titles, places, used)


class _Passage:
    """A passage with its tokens counted."""

    def __init__(self, number: int, text: str, spans: TokenSpans) -> None:
        self.number = number
        self.text = text
        self.starts = [start for start, _ in spans(text)]
        self.tokens = len(self.starts)

    def count(self, start: int, end: int) -> int:
        """Return how many tokens start in a stretch."""
        return bisect_left(self.starts, end) - bisect_left(self.starts, start)

    def title_within(self, limit: int) -> tuple[str, int]:
        """Return the title line to repeat and its cost, or nothing."""
        match = _TITLE.match(self.text)
        if match is None or match.end() >= len(self.text.rstrip()):
            return "", 0
        tokens = self.count(0, match.end()) + _JOINER_TOKENS
        return (match[0], tokens) if tokens * 8 <= limit else ("", 0)

    def pieces(self, limit: int) -> list[_Piece]:
        """Return the sentences, those over the limit cut."""
        found: list[_Piece] = []
        sentences = list(_sentences(self.text))
        for place, (start, end) in enumerate(sentences):
            # White space behind a sentence may be tokens too; it is counted with it.
            until = sentences[place + 1][0] if place + 1 < len(sentences) else len(self.text)
            tokens = self.count(start if place else 0, until)
            if tokens <= limit:
                found.append(_Piece(self.number, start, end, tokens))
            else:
                found += self._cut(start, end, limit)
        return found

    def _cut(self, start: int, end: int, limit: int) -> Iterator[_Piece]:
        while self.count(start, end) > limit:
            first = bisect_left(self.starts, start)
            cut = self.starts[first + limit]
            # Back to a space, if there is one in the last quarter of the stretch.
            floor = self.starts[first + limit - limit // 4]
            space = max(self.text.rfind(" ", floor, cut + 1), self.text.rfind("\t", floor, cut + 1))
            if space > start:
                cut = space
            if cut <= start:  # all tokens of one character: it cannot be cut
                cut = next((s for s in self.starts[first:] if s > start), end)
            yield _Piece(self.number, start, cut, self.count(start, cut))
            start = cut
            while start < end and self.text[start].isspace():
                start += 1
        if start < end:
            yield _Piece(self.number, start, end, self.count(start, end))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    _, cut = segmenter_named("citemeter")
    for line in _LINE.finditer(text):
        offset = line.start()
        for start, end in cut(line[0], (), ()):
            yield offset + start, offset + end


def _shares(sizes: Sequence[int], capacity: int) -> list[int]:
    """Share out tokens: what is short is served whole, the rest is split evenly.

    >>> _shares([10, 500, 900], 410)
    [10, 200, 200]
    """
    shares = [0] * len(sizes)
    left = max(capacity, 0)
    for served, i in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[i] = min(sizes[i], left // (len(sizes) - served))
        left -= shares[i]
    return shares


_Titles: TypeAlias = "Sequence[tuple[str, int]] | dict[int, tuple[str, int]]"


def _pack(passages: Sequence[_Passage], titles: _Titles, capacity: int) -> list[Window]:
    pieces: list[_Piece] = []
    for passage in passages:
        pieces += passage.pieces(capacity - titles[passage.number][1])
    if not pieces:
        return []
    sizes = {passage.number: passage.tokens for passage in passages}
    best = _greedy(pieces, sizes, titles, capacity)
    # The smallest limit that needs no more windows makes them even.
    low, high = 1, capacity
    while low < high:
        middle = (low + high) // 2
        tried = _greedy(pieces, sizes, titles, middle)
        if len(tried) <= len(best) and all(cost <= middle for _, cost in tried):
            best, high = tried, middle
        else:
            low = middle + 1
    texts = {passage.number: passage.text for passage in passages}
    return [
        _window(texts, titles, [(p.passage, p.start, p.end) for p in run], cost)
        for run, cost in best
    ]


def _greedy(
    pieces: Sequence[_Piece], sizes: dict[int, int], titles: _Titles, limit: int
) -> list[tuple[list[_Piece], int]]:
    """Fill windows one after the other; return each one's pieces and cost."""
    runs: list[tuple[list[_Piece], int]] = []
    run: list[_Piece] = []
    cost = 0
    before: int | None = None  # the passage of the piece before
    for piece in pieces:
        new = piece.passage != before
        before = piece.passage
        joiner = _JOINER_TOKENS if run and new else 0
        # A passage that fits a window, but not what is left of this one, starts the next.
        needed = sizes[piece.passage] if new and sizes[piece.passage] <= limit else piece.tokens
        if run and cost + joiner + needed > limit:
            runs.append((run, cost))
            run, joiner = [], 0
        if not run:
            cost = 0 if new else titles[piece.passage][1]
        run.append(piece)
        cost += joiner + piece.tokens
    runs.append((run, cost))
    return runs


_Texts: TypeAlias = "Sequence[str] | dict[int, str]"


def _window(
    texts: _Texts, titles: _Titles, pieces: Sequence[tuple[int, int, int]], tokens: int
) -> Window:
    """Join pieces, those of one passage that only white space parts into one stretch."""
    places: list[tuple[int, int, int]] = []
    for number, start, end in pieces:
        last = places[-1] if places else (-1, 0, 0)
        if last[0] == number and not texts[number][last[2] : start].strip():
            places[-1] = (number, last[1], end)
        else:
            places.append((number, start, end))
    parts: list[str] = []
    titled: set[int] = set()
    for number, start, end in places:
        title = titles[number][0]
        repeated = title if start >= len(title) and number not in titled else ""
        parts.append(repeated + texts[number][start:end])
        titled.add(number)
    return Window(_JOINER.join(parts), tokens, tuple(places))
