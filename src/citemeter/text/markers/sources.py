"""What the sources of an answer can be cited as: ids, URLs, authors and years."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from citemeter.models import Source
from citemeter.text.markers.vocabulary import YEAR

__all__ = ["SourceIndex", "index_of", "near_miss"]

_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_RUN = re.compile(r"\d+|[^\W\d_]+|[\W_]")
_YEAR = re.compile(YEAR)
_SHARED = 1_000  # a larger set of sources has an index of its own
_TRACKING = re.compile(
    r"(?:^|&)(?:utm_\w+|gclid|fbclid|msclkid|ref|ref_src|cmpid|mc_cid|mc_eid|igshid)=[^&]*"
)
_AUTHOR_SPLIT = re.compile(
    r"\s*(?:;|&|\band\b|\bund\b|\bet\b(?!\s+al)|\by\b|\be\b|,\s*(?=[^\W\d_][^\W\d_]+))\s*"
)


def fold_id(text: str) -> str:
    """Return an id without case, punctuation, spaces, leading zeros and Unicode width.

    >>> fold_id("Doc_012") == fold_id("doc-12")
    True
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _ZEROS.sub("", "".join([c if c.isalnum() else " " for c in folded])).replace(" ", "")


@lru_cache(maxsize=64)
def _folded(source_ids: tuple[str, ...]) -> dict[str, str]:
    table: dict[str, str] = {}
    for source_id in source_ids:
        table.setdefault(fold_id(source_id), source_id)
    return table


def near_miss(cited: str, source_ids: Iterable[str]) -> str | None:
    """Return the source id that a cited id misses only in its spelling, if any.

    Spelling is case, punctuation, white space, leading zeros and Unicode width. Such a citation
    is invalid all the same: whoever follows it finds no source of that name.

    Args:
        cited: The id as cited.
        source_ids: The ids of the sources.

    Returns:
        The id that was probably meant; ``None`` if ``cited`` is an id itself or resembles none.

    >>> near_miss("doc_12", ["doc-11", "doc-12"])
    'doc-12'
    >>> near_miss("doc-12", ["doc-12"]) is None
    True
    """
    ids = tuple(source_ids)
    if cited in ids:
        return None
    key = fold_id(cited)
    return _folded(ids).get(key) if key else None


def fold_url(url: str) -> str:
    """Return a URL's comparable form.

    Scheme, ``www.``, upper case in the host, fragment, tracking parameters, trailing slash and
    percent-encoding make no difference; path and query do.

    >>> fold_url("https://Www.a.example/x/?utm_source=chat#top") == fold_url("http://a.example/x")
    True
    """
    url = url.strip().partition("#")[0]
    _, found, rest = url.partition("://")
    rest = rest if found else url
    rest, _, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    host = host.lower().removeprefix("www.")
    query = _TRACKING.sub("", query).lstrip("&")
    path = unquote(path).rstrip("/")
    return host + (slash + path if path else "") + ("?" + query if query else "")


def _is_url(text: str) -> bool:
    return "://" in text or text.startswith("www.")


def shape_of(text: str) -> str:
    """Return an id's outline: letters ``a``, digits ``9``, separators as they are."""
    return "".join(
        "9" if part[0].isdigit() else "a" if part[0].isalpha() else part
        for part in _RUN.findall(text)
    )


def _surname(author: str) -> str:
    author = author.strip().strip(".,")
    author = re.sub(r"\s+et al\.?.*$|\s+u\.\s?a\.?$|\s+and others$", "", author)
    if "," in author:
        author = author.partition(",")[0]
    words = [
        word for word in author.split() if not re.fullmatch(r"(?:[^\W\d_]\.?-?)+\.|[A-Z]", word)
    ]
    return fold_id(words[-1]) if words else fold_id(author)


class _Citable(NamedTuple):
    """What one source can be cited as."""

    id: str
    urls: tuple[str, ...] = ()
    author: str | None = None
    year: str | None = None


