"""What extensions say beside their metrics, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citemeter.models import Model


def detail_lines(details: Mapping[str, Model]) -> list[str]:
    """Return lines on a report's details.

    Args:
        details: The summaries of extensions, by name; those of unknown extensions say nothing.
    """
    return [
        line
        for name, found in details.items()
        if name in _SUMMARIES
        for line in _SUMMARIES[name](found)
    ]


def response_lines(details: Mapping[str, Model]) -> Iterator[tuple[str, str]]:
    """Yield what extensions found in one response, as labels and texts.

    Args:
        details: The details of extensions, by name.
    """
    for name, found in details.items():
        if name in _RESPONSES:
            yield from _RESPONSES[name](found)


def score_text(value: float | None) -> str:
    """Return a score to three places, a dash where it is undefined."""
    return "–" if value is None else f"{value:.3f}"


def _abstention(found: Any) -> Iterator[str]:
    for side, outcomes in found:
        parts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes)
        yield f"{side} questions: {parts}"


def _grounding(found: Any) -> Iterator[str]:
    for name, counts in found:
        some = ", ".join(f"{count} × {code}" for code, count in counts.items() if count)
        yield f"{name}: {some or 'none'}"


def _parser(found: Any) -> Iterator[str]:
    yield (
        f"region failures: {found.counts['parser']} explained by the parser, "
        f"{found.counts['citation']} by the citation, {found.counts['unknown']} on documents that "
        "the parser's report lacks"
    )


def _contract(found: Any) -> Iterator[str]:
    for name, counts in found.instructions.items():
        yield (
            f"instruction {name}: {counts.followed} of {counts.applies} followed, "
            f"{counts.followed_loosely} loosely"
        )


def _repair(found: Any) -> Iterator[str]:
    for problem, outcomes in found.problems.items():
        parts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items() if count)
        if parts:
            yield f"repair, {problem}: {parts}"


def _attribution(found: Any) -> Iterator[str]:
    """Show the classes' scores and the confusion matrix, true classes down."""
    yield "attribution, class by class (precision, recall, F1; given as the columns say):"
    labels = found.confusion.labels
    wide = max(map(len, labels))
    yield " " * (wide + 24) + "  ".join(f"{label:>{wide}}" for label in labels)
    for one, row in zip(found.classes, found.confusion.table, strict=True):
        values = "  ".join(f"{score_text(s.value):>5}" for s in (one.precision, one.recall, one.f1))
        cells = "  ".join(f"{count:>{wide}}" for count in row)
        yield f"{one.label:<{wide}}  {values}   {cells}"
    yield f"attribution macro F1: {score_text(found.attribution_macro_f1)}"
    for level, value in found.by_complexity.items():
        yield f"attribution_micro_f1, {level}: {score_text(value)}"


def _response_abstention(found: Any) -> Iterator[tuple[str, str]]:
    yield "outcome", found.outcome


def _response_grounding(found: Any) -> Iterator[tuple[str, str]]:
    for error in (*found.citation_grounding_errors, *found.claim_citation_errors):
        yield error.code, error.message


def _response_attribution(found: Any) -> Iterator[tuple[str, str]]:
    said = found.classification
    error, reason = (said.error, said.reason) if said is not None else (None, None)
    why = f" ({reason})" if reason else ""
    predicted = found.prediction or error or "no class"
    yield "attribution", f"people say {found.label}, predicted {predicted}{why}"


def _response_contract(found: Any) -> Iterator[tuple[str, str]]:
    for one in found.instructions:
        if one.passed is False:
            loosely = ", followed loosely" if one.loose else ""
            yield f"instruction {one.id}", f"not followed{loosely}: {one.reason}"


def _response_repair(found: Any) -> Iterator[tuple[str, str]]:
    for repair in found.repairs:
        if repair.problem is not None:
            yield f"repair of {repair.index + 1}", repair.note or repair.outcome
    if found.answer is not None:
        yield "repaired answer", found.answer
    after = ", ".join(f"{name} {score_text(score.value)}" for name, score in found.after.items())
    yield "scores then", after


_SUMMARIES: dict[str, Callable[[Any], Iterator[str]]] = {
    "abstention": _abstention,
    "grounding": _grounding,
    "parser": _parser,
    "contract": _contract,
    "repair": _repair,
    "attribution": _attribution,
}
_RESPONSES: dict[str, Callable[[Any], Iterator[tuple[str, str]]]] = {
    "abstention": _response_abstention,
    "grounding": _response_grounding,
    "attribution": _response_attribution,
    "contract": _response_contract,
    "repair": _response_repair,
}
