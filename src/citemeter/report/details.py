"""What the parts of a report say beside their metrics, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["detail_lines", "response_lines"]


def detail_lines(details: Mapping[str, Any]) -> list[str]:
    """Return lines on a report's details.

    >>> detail_lines({"abstention": {"unanswerable": {"abstained": 2, "answered": 1, "empty": 0}}})
    ['unanswerable questions: 2 abstained, 1 answered, 0 empty']
    """
    lines: list[str] = []
    for side, cells in details.get("abstention", {}).items():
        parts = ", ".join(f"{count} {outcome}" for outcome, count in cells.items())
        lines.append(f"{side} questions: {parts}")
    grounding = details.get("grounding", {})
    for name, counts in grounding.items():
        found = ", ".join(f"{count} × {code}" for code, count in counts.items() if count)
        lines.append(f"{name}: {found or 'none'}")
    if "parser" in details:
        counts = details["parser"]["counts"]
        lines.append(
            f"region failures: {counts['parser']} explained by the parser, {counts['citation']} by "
            f"the citation, {counts['unknown']} on documents that the parser's report lacks"
        )
    for name, counts in details.get("contract", {}).items():
        lines.append(
            f"instruction {name}: {counts['followed']} of {counts['applies']} followed, "
            f"{counts['followed_loosely']} loosely"
        )
    for problem, counts in details.get("repair", {}).items():
        parts = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
        if parts:
            lines.append(f"repair, {problem}: {parts}")
    if "attribution" in details:
        lines += _attribution(details["attribution"])
    return lines


def response_lines(details: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what the parts found in one response, as labels and texts.

    >>> list(response_lines({"abstention": {"outcome": "abstained"}}))
    [('outcome', 'abstained')]
    """
    if "abstention" in details:
        yield "outcome", details["abstention"]["outcome"]
    grounding = details.get("grounding", {})
    for kind in ("citation_grounding_errors", "claim_citation_errors"):
        for error in grounding.get(kind, ()):
            yield error["code"], error["message"]
    if "attribution" in details:
        found = details["attribution"]
        said = found.get("prediction") or found.get("error") or "no class"
        reason = f" ({found['reason']})" if found.get("reason") else ""
        yield "attribution", f"people say {found['label']}, predicted {said}{reason}"
    for one in details.get("contract", {}).get("instructions", ()):
        if one["passed"] is False:
            loosely = ", followed loosely" if one["loose"] else ""
            yield f"instruction {one['id']}", f"not followed{loosely}: {one['reason']}"
    if "repair" in details:
        for repair in details["repair"]["repairs"]:
            if repair.get("problem") is not None:
                yield f"repair of {repair['index'] + 1}", repair.get("note") or repair["outcome"]
        if details["repair"].get("answer") is not None:
            yield "repaired answer", details["repair"]["answer"]
        after = ", ".join(
            f"{name} {_number(score.get('value')).strip()}"
            for name, score in details["repair"]["after"].items()
        )
        yield "scores then", after


def _attribution(scores: Mapping[str, Any]) -> list[str]:
    """Show the classes' scores and the confusion matrix, true classes down."""
    lines = ["attribution, class by class (precision, recall, F1; given as the columns say):"]
    labels = scores["confusion"]["labels"]
    wide = max(map(len, labels))
    lines.append(" " * (wide + 24) + "  ".join(f"{label:>{wide}}" for label in labels))
    for one, row in zip(scores["classes"], scores["confusion"]["table"], strict=True):
        values = "  ".join(_number(one[name]["value"]) for name in ("precision", "recall", "f1"))
        cells = "  ".join(f"{count:>{wide}}" for count in row)
        lines.append(f"{one['label']:<{wide}}  {values}   {cells}")
    lines.append(f"attribution macro F1: {_number(scores['attribution_macro_f1'])}")
    for level, value in scores["by_complexity"].items():
        lines.append(f"attribution_micro_f1, {level}: {_number(value)}")
    return lines


def _number(value: float | None) -> str:
    return "    –" if value is None else f"{value:.3f}"
