"""The blocks of an answer: paragraphs, list items, table rows, quotes; headings, code, lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from citemeter.text.markdown.lines import BOLD_LINE, BULLET, HEADING, RULE, Lines
from citemeter.text.markdown.reference_lists import ReferenceLists
from citemeter.text.sentences.boundaries import ends_sentence

_FENCE = re.compile(r"[ \t]{0,12}(?:(`{3,})[^`]*|(~{3,}).*)$")
_COMMENT = re.compile(r"\s{0,3}<!--(?!.*-->.*\S)")
_INDENTED = re.compile(r"(?: {4,}|\t)\S")
_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^<>\n]*>[^\n]*</h\1>\s*$", re.IGNORECASE)
_UNDERLINE = re.compile(r"\s{0,3}(?:={2,}|-{2,})\s*$")
_QUOTE = re.compile(r"(?:[ \t]{0,3}>[ \t]?)+")
_ALERT = re.compile(r"\[!\w+\]\s*")
_TABLE_RULE = re.compile(r"\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*(?::?-+:?\s*|:{1,2}\s*)?)*$")
_CELL_END = re.compile(r"`[^`]*`?|\\\||(\|)")
# Words, not "a)" or "B.", which may number an item.
_PLAIN = re.compile(r"\s*(?![a-zA-Z0-9]{1,5}[.)）、．]|[一二三四五六七八九十]{1,3}、)[^\W\d_]")
_GOES_ON = re.compile(r"\s*(?:[a-zà-ÿ(]|\[\^?\d)|[\s\[\]\d,;.^【】†()\-–*]+$")


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
    cuts: Sequence[tuple[int, int]] = ()
    cells: tuple[tuple[int, int], ...] = ()


def split_blocks(text: str) -> list[Block]:
    r"""Cut an answer into blocks, in order; blank lines and rules are in none of them.

    >>> [(b.kind, "# A\n\nB.\n- C"[b.start:b.end]) for b in split_blocks("# A\n\nB.\n- C")]
    [('heading', '# A'), ('sentence', 'B.'), ('list_item', 'C')]
    """
    return _BlockReader(text).read()


class _BlockReader:
    """Reads an answer line by line; the state is the block that the next line may continue."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = Lines(text)
        self.reference_lists = ReferenceLists(self.lines)
        self.blocks = [Block("reasoning", *span) for span in self.lines.reasoning]
        self.current: Block | None = None  # a paragraph, item or quote that may go on
        self.cuts: list[tuple[int, int]] = []  # of the quote being read
        self.in_list = False

    def read(self) -> list[Block]:
        """Return the blocks."""
        number = 0
        while number < len(self.lines):
            line = self.lines[number]
            if not line.strip():
                self._close()
            elif found := self._standalone(number, line):
                number, blocks = found
                self._close()
                self.blocks.extend(blocks)
                if not blocks or blocks[0].kind != "code":
                    self.in_list = False
            elif quote := _QUOTE.match(line):
                self._quote(number, quote.end())
            else:
                self._text(number, line)
            number += 1
        self._close()
        return sorted(self.blocks, key=lambda block: block.start)

    def _close(self) -> None:
        """End the block that might have gone on."""
        if self.current:
            self.blocks.append(self.current)
            self.current = None

    def _block(self, kind: str, first: int, last: int) -> Block:
        return Block(kind, self.lines.spans[first][0], self.lines.spans[last][1])

    def _standalone(self, number: int, line: str) -> tuple[int, list[Block]] | None:
        """Return what starts at a line if no text can join it: its last line and its blocks."""
        last = self._code_end(number, line)
        if last is not None:
            return last, [self._block("code", number, last)]
        last = self.reference_lists.end(number, after_blank=self.current is None)
        if last is not None:
            return last, [self._block("reference_list", number, last)]
        if "|" in line and (table := self._table(number, line)):
            return table
        if _PLAIN.match(line):
            return None
        if HEADING.match(line) or _HTML_HEADING.match(line) or _is_title(line):
            return number, [self._block("heading", number, number)]
        current = self.current
        if (
            current
            and current.kind == "sentence"
            and _UNDERLINE.match(line)
            and "\n" not in self.text[current.start : current.end]
        ):
            self.current = None
            return number, [Block("heading", current.start, self.lines.spans[number][1])]
        return (number, []) if RULE.match(line) else None

    def _code_end(self, number: int, line: str) -> int | None:
        """Return the last line of the code or HTML comment that starts at a line, if any does."""
        count = len(self.lines)
        fence = _FENCE.match(line)
        if fence:
            mark = fence.group(1) or fence.group(2)
            for last in range(number + 1, count):
                closing = self.lines[last].strip(" \t")
                if closing.startswith(mark) and not closing.strip(mark[0]):
                    return last
            return count - 1
        if _COMMENT.match(line):
            ends = (last for last in range(number, count) if "-->" in self.lines[last])
            return next(ends, count - 1)
        if self.current or self.in_list or not _INDENTED.match(line) or BULLET.match(line):
            return None
        while number + 1 < count and (
            _INDENTED.match(self.lines[number + 1]) or not self.lines[number + 1].strip()
        ):
            number += 1
        return number

    def _table(self, number: int, line: str) -> tuple[int, list[Block]] | None:
        """Return the last line and the rows of the table that starts at a line, if one does."""
        lines = self.lines
        following = lines[number + 1] if number + 1 < len(lines) else ""
        rows: list[Block] = []
        if "|" in following and _TABLE_RULE.match(following):
            rows.append(self._block("table_header", number, number + 1))
            number += 2
        elif not (
            line.strip().startswith("|")
            and line.rstrip().endswith("|")
            and (
                line.count("|") > 2 or following.lstrip().startswith("|") or _TABLE_RULE.match(line)
            )
        ):
            return None
        while number < len(lines) and "|" in lines[number]:
            if _TABLE_RULE.match(lines[number]):
                rows.append(self._block("table_header", number, number))
            else:
                start, end = lines.spans[number]
                rows.append(Block("table_row", start, end, cells=self._cells(start, end)))
            number += 1
        return number - 1, rows

    def _cells(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        bars = [m.start() for m in _CELL_END.finditer(self.text, start, end) if m.group(1)]
        return tuple(zip([start, *(bar + 1 for bar in bars)], [*bars, end], strict=True))

    def _quote(self, number: int, inner: int) -> None:
        """Add a line of a block quote; it joins the quote before it unless it opens an item."""
        start, end = self.lines.spans[number]
        inner += start
        bullet = self.lines.bullet(self.text[inner:end])
        if bullet:
            inner += bullet.end()
        alert = _ALERT.match(self.text, inner, end)
        if alert:
            inner = alert.end()
        if not self.text[inner:end].strip():
            self._close()
        elif self.current and self.current.kind == "block_quote" and not bullet:
            self.cuts.append((start, inner))
            self.current = self.current._replace(end=end)
        else:
            self._close()
            self.cuts = []
            self.current = Block("block_quote", inner, end, self.cuts)

    def _text(self, number: int, line: str) -> None:
        """Add a line of text; it opens an item, goes on with what precedes, or starts anew."""
        start, end = self.lines.spans[number]
        kind = self.current.kind if self.current else ""
        bullet = self.lines.bullet(line)
        if bullet:
            self._close()
            self.in_list = True
            self.current = Block("list_item", start + bullet.end(), end)
        elif self.current and (
            kind == "sentence" or (kind == "list_item" and line[0] in " \t") or _GOES_ON.match(line)
        ):
            self.current = self.current._replace(end=end)
        else:
            self._close()
            self.in_list = self.in_list and line[0] in " \t"
            # As deep as the words of "- a": a paragraph of the item.
            inside = self.in_list and line[:2].isspace()
            self.current = Block("list_item" if inside else "sentence", start, end)


def _is_title(line: str) -> bool:
    """Whether a line is bold from end to end, and neither a sentence nor what a source says."""
    bold = BOLD_LINE.match(line)
    return bold is not None and not (
        ends_sentence(bold.group(1)) or re.search(r"\[\^?\d", bold.group(1))
    )
