"""A marker of several ids without those that name no source: ``[1, 9]`` becomes ``[1]``.

Candidates are made by leaving parts out, and the package's own reader decides: one is taken only
if it reads as exactly the ids that are to stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence

from citemeter.text.markers import SourceIndex
from citemeter.text.markers.known_ids import RANGE, digits_of
from citemeter.text.markers.resolve import id_list

_SEPARATOR = re.compile(
    r"\s*(?:[,;|&，；、､،؛；]|\b(?:and|und|et|or|oder|ou|y|e|o|en|og|och)\b)\s*|\s*[\]】]\s*[\[【]\s*"
)
_OPENING = re.compile(
    r"(?:~?\\[A-Za-z]+\*?(?:\[[^\[\]]*\]){0,2}\{|<[^<>]*?=\s*[\"'“]?|<[^<>]*>|:?[A-Za-z]+:?(?=[\[`])"
    r"|[\[(（［【〔{<^~`$\"'“‘*_]|\\\[|&#91;|##\s?)*"
)
_CLOSERS = frozenset("])）］】〕}>^`\"'”’*_$/\\ \t")
_TAIL = re.compile(r"(?:&#93;|</?\w{1,12}>|\{[^{}]{0,60}\}|\]\([^()\s]{1,300}\))$")
_SUPERSCRIPT_DIGITS = str.maketrans("0123456789,-", "⁰¹²³⁴⁵⁶⁷⁸⁹˒⁻")
_LONGEST = 600
_MOST_PARTS = 12


def rewrite_marker(
    marker: str,
    ids: Sequence[str],
    known: Collection[str],
    index: SourceIndex,
    reads: Callable[[str], bool],
) -> str | None:
    """Return a marker with those of its ids that are known, or ``None`` if there is no such form.

    Args:
        marker: The marker as written.
        ids: The ids that it is read as.
        known: The ids that name a source.
        index: What the sources can be cited as.
        reads: Whether a candidate, in the marker's place, reads as the ids that stay.
    """
    if len(marker) > _LONGEST:
        return None
    for candidate in _candidates(marker, [i for i in ids if i in known], known, index):
        if candidate != marker and reads(candidate):
            return candidate
    return None


def _candidates(
    marker: str, staying: list[str], known: Collection[str], index: SourceIndex
) -> Iterator[str]:
    superscript = not marker.isascii() and marker != unicodedata.normalize("NFKC", marker)
    opening = _OPENING.match(marker)
    head = opening.end() if opening else 0
    last = _TAIL.search(marker, head)
    tail = last.start() if last else len(marker)
    while tail > head and marker[tail - 1] in _CLOSERS:
        tail -= 1
    yield from _kept(marker, head, tail, known, index)
    if ";" in marker:
        yield from _halves(marker, head, tail)
    if marker[:1] == "(":
        return  # "(Marsh, 2019)" is not rewritten as "[marsh]"
    # Written anew: with the numbers that stand for the ids, or the ids themselves.
    inside = ", ".join(_runs(staying, index))
    yield marker[:head] + inside + marker[tail:]
    yield f"[{inside}]"
    yield marker[:head] + ", ".join(staying) + marker[tail:]
    yield f"[{', '.join(staying)}]"
    yield "".join(f"[{i}]" for i in staying)
    if superscript:
        yield inside.replace(" ", "").translate(_SUPERSCRIPT_DIGITS)
        yield inside.replace(", ", "˒").replace(",", "").translate(_SUPERSCRIPT_DIGITS)


def _kept(
    marker: str, head: int, tail: int, known: Collection[str], index: SourceIndex
) -> Iterator[str]:
    """Leave out the parts between separators that name no source."""
    parts: list[tuple[str, str]] = []  # the separator before it, the part
    position, before = head, ""
    for match in _SEPARATOR.finditer(marker, head, tail):
        parts.append((before, marker[position : match.start()]))
        position, before = match.end(), match.group()
    parts.append((before, marker[position:tail]))
    result = ""
    dropped = False
    first_dropped = False
    for number, (separator, part) in enumerate(parts):
        found = id_list(part.strip(" []【】`*_"), index) if part.strip() else ()
        if not found and not (number == 0 and first_dropped):
            # A page or line of the id before it stays or goes with it.
            if not dropped:
                result += separator + part
            continue
        good = [i for i in found if i in known]
        dropped = not good
        if dropped:
            continue
        if len(good) < len(found):
            part = ", ".join(_runs(good, index, _dash(part)))
        result += (separator if result else "") + part
    if result:
        yield marker[:head] + result + marker[tail:]


def _halves(marker: str, head: int, tail: int) -> Iterator[str]:
    """Leave out one part between semicolons, or all but one: "(Marsh, 2019; Orchard, 2021)"."""
    parts = re.split(r"\s*;\s*", marker[head:tail])
    for number in range(len(parts) if len(parts) <= _MOST_PARTS else 0):
        rest = "; ".join(parts[:number] + parts[number + 1 :])
        yield marker[:head] + rest + marker[tail:]
        yield marker[:head] + parts[number] + marker[tail:]


def _dash(part: str) -> str:
    match = RANGE.search(part)
    if not match:
        return "-"
    return part[match.end(1) : match.start(2)]


def _runs(ids: Sequence[str], index: SourceIndex, dash: str = "-") -> list[str]:
    """Write ids as a marker does: numbers that follow each other as a range."""
    numbers = _numbers(ids, index)
    if numbers is None:
        return list(ids)
    result: list[str] = []
    place = 0
    while place < len(numbers):
        last = place
        while last + 1 < len(numbers) and numbers[last + 1] == numbers[last] + 1:
            last += 1
        if last - place >= 2:
            result.append(f"{numbers[place]}{dash}{numbers[last]}")
        else:
            result += [str(n) for n in numbers[place : last + 1]]
        place = last + 1
    return result


def _numbers(ids: Sequence[str], index: SourceIndex) -> list[int] | None:
    """Return the numbers by which ids are cited, if they are."""
    if index.numbering is None:
        found = [digits_of(i) for i in ids]
        if any(
            n is None or len(n) > 9 or str(int(n)) != i for n, i in zip(found, ids, strict=True)
        ):
            return None
        return [int(n) for n in found if n is not None]
    places = index.places
    if not all(source_id in places for source_id in ids):
        return None
    return [places[source_id] + index.numbering for source_id in ids]
