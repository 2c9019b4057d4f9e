"""Markers that announce themselves: LaTeX, Pandoc, URLs, products' private marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from citemeter.text.markers.marker import Marker
from citemeter.text.markers.resolve import curly_brackets, id_list, square_brackets
from citemeter.text.markers.sources import SourceIndex, ids_are_urls
from citemeter.text.markers.superscripts import (
    carets,
    circled,
    paren_numbers,
    sections,
    superscripts,
)
from citemeter.text.markers.tags import angles, tags
from citemeter.text.markers.vocabulary import LOCATOR

_PRIVATE = re.compile(
    "[\ue000-\uf8ff](?:file|web)?cite((?:[\ue000-\uf8ff][^\ue000-\uf8ff\n]{0,80}){0,64}?)[\ue201\ue204]"
)
_PRIVATE_OTHER = re.compile("\ue200[^\ue200\ue201\n]*\ue201|[\ue200-\ue20f]")
_PRIVATE_ID = re.compile(r"[^\ue000-\uf8ff]+")
_TURN = re.compile(
    r"(?:file|web)?cite((?:turn\d+[a-z]+\d+)+)|(?<![\w\[【(\ue202])((?:turn\d+[a-z]+\d+)+)(?!\w)"
)
_TURN_ID = re.compile(r"turn\d+[a-z]+?\d+")
_OAI = re.compile(
    r":?[^\S\n]?:contentReference\[oaicite:(\d+)\]\{index=\d+\}"
    r"|\[oai_citation(?:_attribution)?:(\d+)‡[^\]\n]*\](?:\([^()\s]*\))?"
    r"|\[oaicite:(\d+)\](?:\{index=\d+\})?"
)
_DIRECTIVE = re.compile(
    r"(?::(?:cite|citation|ref|footnote|source)|\bcite|\bcitation|\bref):?(?:[a-z]{1,8}:)?"
    r"(?:\[([^\[\]\n]*)\](?:\{[^{}\n]*\})?|`([^`\n]*)`)",
    re.IGNORECASE,
)
_SPHINX = re.compile(r"(?::cite(?::[a-z]+)?:|\{cite(?::[a-z]+)?\})`([^`\n]*)`")
_HASHES = re.compile(r"##[^\S\n]?(\d+)[^\S\n]?\$\$")
_LATEX = re.compile(
    r"~?\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|footref|nocite)\*?(?:\[[^\[\]\n]*\]){0,2}\{([^{}\n]*)\}"
)
_LATEX_NUMERAL = re.compile(
    r"\$\^\{?\[?([\d, \t\u00a0\u202f–-]+)\]?\}?\$|\\textsuperscript\{([\d, \t\u00a0\u202f–-]+)\}"
)
_ESCAPED = re.compile(r"\\\[([^\[\]\\\n]{1,60})\\\]")
_ENTITY = re.compile(
    r"&(?:#91|#x5[bB]|lbrack|lsqb);([^\[\]&\n]{1,80})&(?:#93|#x5[dD]|rbrack|rsqb);"
)
_NESTED_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]\n]{0,120}\[[^\[\]\n]{0,80}\]){1,3}[^\[\]\n]{0,120})\](?=\()"
)
_AT_LOCATOR = re.compile(r"[^\S\n]?\[([^\[\]\n]{1,40})\]")
_PANDOC_BARE = re.compile(r"(?<![\w.@\[;-])@([A-Za-z_][\w:.#$%&\-+?<>~/]*)")
_CURLY = re.compile(r"\{\{?([^{}\n]{1,120})\}?\}")
_REF = re.compile(r"\[REF\]([\d,; \t\u00a0\u202f-]{1,60})\[/REF\]")
_SOURCE_LINE = re.compile(
    r"^[ \t>*_(]*(?:Source|Quelle|Fuente|Fonte|Bron|Źródło|Citation|Reference"
    r"|Ref)[*_]*\s?:[*_]*[ \t]*([^\n]{1,200}?)[*_).]*[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_SOURCE_WORDS = ("ource:", "ource**", "uelle:", "uente:", "onte:", "ron:", "itation:")
_URL = re.compile(
    r"(?<![\w/<=\"'])(?<!\]\()(?:https?://|www\.)[^\s<>\[\]\"'“”」』）】。，、；！？]{1,2048}"
)
_LINK = re.compile(
    r"\([^\S\n]*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:[^\S\n]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[^\S\n]*\)"
)

Finder = Callable[[str, SourceIndex], Iterator[Marker]]
_Reader = Callable[[re.Match[str], SourceIndex], tuple[str, ...]]


def link_target(text: str, position: int) -> tuple[str, int] | None:
    """Return the target of ``(url "title")`` at a position, and where it ends."""
    match = _LINK.match(text, position)
    return (match.group(1), match.end()) if match else None


def private(text: str, index: SourceIndex) -> Iterator[Marker]:
    """Marks in the private-use area, with the ids between them."""
    for match in _PRIVATE.finditer(text):
        ids: list[str] = []
        for part in _PRIVATE_ID.findall(match.group(1)):
            part = part.strip()
            if part in index.ids or _TURN_ID.fullmatch(part):
                ids.append(part)
            elif part and not re.fullmatch(r"L\d+(?:-L?\d+)?", part):
                ids.extend(id_list(part, index))
        yield Marker(match.start(), match.end(), tuple(dict.fromkeys(ids)), "leftover")
    for match in _PRIVATE_OTHER.finditer(text):
        yield Marker(match.start(), match.end(), (), "leftover")


def _each(
    style: str, triggers: tuple[str, ...], pattern: re.Pattern[str], read: _Reader
) -> tuple[str, tuple[str, ...], Finder]:
    """Make an entry of ``FINDERS``: every match that cites anything is a marker."""

    def find(text: str, index: SourceIndex) -> Iterator[Marker]:
        for match in pattern.finditer(text):
            ids = read(match, index)
            if ids:
                yield Marker(match.start(), match.end(), ids, style)

    return style, triggers, find


def _body(match: re.Match[str]) -> str:
    return match[match.lastindex or 0].strip()


def _turn_ids(match: re.Match[str], index: SourceIndex) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_TURN_ID.findall(match[0])))


def _number(match: re.Match[str], index: SourceIndex) -> tuple[str, ...]:
    return (index.by_number(_body(match)),)


def _list(match: re.Match[str], index: SourceIndex) -> tuple[str, ...]:
    return id_list(_body(match), index)


def _unmistakable(match: re.Match[str], index: SourceIndex) -> tuple[str, ...]:
    ids = id_list(_body(match), index)
    return ids if all(i in index.unmistakable for i in ids) else ()


def _keys(match: re.Match[str], index: SourceIndex) -> tuple[str, ...]:
    parts = [part for part in map(str.strip, _body(match).split(",")) if part]
    ids = [index.by_number(part) if part.isdecimal() else part for part in parts]
    return tuple(dict.fromkeys(ids))


def latex_numbers(text: str, index: SourceIndex) -> Iterator[Marker]:
    r"""``word$^{1}$``, ``\textsuperscript{1}``, ``\[1\]``."""
    for match in _LATEX_NUMERAL.finditer(text):
        ids = id_list(_body(match), index)
        after_word = text[match.start() - 1 : match.start()].isalpha()
        if ids and after_word and all(i in index.ids for i in ids):
            yield Marker(match.start(), match.end(), ids, "superscript")
    for match in _ESCAPED.finditer(text):
        reading = square_brackets(match.group(1), index)
        if reading and reading[0] and all(i in index.ids for i in reading[0]):
            yield Marker(match.start(), match.end(), reading[0], reading[1])


def at_keys(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``@key`` in running text, if it is known."""
    for match in _PANDOC_BARE.finditer(text):
        key = match.group(1).rstrip(".:?,;")
        while key and key not in index.ids and key[-1] in ".:?-/":
            key = key[:-1]
        if key in index.ids:
            end = match.start() + 1 + len(key)
            place = _AT_LOCATOR.match(text, end)
            if place and LOCATOR.fullmatch(place[1]):
                end = place.end()
            yield Marker(match.start(), end, (key,), "pandoc")


