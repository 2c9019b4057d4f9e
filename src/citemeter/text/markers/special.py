"""Markers that announce themselves: tags, LaTeX, links, private marks, superscripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from citemeter.text.markers.marker import Marker
from citemeter.text.markers.resolve import curly, digits_of, id_list, square
from citemeter.text.markers.sources import SourceIndex

__all__ = ["SPECIALS", "link_target"]

_ATTRIBUTE = re.compile(
    r"\b(id|ids|index|indices|idx|sources?|source_ids?|src|refs?|docs?|doc_?ids?|documents?|keys?|n"
    r"|number|name|rid|target|data-[\w-]{1,20}|href|url|cite|citations?)\s*=\s*"
    r"(?:\"([^\"<>]*)\"|'([^'<>]*)'|“([^”<>]*)”|([^\s\"'<>]+))",
    re.IGNORECASE,
)
_TAG_NAMES = r"(?:[\w-]{1,12}:)?(?:cite|citation|citations|ref|reference|source|sources|src|doc|co|sup|fn|footnote|quote|claim)"
_OPEN = re.compile(rf"[<(]({_TAG_NAMES})\b((?:\s|:)[^<>\n]{{0,400}}?)?(/?)>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_TAG_NAMES})\b(:?[^<>\n]*)>", re.IGNORECASE)
_WRAPPER = re.compile(
    r"</?(?:statement|answer|response|final_answer|result|output|s|sent|sentence|text|p|span|br|div"
    r"|co|cite|citation|claim)\b[^<>\n]*>|<!--[^<>]*-->",
    re.IGNORECASE,
)
_ANCHOR = re.compile(r"<a\b[^<>]*>[ \t\u00a0\u202f]*(\[?[^<>\[\]]{1,40}\]?)[ \t\u00a0\u202f]*</a>", re.IGNORECASE)
_DOC_SENTENCE = re.compile(r"(\d+)-(\d+)(?::(?:\d+-)?\d+)?")
_ANGLE_URL = re.compile(r"<(https?://[^\s<>]+)>")

_PRIVATE = re.compile("[\ue000-\uf8ff](?:file|web)?cite((?:[\ue000-\uf8ff][^\ue000-\uf8ff\n]{0,80}){0,64}?)[\ue201\ue204]")
_PRIVATE_OTHER = re.compile("\ue200[^\ue200\ue201\n]*\ue201|[\ue200-\ue20f]")
_PRIVATE_ID = re.compile(r"[^\ue000-\uf8ff]+")
_TURN = re.compile(r"(?:file|web)?cite((?:turn\d+[a-z]+\d+)+)|(?<![\w])((?:turn\d+[a-z]+\d+){2,})(?!\w)")
_TURN_ID = re.compile(r"turn\d+[a-z]+?\d+")
_OAI = re.compile(
    r":?[ \t\u00a0\u202f]?:contentReference\[oaicite:(\d+)\]\{index=\d+\}"
    r"|\[oai_citation(?:_attribution)?:(\d+)‡[^\]\n]*\](?:\([^()\s]*\))?"
    r"|\[oaicite:(\d+)\](?:\{index=\d+\})?"
)
_DIRECTIVE = re.compile(
    r"(?::(?:cite|citation|ref|footnote|source)|\bcite|\bcitation|\bref):?(?:[a-z]{1,8}:)?"
    r"(?:\[([^\[\]\n]*)\](?:\{[^{}\n]*\})?|`([^`\n]*)`)",
    re.IGNORECASE,
)
_SPHINX = re.compile(r"(?::cite(?::[a-z]+)?:|\{cite(?::[a-z]+)?\})`([^`\n]*)`")
_HASHES = re.compile(r"##[ \t\u00a0\u202f]?(\d+)[ \t\u00a0\u202f]?\$\$")
_LATEX = re.compile(
    r"~?\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|footref|nocite)\*?(?:\[[^\[\]\n]*\]){0,2}\{([^{}\n]*)\}"
)
_LATEX_NUMERAL = re.compile(r"\$\^\{?\[?([\d, \t\u00a0\u202f–-]+)\]?\}?\$|\\textsuperscript\{([\d, \t\u00a0\u202f–-]+)\}")
_ESCAPED = re.compile(r"\\\[([^\[\]\\\n]{1,60})\\\]")
_PANDOC_BARE = re.compile(r"(?<![\w.@\[;-])@([A-Za-z_][\w:.#$%&\-+?<>~/]*)")
_CARET = re.compile(r"\^\[([\d,; \t\u00a0\u202f–-]+)\]\^?|\^(\d+(?:[,–-]\d+)*)\^|(?<=[\w.!?\"”])\^(\d{1,3})(?![\w^])")
_CURLY = re.compile(r"\{\{?([^{}\n]{1,120})\}?\}")
_DOUBLE_ANGLE = re.compile(r"<<([^<>\n]{1,80})>>|<((?:doc|source|ref|cite|id)[ :_-]?[^<>\n]{1,40})>", re.I)
_SUPERSCRIPT = re.compile(
    r"[⁽⁅\[]?([⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[ \t\u00a0\u202f]?[⁻⁻‐–\-,˒،ʼ’'⸴·ꞌ⋅ˏ，][ \t\u00a0\u202f]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[ \t\u00a0\u202f][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)[⁾⁆\]]?"
)
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_UNIT = re.compile(
    r"(?:^|[\d\s/(·*.,−-])(?:k|c|m|d|µ|n|h|da|sq)?(?:m|g|s|in|ft|yd|mi|cm|km|mm|dm|nm|µm|ha|A|V|L|l|K|Pa|N|J|W|Hz"
    r"|bar|mol|rad|kg|ft|inch|day|yr|cell[s]?|Ω|°C)$"
)
_CIRCLED = re.compile(r"[①-⑳㉑-㉟㊱-㊿❶-❿➀-➉➊-➓](?:[ \t\u00a0\u202f,，、]?[①-⑳㉑-㉟㊱-㊿❶-❿➀-➉➊-➓])*")
_PAREN_NUMBER = re.compile(r"[(（][ \t\u00a0\u202f]*(\d{1,4}(?:[ \t\u00a0\u202f]*[,;–—-][ \t\u00a0\u202f]*\d{1,4})*)[ \t\u00a0\u202f]*[)）]")
_SECTION = re.compile(
    r"[ \t\u00a0\u202f]?[(\[](?:see[ \t\u00a0\u202f]+|cf\.?[ \t\u00a0\u202f]+|siehe[ \t\u00a0\u202f]+|vgl\.?[ \t\u00a0\u202f]+|under[ \t\u00a0\u202f]+)?((?:§§?|¶¶?|Art(?:icle|\.)?|Clause|Section|Sec\.)[ \t\u00a0\u202f]*[^()\[\]\n]{1,60})[)\]]"
)
_URL = re.compile(
    r"(?<![\w/<=\"'])(?<!\]\()(?:https?://|www\.)[^\s<>\[\]\"'“”」』）】。，、；！？]{1,2048}"
)
_LINK = re.compile(
    r"\([ \t\u00a0\u202f]*<?([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:[ \t\u00a0\u202f]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t\u00a0\u202f]*\)"
)


def link_target(text: str, position: int) -> tuple[str, int] | None:
    """Return the target of ``(url "title")`` at a position, and where it ends."""
    match = _LINK.match(text, position)
    return (match.group(1), match.end()) if match else None


def _attribute_ids(tail: str, index: SourceIndex) -> tuple[str, ...]:
    tail = tail.strip()
    if tail.startswith(":"):
        return id_list(tail[1:].strip(" []"), index)
    ids: list[str] = []
    for match in _ATTRIBUTE.finditer(tail):
        value = next((g for g in match.groups()[1:] if g), "").strip()
        if not value:
            continue
        if match.group(1).lower() in ("href", "url", "target"):
            url = index.by_url(value)
            number = re.fullmatch(r"#[\w.-]*?(\d+)", value)
            if url:
                ids.append(url)
            elif number and not ids:
                ids.append(index.by_number(number.group(1)))
            continue
        if match.group(1).lower() in ("name", "n") and ids:
            continue
        for part in re.split(r"[,;]\s*|\s+(?![-–]\s)", value) if value not in index.ids else [value]:
            ids.extend(_one_attribute(part.strip(), match.group(1).lower(), index))
    return tuple(dict.fromkeys(ids))


def _one_attribute(part: str, name: str, index: SourceIndex) -> tuple[str, ...]:
    if not part or part in index.ids:
        return (part,) if part else ()
    sentence = _DOC_SENTENCE.fullmatch(part)
    if sentence and name in ("index", "indices", "idx"):
        ends = part.split(":")
        known = [end for end in ends if end in index.ids]
        if known:
            return tuple(known)
        document = sentence.group(1)
        return (index.by_number(document),) if index.knows_number(document) else (part,)
    return id_list(part, index) or (part,)


def tags(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``<cite id="a">…</cite>``, ``<ref>1</ref>``, ``<sup>1</sup>``, ``<co: 0>…</co>``."""
    closes = [(m.start(), m.end(), m.group(1).lower(), m.group(2)) for m in _CLOSE.finditer(text)]
    used: set[int] = set()
    cursor = 0
    for match in _OPEN.finditer(text):
        name = match.group(1).lower()
        while cursor < len(closes) and closes[cursor][0] < match.end():
            cursor += 1
        close = closes[cursor] if cursor < len(closes) and closes[cursor][2] == name else None
        ids = _attribute_ids(match.group(2) or "", index)
        if match.group(3) or (close is None and ids):
            if ids:
                yield Marker(match.start(), match.end(), ids, "tag")
            continue
        if close is None:
            continue
        near = close[0] - match.end() <= 200
        inner = text[match.end() : close[0]] if near else "far"
        style = "superscript" if name.endswith("sup") else "tag"
        whole = _content_ids(inner, index) if near else ()
        if whole or (ids and not inner.strip()):
            used.add(cursor)
            end = close[1]
            yield Marker(match.start(), end, whole if whole and not ids else ids or whole, style)
        elif ids and style == "tag":
            used.add(cursor)
            yield Marker(match.start(), match.end(), ids, "tag", close[1])
            yield Marker(close[0], close[1], (), "tag")
    for number, (start, end, name, tail) in enumerate(closes):
        if number not in used and name == "co" and tail.strip(": "):
            used.add(number)
            yield Marker(start, end, id_list(tail.strip(": []"), index), "tag")
    for match in _WRAPPER.finditer(text):
        yield Marker(match.start(), match.end(), (), "leftover")
    for match in _ANCHOR.finditer(text):
        inner = match.group(1).strip("[] ")
        number = digits_of(inner)
        if number:
            yield Marker(match.start(), match.end(), (index.by_number(number),), "numeric")
    if index.urls:
        for match in _ANGLE_URL.finditer(text):
            url = index.by_url(match.group(1))
            if url or _urls_are_ids(index):
                yield Marker(match.start(), match.end(), (url or match.group(1),), "url")


