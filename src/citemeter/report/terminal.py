"""Reports as text for a terminal: the table of metrics, and one response statement by statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from citemeter.models import Response
from citemeter.report.details import detail_lines, response_lines, score_text
from citemeter.results import (
    Bounds,
    CitationResult,
    MetricSummary,
    QuoteCheck,
    Report,
    ResponseResult,
    Score,
    StatementResult,
)
from citemeter.verdicts import Verdict

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {
    "supported": ("✓", "green"),
    "precise": ("✓", "green"),
    "verified": ("✓", "green"),
    "uncited": ("–", "yellow"),
    "irrelevant": ("○", "yellow"),
    "voided": ("○", "yellow"),
    "unjudged": ("?", "magenta"),
}
_BAD = ("✗", "red")


_CONTROL = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(32), *range(127, 160))
    if chr(code) not in "\t\n\r\x85"
}
"""What an answer must not do to a terminal: clear it, recolour it, ring its bell."""


def _shown(text: str) -> str:
    """Return foreign words as they may be shown."""
    return text.translate(_CONTROL)


def rendered(draw: Callable[[Console], None], width: int, color: bool) -> str:
    """Return what is drawn on a console, without trailing blanks.

    Args:
        draw: Draws on the console it is given.
        width: The number of columns.
        color: Whether to write ANSI colours.
    """
    from rich.console import Console

    file = StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        soft_wrap=False,
    )
    draw(console)
    return "".join(f"{line.rstrip()}\n" for line in file.getvalue().splitlines())


def _range(bounds: Bounds | None) -> str:
    return "" if bounds is None else f"{bounds.low:.3f}–{bounds.high:.3f}"


def _why(summary: MetricSummary) -> str:
    return "; ".join(f"{count} × {reason}" for reason, count in summary.reasons.items())


def render_report(report: Report, *, width: int = 100, color: bool = False) -> str:
    """Return the table of metrics, with what could not be scored and the signature.

    Args:
        report: The report.
        width: The number of columns to fill at most.
        color: Whether to write ANSI colours.
    """
    from rich.table import Table

    def draw(console: Console) -> None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("metric", no_wrap=True)
        for name in ("macro", "micro", "scored", "undefined", "failed"):
            table.add_column(name, justify="right", no_wrap=True)
        unjudged = any(summary.bounds is not None for summary in report.metrics.values())
        if unjudged:
            table.add_column("macro, if judged", justify="right", no_wrap=True)
        table.add_column("undefined because")
        absent: dict[str, list[str]] = {}
        for summary in report.metrics.values():
            if not summary.scored and not summary.failed and len(summary.reasons) == 1:
                absent.setdefault(next(iter(summary.reasons)), []).append(summary.name)
                continue
            table.add_row(
                summary.name + (" ↓" if summary.lower_is_better else ""),
                score_text(summary.macro),
                score_text(summary.micro),
                str(summary.scored),
                str(summary.undefined),
                str(summary.failed),
                *([_range(summary.bounds)] if unjudged else []),
                _why(summary),
            )
        console.print(table)
        console.print()
        for reason, names in absent.items():
            console.print(f"undefined for every response: {', '.join(names)} ({reason})")
        for line in detail_lines(report.details):
            console.print(line, soft_wrap=True)
        console.print(_totals(report))
        if any(report.usage.values()):
            console.print(usage_text(report.usage))
        if any(summary.lower_is_better for summary in report.metrics.values()):
            console.print("↓ lower is better")
        console.print(str(report.signature), style="dim", overflow="fold")

    return rendered(draw, width, color)


def _totals(report: Report) -> str:
    responses, counts, pairs = report.record_counts, report.counts, report.pair_counts
    special = [
        f"{counts[name]} {words}"
        for name, words in (
            ("empty_answers", "empty"),
            ("only_markers_answers", "of markers only"),
            ("no_statement_answers", "without a statement"),
            ("abstained_answers", "abstained"),
        )
        if name in counts
    ]
    special_text = f" ({', '.join(special)})" if special else ""
    return (
        f"{responses['scored']} responses scored{special_text}, "
        f"{responses['failed']} not readable; "
        f"{counts.get('statements', 0)} statements, {counts.get('occurrences', 0)} citations; "
        f"{pairs['judged']} pairs judged, {pairs['failed']} failed{long_premises(pairs)}"
    )


def long_premises(pairs: Mapping[str, int]) -> str:
    """Say how many premises were longer than the judge can read, if any was."""
    parts = [f"{pairs[name]} {name}" for name in ("chunked", "truncated") if pairs.get(name)]
    return f"; too long for the judge: {', '.join(parts)}" if parts else ""


def usage_text(usage: Mapping[str, float]) -> str:
    """Say what the judge used up or saved."""
    parts = [f"{_amount(value)} {name.replace('_', ' ')}" for name, value in usage.items() if value]
    return f"used: {', '.join(parts)}"


def _amount(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4g}"


def _verdict(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not asked"
    if verdict.supported is None:
        return f"failed ({verdict.error})"
    score = "" if verdict.score is None else f" {verdict.score:.2f}"
    return f"{'yes' if verdict.supported else 'no'}{score}"


def _citation_why(citation: CitationResult, near_misses: dict[str, str]) -> str:
    if citation.state == "invalid":
        near = near_misses.get(citation.source_id)
        return "no source has this id" + (f"; near miss: {near}" if near else "")
    if citation.state == "voided":
        return "another id of this statement is invalid"
    if citation.state == "unsupported":
        return "the statement is not supported"
    if citation.alone is None and citation.state == "precise":
        return "the only citation of a supported statement"
    why = f"alone: {_verdict(citation.alone)}"
    if citation.rest is not None:
        why += f"; the rest without it: {_verdict(citation.rest)}"
    return why


def _mark(state: str) -> tuple[str, str]:
    return _MARKS.get(state, _BAD)


def render_response(result: ResponseResult, *, width: int = 100, color: bool = False) -> str:
    """Return one response with each statement's and citation's state, verdict and reason.

    Args:
        result: The response's result.
        width: The number of columns to fill at most.
        color: Whether to write ANSI colours.
    """
    near = {i.source_id: i.near_miss for i in result.invalid_citations if i.near_miss}

    def draw(console: Console) -> None:
        console.print(_shown(f"response {result.id}"), style="bold")
        if result.question:
            _line(console, "question", result.question)
        if result.parsing is not None:
            _line(
                console,
                "parsed as",
                f"{result.parsing.style} markers, {result.parsing.segmenter} sentences",
            )
        scored = [
            f"{name} {score_text(score.value)}"
            + (f" ({_undefined(score)})" if score.value is None else "")
            for name, score in result.scores.items()
        ]
        _line(console, "scores", ", ".join(scored))
        for number, statement in enumerate(result.statements, start=1):
            console.print()
            _draw_statement(console, number, statement, near)
        for quote in result.quotes:
            console.print()
            _draw_quote(console, quote)
        if result.details:
            console.print()
        for label, text in response_lines(result.details):
            _line(console, label, text)

    return rendered(draw, width, color)


def _undefined(score: Score) -> str:
    return (score.reason or "") + (f"; if judged {_range(score.bounds)}" if score.bounds else "")


def _line(console: Console, label: str, text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    line = Text(f"{label}: ", style="dim")
    line.append(_shown(text), style="not dim")
    console.print(Padding(line, (0, 0, 0, 2)))


def _row(console: Console, indent: int, state: str, head: str, text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    mark, style = _mark(state)
    line = Text()
    line.append(f"{mark} {_shown(head)} ", style=style)
    line.append(_shown(text))
    console.print(Padding(line, (0, 0, 0, indent)))


def _draw_statement(
    console: Console, number: int, result: StatementResult, near: dict[str, str]
) -> None:
    statement = result.statement
    _row(console, 0, result.state, f"{number}. {result.state}:", statement.text)
    if result.verdict is not None:
        reason = f": {result.verdict.reason}" if result.verdict.reason else ""
        _line(console, "together", f"{_verdict(result.verdict)}{reason}")
    if not statement.needs_citation:
        _line(console, "needs no citation", statement.exemption or "by the rule")
    for citation in result.citations:
        _row(
            console,
            4,
            citation.state,
            f"[{citation.source_id}] {citation.state}:",
            _citation_why(citation, near),
        )


def _draw_quote(console: Console, quote: QuoteCheck) -> None:
    _row(console, 0, quote.status, f"quote {quote.status}:", quote.quote)
    if quote.found_in is not None:
        _line(console, "found in", quote.found_in)
    for said, source in quote.changes:
        _line(console, "changed", f"{source or '(nothing)'} → {said or '(nothing)'}")
    for warning in quote.warnings:
        _line(console, "warning", warning)


def render_parse(response: Response, *, width: int = 100, color: bool = False) -> str:
    """Return how an answer was cut: each statement with its citations, and what is none.

    Args:
        response: A parsed response.
        width: The number of columns to fill at most.
        color: Whether to write ANSI colours.
    """

    def draw(console: Console) -> None:
        parsing: Any = response.parsing
        if parsing is not None:
            _line(
                console,
                "parsed as",
                f"{parsing.style} markers, {parsing.segmenter} sentences, a marker after a full "
                f"stop goes to the {parsing.attach} sentence",
            )
        for number, statement in enumerate(response.statements or (), start=1):
            where = "" if statement.span is None else f" @{statement.span[0]}–{statement.span[1]}"
            exempt = "" if statement.needs_citation else f" (no claim: {statement.exemption})"
            console.print(f"{number}. {statement.kind}{where}{exempt}", style="bold")
            _line(console, "text", statement.text)
            for citation in statement.citations:
                known = response.has_source(citation.source_id)
                at = "" if citation.span is None else f" @{citation.span[0]}–{citation.span[1]}"
                _row(
                    console,
                    4,
                    "precise" if known else "invalid",
                    citation.source_id,
                    f"{citation.marker}{at}{'' if known else ' names no source'}",
                )
        for citation in response.unattached:
            _line(console, "citation of no statement", f"{citation.source_id} {citation.marker}")
        for skipped in parsing.skipped if parsing is not None else ():
            text = skipped.span.of(response.answer or "")
            _line(console, f"no statement ({skipped.kind})", " ".join(text.split())[:200])

    return rendered(draw, width, color)
