"""What the parts of a report say beside their metrics, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["detail_lines"]


def detail_lines(details: Mapping[str, Any]) -> list[str]:
    """Return lines on a report's details.

    >>> detail_lines({"abstention": {"unanswerable": {"abstained": 2, "answered": 1, "silent": 0}}})
    ['unanswerable questions: 2 abstained, 1 answered, 0 silent']
    """
    lines: list[str] = []
    for side, cells in details.get("abstention", {}).items():
        parts = ", ".join(f"{count} {conduct}" for conduct, count in cells.items())
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
