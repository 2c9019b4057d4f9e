"""Stretches of an answer that are content whatever they look like: inline code and maths."""

from __future__ import annotations

import re

from citemeter.text.sentences.boundaries import STOPS

_SIGN = re.compile(r"[`$\\]")
_TICKS = re.compile(r"`+")
_PARAGRAPH = re.compile(r"\n[ \t]*\r?\n")
_DOLLARS = re.compile(r"(?<!\\)\$\$?|\n[ \t]*\r?\n")
_LATEX_OPEN = re.compile(
    r"\\\(|\\\[|\\begin\{(?:equation|align|gather|math|displaymath|array|matrix)\*?\}"
)
_IDS_ONLY = re.compile(r"[\s\d,;–-]+")
_STOP = re.compile(f"[{STOPS}]")


def verbatim_zones(text: str) -> list[tuple[int, int]]:
    r"""Return the inline code and the maths of a text, in order and without overlaps.

    Maths is ``$…$`` (no space inside the dollars, no digit behind them, as in Pandoc), ``$$…$$``,
    ``\(…\)``, ``\[…\]`` and display environments.

    >>> [text[a:b] for text in ["Use `a[0]` at $5 and $x = [1]$."] for a, b in verbatim_zones(text)]
    ['`a[0]`', '$x = [1]$']
    """
    zones: list[tuple[int, int]] = []
    if not _SIGN.search(text):
        return zones
    for start, end in sorted([*code_spans(text), *_dollars(text), *_latex(text)]):
        if not zones or start >= zones[-1][1]:
            zones.append((start, end))
    return zones


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the inline code of a text: between equal runs of backticks within a paragraph."""
    found: list[tuple[int, int]] = []
    start = 0
    for stop in [*[match.start() for match in _PARAGRAPH.finditer(text)], len(text)]:
        runs = [match.span() for match in _TICKS.finditer(text, start, stop)]
        last = {end - begin: number for number, (begin, end) in enumerate(runs)}
        number = 0
        while number < len(runs):
            begin, end = runs[number]
            if last[end - begin] > number:
                number += 1
                while runs[number][1] - runs[number][0] != end - begin:
                    number += 1
                found.append((begin, runs[number][1]))
            number += 1
        start = stop
    return found


def _dollars(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: tuple[int, int] | None = None
    for match in _DOLLARS.finditer(text):
        if match.group()[0] == "\n":
            opened = None
            continue
        start, end = match.span()
        width = end - start
        before, after = text[start - 1 : start], text[end : end + 1]
        if opened is not None and opened[1] - opened[0] == width:
            closes = width == 2 or (
                not before.isspace() and not after.isdigit() and "\n" not in text[opened[1] : start]
            )
            if closes:
                found.append((opened[0], end))
                opened = None
                continue
        # "##0$$" is a private mark, and no maths opens with what closes it.
        private = width == 2 and before.isdigit() and "##" in text[max(0, start - 8) : start]
        if not private and (width == 2 or (after and not after.isspace() and after != "{")):
            opened = (start, end)
    return [(a, b) for a, b in found if not _money(text, a, b)]


def _money(text: str, start: int, end: int) -> bool:
    inner = text[start + 1 : end - 1]
    return inner[:1].isdigit() and bool(re.search(r"[a-z]{3,}.*\s", inner[:200]))


def _latex(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    position = 0
    missing: set[str] = set()
    while True:
        opening = _LATEX_OPEN.search(text, position)
        if opening is None:
            return found
        token = opening.group()
        close = {"\\(": "\\)", "\\[": "\\]"}.get(token) or token.replace("begin", "end")
        end = -1 if close in missing else text.find(close, opening.end())
        if end < 0:
            missing.add(close)
            position = opening.end()
            continue
        stop = end + len(close)
        # "\[1\]" is a marker escaped for Markdown.
        if not (token == "\\[" and _IDS_ONLY.fullmatch(text, opening.end(), end)):
            found.append((opening.start(), stop))
        position = stop


def blank_stops(text: str, zones: list[tuple[int, int]]) -> str:
    """Return a text of the same length without sentence ends inside the zones."""
    pieces: list[str] = []
    position = 0
    for start, end in zones:
        pieces.append(text[position:start])
        pieces.append(_STOP.sub("_", text[start:end]))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)