def curlies(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``{{cite:1}}``, ``{source: a}``."""
    for match in _CURLY.finditer(text):
        reading = curly_brackets(match.group(1), index)
        if reading and text[match.start() - 1 : match.start()] not in ("$", "}", "\\"):
            yield Marker(match.start(), match.end(), reading[0], "id")


def urls(text: str, index: SourceIndex) -> Iterator[Marker]:
    """Bare URLs; one that no source has is cited all the same if ids are URLs."""
    if not index.urls:
        return
    unknown_too = ids_are_urls(index)
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_`|")
        while url.endswith(")") and url.count("(") < url.count(")"):
            url = url[:-1].rstrip(".,;:!?")
        known = index.by_url(url)
        if known or unknown_too:
            yield Marker(match.start(), match.start() + len(url), (known or url,), "url")


def entities(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``&#91;1&#93;``: brackets escaped for HTML."""
    for match in _ENTITY.finditer(text):
        reading = square_brackets(match.group(1), index)
        if reading:
            yield Marker(match.start(), match.end(), reading[0], reading[1])


def nested_links(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``[Handbook [2nd ed.]](url)``: the words stay, and hold brackets of their own."""
    if not index.urls:
        return
    for match in _NESTED_LINK.finditer(text):
        target = link_target(text, match.end())
        url = index.by_url(target[0]) if target else None
        if target and url and not re.fullmatch(r"\[[^\[\]]*\]", match.group(1)):
            yield Marker(match.start(), match.start() + 1, (), "link")
            yield Marker(match.end() - 1, target[1], (url,), "link")


FINDERS: tuple[tuple[str, tuple[str, ...], Finder], ...] = (
    ("tag", ("<", "(cite", "(co:"), tags),
    ("leftover", ("\ue200", "\ue201", "\ue202"), private),
    _each("leftover", ("turn",), _TURN, _turn_ids),
    _each("leftover", ("oai",), _OAI, _number),
    _each("leftover", ("cite[", "cite:", "cite`"), _SPHINX, _list),
    _each("leftover", ("cite[", "cite:", "cite`"), _DIRECTIVE, _list),
    _each("leftover", ("##",), _HASHES, _number),
    _each("leftover", ("[REF]",), _REF, _list),
    _each("latex", ("\\",), _LATEX, _keys),
    ("latex", ("\\",), latex_numbers),
    ("pandoc", ("@",), at_keys),
    ("superscript", ("^",), carets),
    ("superscript", tuple("⁰¹²³⁴⁵⁶⁷⁸⁹"), superscripts),
    ("circled", (), circled),
    ("paren_numeric", ("(", "（"), paren_numbers),
    ("section", ("§", "¶", "Art", "Clause", "Sec"), sections),
    ("numeric", ("&#", "&l"), entities),
    ("link", ("](",), nested_links),
    ("id", ("{",), curlies),
    ("id", ("<",), angles),
    _each("id", _SOURCE_WORDS, _SOURCE_LINE, _unmistakable),
    ("url", ("http", "www."), urls),
)
"""Style, what the text must hold for a finder to be worth running, and the finder."""
