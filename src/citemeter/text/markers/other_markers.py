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

__all__ = ["FINDERS", "link_target"]


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
_URL = re.compile(
    r"(?<![\w/<=\"'])(?<!\]\()(?:https?://|www\.)[^\s<>\[\]\"'“”」』）】。，、；！？]{1,2048}"
)
_LINK = re.compile(
    r"\([^\S\n]*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:[^\S\n]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[^\S\n]*\)"
)


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


def turns(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``citeturn0search1``: private marks whose delimiters were lost."""
    for match in _TURN.finditer(text):
        ids = tuple(dict.fromkeys(_TURN_ID.findall(match.group(1) or match.group(2))))
        yield Marker(match.start(), match.end(), ids, "leftover")


def oaicite(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``:contentReference[oaicite:0]{index=0}`` and its kin."""
    for match in _OAI.finditer(text):
        number = next(g for g in match.groups() if g)
        yield Marker(match.start(), match.end(), (index.by_number(number),), "leftover")


_REF = re.compile(r"\[REF\]([\d,; \t\u00a0\u202f-]{1,60})\[/REF\]")


def ref_pairs(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``[REF]1,2[/REF]``."""
    for match in _REF.finditer(text):
        ids = id_list(match.group(1).strip(), index)
        if ids:
            yield Marker(match.start(), match.end(), ids, "leftover")


def directives(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``:cite[1,2]``, ``cite:[key]``, ``:cite:`key```."""
    for pattern in (_SPHINX, _DIRECTIVE):
        for match in pattern.finditer(text):
            body = next((g for g in match.groups() if g), "")
            ids = id_list(body, index)
            if ids:
                yield Marker(match.start(), match.end(), ids, "leftover")


def hashes(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``##0$$``."""
    for match in _HASHES.finditer(text):
        yield Marker(match.start(), match.end(), (index.by_number(match.group(1)),), "leftover")


def latex(text: str, index: SourceIndex) -> Iterator[Marker]:
    r"""``\cite{a,b}``, ``\citep[p.~3]{a}``, ``\[1\]``."""
    for match in _LATEX.finditer(text):
        ids = tuple(
            dict.fromkeys(
                index.by_number(part) if part.isdecimal() else part
                for part in (p.strip() for p in match.group(1).split(","))
                if part
            )
        )
        if ids:
            yield Marker(match.start(), match.end(), ids, "latex")
    for match in _LATEX_NUMERAL.finditer(text):
        ids = id_list((match.group(1) or match.group(2)).strip(), index)
        if (
            ids
            and all(i in index.ids for i in ids)
            and match.start()
            and text[match.start() - 1].isalpha()
        ):
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


_SOURCE_LINE = re.compile(
    r"^[ \t>*_(]*(?:Source|Quelle|Fuente|Fonte|Bron|Źródło|Citation|Reference"
    r"|Ref)[*_]*\s?:[*_]*[ \t]*([^\n]{1,200}?)[*_).]*[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def source_lines(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``Source: fleet-guide`` on a line of its own, if the id is known."""
    for match in _SOURCE_LINE.finditer(text):
        ids = id_list(match.group(1).strip(), index)
        if ids and all(i in index.unmistakable for i in ids):
            yield Marker(match.start(), match.end(), ids, "id")


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


Finder = Callable[[str, SourceIndex], Iterator[Marker]]

FINDERS: tuple[tuple[str, tuple[str, ...], Finder], ...] = (
    ("tag", ("<", "(cite", "(co:"), tags),
    ("leftover", ("\ue200", "\ue201", "\ue202"), private),
    ("leftover", ("turn",), turns),
    ("leftover", ("oai",), oaicite),
    ("leftover", ("cite[", "cite:", "cite`"), directives),
    ("leftover", ("##",), hashes),
    ("leftover", ("[REF]",), ref_pairs),
    ("latex", ("\\",), latex),
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
    ("id", ("ource:", "ource**", "uelle:", "uente:", "onte:", "ron:", "itation:"), source_lines),
    ("url", ("http", "www."), urls),
)
"""Style, what the text must hold for a finder to be worth running, and the finder."""
