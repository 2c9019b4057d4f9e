"""The rule that an answer ends in a list of just the sources it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from functools import partial

from citemeter.contract.answer import CheckedAnswer, citations_of
from citemeter.contract.rule import Finding, Outcome, Rule, counted
from citemeter.contract.wording import check_title, heading_pattern
from citemeter.errors import InputError
from citemeter.models import Source, Span
from citemeter.text.markdown.lines import HEADING
from citemeter.text.markdown.reference_lists import definitions, is_reference_heading
from citemeter.text.markers import Marker, SourceIndex

__all__ = ["sources_section"]

_NAME = "sources_section"
_LINE = re.compile(r"[^\r\n]+")
_OPENS = re.compile(
    r"[ \t>]*(?P<bullet>[-*+•‣◦▪–][ \t]+)?"
    r"(?:\(?(?P<number>\d{1,4})[.):](?:[ \t]+|$)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})[ \t]*)?"
)
_SEPARATOR = re.compile(r"[,;·•|&]|\band\b")
_TOKEN = re.compile(r"[^\s,;()\[\]{}<>\"'`*“”]+")
_URL = re.compile(r"https?://[^\s<>\"')\]]+")
_LONGEST_HEAD = 60  # characters before a colon
_SHORTEST_TITLE = 4  # characters; a shorter title would be found in other words


def sources_section(title: str | None = "Sources", *, equal: bool = True) -> Rule:
    r"""Return the rule that an answer lists its sources, and just those that it cites.

    An entry names a source by a marker, by its id, its number, its URL or its title. Does not
    apply to an answer that declines to answer and has no such list, nor where only split
    statements are given.

    Args:
        title: The list's heading, case and markup aside; ``None`` for any list of sources.
        equal: Whether the ids listed must be those cited. Else the list only has to be there.

    Raises:
        InputError: If the title is blank.

    >>> rule = sources_section()
    >>> found = rule("It is so [1]. And so [2].\n\nSources:\n[1] a.pdf\n[3] c.pdf")
    >>> found.reason
    'cited but not listed: 2; listed but not cited: 3'
    """
    if title is not None:
        check_title(_NAME, title, "give the heading's words, or None for any list of sources.")
    if not isinstance(equal, bool):
        raise InputError(f"rule {_NAME!r}: equal is {equal!r}.", fix="give true or false.")
    parameters = {"title": title} if equal else {"title": title, "equal": False}
    return Rule(_NAME, parameters, partial(_sources_section, title=title, equal=equal))


def _sources_section(answer: CheckedAnswer, title: str | None, equal: bool) -> Outcome:
    if answer.given.answer is None or answer.split:
        return Outcome.not_applicable("only split statements are given, not the answer as written")
    sections, others = _sections(answer, title)
    if not sections:
        if answer.response.abstained:
            return Outcome.not_applicable("the answer declines to answer")
        return _missing(answer, title, others)
    if not equal:
        return Outcome(passed=True)
    cited: dict[str, Finding] = {}
    for number, citation in citations_of(answer.response):
        at = citation.span
        if at is None or not any(s.start <= at.start < s.end for s in sections):
            finding = Finding.in_citation("cited but not listed", number, citation)
            cited.setdefault(citation.source_id, finding)
    entries = [entry for section in sections for entry in _entries(answer, section, cited)]
    listed = dict.fromkeys(source_id for entry in entries for source_id in entry.ids)
    unlisted = [source_id for source_id in cited if source_id not in listed]
    uncited = [source_id for source_id in listed if source_id not in cited]
    findings = [cited[source_id] for source_id in unlisted]
    new = set(uncited)
    for entry in entries:
        extra = tuple([source_id for source_id in entry.ids if source_id in new])
        new.difference_update(extra)
        if extra:
            update = {"problem": "listed but not cited", "ids": extra}
            findings.append(entry.model_copy(update=update))
    unknown = [entry for entry in entries if not entry.ids]
    reasons = []
    if unlisted:
        reasons.append(f"cited but not listed: {', '.join(unlisted)}")
    if uncited:
        reasons.append(f"listed but not cited: {', '.join(uncited)}")
    if unknown:
        reasons.append(f"{counted(unknown, 'entry names', 'entries name')} no source")
    return Outcome.of([*findings, *unknown], "; ".join(reasons))


def _missing(answer: CheckedAnswer, title: str | None, others: list[Span]) -> Outcome:
    wanted = "no list of sources" if title is None else f"no list of sources headed {title!r}"
    if not others:
        return Outcome.failed(wanted)
    findings = [
        Finding(
            problem=f"{wanted}; this one is not",
            text=_first_line(answer.text, span)[:120],
            span=span,
        )
        for span in others
    ]
    return Outcome.of(findings, f"{wanted}; there is one that begins with {findings[0].text!r}")


def _sections(answer: CheckedAnswer, title: str | None) -> tuple[list[Span], list[Span]]:
    """Return where the lists of that title stand, and other lists of sources."""
    text = answer.text
    lists = answer.skipped("reference_list")
    if title is None:
        return lists or _inline(answer, None), []
    begins = _beginning(title)
    own = [span for span in lists if begins.fullmatch(_first_line(text, span))]
    others = [span for span in lists if span not in own]
    if own:
        return own, others
    # A title that no list of sources usually has: the parser took its entries for statements.
    skipped = answer.skipped("code", "reasoning")
    own = [
        Span(found.start(), _section_end(text, found.end()))
        for found in heading_pattern(title).finditer(text)
        if not any(span.start <= found.start() < span.end for span in skipped)
    ]
    return own or _inline(answer, begins), others


def _beginning(title: str) -> re.Pattern[str]:
    """Return the pattern of a list's first line."""
    words = r"\s+".join(map(re.escape, title.split()))
    return re.compile(rf"[\W_\d]*{words}(?!\w)[^\w\[:：]*(?:[:：].*)?", re.IGNORECASE)


