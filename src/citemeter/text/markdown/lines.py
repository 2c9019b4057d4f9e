"""The lines of an answer outside its reasoning, and the syntax that they start with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from citemeter.text.sentences.abbreviations import load_words

__all__ = ["BOLD_LINE", "BULLET", "HEADING", "RULE", "THINK_CLOSE", "THINK_OPEN", "Block", "Lines"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})(.*)")
HEADING = re.compile(r"\s{0,3}#{1,6}(?:[ \t]+|(?=[^\s#\d!]))(?=\S)")
RULE = re.compile(
    r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|—{3,}|⸻|\\newpage)\s*$"
)
HEADING = re.compile(r"\s{0,3}#{1,6}(?:[ \t]+|(?=[^\s#\d!]))(?=\S)")
RULE = re.compile(
    r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|—{3,}|⸻|\\newpage)\s*$"
)
RULE = re.compile(
    r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}|—{3,}|⸻|\\newpage)\s*$"
)
BULLET = re.compile(
    r"(\s*)(?:[-*+•‣◦⁃▪▫●○■□➢➤►▶✓✔✅❌→·∙–—](?=[ \t\u00a0]|$)|[•‣◦▪●■➢➤►✓✔✅・･]|:(?=[ \t]+\S)"
    r"|[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[)）](?=[ \t]|$)|\d{1,3}\.(?=[ \t]|$)"
    r"|\d{1,3}\\\.(?=[ \t])"
    r"|[(（]\d{1,2}[)）]|\d{1,2}[、．]|[一二三四五六七八九十]{1,3}、|[①-⑳](?=[ \t]|\w)"
    r"|(?:[a-zA-Z]|[ivx]{1,4}|[IVX]{1,5})\.(?=[ \t]+[A-Z]))[ \t\u00a0]*(\[[ xX✓]\](?=\s))?[ \t]*"
)
BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?!\s)([^*_\n]{1,120})(?:\*\*|__)\s*:?\s*$")
_DEFINITION = re.compile(
    r"\s{0,3}(?:\[\^[^\]\n]{1,60}\]:|\[[^\]\n]{1,60}\]:(?=\s*<?(?:https?:|www\.|/|#|\.{1,2}/|\S+\.\S{2,5}(?:\s|$))))"
)
THINK_OPEN = re.compile(
    r"<(think|thinking|reasoning|thought|scratchpad|reflection|analysis)>", re.I
)
THINK_CLOSE = re.compile(
    r"</(?:think|thinking|reasoning|thought|scratchpad|reflection|analysis)>", re.I
)


_LETTERED = re.compile(r"^[ \t>]*([A-Z]|[IVX]{1,5})\.[ \t]+(?=[A-Z])", re.MULTILINE)
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV"]


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


def _reasoning(text: str) -> list[tuple[int, int]]:
    """Return the stretches of reasoning, closed or not."""
    found: list[tuple[int, int]] = []
    position = 0
    while True:
        opening = THINK_OPEN.search(text, position)
        closing = THINK_CLOSE.search(text, opening.end() if opening else position)
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


class Lines:
    """An answer's lines as offsets, without line ends; what is reasoning is set aside."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[tuple[int, int]] = []
        self.skipped: list[Block] = []
        self.cuts: list[tuple[int, int]] = []  # of the quote being read
        self._letters: frozenset[str] | None = None  # of lines such as "A. Fees"
        self.attempts = 50  # at lists without a heading; each may read to the end
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

    def initial(self, bullet: re.Match[str]) -> bool:
        """Whether what looks like the letter of a list item is the initial of a name.

        "A." counts if "B." starts another line, "C." if "A." and "B." do; a lone letter counts
        before a word that often starts sentences, but not before a name.
        """
        label = bullet.group().strip()
        if not (label[-1:] == "." and label[:-1].isalpha() and label[:-1].isupper()):
            return False
        letters = label[:-1]
        if self._letters is None:
            self._letters = frozenset(match.group(1) for match in _LETTERED.finditer(self.text))
        known = self._letters
        if len(letters) == 1:
            before = [chr(code) for code in range(ord("A"), ord(letters))]
            if all(letter in known for letter in before) and (
                before or chr(ord(letters) + 1) in known
            ):
                return False
        if letters in _ROMAN:
            place = _ROMAN.index(letters)
            if all(numeral in known for numeral in _ROMAN[:place]) and (
                place or _ROMAN[1] in known
            ):
                return False
        following = re.match(r"\w+", bullet.string[bullet.end() :])
        return following is None or following.group().lower() not in load_words().starters

    def line(self, number: int) -> str:
        """Return a line by its number."""
        start, end = self.lines[number]
        return self.text[start:end]
