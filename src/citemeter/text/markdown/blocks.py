"""The blocks of an answer: paragraphs, list items, table rows, quotes; headings, code, lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citemeter.text.markdown.lines import BOLD_LINE, BULLET, HEADING, RULE, Block
from citemeter.text.markdown.reference_lists import REFERENCE_LINE
from citemeter.text.markdown.source_lists import SourceListLines
from citemeter.text.markdown.tables import TableLines

__all__ = ["Block", "split_blocks"]


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})(.*)")
_UNDERLINE = re.compile(r"\s{0,3}(?:={2,}|-{2,})\s*$")
_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^<>\n]*>[^\n]*</h\1>\s*$", re.IGNORECASE)
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
_INDENTED = re.compile(r"(?: {4,}|\t)\S")
_STARTERS = frozenset("-*+•‣◦⁃▪▫●○■□➢➤►▶✓✔✅❌→·∙–—#>|`~_[(（=\\")
_CAPS = re.compile(r"[(（]?(?:[a-zA-Z0-9]{1,5}[.)）、．]|[一二三四五六七八九十]{1,3}、)")
_MARKERS_ONLY = re.compile(r"[\s\[\]\d,;.^【】†()\-–*]+$")
_CONTINUES = re.compile(r"\s*(?:[a-zà-ÿ(]|\[\^?\d)")


def split_blocks(text: str) -> list[Block]:
    r"""Cut an answer into blocks, in order; blank lines and rules are in none of them.

    >>> [(b.kind, "# A\n\nB.\n- C"[b.start:b.end]) for b in split_blocks("# A\n\nB.\n- C")]
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


class _Reader(SourceListLines, TableLines):
    """Reads an answer line by line; the state is the block that the next line may continue."""

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
            if (
                blank
                and not in_list
                and line[0] in " \t"
                and _INDENTED.match(line)
                and (plain or not BULLET.match(line))
            ):
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
                heading = (
                    HEADING.match(line)
                    if first == "#"
                    else _HTML_HEADING.match(line)
                    if first == "<"
                    else None
                )
                bold = BOLD_LINE.match(line) if first in "*_" else None
                if heading or (bold and self._is_title(bold.group(1), number)):
                    if current:
                        yield current
                        current = None
                    yield Block("heading", start, end)
                    number, blank, in_list = number + 1, True, False
                    continue
                if (
                    first in "=-"
                    and current
                    and current.kind == "sentence"
                    and not blank
                    and _UNDERLINE.match(line)
                    and "\n" not in self.text[current.start : current.end]
                ):
                    yield Block("heading", current.start, end)
                    current = None
                    number, blank, in_list = number + 1, True, False
                    continue
                if first in "-*_=—⸻\\" and RULE.match(line):
                    if current:
                        yield current
                        current = None
                    number, blank, in_list = number + 1, True, False
                    continue
                quote = _QUOTE.match(line) if first == ">" else None
                if quote and not stripped.strip("> \t"):
                    if current:
                        yield current
                        current = None
                    number, blank = number + 1, True
                    continue
                if quote:
                    goes_on = current is not None and current.kind == "block_quote" and not blank
                    if current and goes_on and not self._opens_item(line[quote.end() :]):
                        current = self._join(current, number)
                    else:
                        if current:
                            yield current
                        current = None
                        self.cuts = []
                        opened = self._open_quote(number)
                        current = opened._replace(cuts=self.cuts)
                    blank = False
                    if current is not None and not self._quoted(current):
                        current = None
                        blank = True
                    number += 1
                    continue
                bullet = BULLET.match(line)
                if (
                    bullet
                    and not (bullet.end() == len(line) and first.isalnum())
                    and not (first.isupper() and self.initial(bullet))
                ):
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
        bullet = BULLET.match(self.text[inner:end])
        if bullet and not self.initial(bullet):
            inner += bullet.end()
        alert = re.match(r"\[!\w+\]\s*", self.text[inner:end])
        if alert:
            inner += alert.end()
        return Block("block_quote", inner, end)

    def _opens_item(self, quoted: str) -> bool:
        """Whether a line of a quote begins a list item of its own."""
        bullet = BULLET.match(quoted.lstrip("> "))
        return bullet is not None and not self.initial(bullet)

    def _quoted(self, block: Block) -> bool:
        return bool(self.text[block.start : block.end].strip(" \t>"))

    def _join(self, block: Block, number: int) -> Block:
        opened = self._open_quote(number)
        start, end = self.lines[number]
        if not self._quoted(opened):
            return block
        self.cuts.append((start, opened.start))
        return block._replace(end=end)

    def _is_title(self, words: str, number: int) -> bool:
        return not (words.rstrip()[-1:] in ".!?。！？" or re.search(r"\[\^?\d", words))
