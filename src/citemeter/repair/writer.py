"""Markers that read as what they should, each tried in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from citemeter.guardrail.marker_rewriting import rewrite_marker
from citemeter.models import Statement
from citemeter.repair.marker_style import MarkerStyle, Occurrence
from citemeter.text.markers import Marker, SourceIndex
from citemeter.text.parse import ParseOptions

_AROUND, _FURTHEST = 60, 1000  # characters around a marker that are read with it
_MOST_TRIED = 2_000_000  # characters read in trying markers, after which none is written


class MarkerWriter:
    """Writes the markers of one answer in its own style.

    Args:
        answer: The answer.
        index: What its sources can be cited as.
        options: How it is read.
        style: How it writes its markers.
        aliases: What the labels of its list of references stand for.
    """

    def __init__(
        self,
        answer: str,
        index: SourceIndex,
        options: ParseOptions,
        style: MarkerStyle,
        aliases: Mapping[str, str],
    ) -> None:
        self.answer = answer
        self.index = index
        self.options = options
        self.style = style
        self.aliases = aliases
        self._tries = _MOST_TRIED
        self._alone: dict[str, tuple[str, ...]] = {}

    def form(
        self,
        statement: Statement,
        start: int,
        end: int,
        ids: tuple[str, ...],
        *,
        share: bool,
        lead: str = "",
    ) -> str | None:
        """Return a marker for ids in the place of ``answer[start:end]``, checked by reading it."""
        before, after = self._around(statement, start, end)
        before += lead
        like = self.answer[start:end] or None
        if share or len(ids) == 1:
            candidates = self.style.forms(ids, like)
        else:
            candidates = self._apart(ids, like)
        for text in candidates:
            if self._legible(text, ids) and self._reads(before, text, after, ids):
                return lead + text
        return None

    def rewritten(
        self, statement: Statement, marker: Occurrence, ids: tuple[str, ...]
    ) -> str | None:
        """Return a marker of several ids with some of them left out."""
        before, after = self._around(statement, marker.start, marker.end)
        return rewrite_marker(
            self.answer[marker.start : marker.end],
            marker.ids,
            frozenset(ids),
            self.index,
            lambda text: self._reads(before, text, after, ids),
        )

    def _around(self, statement: Statement, start: int, end: int) -> tuple[str, str]:
        """Return what of the answer stands before and after a place in a statement."""
        assert statement.span is not None
        low = max(0, min(start, statement.span.start) - _AROUND, start - _FURTHEST)
        high = min(max(end, statement.span.end) + _AROUND, end + _FURTHEST)
        return self.answer[low:start], self.answer[end:high]

    def _apart(self, ids: tuple[str, ...], like: str | None) -> Iterator[str]:
        """Yield runs of markers of one id each."""
        rows = [list(self.style.forms((source_id,), like)) for source_id in ids]
        joints = list(dict.fromkeys((self.style.joint, "", " ")))
        for number in range(min(map(len, rows))):
            for joint in joints:
                yield joint.join([row[number] for row in rows])

    def _legible(self, text: str, ids: tuple[str, ...]) -> bool:
        """Whether a marker cites the ids when it stands alone; else it need not be tried in place.

        Of an opening tag that cannot be said, since what closes it stands elsewhere.
        """
        if text.startswith("<"):
            return True
        cited = self._alone.get(text)
        if cited is None:
            cited = self._alone[text] = self._cited(self._found(f"It is so {text} here."))
        return cited == ids

    def _found(self, text: str) -> list[Marker]:
        found = self.options.plan.find_markers(text, self.index)
        return [marker for marker in found if marker.ids]

    def _cited(self, markers: Sequence[Marker]) -> tuple[str, ...]:
        ids = [i for marker in markers for i in marker.ids]
        known = self.index.ids
        return tuple(dict.fromkeys([i if i in known else self.aliases.get(i, i) for i in ids]))

    def _reads(self, before: str, text: str, after: str, ids: tuple[str, ...]) -> bool:
        low, high = len(before), len(before) + len(text)
        self._tries -= high + len(after)
        if self._tries < 0:
            return False
        found = [m for m in self._found(before + text + after) if m.start < high and m.end > low]
        return (
            self._cited(found) == ids
            and found[0].start == low
            and found[-1].end in (high, high + 1)
        )
