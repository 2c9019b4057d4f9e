"""How an answer writes its markers: their form, whether they are grouped, and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from citemeter.models import Citation, Response, Span, Statement
from citemeter.text.markers import SourceIndex
from citemeter.text.sentences.boundaries import CLOSERS, STOPS, ends_sentence

Place = Literal["before", "after", "front"]
"""Where a marker stands: before a sentence's stop, after it, or in front of the sentence."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_STOP = re.compile(f"[{STOPS}:：;；,]+$")
_JOINT = re.compile(r"[^\S\n]*[,;，；、]?[^\S\n]*")
_DIGIT = re.compile(r"\d")
_DEFAULTS = (("[", "]"), ("[doc:", "]"), ("(Source: ", ")"), ("【", "】"), ("(", ")"), ("", ""))
_BRACKETS = frozenset("])）］】〕}>^`\"'”’*_$\\/")
_LONGEST = 300


class Occurrence(NamedTuple):
    """One marker in a statement: where it stands and which ids it cites."""

    start: int
    end: int
    ids: tuple[str, ...]


class _Template(NamedTuple):
    """What stands before and after the id in a marker, and how the id is spelled."""

    head: str
    tail: str
    superscript: bool


def occurrences(citations: Iterable[Citation]) -> list[Occurrence]:
    """Return the markers of some citations in order, each once with all its ids."""
    found: dict[Span, list[str]] = {}
    for citation in citations:
        if citation.span is not None:
            found.setdefault(citation.span, []).append(citation.source_id)
    return [Occurrence(*span, tuple(ids)) for span, ids in sorted(found.items())]


def joined(answer: str, left: Occurrence, right: Occurrence) -> bool:
    """Whether nothing but a joint stands between two markers: ``[1], [2]``."""
    between = answer[left.end : right.start]
    return len(between) <= 3 and _JOINT.fullmatch(between) is not None


