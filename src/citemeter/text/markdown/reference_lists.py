"""Headings of reference lists, in the languages assistants answer in."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from citemeter.text.markers import SourceIndex

__all__ = ["REFERENCE_LINE", "definitions", "is_reference_heading"]

_DECORATION = re.compile(r"^[\s>*_#`~\-–—•📚🔗📖📝📌:：【\[(]+|[\s*_`~:：】\])\-–—.]+$")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,40}>")
_NUMBERED = re.compile(r"^(?:\d{1,2}|[IVXivx]{1,5})[.)]\s+")
REFERENCE_LINE = re.compile(
    r"[\s>*_#(]*([^\W\d_][^\n:：*_\d\[]{2,40}?)\s*(?:[*_]{1,3}\s*)?[:：]\s*(?:[*_]{1,3}\s*)?"
    r"(?=[\[【［(（\d•\-*<¹²³]|https?:|www\.|[^\s]{1,80}\.(?:pdf|html?|docx?|md|txt)\b)"
)
"""A reference list on the line of its heading: ``Sources: [1] almanac.pdf, [2] guide.pdf``."""


@cache
def _headings() -> frozenset[str]:
    text = files("citemeter").joinpath("data/reference_headings.txt").read_text("utf-8")
    return frozenset(
        line.strip().casefold() for line in text.splitlines() if line.strip() and line[0] != "#"
    )


def is_reference_heading(line: str) -> bool:
    """Whether a line is, or starts as, the heading of a list of sources.

    >>> is_reference_heading("**Quellen:**"), is_reference_heading("Sources: [1] a.pdf")
    (True, True)
    >>> is_reference_heading("Sources of iron vary.")
    False
    """
    if len(line) > 60:
        match = REFERENCE_LINE.match(line)
        return match is not None and _plain(match.group(1)) in _headings()
    if _plain(line) in _headings():
        return True
    match = REFERENCE_LINE.match(line)
    return match is not None and _plain(match.group(1)) in _headings()


def _plain(line: str) -> str:
    line = _TAG.sub("", line)
    previous = None
    while previous != line:
        previous = line
        line = _NUMBERED.sub("", _DECORATION.sub("", line))
    return line.strip().casefold()


_ENTRY = re.compile(
    r"^[ \t>*•+-]*(?:\[\^?([\w.-]{1,40})\^?\]|【(\d{1,4})】"
    r"|\^?(\d{1,4})(?=[.):\s]))[:.)]*[ \t]*(?:[-–—:][ \t]*)?(\S.*)$",
    re.MULTILINE,
)
_URL = re.compile(r"https?://[^\s<>\"')\]]+")


def definitions(block: str, index: SourceIndex) -> dict[str, str]:
    """Return what the entries of a reference list say their numbers stand for.

    ``[1]: https://a.example/x`` lets ``[1]`` cite the source at that address, and ``[^1]: hr-12``
    the source of that id. Numbers that are ids themselves need no definition.
    """
    found: dict[str, str] = {}
    if not index.order:
        return found
    for match in _ENTRY.finditer(block):
        label = next(g for g in match.groups()[:3] if g)
        if label in index.ids or label in found:
            continue
        rest = match.group(4).strip()
        source_id = index.ids.get(rest.strip("`*[]().<> "))
        if source_id is None and index.urls:
            for url in _URL.findall(rest):
                source_id = index.by_url(url.rstrip(".,;"))
                if source_id:
                    break
        if source_id:
            found[label] = source_id
    return found
