"""The entries of an answer's own list of sources, as far as they bear ids."""

from __future__ import annotations

from typing import Any, NamedTuple

from citemeter.models import Span
from citemeter.text.markdown.reference_lists import definitions
from citemeter.text.markers import Marker, SourceIndex

_LEAD = " \t>*•+-_"
_LABEL = frozenset("[［【〔<^{(¹²³⁴⁵⁶⁷⁸⁹⁰")


class ListedEntry(NamedTuple):
    """An entry of a reference list with an id that names no source.

    Args:
        start: Where the entry starts in the answer.
        end: Where it ends: at the next entry of the line, or with the line.
        ids: The ids of its markers.
        whole: Whether it goes as a whole; else it holds the ids of sources too.
        markers: Its markers.
    """

    start: int
    end: int
    ids: tuple[str, ...]
    whole: bool
    markers: tuple[Marker, ...]


def listed_entries(answer: str, span: Span, index: SourceIndex, plan: Any) -> list[ListedEntry]:
    """Return the entries of a reference list that name an id of no source.

    An entry is a line, or what stands between two markers of a line that begins with one. What it
    says besides its markers, such as a title, is not looked at.

    Args:
        answer: The answer.
        span: Where the list stands in it.
        index: What the sources can be cited as.
        plan: How answers are read.
    """
    start, end = span
    block = answer[start:end]
    markers = [m for m in plan.find_markers(block, index) if m.ids]
    if not markers or all(i in index.ids for m in markers for i in m.ids):
        return []
    # "[1]: https://…" says what 1 stands for.
    aliases = definitions(block, index)
    places: list[tuple[int, int, list[Marker]]] = []
    position = 0
    number = 0
    for line in block.splitlines(keepends=True):
        low, position = position, position + len(line)
        inside = []
        while number < len(markers) and markers[number].start < position:
            inside.append(markers[number])
            number += 1
        if not inside:
            continue
        lead = line[: inside[0].start - low]
        heads = [inside[0]] if not lead.strip(_LEAD) else []
        if heads or lead.rstrip(" *_").endswith((":", "：")):
            # "Sources: [1] almanac.pdf, [2] guide.pdf": each marker opens an entry.
            heads = [m for m in inside if m is inside[0] or block[m.start - 1] in " ,;\t"]
            if any(block[m.start] not in _LABEL for m in heads):
                heads = heads[:1]
        limit = low + len(line.rstrip("\r\n"))
        if not heads:
            places.append((low, limit, inside))
        for place, head in enumerate(heads):
            last = place + 1 == len(heads)
            upto = limit if last else heads[place + 1].start
            first = low if place == 0 and not lead.strip(_LEAD) else head.start
            within = [m for m in inside if head.start <= m.start < upto]
            places.append((first, upto, within))
    entries: list[ListedEntry] = []
    for first, upto, within in places:
        ids = [i for marker in within for i in marker.ids]
        bad = tuple([i for i in ids if i not in index.ids and i not in aliases])
        if bad:
            moved = [m._replace(start=start + m.start, end=start + m.end, reach=0) for m in within]
            whole = len(bad) == len(ids)
            entries.append(ListedEntry(start + first, start + upto, bad, whole, tuple(moved)))
    return entries