class MarkerStyle:
    """How one answer writes its markers.

    Args:
        response: The answer, cut into statements.
        index: What its sources can be cited as.
    """

    def __init__(self, response: Response, index: SourceIndex) -> None:
        self.answer = response.answer or ""
        self.index = index
        self._numbers = {source_id: n for n, source_id in enumerate(index.order)}
        self._templates: Counter[_Template] = Counter()
        self._seen: dict[str, Counter[str]] = {}
        self._separators: Counter[str] = Counter()
        self._joints: Counter[str] = Counter()
        self._places: Counter[Place] = Counter()
        self._gaps: dict[Place, Counter[str]] = {p: Counter() for p in ("before", "after", "front")}
        self._groups = 0
        for statement in response.statements or ():
            self._learn(statement)

    def _learn(self, statement: Statement) -> None:
        markers = occurrences(statement.citations)
        if not markers or statement.span is None:
            return
        for marker in markers:
            text = self.answer[marker.start : marker.end]
            several = len(marker.ids) > 1
            self._groups += several
            if len(text) > _LONGEST:
                continue
            if not several:
                self._seen.setdefault(marker.ids[0], Counter())[text] += 1
            found = self._template_of(text, marker.ids)
            if found is not None:
                template, separators = found
                self._templates[template] += 1
                self._separators.update(separators)
        first = last = markers[-1]
        for left, right in zip(reversed(markers[:-1]), reversed(markers[1:]), strict=True):
            if not joined(self.answer, left, right):
                break
            self._joints[self.answer[left.end : right.start]] += 1
            first = left
        self._learn_place(statement, first, last)

    def _learn_place(self, statement: Statement, first: Occurrence, last: Occurrence) -> None:
        """Note where the last run of markers of a statement stands, if that is an end of it."""
        assert statement.span is not None
        start, end = statement.span
        place: Place
        if not self.answer[last.end : end].strip(f" {STOPS}{CLOSERS}|:"):
            left = self.answer[max(start, first.start - 8) : first.start]
            bare = left.rstrip()
            place = "after" if ends_sentence(bare) else "before"
            self._gaps[place][left[len(bare) :]] += 1
        elif first.start == start:
            place = "front"
            right = self.answer[last.end : last.end + 4]
            self._gaps[place][right[: len(right) - len(right.lstrip())]] += 1
        else:
            return
        self._places[place] += 1

    @property
    def groups(self) -> bool:
        """Whether several ids share a marker, rather than standing in markers of their own."""
        return self._groups > sum(self._joints.values())

    @property
    def joint(self) -> str:
        """What stands between the markers of one place."""
        return self._joints.most_common(1)[0][0] if self._joints else ""

    def places(self) -> list[Place]:
        """Return where markers may be put, the usual place first."""
        usual: list[Place] = [place for place, _ in self._places.most_common()]
        return list(dict.fromkeys([*usual, "before", "after"]))

    def gap(self, place: Place, marker: str) -> str:
        """Return the blank between a marker and the words beside it."""
        seen = self._gaps[place].most_common(1)
        if seen:
            return seen[0][0]
        return "" if place == "before" and marker[:1] in "⁰¹²³⁴⁵⁶⁷⁸⁹<^" else " "

    def spellings(self, source_id: str) -> list[str]:
        """Return how an id may be written: as the number that stands for it, or as it is."""
        if self.index.numbering is not None and source_id in self._numbers:
            return [str(self._numbers[source_id] + self.index.numbering), source_id]
        return [source_id]

    def forms(self, ids: Sequence[str], like: str | None = None) -> Iterator[str]:
        """Yield markers that may cite the ids in the answer's style, the likeliest first.

        Args:
            ids: One id, or several that are to share a marker.
            like: The marker in whose place it will stand, if any.
        """
        own, usual = self._ordered(like)
        seen = self._seen.get(ids[0], Counter()).most_common(3) if len(ids) == 1 else ()
        yield from dict.fromkeys(
            [*self._filled(own, ids), *(text for text, _ in seen), *self._filled(usual, ids)]
        )

    def _ordered(self, like: str | None) -> tuple[list[_Template], list[_Template]]:
        """Return templates: that of the marker replaced and the answer's; then usual ones.

        A number behind the id is a page or line of the source that it cites, so it is no part of
        how others are cited.
        """
        seen = [template for template, _ in self._templates.most_common(8)]
        own = [t for t in seen if like and like.startswith(t.head) and like.endswith(t.tail)]
        own = [t for t in own if t.head or t.tail]
        plain = [t for t in (*own[:1], *seen) if not _DIGIT.search(t.tail)]
        bare = [
            t._replace(tail="".join([c for c in t.tail if c in _BRACKETS]))
            for t in (*own[:1], *seen)
            if _DIGIT.search(t.tail)
        ]
        defaults = [_Template(head, tail, False) for head, tail in _DEFAULTS]
        return list(dict.fromkeys([*plain, *bare])), list(dict.fromkeys([*defaults, *seen]))

    def _filled(self, templates: Sequence[_Template], ids: Sequence[str]) -> Iterator[str]:
        """Yield the templates filled with the ids, where they can hold them."""
        plain = [self.spellings(source_id)[0] for source_id in ids]
        separators = [""]
        if len(ids) > 1:
            usual = [separator for separator, _ in self._separators.most_common(3)]
            separators = [*usual, ", ", "˒", ","]
        for head, tail, superscript in templates:
            words = plain
            if superscript:
                if not all(word.isdecimal() and word.isascii() for word in words):
                    continue
                words = [word.translate(_SUPERSCRIPTS) for word in words]
            yield from (head + separator.join(words) + tail for separator in separators)

    def _template_of(self, text: str, ids: Sequence[str]) -> tuple[_Template, list[str]] | None:
        """Return what stands around the ids of a marker and between them, if they stand in it."""
        for superscript in (False, True):
            spans: list[tuple[int, int]] = []
            for source_id in ids:
                start = spans[-1][1] if spans else 0
                spellings = self.spellings(source_id)
                if superscript:
                    raised = [spelling.translate(_SUPERSCRIPTS) for spelling in spellings]
                    spellings = [new for new in raised if new not in spellings]
                found = ((text.find(spelling, start), spelling) for spelling in spellings)
                place = next((one for one in found if one[0] >= 0), None)
                if place is None:
                    break
                spans.append((place[0], place[0] + len(place[1])))
            if len(spans) == len(ids) and spans:
                template = _Template(text[: spans[0][0]], text[spans[-1][1] :], superscript)
                between = [text[a[1] : b[0]] for a, b in pairwise(spans)]
                return template, [words for words in between if not _DIGIT.search(words)]
        return None
