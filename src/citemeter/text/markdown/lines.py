"""The lines of an answer outside its reasoning, and the syntax that they start with."""

from __future__ import annotations

import re
from functools import cached_property

from citemeter.text.sentences.abbreviations import load_words

HEADING = re.compile(r"\s{0,3}#{1,6}(?:[ \t]+|(?=[^\s#\d!]))(?=\S)")
BOLD_LINE = re.compile(r"\s*(?:\*\*|__)(?!\s)([^*_\n]{1,120})(?:\*\*|__)\s*(?::\s*)?$")
RULE = re.compile(
    r"\s{0,3}(?:(?:-[ \t]*+){3,}|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,}|={3,}|—{3,}|⸻|\\newpage)\s*$"
)
BULLET = re.compile(
    r"(\s*)(?:[-*+•‣◦⁃▪▫●○■□➢➤►▶✓✔✅❌→·∙–—](?=[ \t\u00a0]|$)|[•‣◦▪●■➢➤►✓✔✅・･]|:(?=[ \t]+\S)"
    r"|[(（]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[)）](?=[ \t]|$)|\d{1,3}\.(?=[ \t]|$)"
    r"|\d{1,3}\\\.(?=[ \t])"
    r"|[(（]\d{1,2}[)）]|\d{1,2}[、．]|[一二三四五六七八九十]{1,3}、|[①-⑳](?=[ \t]|\w)(?!.*[①-⑳])"
    r"|(?:[a-zA-Z]|[ivx]{1,4}|[IVX]{1,5})\.(?=[ \t]+[A-Z]))[ \t\u00a0]*(\[[ xX✓]\](?=\s))?[ \t]*"
)
_REASONING_TAGS = "think|thinking|reasoning|thought|scratchpad|reflection|analysis"
THINK_OPEN = re.compile(rf"<({_REASONING_TAGS})>", re.IGNORECASE)
THINK_CLOSE = re.compile(rf"</(?:{_REASONING_TAGS})>", re.IGNORECASE)
_THINKING = re.compile(
    rf"{THINK_OPEN.pattern}.*?(?:{THINK_CLOSE.pattern}|\Z)", re.IGNORECASE | re.DOTALL
)
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|$)")
_LETTERED = re.compile(r"^[ \t>]*([A-Z]|[IVX]{1,5})\.[ \t]+(?=[A-Z])", re.MULTILINE)
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV"]


def _reasoning(text: str) -> list[tuple[int, int]]:
    """Return the stretches of reasoning, closed or not, opened or not."""
    found = [match.span() for match in _THINKING.finditer(text)]
    position = found[-1][1] if found else 0
    closing = THINK_CLOSE.search(text, position)
    return [*found, (position, closing.end())] if closing else found


class Lines:
    """An answer's lines as offsets, without line ends; what is reasoning is set aside.

    Args:
        text: The answer.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []
        self.reasoning = _reasoning(text)
        position = 0
        for start, end in [*self.reasoning, (len(text), len(text))]:
            self.spans.extend(
                [
                    match.span(1)
                    for match in _LINE.finditer(text, position, start)
                    if match.end() > match.start()
                ]
            )
            position = end

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, number: int) -> str:
        """Return a line by its number."""
        start, end = self.spans[number]
        return self.text[start:end]

    @cached_property
    def _letters(self) -> frozenset[str]:
        """The letters of lines such as "A. Fees"."""
        return frozenset(match.group(1) for match in _LETTERED.finditer(self.text))

    def bullet(self, line: str) -> re.Match[str] | None:
        """Return the bullet, number or letter of the list item that a line begins, if it does."""
        bullet = BULLET.match(line)
        if bullet is None or (bullet.end() == len(line) and line.lstrip()[0].isalnum()):
            return None
        return None if self._initial(bullet) else bullet

    def _initial(self, bullet: re.Match[str]) -> bool:
        """Whether what looks like the letter of a list item is the initial of a name.

        "A." counts if "B." starts another line, "C." if "A." and "B." do; a lone letter counts
        before a word that often starts sentences, but not before a name.
        """
        letters = bullet.group().strip().removesuffix(".")
        if not (letters.isalpha() and letters.isupper()):
            return False
        known = self._letters
        if len(letters) == 1:
            before = [chr(code) for code in range(ord("A"), ord(letters))]
            if known.issuperset(before) and (before or chr(ord(letters) + 1) in known):
                return False
        if letters in _ROMAN:
            place = _ROMAN.index(letters)
            if known.issuperset(_ROMAN[:place]) and (place or _ROMAN[1] in known):
                return False
        following = re.match(r"\w+", bullet.string[bullet.end() :])
        return following is None or following.group().lower() not in load_words().starters