def _content_ids(inner: str, index: SourceIndex) -> tuple[str, ...]:
    """The ids of an element that holds nothing else: ``1``, ``[1-2][4-4]``, ``hr-12``."""
    text = re.sub(r"<[^<>]*>", "", inner).strip()
    if not text:
        return ()
    link = re.fullmatch(r"\[([^\[\]]*)\]\([^()\s]*\)", text)
    if link:
        text = link.group(1)
    if text in index.ids:
        return (text,)
    ids: list[str] = []
    for part in re.findall(r"\[([^\[\]]*)\]", text) or [text]:
        same = re.fullmatch(r"(\d+)\s*-\s*\1", part.strip())
        reading = square(same.group(1) if same else part, index)
        if reading is None:
            return ()
        ids.extend(reading[0])
    if re.sub(r"\[[^\[\]]*\]", "", text).strip(" ,;") and "[" in text:
        return ()
    return tuple(dict.fromkeys(ids))


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
        if ids and all(i in index.ids for i in ids) and match.start() and text[match.start() - 1].isalpha():
            yield Marker(match.start(), match.end(), ids, "superscript")
    for match in _ESCAPED.finditer(text):
        reading = square(match.group(1), index)
        if reading and reading[0] and all(i in index.ids for i in reading[0]):
            yield Marker(match.start(), match.end(), reading[0], reading[1])


