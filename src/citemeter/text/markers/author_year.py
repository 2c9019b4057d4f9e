"""Author-year citations: ``(Harper et al., 2019; Lee & Kim, 2021a)``, ``Harper (2019)``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citemeter.text.markers.marker import Marker
from citemeter.text.markers.sources import SourceIndex, fold_id
from citemeter.text.markers.vocabulary import LOCATOR, YEAR

_GROUP = re.compile(
    rf"[(\[（［]([^()\[\]（）［］\n]{{1,400}}?{YEAR}[^()\[\]（）［］\n]{{0,120}})[)\]）］]"
)
_WORK = re.compile(rf"(.*?)[\s,]*\b({YEAR})(?![\w-])", re.DOTALL)
_PREFIX = re.compile(
    r"^(?:(?:as\s+)?(?:cited|quoted|reviewed|discussed|reported)\s+(?:in|by)"
    r"|see also|see|cf\.?|e\.g\.,?|i\.e\.,?|as in|compare|vgl\.|siehe|voir|véase|source:"
    r"|for example,?"
    r"|for a review,? see|reviewed in|also|but see)\s+",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|spring|summer|autumn|fall|winter|since|before"
    r"|after|until|circa|in|from|between|early|late|the|about|around|updated|accessed|retrieved)\b\.?$",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_a-z]|(?:van|von|de|der|den|la|le|di|da|del|ten|el|al)\b", re.UNICODE)
_NAMES = r"(?:(?:van|von|de|der|den|la|le|di|da|del)\s+){0,3}[A-ZÀ-ÞĀ-ŽΑ-ΩА-Я][\w’'\-]+"
_S = r"[^\S\n]"  # white space inside a line
_NARRATIVE = re.compile(
    rf"(?<![\w])((?:{_NAMES})(?:(?:,?{_S}+(?:and|&|und|et|y){_S}+|,{_S}+|{_S}+)(?:{_NAMES})){{0,4}}"
    rf"(?:,?{_S}+(?:et al\.?|and colleagues|u\.{_S}?a\.))?(?:['’]s)?)"
    rf"{_S}*[(\[]({YEAR}(?:{_S}*[,;]{_S}*{YEAR})*)"
    rf"(?:{_S}*[,:]{_S}*(?:pp?\.?{_S}*)?\d+(?:[-–]\d+)?)?[)\]]"
)
_PAGES = re.compile(r"\d{1,4}(?:[-–]\d{1,4})?")


def _is_locator(text: str) -> bool:
    text = text.strip(" \t\u00a0\u202f,:")
    return bool(_PAGES.fullmatch(text) or LOCATOR.fullmatch(text))


def _key(name: str) -> str:
    name = re.sub(r"\s*&\s*", " and ", name)
    return fold_id(name)


def _cited(name: str, year: str, index: SourceIndex) -> str:
    """Return the id of a work by its author's words and year; the words if it is unknown."""
    name = name.strip().rstrip(",").strip()
    for form in (f"{name}, {year}", f"{name} {year}", f"{name} ({year})", f"{name}. {year}"):
        if form in index.ids:
            return form
    bare = re.sub(r"['’]s$", "", name)
    key = _key(bare)
    first = re.split(
        r"\s+et al\.?|\s+and colleagues|\s+u\.\s?a\.|\s*(?:&|,|\band\b|\bund\b|\bet\b|\by\b)\s*",
        bare,
    )[0]
    last = first.split()[-1] if first.split() else first
    for candidate in (key, fold_id(first), fold_id(last), key + "etal"):
        works = index.works.get((candidate, year))
        if works and len(works) == 1:
            return works[0]
    return f"{name}, {year}" if name else year


def _is_author(name: str, index: SourceIndex) -> bool:
    """Whether a name is that of some source's author, whatever the year."""
    keys = {_key(name), fold_id(name.split()[-1]) if name.split() else ""}
    return any(author in keys for author, _ in index.works)


def author_years(text: str, index: SourceIndex, forced: bool = False) -> Iterator[Marker]:
    """Find author-year citations.

    In round or square brackets, all works of the group leave the text with the brackets. In
    running text (``Harper (2019) found``) only the bracketed year does: the name is a part of
    the sentence.

    Args:
        text: The answer.
        index: The sources; those with author and year, or with ids such as ``Harper, 2020``.
        forced: Whether to find them when no source has either.
    """
    for match in _GROUP.finditer(text):
        ids = _group_ids(match.group(1), index)
        if ids:
            yield Marker(match.start(), match.end(), ids, "author_year")
    for match in _NARRATIVE.finditer(text):
        years = re.findall(YEAR, match.group(2))
        name = match.group(1)
        words = name.split()
        # "However, Harper (2019)": of several words the last ones may be the author.
        names = [name, *[" ".join(words[i:]) for i in range(1, len(words)) if not forced]]
        readings = [[_cited(name, year, index) for year in years] for name in names]
        cited = next((r for r in readings if any(i in index.ids for i in r)), None)
        if cited is None:
            if not (forced or re.search(r"et al|\band\b|&", name) or _is_author(name, index)):
                continue
            cited = readings[0]
        start = match.start(2) - 1
        yield Marker(start, match.end(), tuple(cited), "author_year")


def _group_ids(body: str, index: SourceIndex) -> tuple[str, ...]:
    ids: list[str] = []
    author = ""
    for part in re.split(r"\s*;\s*", body):
        part = _PREFIX.sub("", part.strip())
        if part in index.ids:
            ids.append(part)
            author = ""
            continue
        matched = False
        for match in _WORK.finditer(part):
            name = match.group(1).strip().strip(",").strip()
            name = re.sub(r"^(?:and|&|und)\s+", "", name)
            name = _PREFIX.sub("", name) or author
            if not name or not _NAME.match(name) or len(name) > 120 or _MONTH.search(name):
                return ()
            author = name
            ids.append(_cited(name, match.group(2), index))
            matched = True
        if not matched and not (ids and _is_locator(part)):
            return () if not ids else tuple(dict.fromkeys(ids))
    known = any(i in index.ids for i in ids)
    plausible = all(re.search(r"[^\W\d_]{2}", i) for i in ids)
    if not known and not (plausible and re.search(rf"(?:,|et al\.?|&|[^\W\d_])\s*{YEAR}", body)):
        return ()
    return tuple(dict.fromkeys(ids))
