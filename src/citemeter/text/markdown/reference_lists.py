"""Lists of sources inside an answer: where they start and end, and what their numbers stand for."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from citemeter.text.markdown.lines import BOLD_LINE, BULLET, HEADING, RULE, Lines
from citemeter.text.markers import SourceIndex
from citemeter.text.sentences.boundaries import ends_sentence

_DECORATION = re.compile(r"^[\s>*_#`~\-–—•📚🔗📖📝📌:：【\[(]+|[\s*_`~:：】\])\-–—.]+$")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,40}>")
_NUMBERED = re.compile(r"^(?:\d{1,2}|[IVXivx]{1,5})[.)]\s+")
_FILE_ENDING = r"\.(?:pdf|html?|docx?|md|txt)\b"
_YEAR = r"\b(?:1[5-9]|20)\d\d\b"
# A list on the line of its heading: "Sources: [1] almanac.pdf, [2] guide.pdf".
_HEADED_LINE = re.compile(
    r"[\s>*_#(]*([^\W\d_][^\n:：*_\d\[]{2,40}?)\s*(?:[*_]{1,3}\s*)?[:：]\s*(?:[*_]{1,3}\s*)?"
    rf"(?=[\[【［(（\d•\-*<¹²³]|https?:|www\.|[^\s]{{1,80}}{_FILE_ENDING})"
)
_DEFINITION = re.compile(
    r"\s{0,3}(?:\[\^[^\]\n]{1,60}\]:|\[[^\]\n]{1,60}\]:(?=\s*<?(?:https?:|www\.|/|#|\.{1,2}/|\S+\.\S{2,5}(?:\s|$))))"
)
_LABELLED = re.compile(r"\s{0,3}\[\d{1,4}\]:\s")
_SOURCE_SIGN = re.compile(rf"{_YEAR}|\bdoi\b|\bpp?\.\s?\d|{_FILE_ENDING}")
_LINK = re.compile(r"https?:|www\.|\.(?:pdf|html?|docx?|md|txt|csv|pptx?|xlsx?)\b|\bdoi\b")
_UNHEADED_ENTRY = re.compile(
    r"\s*(?:[-*]\s+)?(?:\[\^?(\d{1,4})\^?\]|【(\d{1,4})】|\^(\d{1,4})|([¹²³]))[:.)]?\s*(?:[-–—:]\s*)?(\S.*)$"
)
_WORK = re.compile(rf"\bpp?\.\s?\d|{_YEAR}|[\"“«*_]")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|could|will|would|may|might|must|shall"
    r"|should|it|they|he|she|we|you|ist|sind|war|wird|werden|hat|kann|est|sont|était|es|son|fue|è|sono)\b"
    r"|[a-z]{3}(?:ed|es)\b",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"^[ \t>*•+-]*(?:\[\^?([\w.-]{1,40})\^?\]|【(\d{1,4})】"
    r"|\^?(\d{1,4})(?=[.):\s]))[:.)]*[ \t]*(?:[-–—:][ \t]*)?(\S.*)$",
    re.MULTILINE,
)
_URL = re.compile(r"https?://[^\s<>\"')\]]+")


@cache
def _headings() -> frozenset[str]:
    text = files("citemeter").joinpath("data/reference_headings.txt").read_text("utf-8")
    return frozenset(
        line.strip().casefold() for line in text.splitlines() if line.strip() and line[0] != "#"
    )


def is_reference_heading(line: str) -> bool:
    """Whether a line is, or starts as, the heading of a list of sources.

    >>> is_reference_heading("**Quellen:**"), is_reference_heading("Sources: [1] a.pdf")
    (True, True)
    >>> is_reference_heading("Sources of iron vary.")
    False
    """
    if len(line) <= 60 and _plain(line) in _headings():
        return True
    match = _HEADED_LINE.match(line)
    return match is not None and _plain(match.group(1)) in _headings()


def _plain(line: str) -> str:
    line = _TAG.sub("", line)
    previous = None
    while previous != line:
        previous = line
        line = _NUMBERED.sub("", _DECORATION.sub("", line))
    return line.strip().casefold()


def definitions(block: str, index: SourceIndex) -> dict[str, str]:
    """Return what the entries of a reference list say their numbers stand for.

    ``[1]: https://a.example/x`` lets ``[1]`` cite the source at that address, and ``[^1]: hr-12``
    the source of that id. Numbers that are ids themselves need no definition.
    """
    found: dict[str, str] = {}
    if not index.order:
        return found
    for match in _ENTRY.finditer(block):
        label = next(g for g in match.groups()[:3] if g)
        if label in index.ids or label in found:
            continue
        rest = match.group(4).strip()
        source_id = index.ids.get(rest.strip("`*[]().<> "))
        if source_id is None and index.urls:
            for url in _URL.findall(rest):
                source_id = index.by_url(url.rstrip(".,;"))
                if source_id:
                    break
        if source_id:
            found[label] = source_id
    return found


class ReferenceLists:
    """Finds reference lists, and definitions of footnotes and links, among an answer's lines.

    Args:
        lines: The answer's lines.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.attempts = 50  # at lists without a heading; each may read to the end

    def end(self, number: int, after_blank: bool) -> int | None:
        """Return the last line of the reference list that starts at a line, if one does.

        Args:
            number: The line.
            after_blank: Whether it goes on with no paragraph.
        """
        line = self.lines[number]
        stripped = line.strip()
        if self._defines(line) and (_DEFINITION.match(line) or self._is_cited(number)):
            return self._definitions_end(number)
        if len(stripped) > 2000 or not is_reference_heading(stripped):
            return self._unheaded_end(number) if after_blank else None
        if not _HEADED_LINE.match(stripped) and not self._has_entries(number):
            return None
        return self._headed_end(number)

    def _defines(self, line: str) -> bool:
        return bool(_DEFINITION.match(line) or _LABELLED.match(line))

    def _is_cited(self, number: int) -> bool:
        """Whether the label of ``[1]: words`` stands in the text before it."""
        label = self.lines[number].strip().partition("]")[0] + "]"
        start = self.lines.spans[number][0]
        return self.lines.text.find(label, max(0, start - 100_000), start) >= 0

    def _definitions_end(self, number: int) -> int:
        lines = self.lines
        while number + 1 < len(lines):
            following = lines[number + 1]
            if self._defines(following):
                number += 1
            elif following.strip():
                if following[0] not in " \t" or BULLET.match(following):
                    break
                number += 1
            elif number + 2 < len(lines) and self._defines(lines[number + 2]):
                number += 2
            else:
                break
        return number

    def _has_entries(self, number: int) -> bool:
        """Whether anything follows a heading such as "Sources", or nothing can: the text ends."""
        lines = self.lines
        return number == len(lines) - 1 or any(
            lines[last].strip() for last in range(number + 1, len(lines))
        )

    def _headed_end(self, number: int) -> int:
        """A reference list runs to the next heading; headings inside it are rare."""
        last = number
        for following in range(number + 1, len(self.lines)):
            line = self.lines[following]
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
            if following > last + 1 and not self._is_entry(line, stripped):
                break
            last = following
        return last

    def _is_entry(self, line: str, stripped: str) -> bool:
        """Whether a line after a blank one still belongs to the list."""
        return bool(
            line[0] in " \t|"
            or BULLET.match(line)
            or stripped[0] in "[【［^<(¹²³⁴⁵⁶⁷⁸⁹|*_"
            or "://" in stripped
            or is_reference_heading(stripped)
            or _SOURCE_SIGN.search(stripped)
            # A sentence after a blank line is the answer going on.
            or not (ends_sentence(stripped) or re.search(r"\[\d+\]", stripped))
        )

    def _unheaded_end(self, number: int) -> int | None:
        """A list without a heading at the very end: ``[1] almanac.pdf`` on lines of their own."""
        if self.lines[number].lstrip()[:1] not in "[【［^¹²³*-" or not self.attempts:
            return None
        self.attempts -= 1
        entries: list[re.Match[str]] = []
        last = number
        for following in range(number, len(self.lines)):
            line = self.lines[following]
            if not line.strip():
                continue
            last = following
            match = _UNHEADED_ENTRY.match(line)
            if match is None:
                if entries and line[0] in " \t" and not BULLET.match(line):
                    continue
                return None
            rest = match.group(5)
            if re.search(r"\[\^?\d+\]\W*$", rest) and not re.search(r"https?:", rest):
                return None
            if re.match(r"[\[【,;.]", rest) or (rest[0].islower() and ends_sentence(rest)):
                return None
            entries.append(match)
        links = sum(bool(_LINK.search(match.group(5))) for match in entries)
        if links == len(entries) or (len(entries) > 1 and links):
            return last
        # What was cited above and starts lines here, at the very end, in order, is being listed;
        # two full sentences of one line each are the answer going on.
        cited = self.lines.text[: self.lines.spans[number][0]]
        labels = [next(g for g in match.groups()[:4] if g) for match in entries]
        bracketed = [
            any(form in cited for form in (f"[{label}]", f"[^{label}]", f"【{label}】"))
            or (label in "¹²³" and label in cited)
            for label in labels
        ]
        titles = sum(_names_work(match.group(5)) for match in entries)
        counted = all(label == str(n) for n, label in enumerate(labels, start=1))
        if (all(bracketed) and titles * 2 > len(entries)) or (
            any(bracketed) and counted and titles == len(entries)
        ):
            return last
        return None


def _names_work(entry: str) -> bool:
    """Whether an entry names a work rather than states something."""
    return bool(
        not ends_sentence(entry)
        or _WORK.search(entry)
        or len(entry.split()) <= 3
        or not _VERB.search(entry)
    )