def at_keys(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``@key`` in running text, if it is known."""
    for match in _PANDOC_BARE.finditer(text):
        key = match.group(1).rstrip(".:?,;")
        while key and key not in index.ids and key[-1] in ".:?-/":
            key = key[:-1]
        if key in index.ids:
            yield Marker(match.start(), match.start() + 1 + len(key), (key,), "pandoc")


def carets(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``^[1]``, ``^1^``, ``word^1``."""
    for match in _CARET.finditer(text):
        body = next(g for g in match.groups() if g)
        ids = id_list(body.strip(), index)
        if ids and (match.group(1) or all(i in index.ids for i in ids)):
            if match.group(3) and not _after_word(text, match.start()):
                continue
            yield Marker(match.start(), match.end(), ids, "superscript")


def _after_word(text: str, position: int) -> bool:
    """Whether a raised number follows a word or a stop rather than a number, unit or variable."""
    before = text[max(0, position - 24) : position]
    if not before or before[-1].isdigit() or before[-1].isspace():
        return False
    word = re.search(r"[^\W\d_]+$", before)
    if word is None:
        return before[-1] in ".!?,;:\"'”’»)]。！？，」"
    return len(word.group()) > 2 and not _UNIT.search(before)


def superscripts(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``¹``, ``¹,²``, ``¹⁻³``; not square metres, isotopes or powers."""
    for match in _SUPERSCRIPT.finditer(text):
        start, end = match.span()
        following = text[end : end + 1]
        if following.isalnum() and following.isascii():
            # "¹⁰B" is an isotope; a glued sentence start ("over.¹The") is not.
            if not (start and text[start - 1] in ".!?。"):
                continue
        if following in ("⁺", "⁻", "ᵗ", "⁄") and following:
            continue
        before = text[start - 1 : start]
        if before.isspace() or not before:
            spaced = text[max(0, start - 24) : start].rstrip()
            if spaced[-1:] not in tuple(".!?,;:\"”’»)⁰¹²³⁴⁵⁶⁷⁸⁹") and not _after_word(
                spaced, len(spaced)
            ):
                continue
        elif not _after_word(text, start):
            continue
        body = re.sub(r"\s?[^\d\-\s]\s?|\s+", ",", match.group(1).translate(_DIGITS))
        if body.startswith("-"):
            continue
        ids = id_list(body.replace("‐", "-"), index)
        if not ids or not (index.has_numbers or all(i in index.ids for i in ids)):
            continue
        if body.isdecimal() and body not in index.ids and index.numbering is None:
            # A number far beyond the sources glued to a word is no marker ("H₂O¹⁸").
            if int(body) > index.largest + 20:
                continue
        yield Marker(start, end, ids, "superscript")


def circled(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``①``, ``②③``."""
    import unicodedata

    for match in _CIRCLED.finditer(text):
        ids = [
            index.by_number(str(int(unicodedata.numeric(c))))
            for c in match.group()
            if unicodedata.numeric(c, 0)
        ]
        yield Marker(match.start(), match.end(), tuple(dict.fromkeys(ids)), "circled")


def paren_numbers(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``(1)``, ``(2, 3)``."""
    for match in _PAREN_NUMBER.finditer(text):
        if text[match.start() - 1 : match.start()] in ("", "\n"):
            continue  # "(1) First" at the start of a line is a list number
        reading = square(match.group(1), index)
        if reading:
            yield Marker(match.start(), match.end(), reading[0], "paren_numeric")


def sections(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``(see § 4.2)``, where the sources' ids are such references."""
    for match in _SECTION.finditer(text):
        start = match.start() + (match.group()[0].isspace())
        parts = [p.strip() for p in re.split(r"[;,]|\band\b|\bund\b", match.group(1)) if p.strip()]
        whole = match.group(1).strip()
        ids = [whole] if whole in index.ids else parts
        ids = [p if p[:1] in "§¶AaCcSs" else "§ " + p for p in ids]
        yield Marker(start, match.end(), tuple(dict.fromkeys(ids)), "section")


def curlies(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``{{cite:1}}``, ``{source: a}``."""
    for match in _CURLY.finditer(text):
        reading = curly(match.group(1), index)
        if reading and text[match.start() - 1 : match.start()] not in ("$", "}", "\\"):
            yield Marker(match.start(), match.end(), reading[0], "id")


def angles(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``<<key>>``, ``<doc 1>``."""
    for match in _DOUBLE_ANGLE.finditer(text):
        body = match.group(1) or match.group(2)
        reading = curly(body, index)
        if reading:
            yield Marker(match.start(), match.end(), reading[0], "id")


_SOURCE_LINE = re.compile(
    r"^[ \t>*_(]*(?:Source|Quelle|Fuente|Fonte|Bron|Źródło|Citation|Reference|Ref)[*_]*\s?:[*_]*[ \t]*([^\n]{1,200}?)[*_).]*[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def source_lines(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``Source: fleet-guide`` on a line of its own, if the id is known."""
    for match in _SOURCE_LINE.finditer(text):
        ids = id_list(match.group(1).strip(), index)
        if ids and all(i in index.unmistakable for i in ids):
            yield Marker(match.start(), match.end(), ids, "id")


def _urls_are_ids(index: SourceIndex) -> bool:
    return any("://" in source_id for source_id in index.order[:3])


def urls(text: str, index: SourceIndex) -> Iterator[Marker]:
    """Bare URLs; one that no source has is cited all the same if ids are URLs."""
    if not index.urls:
        return
    ids_are_urls = _urls_are_ids(index)
    for match in _URL.finditer(text):
        url = match.group().rstrip(".,;:!?*_`|")
        while url.endswith(")") and url.count("(") < url.count(")"):
            url = url[:-1].rstrip(".,;:!?")
        known = index.by_url(url)
        if known or ids_are_urls:
            yield Marker(match.start(), match.start() + len(url), (known or url,), "url")


Finder = Callable[[str, SourceIndex], Iterator[Marker]]

SPECIALS: tuple[tuple[str, tuple[str, ...], Finder], ...] = (
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
    ("id", ("{",), curlies),
    ("id", ("<",), angles),
    ("id", ("ource:", "ource**", "uelle:", "uente:", "onte:", "ron:", "itation:"), source_lines),
    ("url", ("http", "www."), urls),
)
"""Style, what the text must hold for a finder to be worth running, and the finder."""
