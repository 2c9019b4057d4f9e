"""Pairing quotation marks: which mark opens, which closes, and which is none at all."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from citemeter.text.markdown.inline import code_spans
from citemeter.text.quotations.folding import SOLID


class Pair(NamedTuple):
    """A stretch between two quotation marks.

    Args:
        kind: The family of its marks.
        start: Where the opening mark stands.
        inner_start: The first character inside.
        inner_end: One past the last character inside.
        end: One past the closing mark.
    """

    kind: str
    start: int
    inner_start: int
    inner_end: int
    end: int


_KINDS = {
    **dict.fromkeys('"', "straight"),
    **dict.fromkeys("“”❝", "curly"),
    **dict.fromkeys("„", "german"),
    **dict.fromkeys("«»‹", "guillemet"),
    **dict.fromkeys("「『｢〝", "cjk"),
    **dict.fromkeys("'‘‚´", "single"),
    "``": "latex",
}
"""What opens a quotation, and of which kind it then is."""
_CLOSES = {"」": "「", "』": "『", "｣": "｢", "❞": "❝", "›": "‹", "〞": "〝", "〟": "〝"}
"""Marks that do nothing but close, with what they close; those do nothing but open, nor does „."""
_OPENS = frozenset([*_CLOSES.values(), "„"])
_CLOSES_SINGLE = {"'": "'‘", "’": "‚‘", "‘": "‚", "‛": "‘", "´": "´", "‚": ""}
"""Single marks with what they close, the likelier first."""
_EVENT = re.compile("``|''|[\n|\"“”„«»‹›「」『』｢｣〝〞〟❝❞＂'‘’‚‛´]")
_HARD_BREAK = re.compile(r"\n[ \t\r]*(?:\n|(?:[-*+•‣◦]|\d{1,3}[.)])[ \t]|[|>]|#{1,6}[ \t]|\Z)")
_CODE_FENCE = re.compile(r"^[ \t]{0,12}(```+|~~~+)", re.MULTILINE)
_ELISION = re.compile(
    r"\d0s|(?:\d\ds?|tis|twas|twere|em|cause|till?|n|s|t|k|m|round|bout|cos|nother|neath|ere|kay)\b",
    re.IGNORECASE,
)
_MARKS = '"`“”„«»‹「『｢〝❝＂‘‚´'
_APOSTROPHE = re.compile(r"(?<![^\W_])'")


def has_marks(text: str) -> bool:
    """Whether a text holds any mark that could open a quotation; far quicker than looking for it.

    >>> has_marks("The boats' masts don't need paint."), has_marks('It "is".')
    (False, True)
    """
    if any(mark in text for mark in (_MARKS[:2] if text.isascii() else _MARKS)):
        return True
    return "'" in text and _APOSTROPHE.search(text) is not None


def pair_marks(text: str, masked: list[tuple[int, int]] | None = None) -> list[Pair]:
    r"""Return the outermost quotations of a text, in order.

    Marks pair within a paragraph, a list item or a table cell; a quotation of several paragraphs
    opens anew in each. Apostrophes, elisions, decades, inch and foot marks are no marks, nor is
    anything in code. Of nested quotations the outer one is returned.

    Args:
        text: The text.
        masked: Further stretches to look past, in order.

    >>> [p.kind for p in pair_marks('a "b c" d ‘e f’ «g h»')]
    ['straight', 'single', 'guillemet']
    >>> pair_marks("Fit a 12\" pipe and a 6\" valve to the boats' and the crews' cabins.")
    []
    """
    code, prose = _code(text) if "`" in text or "~~~" in text else ([], [])
    scanner = _Scanner(text, sorted([*code, *(masked or ())]))
    pairs = [*scanner.run(), *prose]
    pairs.sort(key=lambda pair: (pair.start, -pair.end))
    found: list[Pair] = []
    end = -1
    for pair in pairs:
        if pair.start >= end:
            found.append(pair)
            end = pair.end
    return found


@dataclass(slots=True)
class _OpenMark:
    mark: str
    start: int
    inner: int
    doubtful_end: int = -1
    """Where a single mark stood that may have closed it, or been an apostrophe."""


class _Scanner:
    def __init__(self, text: str, masked: list[tuple[int, int]]) -> None:
        self.text = text
        self.masked = masked
        self.stack: list[_OpenMark] = []
        self.count: dict[str, int] = defaultdict(int)
        self.pairs: list[Pair] = []
        self.resume = -1
        self.line_start = 0

    def run(self) -> list[Pair]:
        text, masked = self.text, self.masked
        mask = 0
        for match in _EVENT.finditer(text):
            at = match.start()
            while mask < len(masked) and masked[mask][1] <= at:
                mask += 1
            if mask < len(masked) and masked[mask][0] <= at and match[0] != "\n":
                continue
            mark = match[0]
            if mark == "\n":
                self._newline(at)
            elif mark == "|":
                # A cell of a table ends what was opened in it.
                if text[self.line_start : self.line_start + 4].lstrip()[:1] == "|":
                    self._reset()
            elif at == self.resume:
                self.resume = -1
            else:
                self._mark(mark, at, match.end())
        self._reset()
        return self.pairs

    def _newline(self, at: int) -> None:
        self.line_start = at + 1
        found = _HARD_BREAK.match(self.text, at)
        if found is None:
            return
        if self.stack and found[0][-1:] == "\n":
            # A quotation that runs on opens again at the head of the next paragraph.
            head = found.end()
            while head < len(self.text) and self.text[head] in " \t\r\n":
                head += 1
            mark = self.stack[0].mark
            again = self.text[head : head + 1]
            if again and (again == mark or (mark == "«" and again == "»")) and mark not in "'´":
                del self.stack[1:]
                self.count.clear()
                self.count[mark] = 1
                self.resume = head
                return
        if found[0][-1:] == "\n" and self.resume >= at:
            return
        self._reset()

    def _reset(self) -> None:
        while self.stack:
            self._discard()
        self.resume = -1

    def _discard(self) -> None:
        """Drop the innermost open mark; a single one may have closed at a doubtful place."""
        entry = self.stack.pop()
        self.count[entry.mark] -= 1
        if entry.doubtful_end >= 0 and not any(
            pair.kind != "single" and entry.start < pair.start < entry.doubtful_end
            for pair in self.pairs[-8:]
        ):
            self._add(entry, entry.doubtful_end, entry.doubtful_end + 1)

    def _add(self, entry: _OpenMark, inner_end: int, end: int) -> None:
        if inner_end > entry.inner and self.text[inner_end - 1] == "\\":
            inner_end -= 1  # an escaped mark
        self.pairs.append(Pair(_KINDS[entry.mark], entry.start, entry.inner, inner_end, end))

    def _push(self, mark: str, at: int, inner: int) -> None:
        self.stack.append(_OpenMark(mark, at, inner))
        self.count[mark] += 1

    def _close(self, marks: str | tuple[str, ...], at: int, end: int) -> bool:
        """Close the innermost open mark of these; what was opened inside it was none."""
        if not any(self.count[mark] for mark in marks):
            return False
        while self.stack[-1].mark not in marks:
            self._discard()
        entry = self.stack.pop()
        self.count[entry.mark] -= 1
        self._add(entry, at, end)
        return True

    def _mark(self, mark: str, at: int, end: int) -> None:
        text = self.text
        before = text[at - 1] if at else " "
        after = text[end] if end < len(text) else " "
        if mark in _OPENS:
            self._push(mark, at, end)
            return
        if mark in _CLOSES:
            self._close(_CLOSES[mark], at, end)
            return
        if mark in "'’‘‚‛´":
            self._single(mark, at, before, after)
            return
        closes = not before.isspace() and before not in "([{" and not _is_word(after)
        opens = not after.isspace() and not _is_word(before) and before != "="
        if _is_solid(after) and not before.isspace():
            closes = True
        if _is_solid(before):
            opens = not after.isspace()
        if mark == "``":
            if opens:
                self._push(mark, at, end)
        elif mark == "''":
            if not (closes and self._close(("``", "“"), at, end)):
                self._single("'", at, before, "'")
                self._single("'", at + 1, "'", after)
        elif mark in '"＂':
            self._straight(at, end, opens, closes, before, after)
        elif mark == "“":
            if (closes or not before.isspace()) and self._close(("„",), at, end):
                return
            if opens or not after.isspace():
                self._push(mark, at, end)
            elif closes:
                self._close(("“",), at, end)
        elif mark == "”":
            closed = self._close(("“", "„", "”"), at, end)
            if not closed and closes:
                closed = self._close(('"', "``"), at, end)
            if not closed and opens and before.isspace():
                self._push(mark, at, end)
        elif mark == "«":
            if closes and not (opens and before.isspace()) and self._close(("»",), at, end):
                return
            self._push(mark, at, end)
        elif mark == "»":
            closed = self._close(("«",), at, end) or (closes and self._close(("»",), at, end))
            if not closed and opens:
                self._push(mark, at, end)

    def _straight(
        self, at: int, end: int, opens: bool, closes: bool, before: str, after: str
    ) -> None:
        if closes and self.count['"']:
            if before.isdigit() and after.isspace() and self._is_inch(at):
                return
            self._close('"', at, end)
        elif closes and not opens and (self.count["“"] or self.count["„"]):
            self._close(("“", "„"), at, end)
        elif opens:
            self._push('"', at, end)

    def _is_inch(self, at: int) -> bool:
        """Whether a mark after a number measures it: the quotation closes at the next mark."""
        text = self.text
        following = text[at + 1 : at + 3].lstrip()
        if not following[:1].islower():
            return False
        further = text.find('"', at + 1)
        if further < 0 or "\n\n" in text[at:further]:
            return False
        after = text[further + 1 : further + 2]
        return not text[further - 1].isspace() and not (after and _is_word(after))

    def _single(self, mark: str, at: int, before: str, after: str) -> None:
        text = self.text
        if _is_word(before) and _is_word(after) and not _is_solid(before):
            return  # an apostrophe
        if mark in "‘‚" and not (mark == "‘" and self.count["‚"]):
            if not after.isspace() and not (mark == "‘" and _ELISION.match(text, at + 1)):
                self._push(mark, at, at + 1)
            return
        can_close = not before.isspace() and before not in "([{" and not _is_word(after)
        if can_close:
            family = next((opened for opened in _CLOSES_SINGLE[mark] if self.count[opened]), None)
            if family is not None:
                # "the boats' masts": after an s the mark may be a possessive's.
                after_s = before in "sSxXzZ" and after.isspace() and text[at + 2 : at + 3].isalpha()
                if not after_s:
                    self._close((family,), at, at + 1)
                    return
                entry = next(entry for entry in reversed(self.stack) if entry.mark == family)
                if entry.doubtful_end < 0:
                    entry.doubtful_end = at
                return
        if (
            mark in "'´"
            and not after.isspace()
            and not _is_word(before)
            and before not in "'’=)]}.,;!?%"
            and not (before == '"' and not after.isalnum())
            and (_is_word(after) or after in '"“[(…*_¿¡«')
            and not _ELISION.match(text, at + 1)
        ):
            self._push(mark, at, at + 1)


def _is_word(character: str) -> bool:
    """Whether a letter or digit; raised digits are not: they may be citation markers."""
    return character.isalnum() and (character.isascii() or character not in "¹²³⁰⁴⁵⁶⁷⁸⁹")


def _is_solid(character: str) -> bool:
    """Whether of a script without spaces between words, or a mark of full width."""
    return SOLID.match(character) is not None or "\uff00" <= character <= "\uffef"


_PROSE_WORD = re.compile(
    r"\b(?:the|a|an|is|was|are|were|be|been|has|have|had|of|shall|must|der|die|das|ist|war|sind|"
    r"le|la|les|est|sont|el|los|las|es|un|una|il|è|o|os|é)\b",
    re.IGNORECASE,
)
_NO_PROSE = re.compile(r"[(){}\[\]<>=;$\\/|#@^~&+*_\"]|--|\b(?:None|null|true|false|True|False)\b")


def _code(text: str) -> tuple[list[tuple[int, int]], list[Pair]]:
    """Return the stretches of code, and those in backticks that are a passage of prose instead."""
    code: list[tuple[int, int]] = []
    unfenced: list[str] = []
    done = 0
    while fence := _CODE_FENCE.search(text, done):
        closing = re.compile(rf"^[ \t]{{0,12}}{fence[1][0]}{{3,}}[ \t\r]*$", re.MULTILINE)
        close = closing.search(text, fence.end())
        end = close.end() if close else len(text)
        code.append((fence.start(), end))
        unfenced += [text[done : fence.start()], "\n" * (end - fence.start())]
        done = end
    spans = code_spans("".join([*unfenced, text[done:]]))
    prose = [
        Pair("backtick", start, start + 1, end - 1, end)
        for start, end in spans
        if text[start + 1] != "`" and _is_prose(text[start + 1 : end - 1])
    ]
    return sorted([*code, *spans]), prose


def _is_prose(text: str) -> bool:
    return (
        text.count(" ") >= 4
        and _PROSE_WORD.search(text) is not None
        and _NO_PROSE.search(text) is None
    )
