"""Taking markers out of an answer so that what is left reads as if they had never been there."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from citemeter.guardrail.listed import ListedEntry
from citemeter.guardrail.marker_rewriting import rewrite_marker
from citemeter.guardrail.offsets import Edit, applied
from citemeter.models import Skipped
from citemeter.text.markdown.inline import verbatim_zones
from citemeter.text.markdown.reference_lists import is_reference_heading
from citemeter.text.markers import Marker, SourceIndex
from citemeter.text.markers.removal import remove_markers
from citemeter.text.markers.vocabulary import AND
from citemeter.text.parse import without_markers

_JOINER = re.compile(
    rf"[^\S\n]*(?:[,;，；、､]|(?:[,，]\s*)?(?:\b(?:{AND})\b|&|和|与|、)|/)?[^\S\n]*"
)
_BARE = re.compile(r"\s*(?:[-*+•>#\s]|\(?\d{1,3}[.)])*(?:<br\s*/?>)?\s*")
_LEFT_OVER = re.compile(r"^[^\S\n]*(?:[,;:.](?=\s))?[^\S\n]*")
_BLANK_LINE = re.compile(r"[ \t]*\r?\n")
_BLANK_STOP = re.compile(r"[ \t]+(?=[.,;:!?)](?:\s|$))")
_SPACED = re.compile(r"[0-9A-Za-z\u00c0-\u024f\u0370-\u05ff]")
_COLON = re.compile(r"[:：]")
_CONTEXT = 40


def strip_edits(
    text: str,
    invalid: Sequence[tuple[int, int, Sequence[str]]],
    listed: Sequence[ListedEntry],
    skipped: Sequence[Skipped],
    index: SourceIndex,
    plan: Any,
) -> list[Edit]:
    """Return the edits that take ids of no source out of a text.

    Args:
        text: The answer.
        invalid: ``(start, end, ids)`` of the ids to take out.
        listed: The entries of reference lists to take out.
        skipped: What is no statement.
        index: What the sources can be cited as.
        plan: How answers are read.
    """
    # As the reading of the text found them.
    markers = plan.find_markers(text, index, without_markers(verbatim_zones(text), skipped))
    bad: dict[int, set[str]] = {}
    for start, _, ids in invalid:
        bad.setdefault(start, set()).update(ids)
    going: list[tuple[Marker, Collection[str]]] = []  # markers and the ids that go
    gone: list[tuple[int, int]] = []
    openings: list[Marker] = []  # "[" before words that are a link's
    for marker in markers:
        if not marker.ids and text[marker.start] == "[" and marker.end - marker.start == 1:
            openings.append(marker)
        worst = bad.get(marker.start, set())
        if marker.ids and text[marker.start] == "]" and openings:
            opening = openings.pop()
            if worst.issuperset(marker.ids):
                gone.append((opening.start, opening.end))
        if worst:
            going.append((marker, worst))
    going += [(m, entry.ids) for entry in listed if not entry.whole for m in entry.markers]
    edits: list[Edit] = []
    for marker, bad_ids in going:
        staying = tuple(dict.fromkeys(i for i in marker.ids if i not in bad_ids))
        if len(staying) == len(set(marker.ids)):
            continue
        form = _rewritten(text, marker, staying, index, plan) if staying else None
        if form is not None:
            edits.append(Edit(marker.start, marker.end, form))
            continue
        gone.append((marker.start, marker.end))
        if marker.reach:
            gone.append((text.rfind("<", marker.start, marker.reach), marker.reach))
    gone.sort()
    edits += [*_cut(text, gone, markers), *_listed(text, listed, skipped)]
    return _merged(sorted(edits, key=lambda e: (e.start, -e.end)))


def _rewritten(
    text: str, marker: Marker, staying: tuple[str, ...], index: SourceIndex, plan: Any
) -> str | None:
    """Return a marker with those of its ids that stay, or ``None`` if no form has just those."""
    start, end = marker.start, marker.end
    before = text[max(0, start - _CONTEXT) : start]
    after = text[end : end + _CONTEXT]

    def reads(candidate: str) -> bool:
        around = before + candidate + after
        low, high = len(before), len(before) + len(candidate)
        found = [
            m for m in plan.find_markers(around, index) if m.ids and m.start < high and m.end > low
        ]
        inside = tuple(dict.fromkeys(i for m in found for i in m.ids))
        return inside == staying and found[0].start == low and found[-1].end == high

    return rewrite_marker(text[start:end], marker.ids, staying, index, reads)


def _cut(text: str, gone: list[tuple[int, int]], markers: Sequence[Marker]) -> list[Edit]:
    """Take stretches out line by line, with the white space and joints that they leave."""
    if not gone:
        return []
    joined = _with_joints(text, gone, markers)
    edits: list[Edit] = []
    place = 0
    while place < len(joined):
        line_start = text.rfind("\n", 0, joined[place].start) + 1
        line_end = text.find("\n", joined[place].end)
        line_end = len(text) if line_end < 0 else line_end
        inside = []
        while place < len(joined) and joined[place].start < line_end:
            inside.append(joined[place])
            place += 1
        line_end = max(line_end, inside[-1].end)
        edits += _line(text, line_start, line_end, inside)
    return edits


def _with_joints(text: str, gone: list[tuple[int, int]], markers: Sequence[Marker]) -> list[Marker]:
    """Take in what joins a marker that goes to its neighbours: ``[1], [9]`` leaves ``[1]``."""
    places = set(gone)
    cites = [m for m in markers if m.ids]
    starts = {m.start: number for number, m in enumerate(cites)}
    result: list[Marker] = []
    for start, end in gone:
        number = starts.get(start)
        if number is not None:
            previous = cites[number - 1] if number else None
            following = cites[number + 1] if number + 1 < len(cites) else None
            if (
                previous is not None
                and start - previous.end <= 8
                and _JOINER.fullmatch(text, previous.end, start)
            ):
                both_go = (previous.start, previous.end) in places
                if both_go or text[previous.end : start].strip():
                    start = previous.end
                following = None
            if (
                following is not None
                and following.start - end <= 8
                and (following.start, following.end) not in places
                and text[end : following.start].strip()
                and _JOINER.fullmatch(text, end, following.start)
            ):
                end = following.start
        if result and start <= result[-1].end:
            result[-1] = result[-1]._replace(end=max(end, result[-1].end))
        else:
            result.append(Marker(start, end, ("",), "gone"))
    return result


def _line(text: str, start: int, end: int, gone: list[Marker]) -> list[Edit]:
    """Take stretches out of one line; a line that is left without words goes as a whole."""
    first = start
    while start < gone[0].start and text[start] in " \t":
        start += 1
    edits: list[Edit] = []
    position = start
    words = ""
    for low, piece in remove_markers(text, gone, start, end).pieces:
        if not words:
            shorter = _LEFT_OVER.sub("", piece) if low > start else piece
            low += len(piece) - len(shorter)
            piece = shorter
        if low > position:
            edits.append(Edit(position, low))
        words += piece
        if text.startswith(piece, low):
            position = low + len(piece)
        else:  # a blank stands where a marker did
            position = low + len(piece) - 1
            edits.append(Edit(position, position, " "))
    if position < end:
        edits.append(Edit(position, end))
    if "|" not in words and _BARE.fullmatch(words):
        return [_whole_line(text, first, end)]
    return [_sound(text, edit) for edit in _merged(edits)]


def _whole_line(text: str, start: int, end: int) -> Edit:
    """Take a line out with its end, and one of the blank lines around it."""
    if end < len(text):
        end += 1
        above = text[max(0, start - 3) : start].replace("\r", "")
        if (not above or above.endswith("\n\n")) and (blank := _BLANK_LINE.match(text, end)):
            end = blank.end()
    return Edit(start, end)


def _merged(edits: list[Edit]) -> list[Edit]:
    """Join edits that touch; of two that overlap, the first says what stands there."""
    result: list[Edit] = []
    for edit in edits:
        if result and edit.start <= result[-1].end:
            last = result[-1]
            new = last.text + edit.text if edit.start == last.end else last.text
            result[-1] = Edit(last.start, max(edit.end, last.end), new)
        else:
            result.append(edit)
    return result


def _sound(text: str, edit: Edit) -> Edit:
    """Leave no blank before a stop, and keep two words apart that only a marker stood between."""
    start, end, new = edit
    stop = _BLANK_STOP.match(text, end)
    if stop and start < end:
        return Edit(start, stop.end(), new.strip())
    if not new and start and _SPACED.match(text, start - 1) and _SPACED.match(text, end):
        return Edit(start, end, " ")
    return edit


def _listed(text: str, listed: Sequence[ListedEntry], skipped: Sequence[Skipped]) -> list[Edit]:
    """Take whole entries out of reference lists, and the heading of a list left empty."""
    edits: list[Edit] = []
    for entry in listed:
        start, end = entry.start, entry.end
        if not entry.whole:
            continue
        opens = start == 0 or text[start - 1] == "\n"
        closes = end == len(text) or text[end] in "\r\n"
        if opens and closes:
            newline = text.find("\n", end)
            end = len(text) if newline < 0 else newline
            edits.append(_whole_line(text, start, end))
            continue
        if closes:
            low = start
            while low and text[low - 1] in " ,;\t":
                low -= 1
            start = low
        edits.append(Edit(start, end))
    if not edits:
        return edits
    edits = _merged(edits)
    for part in skipped:
        if part.kind == "reference_list":
            low, high = part.span
            inside = [e for e in edits if e.start >= low and e.start < high]
            if inside:
                moved = [Edit(e.start - low, e.end - low, e.text) for e in inside]
                left = applied(text[low:high], moved).strip()
                if not any(map(str.isalnum, left)) or (
                    "\n" not in left
                    and is_reference_heading(left)
                    and not _COLON.search(left.rstrip("*_#:： "))
                ):
                    edits = [e for e in edits if e not in inside]
                    edits.append(Edit(low, max(high, inside[-1].end)))
    return sorted(edits)
