"""Tables inside an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citemeter.text.markdown.lines import Block, Lines

__all__ = ["TableLines"]

_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?!\s)([^*_\n]{1,120})(?:\*\*|__)\s*:?\s*$")
_DEFINITION = re.compile(
    r"\s{0,3}(?:\[\^[^\]\n]{1,60}\]:|\[[^\]\n]{1,60}\]:(?=\s*<?(?:https?:|www\.|/|#|\.{1,2}/|\S+\.\S{2,5}(?:\s|$))))"
)


class TableLines(Lines):
    """Finds tables and their cells."""

    def _table(self, number: int) -> Iterator[Block]:
        """Read the rows of the table that starts at a line; nothing if none does."""
        count = len(self.lines)
        header = number + 1 < count and bool(
            "-" in self.line(number + 1)
            and "|" in self.line(number + 1)
            and _DELIMITER.match(self.line(number + 1))
        )
        piped = self.line(number).strip().startswith("|") and self.line(number).rstrip().endswith(
            "|"
        )
        delimited = piped and bool(_DELIMITER.match(self.line(number))) and "-" in self.line(number)
        following = number + 1 < count and self.line(number + 1).strip().startswith("|")
        if (
            not header
            and not delimited
            and not (piped and (following or self.line(number).count("|") > 2))
        ):
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