def _inline(answer: CheckedAnswer, begins: re.Pattern[str] | None) -> list[Span]:
    """Return where a line is a title, a colon and ids: ``Sources: hr-12, hr-31``."""
    cited = {citation.source_id for citation in answer.response.citations}
    names = _Names(answer.index, (), {}, cited)
    found: list[Span] = []
    for line in _LINE.finditer(answer.text):
        head, colon, rest = line[0].replace("：", ":").partition(":")
        if not colon or len(head) > _LONGEST_HEAD or not names.of_ids(rest):
            continue
        if begins.fullmatch(head.strip()) if begins else is_reference_heading(head):
            found.append(Span(*line.span()))
    return found


def _first_line(text: str, span: Span) -> str:
    line = _LINE.search(text, span.start, span.end)
    return line[0].strip() if line else ""


def _section_end(text: str, start: int) -> int:
    for line in _LINE.finditer(text, start):
        if HEADING.match(line[0]):
            return line.start()
    return len(text)


def _entries(answer: CheckedAnswer, span: Span, cited: Container[str]) -> list[Finding]:
    """Return the entries of a list of sources; lines that go on with an entry are none.

    Each is what there is to say of it where it names no source.
    """
    start, end = span
    block = answer.text[start:end]
    index = answer.index
    markers = answer.markers_in(block)
    names = _Names(index, answer.given.sources, definitions(block, index), cited)
    entries: list[Finding] = []
    at = 0
    first = True
    for line in _LINE.finditer(block):
        inside: list[Marker] = []
        while at < len(markers) and markers[at].start < line.end():
            inside.append(markers[at])
            at += 1
        text = line[0].strip()
        if not any(map(str.isalnum, text)):
            continue
        heading = first and (not inside or not _opens_entry(line[0]))
        first = False
        # Of a heading, what follows its colon.
        body = "".join(re.split("[:：]", line[0], maxsplit=1)[1:]) if heading else line[0]
        ids = names.of_markers(inside) or names.of_text(body)
        lead = _OPENS.match(line[0])
        opens = lead is not None and any(lead.groups())
        if ids or (opens and not heading):
            at_text = start + line.start() + (len(line[0]) - len(line[0].lstrip()))
            span = Span(at_text, at_text + len(text))
            entries.append(Finding(problem="names no source", text=text, span=span, ids=ids))
    return entries


def _opens_entry(line: str) -> bool:
    return line.lstrip(" \t>*•+-_")[:1] in "[［【〔<^{(¹²³⁴⁵⁶⁷⁸⁹⁰"


class _Names:
    """What an entry may call a source by."""

    def __init__(
        self,
        index: SourceIndex,
        sources: Iterable[Source],
        aliases: dict[str, str],
        cited: Container[str],
    ) -> None:
        self.index = index
        self.aliases = aliases
        self.cited = cited
        self.titles = {
            source.title.casefold().strip(): source.id
            for source in sources
            if source.title and len(source.title.strip()) >= _SHORTEST_TITLE
        }

    def of_markers(self, markers: list[Marker]) -> tuple[str, ...]:
        """Return the ids of markers, with what the list says they stand for."""
        return tuple(dict.fromkeys(self.aliases.get(i, i) for m in markers for i in m.ids))

    def of_ids(self, text: str) -> tuple[str, ...]:
        """Return the ids that a text consists of, with commas and the like between them."""
        parts = [part.strip("*_` \t\r.") for part in _SEPARATOR.split(text.strip())]
        parts = [part for part in parts if part]
        known = all(part in self.index.ids or part in self.cited for part in parts)
        return tuple(dict.fromkeys(parts)) if known else ()

    def of_text(self, line: str) -> tuple[str, ...]:
        """Return the ids that a line without markers names."""
        lead = _OPENS.match(line)
        if lead is None or not line.strip():
            return ()
        rest = line[lead.end() :].strip().strip("*_`")
        found: dict[str, None] = dict.fromkeys(self.of_ids(rest))
        ids, unmistakable = self.index.ids, self.index.unmistakable
        for place, token in enumerate(_TOKEN.findall(rest)):
            token = token.rstrip(".:") if token not in ids else token
            known = token in unmistakable or (place == 0 and token in ids)
            # Ids unknown to the sources are listed all the same where the text cites them.
            if known or (token in self.cited and not token.isalpha() and not token.isdecimal()):
                found[token] = None
        for url in _URL.findall(rest):
            known_url = self.index.by_url(url.rstrip(".,;"))
            if known_url:
                found[known_url] = None
        number = lead["number"] or unicodedata.normalize("NFKC", lead["raised"] or "")
        if not found and number:
            source_id = self.index.by_number(number)
            if source_id in ids or source_id in self.cited:
                found[source_id] = None
        if not found and self.titles:
            folded = line.casefold()
            found.update(dict.fromkeys(i for title, i in self.titles.items() if title in folded))
        return tuple(found)
