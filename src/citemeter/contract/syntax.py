"""The rule that citations are written in one form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from citemeter.contract.citing import NOTHING_CITED, citations_of
from citemeter.contract.outcome import Finding, Outcome
from citemeter.contract.rule import Rule
from citemeter.contract.subject import Subject
from citemeter.errors import InputError
from citemeter.models import Citation, Response, Span
from citemeter.text.markers import STYLES, find_markers

__all__ = ["marker_syntax", "template_pattern"]

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
        parameters = {"pattern": syntax.pattern}
        if syntax.flags & ~re.UNICODE:
            parameters["flags"] = int(syntax.flags & ~re.UNICODE)  # type: ignore[assignment]
        arguments = {"pattern": syntax, "label": f"the pattern {syntax.pattern}", "core": ""}
        return Rule(_NAME, parameters, _in_pattern, arguments, conditional=True)
    if isinstance(syntax, str) and syntax and all(part in STYLES for part in syntax.split("+")):
        return Rule(_NAME, {"syntax": syntax}, _in_style, {"style": syntax}, conditional=True)
    if isinstance(syntax, str) and _PLACEHOLDER.search(syntax):
        pattern = template_pattern(syntax)
        arguments = {"pattern": pattern, "label": syntax, "core": _core(syntax)}
        return Rule(_NAME, {"syntax": syntax}, _in_pattern, arguments, conditional=True)
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
    return "".join(r"[^\S\n]+" if part.isspace() else re.escape(part) for part in _split(text))


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"(\s+)", text) if part]


def _core(template: str) -> str:
    """Return what a marker of this template begins with, if nothing else would begin so."""
    core = _PLACEHOLDER.split(template, maxsplit=1)[0].strip("[]【】(){}<> \t")
    return core if core and not core[-1].isalnum() and any(map(str.isalpha, core)) else ""


def _markers(response: Response) -> Iterator[tuple[int | None, Citation]]:
    """Yield the citations of a response, of each marker the first."""
    seen: set[Span | None] = {None}
    statements: list[tuple[int | None, tuple[Citation, ...]]] = [
        (number, statement.citations) for number, statement in enumerate(response.statements or ())
    ]
    for number, citations in [*statements, (None, response.unattached)]:
        for citation in citations:
            if citation.span not in seen:
                seen.add(citation.span)
                yield number, citation


def _finding(number: int | None, citation: Citation, label: str) -> Finding:
    return Finding(
        problem=f"is not written as {label}",
        text=citation.marker,
        span=citation.span,
        statement=number,
        ids=(citation.source_id,),
    )


def _outcome(findings: list[Finding], label: str) -> Outcome:
    many = "markers are" if len(findings) > 1 else "marker is"
    return Outcome.of(findings, f"{len(findings)} {many} not written as {label}")


def _in_pattern(subject: Subject, pattern: re.Pattern[str], label: str, core: str) -> Outcome:
    if subject.split:
        return _split_outcome(subject, label, lambda marker: pattern.fullmatch(marker) is not None)
    response = subject.read_with(pattern, *subject.styles)
    text = subject.text
    whole = {found.end(): found.start() for found in pattern.finditer(text)}
    markers = list(_markers(response))
    findings = [
        _finding(number, citation, label)
        for number, citation in markers
        if citation.span is not None and not _is_whole(text, citation.span, whole)
    ]
    if core:
        findings += _broken(text, core, label, response, markers)
        findings.sort(key=lambda finding: finding.span or Span(0, 0))
    if not (markers or findings):
        return Outcome.not_applicable(NOTHING_CITED)
    return _outcome(findings, label)


def _is_whole(text: str, span: Span, whole: dict[int, int]) -> bool:
    """Whether a marker is a whole match, apart from a label glued to it, as in ``source[1]``."""
    start = whole.get(span.end)
    return start is not None and (start == span.start or text[span.start : start].isalpha())


def _broken(
    text: str,
    core: str,
    label: str,
    response: Response,
    markers: list[tuple[int | None, Citation]],
) -> list[Finding]:
    """Find what begins as a marker does and belongs to none."""
    from citemeter.text.markdown.inline import verbatim_zones

    begins = re.compile(rf"(?<!\w){re.escape(core)}[^\S\n]?(?=\w)\S{{1,80}}", re.IGNORECASE)
    taken = [citation.span for _, citation in markers if citation.span is not None]
    if response.parsing is not None:
        taken += [part.span for part in response.parsing.skipped if part.kind != "markers"]
    if "`" in text or "$" in text or "\\" in text:
        taken += [Span(*zone) for zone in verbatim_zones(text)]
    taken.sort()
    findings: list[Finding] = []
    at = 0
    reached = 0
    for found in begins.finditer(text):
        start = found.start()
        while at < len(taken) and taken[at].start <= start:
            reached = max(reached, taken[at].end)
            at += 1
        if start >= reached:
            findings.append(
                Finding(
                    problem=f"is no whole marker of the form {label}",
                    text=found[0],
                    span=Span(*found.span()),
                )
            )
    return findings


def _in_style(subject: Subject, style: str) -> Outcome:
    label = f"the style {style}"
    if subject.split:
        styles = frozenset(style.split("+"))

        def has_style(marker: str) -> bool:
            found = find_markers(marker, subject.index, styles, forced=True)
            return bool(found) and found[0].start == 0 and found[-1].end == len(marker)

        return _split_outcome(subject, label, has_style)
    response = subject.read_with(*subject.styles, "auto", style)
    own = [c.span for _, c in _markers(subject.read_with(style)) if c.span is not None]
    own.sort()
    findings: list[Finding] = []
    markers = sorted(_markers(response), key=lambda marker: marker[1].span or Span(0, 0))
    at = 0
    for number, citation in markers:
        span = citation.span or Span(0, 0)
        while at < len(own) and own[at].end <= span.start:
            at += 1
        if at == len(own) or own[at].start >= span.end:
            findings.append(_finding(number, citation, label))
    if not markers:
        return Outcome.not_applicable(NOTHING_CITED)
    return _outcome(findings, label)


def _split_outcome(subject: Subject, label: str, has_form: object) -> Outcome:
    assert callable(has_form)
    citations = list(citations_of(subject))
    if not citations:
        return Outcome.not_applicable(NOTHING_CITED)
    if not any(citation.marker for _, citation in citations):
        return Outcome.not_applicable("the statements came already split, without their markers")
    return _outcome(
        [
            _finding(number, citation, label)
            for number, citation in citations
            if citation.marker and not has_form(citation.marker)
        ],
        label,
    )
