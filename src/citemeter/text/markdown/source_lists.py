"""Lists of sources inside an answer: where they start and end."""

from __future__ import annotations

import re

from citemeter.text.markdown.lines import BOLD_LINE, BULLET, HEADING, RULE, Lines
from citemeter.text.markdown.reference_lists import REFERENCE_LINE, is_reference_heading

__all__ = ["SourceListLines"]

_DEFINITION = re.compile(
    r"\s{0,3}(?:\[\^[^\]\n]{1,60}\]:|\[[^\]\n]{1,60}\]:(?=\s*<?(?:https?:|www\.|/|#|\.{1,2}/|\S+\.\S{2,5}(?:\s|$))))"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|could|will|would|may|might|must|shall"
    r"|should|it|they|he|she|we|you|ist|sind|war|wird|werden|hat|kann|est|sont|était|es|son|fue|è|sono)\b"
    r"|[a-z]{3}(?:ed|es)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"\s{0,3}\[\d{1,4}\]:\s")
_THINK_OPEN = re.compile(
    r"<(think|thinking|reasoning|thought|scratchpad|reflection|analysis)>", re.I
)


def _is_title(entry: str) -> bool:
    """Whether an entry names a work rather than states something."""
    if entry[-1:] not in ".!?。！？":
        return True
    if re.search(r"\bpp?\.\s?\d|\b(?:1[5-9]|20)\d\d\b|[\"“«*_]", entry):
        return True
    return len(entry.split()) <= 3 or not _VERB.search(entry)


class SourceListLines(Lines):
    """Finds reference lists and definitions of footnotes and links."""

    def _references(self, number: int, blank: bool) -> int | None:
        """Return the last line of the reference list that starts at a line, if one does."""
        line = self.line(number)
        stripped = line.strip()
        if _DEFINITION.match(line) or (_LABELLED.match(line) and self._is_definition(number)):
            last = number
            while last + 1 < len(self.lines):
                following = self.line(last + 1)
                if (
                    _DEFINITION.match(following)
                    or _LABELLED.match(following)
                    or (following.strip() and following[0] in " \t" and not BULLET.match(following))
                ):
                    last += 1
                elif (
                    not following.strip()
                    and last + 2 < len(self.lines)
                    and (
                        _DEFINITION.match(self.line(last + 2))
                        or _LABELLED.match(self.line(last + 2))
                    )
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
            if RULE.match(line) and following > number + 1:
                break
            if (
                (HEADING.match(line) or BOLD_LINE.match(line))
                and not is_reference_heading(stripped)
                and not re.search(r"\d|https?:", stripped)
            ):
                break
            if not self._is_entry(line, after_blank=following > last + 1):
                break
            last = following
        return last

    def _is_entry(self, line: str, after_blank: bool) -> bool:
        stripped = line.strip()
        if not after_blank or line[0] in " \t|":
            return True
        if BULLET.match(line) or stripped[0] in "[【［^<(¹²³⁴⁵⁶⁷⁸⁹|*_" or "://" in stripped:
            return True
        if is_reference_heading(stripped):
            return True
        if re.search(
            r"\b(?:1[5-9]|20)\d\d\b|\bdoi\b|\bpp?\.\s?\d|\.(?:pdf|html?|docx?|md|txt)\b", stripped
        ):
            return True
        # A sentence after a blank line is the answer going on.
        return not re.search(r"[.!?。！？]$", stripped) and not re.search(r"\[\d+\]", stripped)

    def _unheaded(self, number: int) -> int | None:
        """A list without a heading at the very end: ``[1] almanac.pdf`` on lines of their own."""
        if self.line(number).lstrip()[:1] not in "[【［^¹²³*-" or not self.attempts:
            return None
        self.attempts -= 1
        entry = re.compile(
            r"\s*(?:[-*]\s+)?(?:\[\^?(\d{1,4})\^?\]|【(\d{1,4})】|\^(\d{1,4})|([¹²³]))[:.)]?\s*[-–—:]?\s*(\S.*)$"
        )
        seen: list[int] = []
        links = 0
        for last in range(number, len(self.lines)):
            line = self.line(last)
            if not line.strip():
                continue
            match = entry.match(line)
            if match is None:
                if seen and line[0] in " \t" and not BULLET.match(line):
                    continue
                return None
            rest = match.group(5)
            if re.search(r"\[\^?\d+\]\W*$", rest) and not re.search(r"https?:", rest):
                return None
            if re.match(r"[\[【,;.]", rest) or (rest[:1].islower() and rest[-1:] in ".!?"):
                return None
            seen.append(last)
            links += bool(
                re.search(
                    r"https?:|www\.|\.(?:pdf|html?|docx?|md|txt|csv|pptx?|xlsx?)\b|\bdoi\b", rest
                )
            )
        if not seen:
            return None
        if links == len(seen) or (len(seen) > 1 and links):
            return self._last_line()
        cited = self.text[: self.lines[number][0]]
        numbers = [entry.match(self.line(n)) for n in seen]
        labels = [next((g for g in m.groups()[:4] if g), "") for m in numbers if m]
        # What was cited above and starts lines here, at the very end, in order, is being listed;
        # two full sentences of one line each are the answer going on.
        bracketed = [
            f"[{label}]" in cited
            or f"【{label}】" in cited
            or (label in "¹²³" and label in cited)
            or f"[^{label}]" in cited
            for label in labels
        ]
        titles = sum(_is_title(m.group(5)) for m in numbers if m is not None)
        counted = all(label == str(n) for n, label in enumerate(labels, start=1))
        if (all(bracketed) and titles * 2 > len(seen)) or (
            any(bracketed) and counted and titles == len(seen)
        ):
            return self._last_line()
        return None

    def _last_line(self) -> int:
        last = len(self.lines) - 1
        while last and not self.line(last).strip():
            last -= 1
        return last
