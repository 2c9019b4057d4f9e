"""The blocks of an answer: paragraphs, list items, table rows, quotes; headings, code, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from citemeter.text.references import REFERENCE_LINE, is_reference_heading

__all__ = ["Block", "split_blocks"]


class Block(NamedTuple):
    """One stretch of the answer.

    Args:
        kind: ``sentence``, ``list_item``, ``table_row`` or ``block_quote`` for what holds
            statements; otherwise why it holds none.
        start: Its first character.
        end: One past its last character.
        cuts: Syntax inside it that is no text, such as the ``>`` of a quote's second line.
        cells: The cells of a table row.
    """

    kind: str
    start: int
    end: int
    cuts: tuple[tuple[int, int], ...] = ()
    cells: tuple[tuple[int, int], ...] = ()


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:[ \t]+|(?=[^\s#\d!]))(?=\S)")
_RULE = re.compile(r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|—{3,}|⸻|\\newpage)\s*$")
_UNDERLINE = re.compile(r"\s{0,3}(?:={2,}|-{2,})\s*$")
_BULLET = re.compile(
    r"(\s*)(?:[-*+•‣◦⁃▪▫●○■□➢➤►▶✓✔✅❌→·∙–—](?=[ \t\u00a0]|$)|[•‣◦▪●■➢➤►✓✔✅]"
    r"|[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[)）](?=[ \t]|$)|\d{1,3}\.(?=[ \t]|$)|\d{1,3}\\\.(?=[ \t])"
    r"|[(（]\d{1,2}[)）]|\d{1,2}[、．]|[一二三四五六七八九十]{1,3}、|[①-⑳](?=[ \t]|\w)"
    r"|(?:[a-zA-Z]|[ivx]{1,4})\.(?=[ \t]+[A-Z]))[ \t\u00a0]*(\[[ xX✓]\](?=\s))?[ \t]*"
)
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
_BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?!\s)([^*_\n]{1,120})(?:\*\*|__)\s*:?\s*$")
_DEFINITION = re.compile(r"\s{0,3}(?:\[\^[^\]\n]{1,60}\]:|\[[^\]\n]{1,60}\]:(?=\s*<?(?:https?:|www\.|/|#|\.{1,2}/|\S+\.\S{2,5}(?:\s|$))))")
_LABELLED = re.compile(r"\s{0,3}\[\d{1,4}\]:\s")
_THINK_OPEN = re.compile(r"<(think|thinking|reasoning|thought|scratchpad|reflection|analysis)>", re.I)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|reasoning|thought|scratchpad|reflection|analysis)>", re.I)
_INDENTED = re.compile(r"(?: {4,}|\t)\S")
_STARTERS = frozenset("-*+•‣◦⁃▪▫●○■□➢➤►▶✓✔✅❌→·∙–—#>|`~_[(（=\\")
_CAPS = re.compile(r"[(（]?(?:[a-zA-Z0-9]{1,5}[.)）、．]|[一二三四五六七八九十]{1,3}、)")
_MARKERS_ONLY = re.compile(r"[\s\[\]\d,;.^【】†()\-–*]+$")
_CONTINUES = re.compile(r"\s*(?:[a-zà-ÿ(]|\[\^?\d)")


def split_blocks(text: str) -> list[Block]:
    """Cut an answer into blocks, in order; blank lines and rules are in none of them.

    >>> [(b.kind, "# A\\n\\nB.\\n- C"[b.start:b.end]) for b in split_blocks("# A\\n\\nB.\\n- C")]
    [('heading', '# A'), ('sentence', 'B.'), ('list_item', 'C')]
    """
    if "\n" not in text and "\r" not in text and "<" not in text:
        stripped = text.lstrip() if text[:1].isspace() else text
        if not stripped:
            return []
        if stripped[:2].isalpha() or not (stripped[0] in _STARTERS or _CAPS.match(stripped)):
            colon = stripped.find(":", 0, 60)
            if colon < 0:
                colon = stripped.find("：", 0, 60)
            if colon < 0 or REFERENCE_LINE.match(stripped) is None:
                return [Block("sentence", 0, len(text))]
    return list(_Reader(text).read())


def _reasoning(text: str) -> list[tuple[int, int]]:
    """Return the stretches of reasoning, closed or not."""
    found: list[tuple[int, int]] = []
    position = 0
    while True:
        opening = _THINK_OPEN.search(text, position)
        closing = _THINK_CLOSE.search(text, opening.end() if opening else position)
        if opening is None:
            if closing is not None:
                found.append((position if found else 0, closing.end()))
            return found
        if closing is None:
            # Cut off while it was thinking, or a tag that was never closed.
            found.append((opening.start(), len(text)))
            return found
        found.append((opening.start(), closing.end()))
        position = closing.end()


class _Reader:
    """Reads an answer line by line; the state is the block that the next line may continue."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[tuple[int, int]] = []
        self.skipped: list[Block] = []
        position = 0
        spans = _reasoning(text) if "think" in text or "</" in text or "<" in text else []
        for start, end in [*spans, (len(text), len(text))]:
            for match in _LINE.finditer(text, position, start):
                if match.end() > match.start():
                    raw_end = match.end()
                    while raw_end > match.start() and text[raw_end - 1] in "\r\n":
                        raw_end -= 1
                    self.lines.append((match.start(), raw_end))
            if end > start:
                self.skipped.append(Block("reasoning", start, end))
            position = end

    def line(self, number: int) -> str:
        start, end = self.lines[number]
        return self.text[start:end]

    def read(self) -> Iterator[Block]:
        blocks = sorted([*self._blocks(), *self.skipped], key=lambda block: block.start)
        yield from blocks

    def _blocks(self) -> Iterator[Block]:
        number = 0
        current: Block | None = None  # a paragraph, item or quote that may go on
        blank = True
        in_list = False
        count = len(self.lines)
        while number < count:
            start, end = self.lines[number]
            line = self.text[start:end]
            stripped = line.strip()
            if not stripped:
                blank = True
                if current and current.kind != "list_item":
                    yield current
                    current = None
                number += 1
                continue
            first = stripped[0]
            plain = first.isalpha() and not _CAPS.match(stripped)
            if not plain:
                fence = _FENCE.match(line) if first in "`~" else None
                if fence and not (fence.group(1)[0] == "`" and "`" in fence.group(2)):
                    if current:
                        yield current
                        current = None
                    last = self._fence_end(number, fence.group(1))
                    yield Block("code", start, self.lines[last][1])
                    number, blank = last + 1, True
                    continue
                if blank and not in_list and _INDENTED.match(line) and not _BULLET.match(line):
                    last = number
                    while last + 1 < count and (
                        _INDENTED.match(self.line(last + 1)) or not self.line(last + 1).strip()
                    ):
                        last += 1
                    if current:
                        yield current
                        current = None
                    yield Block("code", start, self.lines[last][1])
                    number, blank = last + 1, True
                    continue
            elif blank and not in_list and line[0] in " \t" and _INDENTED.match(line):
                last = number
                while last + 1 < count and (
                    _INDENTED.match(self.line(last + 1)) or not self.line(last + 1).strip()
                ):
                    last += 1
                if current:
                    yield current
                    current = None
                yield Block("code", start, self.lines[last][1])
                number, blank = last + 1, True
                continue
            reference = self._references(number, blank)
            if reference is not None:
                if current:
                    yield current
                    current = None
                yield Block("reference_list", start, self.lines[reference][1])
                number, blank, in_list = reference + 1, True, False
                continue
            if "|" in line:
                table = list(self._table(number))
                if table:
                    if current:
                        yield current
                        current = None
                    yield from table
                    number, blank, in_list = number + len(table), True, False
                    number = self._after(table[-1].end, number)
                    continue
            if not plain:
                heading = _HEADING.match(line) if first == "#" else None
                bold = _BOLD_LINE.match(line) if first in "*_" else None
                if heading or (bold and self._is_title(bold.group(1), number)):
                    if current:
                        yield current
                        current = None
                    yield Block("heading", start, end)
                    number, blank, in_list = number + 1, True, False
                    continue
                if first in "=-" and current and not blank and _UNDERLINE.match(line):
                    if current.kind == "sentence" and "\n" not in self.text[current.start : current.end]:
                        yield Block("heading", current.start, end)
                        current = None
                        number, blank, in_list = number + 1, True, False
                        continue
                if first in "-*_=—⸻\\" and _RULE.match(line):
                    if current:
                        yield current
                        current = None
                    number, blank, in_list = number + 1, True, False
                    continue
                quote = _QUOTE.match(line) if first == ">" else None
                if quote:
                    if current and current.kind == "block_quote" and not blank:
                        current = self._join(current, number)
                    else:
                        if current:
                            yield current
                        current = None
                        opened = self._open_quote(number)
                        current = opened
                    blank = False
                    if current is not None and not self._quoted(current):
                        current = None
                        blank = True
                    number += 1
                    continue
                bullet = _BULLET.match(line)
                if bullet and not (bullet.end() == len(line) and first.isalnum()):
                    if current:
                        yield current
                    current = Block("list_item", start + bullet.end(), end)
                    number, blank, in_list = number + 1, False, True
                    if not stripped[bullet.end() - (len(line) - len(line.lstrip())) :].strip():
                        current = Block("list_item", start + bullet.end(), end)
                    continue
            # A line of text: it goes on with what stands before it, or starts a paragraph.
            if current is not None and self._continues(current, line, blank):
                current = current._replace(end=end)
            else:
                if current:
                    yield current
                if line[0] not in " \t":
                    in_list = False
                current = Block("sentence", start, end)
            blank = False
            number += 1
        if current:
            yield current

    def _after(self, position: int, number: int) -> int:
        while number < len(self.lines) and self.lines[number][0] < position:
            number += 1
        return number

    def _continues(self, current: Block, line: str, blank: bool) -> bool:
        if current.kind == "list_item":
            if line[0] in " \t":
                return True
            return not blank and bool(_CONTINUES.match(line) or _MARKERS_ONLY.match(line))
        if current.kind == "block_quote":
            return not blank and bool(_CONTINUES.match(line))
        return not blank

    def _fence_end(self, number: int, fence: str) -> int:
        closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
        for last in range(number + 1, len(self.lines)):
            start, end = self.lines[last]
            if closing.match(self.text, start, end):
                return last
        return len(self.lines) - 1

    def _open_quote(self, number: int) -> Block:
        start, end = self.lines[number]
        inner = start
        while True:
            match = _QUOTE.match(self.text, inner, end)
            if not match or match.end() == inner:
                break
            inner = match.end()
        bullet = _BULLET.match(self.text[inner:end])
        if bullet:
            inner += bullet.end()
        alert = re.match(r"\[!\w+\]\s*", self.text[inner:end])
        if alert:
            inner += alert.end()
        return Block("block_quote", inner, end)

    def _quoted(self, block: Block) -> bool:
        return bool(self.text[block.start : block.end].strip(" \t>"))

    def _join(self, block: Block, number: int) -> Block:
        opened = self._open_quote(number)
        start, end = self.lines[number]
        if not self._quoted(opened):
            return block
        return block._replace(end=end, cuts=(*block.cuts, (start, opened.start)))

    def _is_title(self, words: str, number: int) -> bool:
        if words.rstrip()[-1:] in ".!?。！？" or re.search(r"\[\^?\d", words):
            return False
        return True

    def _references(self, number: int, blank: bool) -> int | None:
        """Return the last line of the reference list that starts at a line, if one does."""
        line = self.line(number)
        stripped = line.strip()
        if _DEFINITION.match(line) or (_LABELLED.match(line) and self._is_definition(number)):
            last = number
            while last + 1 < len(self.lines):
                following = self.line(last + 1)
                if _DEFINITION.match(following) or _LABELLED.match(following) or (following.strip() and following[0] in " \t" and not _BULLET.match(following)):
                    last += 1
                elif not following.strip() and last + 2 < len(self.lines) and (
                    _DEFINITION.match(self.line(last + 2)) or _LABELLED.match(self.line(last + 2))
                ):
                    last += 2
                else:
                    break
            return last
        if len(stripped) > 2000 or not is_reference_heading(stripped):
            return self._unheaded(number) if blank else None
        if not REFERENCE_LINE.match(stripped) and not self._has_entries(number):
            return None
        return self._list_end(number)

    def _is_definition(self, number: int) -> bool:
        """``[1]: words`` after a text that cites 1, at the end of the answer."""
        label = self.line(number).strip().partition("]")[0] + "]"
        start = self.lines[number][0]
        return self.text.find(label, max(0, start - 100_000), start) >= 0

    def _has_entries(self, number: int) -> bool:
        """Whether what follows a heading such as "Sources" looks like a list of sources."""
        for last in range(number + 1, len(self.lines)):
            line = self.line(last).strip()
            if line:
                return True
        return number == len(self.lines) - 1

    def _list_end(self, number: int) -> int:
        """A reference list runs to the next heading; headings inside it are rare."""
        last = number
        for following in range(number + 1, len(self.lines)):
            line = self.line(following)
            stripped = line.strip()
            if not stripped:
                continue
            if _RULE.match(line) and following > number + 1:
                break
            if (_HEADING.match(line) or _BOLD_LINE.match(line)) and not is_reference_heading(stripped):
                if not re.search(r"\d|https?:", stripped) and following > last:
                    break
            if not self._is_entry(line, after_blank=following > last + 1):
                break
            last = following
        return last

    def _is_entry(self, line: str, after_blank: bool) -> bool:
        stripped = line.strip()
        if not after_blank or line[0] in " \t|":
            return True
        if _BULLET.match(line) or stripped[0] in "[【［^<(¹²³⁴⁵⁶⁷⁸⁹|*_" or "://" in stripped:
            return True
        if is_reference_heading(stripped):
            return True
        if re.search(r"\b(?:1[5-9]|20)\d\d\b|\bdoi\b|\bpp?\.\s?\d|\.(?:pdf|html?|docx?|md|txt)\b", stripped):
            return True
        # A sentence after a blank line is the answer going on.
        return not re.search(r"[.!?。！？]$", stripped) and not re.search(r"\[\d+\]", stripped)

    def _unheaded(self, number: int) -> int | None:
        """A list without a heading at the very end: ``[1] almanac.pdf`` on lines of their own."""
        if self.line(number).lstrip()[:1] not in "[【［^¹²³*-":
            return None
        entry = re.compile(r"\s*(?:[-*]\s+)?(?:\[\^?(\d{1,4})\^?\]|【(\d{1,4})】|\^(\d{1,4})|([¹²³]))[:.)]?\s*[-–—:]?\s*(\S.*)$")
        seen: list[int] = []
        links = 0
        for last in range(number, len(self.lines)):
            line = self.line(last)
            if not line.strip():
                continue
            match = entry.match(line)
            if match is None:
                if seen and line[0] in " \t" and not _BULLET.match(line):
                    continue
                return None
            rest = match.group(5)
            if re.search(r"\[\^?\d+\]\W*$", rest) and not re.search(r"https?:", rest):
                return None
            if re.match(r"[\[【,;.]", rest) or rest[-1:] in "。":
                return None
            seen.append(last)
            links += bool(
                re.search(r"https?:|www\.|\.(?:pdf|html?|docx?|md|txt|csv|pptx?|xlsx?)\b|\bdoi\b", rest)
            )
        if not seen:
            return None
        if links == len(seen) or (len(seen) > 1 and links):
            return self._last_line()
        cited = self.text[: self.lines[number][0]]
        numbers = [entry.match(self.line(n)) for n in seen]
        labels = [f"[{m.group(1)}]" for m in numbers if m and m.group(1)]
        titles = all(m is not None and m.group(5)[-1:] not in ".!?" for m in numbers)
        if titles and labels and len(labels) == len(seen) and all(label in cited for label in labels):
            return self._last_line()
        return None

    def _last_line(self) -> int:
        last = len(self.lines) - 1
        while last and not self.line(last).strip():
            last -= 1
        return last

    def _table(self, number: int) -> Iterator[Block]:
        """Read the rows of the table that starts at a line; nothing if none does."""
        count = len(self.lines)
        header = number + 1 < count and bool(
            "-" in self.line(number + 1)
            and "|" in self.line(number + 1)
            and _DELIMITER.match(self.line(number + 1))
        )
        piped = self.line(number).strip().startswith("|") and self.line(number).rstrip().endswith("|")
        delimited = piped and bool(_DELIMITER.match(self.line(number))) and "-" in self.line(number)
        following = number + 1 < count and self.line(number + 1).strip().startswith("|")
        if not header and not delimited and not (piped and (following or self.line(number).count("|") > 2)):
            return
        last = number
        if header:
            yield Block("table_header", self.lines[number][0], self.lines[number + 1][1])
            last = number + 2
        elif delimited:
            yield Block("table_header", *self.lines[number])
            last = number + 1
        while last < count and "|" in self.line(last):
            line = self.line(last)
            start, end = self.lines[last]
            if _DELIMITER.match(line) and "-" in line:
                yield Block("table_header", start, end)
            else:
                yield Block("table_row", start, end, cells=self._cells(start, end))
            last += 1

    def _cells(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        cells: list[tuple[int, int]] = []
        position = start
        code = False
        for index in range(start, end):
            char = self.text[index]
            if char == "`":
                code = not code
            elif char == "|" and not code and self.text[index - 1 : index] != "\\":
                cells.append((position, index))
                position = index + 1
        cells.append((position, end))
        return tuple(cells)
