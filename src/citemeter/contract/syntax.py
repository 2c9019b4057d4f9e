"""The rule that citations are written in one form."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from citemeter.contract.answer import CheckedAnswer, citations_of
from citemeter.contract.citing import NOTHING_CITED
from citemeter.contract.rule import Finding, Outcome, Rule, counted
from citemeter.errors import InputError
from citemeter.models import Citation, Response, Span
from citemeter.text.markdown.inline import verbatim_zones
from citemeter.text.markers import STYLES, find_markers

__all__ = ["marker_syntax"]

_PLACEHOLDER = re.compile(r"<(id|n)>")
_ID = r"[^\s,;\[\](){}<>【】]"
_NAME = "marker_syntax"


def marker_syntax(syntax: str | re.Pattern[str]) -> Rule:
    """Return the rule that every citation is written in one form.

    Every marker that is read as a citation must have the form, however else it is written. What
    begins as the form does but is no whole marker, such as ``[doc:`` without its bracket, breaks
    the rule as well. Lists of sources and code are not looked at. Does not apply if nothing is
    cited.

    Args:
        syntax: A template such as ``"[doc:<id>]"``, with ``<id>`` for an id (no white space,
            brackets, commas or semicolons) or ``<n>`` for a number; the name of a marker style,
            or several joined by ``+``; or a compiled pattern that matches whole markers, whose
            group ``id`` (or first group) holds the ids.

    Raises:
        InputError: If it is none of these.

    >>> rule = marker_syntax("[doc:<id>]")
    >>> found = rule({"answer": "So it is [doc:a-1]. Or not (a-1).", "sources": {"a-1": "…"}})
    >>> [(finding.problem, finding.text) for finding in found.findings]
    [('is not written as [doc:<id>]', '(a-1)')]
    """
    if isinstance(syntax, re.Pattern):
        if isinstance(syntax.pattern, bytes):
            raise InputError(f"rule {_NAME!r}: the pattern is one of bytes.", fix="give text.")
        parameters: dict[str, str | int] = {"pattern": syntax.pattern}
        if syntax.flags & ~re.UNICODE:
            parameters["flags"] = int(syntax.flags & ~re.UNICODE)
        label = f"the pattern {syntax.pattern}"
        test = partial(_in_pattern, pattern=syntax, label=label, core="")
        return Rule(_NAME, parameters, test, conditional=True)
    if isinstance(syntax, str) and syntax and all(part in STYLES for part in syntax.split("+")):
        test = partial(_in_style, style=syntax)
        return Rule(_NAME, {"syntax": syntax}, test, conditional=True)
    if isinstance(syntax, str) and _PLACEHOLDER.search(syntax):
        pattern = template_pattern(syntax)
        test = partial(_in_pattern, pattern=pattern, label=syntax, core=_core(syntax))
        return Rule(_NAME, {"syntax": syntax}, test, conditional=True)
    raise InputError(
        f"rule {_NAME!r}: {syntax!r} is no syntax.",
        fix='give a template with <id> or <n> in it, such as "[doc:<id>]", a compiled pattern, or '
        f"one of the styles {', '.join(STYLES)}.",
    )


@lru_cache(maxsize=256)
def template_pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of a marker's template.

    >>> template_pattern("[doc:<id>]").fullmatch("[doc:hr-12]")["id"]
    'hr-12'
    >>> template_pattern("@<id>").match("@smith2020.")["id"]
    'smith2020'
    """
    parts: list[str] = []
    done = 0
    names = iter(["id"])
    for found in _PLACEHOLDER.finditer(template):
        parts.append(_literal(template[done : found.start()]))
        done = found.end()
        # With nothing behind it, a stop is the sentence's.
        end = r"(?<![.,:;!?'\"])" if done == len(template) else ""
        body = r"\d{1,6}" if found[1] == "n" else _ID + "{1,200}" + end
        name = next(names, None)
        parts.append(f"(?P<{name}>{body})" if name else f"(?:{body})")
    parts.append(_literal(template[done:]))
    return re.compile("".join(parts))


def _literal(text: str) -> str:
    parts = re.split(r"(\s+)", text)
    return "".join([r"[^\S\n]+" if part.isspace() else re.escape(part) for part in parts])


def _core(template: str) -> str:
    """Return what a marker of this template begins with, if nothing else would begin so."""
    core = _PLACEHOLDER.split(template, maxsplit=1)[0].strip("[]【】(){}<> \t")
    return core if core and not core[-1].isalnum() and any(map(str.isalpha, core)) else ""


def _markers(response: Response) -> list[tuple[int | None, Citation, Span]]:
    """Return the markers of a response, each with its place and the first citation it makes."""
    found: dict[Span, tuple[int | None, Citation, Span]] = {}
    for number, citation in citations_of(response):
        if citation.span is not None:
            found.setdefault(citation.span, (number, citation, citation.span))
    return list(found.values())


def _outcome(findings: list[Finding], label: str) -> Outcome:
    return Outcome.of(
        findings, f"{counted(findings, 'marker is', 'markers are')} not written as {label}"
    )


def _in_pattern(answer: CheckedAnswer, pattern: re.Pattern[str], label: str, core: str) -> Outcome:
    if answer.split:
        return _split_outcome(answer, label, lambda marker: pattern.fullmatch(marker) is not None)
    response = answer.read_with(pattern, *answer.styles)
    text = answer.text
    whole = {found.end(): found.start() for found in pattern.finditer(text)}
    markers = _markers(response)
    findings = [
        Finding.in_citation(f"is not written as {label}", number, citation)
        for number, citation, span in markers
        if not _is_whole(text, span, whole)
    ]
    if core:
        findings += _broken(text, core, label, response, [span for _, _, span in markers])
        findings.sort(key=lambda finding: finding.span or Span(0, 0))
    if not (markers or findings):
        return Outcome.not_applicable(NOTHING_CITED)
    return _outcome(findings, label)


def _is_whole(text: str, span: Span, whole: dict[int, int]) -> bool:
    """Whether a marker is a whole match, apart from a label glued to it, as in ``source[1]``."""
    start = whole.get(span.end)
    return start is not None and (start == span.start or text[span.start : start].isalpha())


def _broken(
    text: str, core: str, label: str, response: Response, markers: list[Span]
) -> Iterator[Finding]:
    """Find what begins as a marker does and belongs to none."""
    begins = re.compile(rf"(?<!\w){re.escape(core)}[^\S\n]?(?=\w)\S{{1,80}}", re.IGNORECASE)
    taken = list(markers)
    if response.parsing is not None:
        taken += [part.span for part in response.parsing.skipped if part.kind != "markers"]
    taken += [Span(*zone) for zone in verbatim_zones(text)]
    taken.sort()
    at = reached = 0
    for found in begins.finditer(text):
        while at < len(taken) and taken[at].start <= found.start():
            reached = max(reached, taken[at].end)
            at += 1
        if found.start() >= reached:
            problem = f"is no whole marker of the form {label}"
            yield Finding(problem=problem, text=found[0], span=Span(*found.span()))


def _in_style(answer: CheckedAnswer, style: str) -> Outcome:
    label = f"the style {style}"
    if answer.split:
        styles = frozenset(style.split("+"))

        def has_style(marker: str) -> bool:
            found = find_markers(marker, answer.index, styles, forced=True)
            return bool(found) and found[0].start == 0 and found[-1].end == len(marker)

        return _split_outcome(answer, label, has_style)
    markers = _markers(answer.read_with(*answer.styles, "auto", style))
    if not markers:
        return Outcome.not_applicable(NOTHING_CITED)
    own = sorted(span for _, _, span in _markers(answer.read_with(style)))
    ends = [span.end for span in own]
    findings: list[Finding] = []
    for number, citation, span in sorted(markers, key=lambda marker: marker[2]):
        at = bisect_right(ends, span.start)
        if at == len(own) or own[at].start >= span.end:
            findings.append(Finding.in_citation(f"is not written as {label}", number, citation))
    return _outcome(findings, label)


def _split_outcome(answer: CheckedAnswer, label: str, has_form: Callable[[str], bool]) -> Outcome:
    citations = list(citations_of(answer.response))
    if not citations:
        return Outcome.not_applicable(NOTHING_CITED)
    if not any(citation.marker for _, citation in citations):
        return Outcome.not_applicable("the statements came already split, without their markers")
    findings = [
        Finding.in_citation(f"is not written as {label}", number, citation)
        for number, citation in citations
        if citation.marker and not has_form(citation.marker)
    ]
    return _outcome(findings, label)