class SourceIndex:
    """The ids of one set of sources, prepared for looking citations up; see ``index_of``."""

    def __init__(self, sources: Sequence[_Citable], numbering: int | None) -> None:
        self.ids: dict[str, str] = {source.id: source.id for source in sources}
        self.order = list(self.ids)
        self.numbering = numbering
        numbers = [source_id for source_id in self.order if source_id.isdecimal()]
        self.has_numbers = bool(numbers) or numbering is not None
        self.all_numbers = len(numbers) == len(self.order)
        self.largest = max((int(n) for n in numbers if len(n) < 10), default=0)
        if numbering is not None:
            self.largest = max(self.largest, len(self.order))
        # Ids such as "lease" are words too: in round brackets they cite only if no plain word.
        self.unmistakable = {i for i in self.order if not i.isdecimal() and not i.isalpha()}
        self.urls: dict[str, str] = {}
        self.works: dict[tuple[str, str], list[str]] = {}
        self.sections = any(i.lstrip().startswith(("§", "Art", "¶")) for i in self.order)
        for source in sources:
            for url in filter(_is_url, (source.id, *source.urls)):
                self.urls.setdefault(fold_url(url), source.id)
            self._index_work(source)

    def _index_work(self, source: _Citable) -> None:
        if source.author is not None and source.year is not None:
            year = source.year[:5].strip("-")
            for name in (source.author, _AUTHOR_SPLIT.split(source.author)[0]):
                self._add_work(_surname(name), year, source.id)
            self._add_work(fold_id(source.author), year, source.id)
            return
        years = list(_YEAR.finditer(source.id))
        found = years[-1] if years else None
        if found is None or not re.match(r"[^\W\d_][^\d]*[\s,(]", source.id):
            return
        name = source.id[: found.start()].rstrip(" ,(")
        if not name or found.end() < len(source.id.rstrip(" )]")):
            return
        self._add_work(fold_id(name.replace("&", " and ")), found.group(), source.id)

    def _add_work(self, name: str, year: str, source_id: str) -> None:
        if not name or not year:
            return
        entry = self.works.setdefault((name, year), [])
        if source_id not in entry:
            entry.append(source_id)

    def by_number(self, digits: str) -> str:
        """Return the id that a number stands for; the number itself if none (then invalid)."""
        if self.numbering is None:
            return digits
        if len(digits) < 10:
            position = int(digits) - self.numbering
            if 0 <= position < len(self.order):
                return self.order[position]
        # Out of range. The number may be another source's id by accident; it cites it no more.
        name = digits
        while name in self.ids:
            name = "#" + name
        return name

    def knows_number(self, digits: str) -> bool:
        """Whether a number names a source."""
        return self.by_number(digits) in self.ids

    def by_url(self, url: str) -> str | None:
        """Return the id of the source at a URL, spelling differences aside."""
        return self.ids.get(url) or self.urls.get(fold_url(url))

    def near(self, text: str) -> str | None:
        """Return the id that ``text`` misses only in its spelling."""
        key = fold_id(text)
        return _folded(tuple(self.order)).get(key) if key else None

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each source stands in the list, counted from 0."""
        return {source_id: place for place, source_id in enumerate(self.order)}

    def resembles_ids(self, text: str) -> bool:
        """Whether ``text`` is written like this set's ids, so that it must be meant as one.

        ``[doc9]`` among ``doc1`` ... ``doc3`` is a citation that names no source; ``[mg/L]`` is
        words. Alike means: the same prefix before a number, or the same outline with at least
        one separator, extension or four-digit year in it.
        """
        shapes = self._shapes
        if not shapes:
            return False
        outline = shape_of(text)
        prefix = re.match(r"[^\W\d_]*", text)
        head = (prefix.group().casefold() if prefix else "") or "9"
        if any(c.isdigit() for c in text) and (head, "prefix") in shapes:
            return True
        if "." in text and ("." + text.rpartition(".")[2].casefold(), "suffix") in shapes:
            return True
        if (outline, len(text)) in shapes and re.search(r"\d", text):
            return len(text) >= 6
        parts = re.split(r"[\W_]+", text)
        return (outline, "outline") in shapes and all(len(p) > 1 or p.isdigit() for p in parts)

    @cached_property
    def _shapes(self) -> set[tuple[str, str | int]]:
        return {shape for source_id in self.order for shape in _shapes_of(source_id)}


def _shapes_of(source_id: str) -> Iterator[tuple[str, str | int]]:
    """Yield what is typical of an id, by which others of its kind are known."""
    if source_id.isdecimal() or _is_url(source_id) or " " in source_id:
        return
    outline = shape_of(source_id)
    digits = re.search(r"\d", source_id)
    prefix = re.match(r"[^\W\d_]+", source_id)
    # "marsh2019tides": a key with a year; its first letters are no common prefix.
    if digits and prefix and not re.search(r"[a-z](?:19|20)\d\d", source_id):
        yield prefix.group().casefold(), "prefix"
    suffix = re.search(r"\.[A-Za-z]{2,5}\d?$", source_id)
    if suffix:
        yield suffix.group().casefold(), "suffix"
    yield outline, len(source_id)
    if (not digits and re.search(r"[\W_]", source_id)) or re.fullmatch(
        r"[a-z]+\d{4}[a-z]+", source_id
    ):
        yield outline, "outline"


@lru_cache(maxsize=256)
def _index(citable: tuple[_Citable, ...], numbering: int | None) -> SourceIndex:
    return SourceIndex(citable, numbering)


def index_of(sources: Sequence[Source], numbering: int | None) -> SourceIndex:
    """Return the index of a set of sources; sets that can be cited alike share one.

    Args:
        sources: The sources.
        numbering: ``None`` when numbers are ids; 1 or 0 when they count the sources.
    """
    citable = tuple([_citable(source) for source in sources])
    if len(citable) > _SHARED:
        return SourceIndex(citable, numbering)
    return _index(citable, numbering)


def _citable(source: Source) -> _Citable:
    metadata = source.metadata
    if not metadata:
        return _Citable(source.id)
    urls = [url for url in (metadata.get("url"), metadata.get("link")) if isinstance(url, str)]
    author = metadata.get("author", metadata.get("authors"))
    year = metadata.get("year", metadata.get("date"))
    if author is None or year is None:
        return _Citable(source.id, tuple(urls))
    if isinstance(author, (list, tuple)):
        author = author[0] if author else ""
    return _Citable(source.id, tuple(urls), str(author), str(year))


def ids_are_urls(index: SourceIndex) -> bool:
    """Whether sources go by their URL, so that a URL that none has is a citation of none."""
    return any("://" in source_id for source_id in index.order[:3])
