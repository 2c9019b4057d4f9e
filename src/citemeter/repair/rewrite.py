"""The repaired answer: markers put in, changed and taken out so that it reads as intended.

Every change is checked by reading the whole answer again. A statement's change stands only if all
statements have the same words as before and cite exactly what they should.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from citemeter.guardrail.offsets import Edit, applied, composed
from citemeter.guardrail.strip import strip_edits
from citemeter.models import Citation, Response, Skipped, Statement
from citemeter.repair.marker_style import MarkerStyle, Occurrence, Place, joined, occurrences
from citemeter.repair.writer import MarkerWriter
from citemeter.text.markdown.reference_lists import definitions
from citemeter.text.markers import index_of
from citemeter.text.parse import ParseOptions, parse_response
from citemeter.text.sentences.boundaries import STOPS

_OUTSIDE = -1
"""The place of what belongs to no statement."""
_MOST_READ = 4_000_000  # characters read before what is still open is left as it was
_CITATION = 20  # what reading a citation costs, in characters
_FEWEST, _MOST = 3, 240  # readings
_MARKERS = 200  # of one statement
_END = re.compile(rf"(?P<stop>[{STOPS}:：;；]*)(?P<close>[\"'”’»)\]*_~`]*)(?P<cell>\s*\|?)\s*$")


class Plan(NamedTuple):
    """What a statement is to cite.

    Args:
        wanted: The distinct ids, in order.
        respelled: The invalid ids that stay where they are under another spelling.
    """

    wanted: tuple[str, ...]
    respelled: Mapping[str, str] = {}


class Rewritten(NamedTuple):
    """An answer with its plans carried out.

    Args:
        answer: The new text.
        edits: What was changed, in order.
        response: The new answer, read.
        written: The statements whose plan was carried out.
        dropped: Whether the unattached citations that were to go are gone.
    """

    answer: str
    edits: tuple[Edit, ...]
    response: Response
    written: frozenset[int]
    dropped: bool


class _Attempt(NamedTuple):
    text: str
    edits: list[Edit]
    response: Response


class Rewriter:
    """Rewrites one answer.

    Args:
        response: The answer, cut into statements.
        options: How it was read.
    """

    def __init__(self, response: Response, options: ParseOptions) -> None:
        self.response = response
        self.answer = response.answer or ""
        self.options = options
        self.statements = response.statements or ()
        self.index = index_of(response.sources, options.numbering)
        self.style = MarkerStyle(response, self.index)
        self.aliases: dict[str, str] = {}
        for part in _skipped(response):
            if part.kind == "reference_list":
                self.aliases.update(definitions(part.span.of(self.answer), self.index))
        self.writer = MarkerWriter(self.answer, self.index, options, self.style, self.aliases)
        citations = sum(len(statement.citations) for statement in self.statements)
        cost = len(self.answer) + _CITATION * citations + 1
        self._readings = max(_FEWEST, min(_MOST, _MOST_READ // cost))

    def readable(self) -> bool:
        """Whether reading the answer again gives the statements that it has."""
        again = self._read(self.answer)
        return [(s.text, s.source_ids) for s in again.statements or ()] == [
            (s.text, s.source_ids) for s in self.statements
        ]

    def rewrite(self, plans: Mapping[int, Plan], drop: Collection[str] = ()) -> Rewritten:
        """Carry out plans, and leave as it was what cannot be written.

        Args:
            plans: What statements are to cite, by their place.
            drop: Ids to take out of what belongs to no statement.
        """
        self._plans = plans
        self._drop = frozenset(drop)
        self._accepted: dict[int, list[Edit]] = {}
        self._best = _Attempt(self.answer, [], self.response)
        places = sorted(plans)
        if self._drop:
            places.append(_OUTSIDE)
        if places and self.readable():
            self._ways = {place: self._variants(place) for place in places}
            self._first = {place: next(ways, None) for place, ways in self._ways.items()}
            self._solve(places)
        answer, edits, response = self._best
        done = frozenset(self._accepted)
        return Rewritten(answer, tuple(edits), response, done - {_OUTSIDE}, _OUTSIDE in done)

    def _solve(self, places: list[int]) -> None:
        """Carry out as many as can be; if all at once do not go, halve to find which do not."""
        ready = {place: edits for place in places if (edits := self._first[place]) is not None}
        if ready and self._take(ready):
            return
        if len(places) > 1:
            half = len(places) // 2
            self._solve(places[:half])
            self._solve(places[half:])
            return
        for edits in self._ways[places[0]]:
            if self._take({places[0]: edits}):
                return

    def _take(self, more: Mapping[int, list[Edit]]) -> bool:
        if self._readings <= 0:
            return False
        chosen = {**self._accepted, **more}
        attempt = self._attempt(chosen)
        if attempt is None:
            return False
        self._best = attempt
        self._accepted = chosen
        return True

    def _attempt(self, chosen: Mapping[int, list[Edit]]) -> _Attempt | None:
        edits = sorted(edit for some in chosen.values() for edit in some)
        if any(left.end > right.start for left, right in pairwise(edits)):
            return None
        text, response = self.answer, self.response
        if edits:
            text = applied(text, edits)
            response = self._read(text)
        statements = response.statements or ()
        if len(statements) != len(self.statements):
            return None
        gone = self._gone(statements, response.unattached, chosen)
        if gone:
            made = strip_edits(text, gone, (), _skipped(response), self.index, self.options.plan)
            after = applied(text, made)
            edits = composed(edits, made, len(self.answer), after)
            text, response = after, self._read(after)
        return _Attempt(text, edits, response) if self._as_meant(response, chosen) else None

    def _gone(
        self,
        statements: Sequence[Statement],
        unattached: Sequence[Citation],
        chosen: Collection[int],
    ) -> list[Occurrence]:
        """Return the ids to take out, by marker."""
        gone: list[Citation] = []
        for place in chosen:
            if place == _OUTSIDE:
                gone += [c for c in unattached if c.source_id in self._drop]
            else:
                wanted = self._plans[place].wanted
                gone += [c for c in statements[place].citations if c.source_id not in wanted]
        return occurrences(gone)

    def _as_meant(self, response: Response, chosen: Collection[int]) -> bool:
        statements = response.statements or ()
        if len(statements) != len(self.statements):
            return False
        for place, (new, old) in enumerate(zip(statements, self.statements, strict=True)):
            wanted = self._plans[place].wanted if place in chosen else old.source_ids
            if new.text != old.text or new.source_ids != wanted:
                return False
        drop = self._drop if _OUTSIDE in chosen else ()
        left = [c.source_id for c in self.response.unattached if c.source_id not in drop]
        return [c.source_id for c in response.unattached] == left

    def _read(self, text: str) -> Response:
        self._readings -= 1
        values = dict(self.response.__dict__)
        values.pop("by_id", None)
        given = Response.trusted({**values, "answer": text, "statements": None})
        return parse_response(given, self.options)

    def _variants(self, place: int) -> Iterator[list[Edit]]:
        """Yield ways to write what a statement is to cite; what is to go is taken out later."""
        if place == _OUTSIDE:
            yield []
            return
        plan = self._plans[place]
        statement = self.statements[place]
        if statement.span is None:
            return
        markers = occurrences(statement.citations)
        if len(markers) > _MARKERS:
            return
        targets = [
            tuple(
                dict.fromkeys(
                    [j for i in marker.ids if (j := plan.respelled.get(i, i)) in plan.wanted]
                )
            )
            for marker in markers
        ]
        written = {i for ids in targets for i in ids}
        new = tuple(i for i in plan.wanted if i not in written)
        fixed: list[Edit] = []
        for marker, ids in zip(markers, targets, strict=True):
            if any(i not in marker.ids for i in ids):
                text = self.writer.form(statement, marker.start, marker.end, ids, share=True)
                if text is None:
                    return
                fixed.append(Edit(marker.start, marker.end, text))
            elif ids and len(ids) < len(set(marker.ids)):
                text = self.writer.rewritten(statement, marker, ids) or self.writer.form(
                    statement, marker.start, marker.end, ids, share=True
                )
                if text is not None:
                    fixed.append(Edit(marker.start, marker.end, text))
        stays = [bool(ids) for ids in targets]
        if not new:
            yield [*fixed, *self._leaving(markers, stays)]
            yield fixed
            if not any(stays) and markers:
                yield self._without(markers)
            return
        shares = [True] if len(new) == 1 else [self.style.groups, not self.style.groups]
        if not markers:
            for where in self.style.places():
                for share in shares:
                    edit = self._inserted(statement, where, new, share)
                    if edit is not None:
                        yield [edit]
            return
        last = markers[-1]
        fixed = [edit for edit in fixed if edit.start != last.start]
        leaving = self._leaving(markers, [*stays[:-1], True])
        for edit in self._extended(statement, last, targets[-1], new):
            yield [*fixed, *leaving, edit]
            if leaving:
                yield [*fixed, edit]

    def _leaving(self, markers: Sequence[Occurrence], stays: Sequence[bool]) -> list[Edit]:
        """Take markers out of runs of which others stay, each with one joint: ``[1], [3]``."""
        edits: list[Edit] = []
        first = 0
        while first < len(markers):
            end = first + 1
            while end < len(markers) and joined(self.answer, markers[end - 1], markers[end]):
                end += 1
            run = range(first, end)
            leads = next((place for place in run if stays[place]), end)
            for place in run if leads < end else ():
                start, stop = markers[place].start, markers[place].end
                written = self.answer[start:stop]
                if stays[place] or (written[0] == "<" and "</" not in written):
                    continue  # what an opening tag encloses is not known here
                if place < leads:
                    edits.append(Edit(start, markers[place + 1].start))
                else:
                    edits.append(Edit(markers[place - 1].end, stop))
            first = end
        return edits

    def _without(self, markers: Sequence[Occurrence]) -> list[Edit]:
        """Take all markers out with the blanks before them and nothing else."""
        edits: list[Edit] = []
        for marker in markers:
            start, end = marker.start, marker.end
            floor = edits[-1].end if edits else 0
            while start > floor and self.answer[start - 1] in " \u00a0":
                start -= 1
            edits.append(Edit(start, end))
        return edits

    def _extended(
        self, statement: Statement, last: Occurrence, stays: tuple[str, ...], new: tuple[str, ...]
    ) -> Iterator[Edit]:
        """Yield ways to let a statement's last marker cite other ids, or more."""
        grouped = self.style.groups or len(last.ids) > 1
        for share in (grouped, not grouped):
            text = self.writer.form(statement, last.start, last.end, (*stays, *new), share=share)
            if text is not None:
                yield Edit(last.start, last.end, text)
        for joint in dict.fromkeys((self.style.joint, "", " ")):
            text = self.writer.form(
                statement, last.end, last.end, new, share=len(new) == 1, lead=joint
            )
            if text is not None:
                yield Edit(last.end, last.end, text)

    def _inserted(
        self, statement: Statement, where: Place, new: tuple[str, ...], share: bool
    ) -> Edit | None:
        """Return the edit that puts a marker into a statement without any."""
        assert statement.span is not None
        start, end = statement.span
        sample = next(self.style.forms(new[:1]), "")
        gap = self.style.gap(where, sample)
        if where == "front":
            text = self.writer.form(statement, start, start, new, share=share)
            return None if text is None else Edit(start, start, text + (gap or " "))
        match = _END.search(self.answer, start, end)
        assert match is not None
        if where == "before" and not (match["close"] and match["stop"]):
            place = match.start("stop")
        else:
            place = match.start("cell")
        while place > start and self.answer[place - 1].isspace():
            place -= 1
        if where == "before" and match["close"] and match["stop"]:
            gap = gap or " "  # behind the closing quotation mark
        text = self.writer.form(statement, place, place, new, share=share, lead=gap)
        return None if text is None else Edit(place, place, text)


def _skipped(response: Response) -> tuple[Skipped, ...]:
    return response.parsing.skipped if response.parsing is not None else ()
