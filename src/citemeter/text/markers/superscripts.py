"""Markers that are numbers without square brackets: superscripts, circled, bracketed, sections."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from citemeter.text.markers.marker import Marker
from citemeter.text.markers.resolve import id_list, square_brackets
from citemeter.text.markers.sources import SourceIndex
from citemeter.text.sentences.boundaries import SENTENCE_ENDS

_CARET = re.compile(
    r"\^\[([\d,; \t\u00a0\u202f–-]+)\]\^?|\^(\d+(?:[,–-]\d+)*)\^"
    r"|(?<=[\w.!?\"”])\^(\d{1,3})(?![\w^])"
)


_SUPERSCRIPT = re.compile(
    r"[⁽⁅\[]?([⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[^\S\n]?[⁻‐–\-,˒،ʼ’'⸴·ꞌ⋅ˏ，][^\S\n]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[^\S\n][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)[⁾⁆\]]?"
)


_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


_UNIT = re.compile(
    r"(?:^|[\d\s/(·*.,−-])(?:k|c|m|d|µ|n|h|da|sq)?(?:m|g|s|in|ft|yd|mi|cm|km|mm|dm|nm|µm|ha|A|V|L|l|K|Pa|N|J|W|Hz"
    r"|bar|mol|rad|kg|ft|inch|day|yr|cell[s]?|Ω|°C)$"
)


# "in 1998²": a year is hardly ever raised to a power.
_AFTER_YEAR = re.compile(r"(?<![\d.,^×*])(?:1[5-9]|20)\d\d$")


# Words of two letters that are neither a unit nor a variable.
_SHORT = re.compile(
    "it|is|as|so|to|do|by|us|we|he|me|up|or|an|at|on|of|if|be|no|go|am|ja|da|du|er|zu|es|se|la|le|si"
)


_CIRCLED = re.compile(
    r"[①-⑳㉑-㉟㊱-㊿❶-❿➀-➉➊-➓](?:[ \t\u00a0\u202f,，、]?[①-⑳㉑-㉟㊱-㊿❶-❿➀-➉➊-➓])*"
)


_PAREN_NUMBER = re.compile(
    r"[(（][^\S\n]*(\d{1,4}(?:[^\S\n]*[,;–—-][^\S\n]*\d{1,4})*)[^\S\n]*[)）]"
)


_NUMBERED_THING = re.compile(
    r"(?:\b(?:eqs?|equations?|figs?|figures?|tab|tables?|sec|sections?|steps?|options?|items?|cases?"
    r"|parts?|type|no|nr|art|gleichung|abb|f|g|p|o)\.?[ \t\u00a0]?|[a-z0-9][(]\w[)])$",
    re.IGNORECASE,
)


_SECTION = re.compile(
    r"[^\S\n]?[(\[](?:see[^\S\n]+|cf\.?[^\S\n]+|siehe[^\S\n]+|vgl\.?[^\S\n]+|under[^\S\n]+)?((?:§§?|¶¶?|Art(?:icle|\.)?|Clause|Section|Sec\.)[^\S\n]*[^()\[\]\n]{1,60})[)\]]"
)


def carets(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``^[1]``, ``^1^``, ``word^1``."""
    for match in _CARET.finditer(text):
        body = next(g for g in match.groups() if g)
        ids = id_list(body.strip(), index)
        known = bool(ids) and (bool(match.group(1)) or all(i in index.ids for i in ids))
        if known and (not match.group(3) or _after_word(text, match.start())):
            yield Marker(match.start(), match.end(), ids, "superscript")


def _after_word(text: str, position: int) -> bool:
    """Whether a raised number follows a word or a stop rather than a number, unit or variable."""
    before = text[max(0, position - 24) : position]
    if not before or before[-1].isspace():
        return False
    if before[-1].isdigit():
        return _AFTER_YEAR.search(before) is not None
    word = re.search(r"[^\W\d_]+$", before)
    if word is None:
        return before[-1] in ".!?,;:\"'”’»)]*_%。！？，」"
    is_word = len(word.group()) > 2 or _SHORT.fullmatch(word.group()) is not None
    return is_word and not _UNIT.search(before)


def superscript_cites(text: str, start: int, inner: str) -> bool:
    """Whether ``<sup>2</sup>`` at ``start`` cites, which it does not in ``m<sup>2</sup>``."""
    digits = inner.strip()
    if not digits[:1].isdigit() and digits[:1] not in "-−+–":
        return True
    if re.fullmatch(r"[-−+–]\s*\d+|\d+\s*[-−+–]", digits):
        return False  # "10<sup>-3</sup>", "Ca<sup>2+</sup>"
    if digits == "1" and start and text[start - 1].isalpha():
        return True  # nobody raises to the power of one
    before = text[:start].rstrip() if start < 25 else text[start - 24 : start].rstrip()
    if not before or before[-1:] == ">" or not (before[-1].isalnum() and before[-1].isascii()):
        return True
    return _after_word(before, len(before))


def superscripts(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``¹``, ``¹,²``, ``¹⁻³``; not square metres, isotopes or powers."""
    for match in _SUPERSCRIPT.finditer(text):
        start, end = match.span()
        following = text[end : end + 1]
        glued = following.isalnum() and following.isascii()
        if glued and not (start and text[start - 1] in SENTENCE_ENDS):
            continue  # "¹⁰B" is an isotope; a sentence start ("over.¹The") is none
        if following in ("⁺", "⁻", "ᵗ", "⁄"):
            continue
        before = text[start - 1 : start]
        if before.isspace() or not before:
            spaced = text[max(0, start - 24) : start].rstrip()
            if spaced[-1:] not in tuple('.!?,;:"”’»)⁰¹²³⁴⁵⁶⁷⁸⁹') and not _after_word(
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
        unknown = body.isdecimal() and body not in index.ids and index.numbering is None
        if unknown and (len(body) > 6 or int(body) > index.largest + 20):
            continue  # far beyond the sources, and glued to a word: no marker
        yield Marker(start, end, ids, "superscript")


def circled(text: str, index: SourceIndex) -> Iterator[Marker]:
    """``①``, ``②③``."""
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
        if _NUMBERED_THING.search(text, max(0, match.start() - 16), match.start()):
            continue  # "Eq. (3)"
        reading = square_brackets(match.group(1), index)
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
