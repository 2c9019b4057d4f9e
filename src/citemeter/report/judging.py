"""What a judge said of bare pairs, as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citemeter.report.terminal import long_premises, rendered, usage_text
from citemeter.statistics.agreement import Agreement, Interval, JudgingSummary

if TYPE_CHECKING:
    from rich.console import Console


def render_judging(summary: JudgingSummary, *, width: int = 100, color: bool = False) -> str:
    """Return the number of pairs by verdict, and the agreement with people's labels.

    Args:
        summary: What was judged.
        width: The number of columns to fill at most.
        color: Whether to write ANSI colours.
    """

    def draw(console: Console) -> None:
        pairs = summary.pairs
        console.print(
            f"{pairs['needed']} pairs ({pairs['judged']} distinct): {pairs['supported']} "
            f"supported, {pairs['unsupported']} unsupported, {pairs['unjudged']} unjudged"
            f"{long_premises(pairs)}"
        )
        if any(summary.usage.values()):
            console.print(usage_text(summary.usage))
        if summary.agreement is not None:
            console.print()
            _draw_agreement(console, summary.agreement, summary.open_labels)
        if summary.best_threshold is not None:
            console.print()
            console.print(
                f"threshold that agrees best with these labels: {summary.best_threshold:.2f} "
                "(report its accuracy on other pairs)"
            )
        console.print()
        console.print(str(summary.judge), style="dim", overflow="fold")

    return rendered(draw, width, color)


def _draw_agreement(console: Console, found: Agreement, open_labels: int) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("people say", no_wrap=True)
    for name in ("judge: supported", "judge: unsupported"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("supported", str(found.hits), str(found.misses))
    table.add_row("unsupported", str(found.false_alarms), str(found.rejections))
    console.print(table)
    console.print()
    if found.accuracy is None:
        console.print("no labelled pair was judged")
    for name, value, interval in (
        ("balanced accuracy", found.balanced_accuracy, found.balanced_accuracy_interval),
        ("macro F1", found.macro_f1, found.macro_f1_interval),
        ("AUROC", found.auroc, found.auroc_interval),
    ):
        if value is not None:
            console.print(f"{name:<18} {value:.3f} {_shown(interval)}")
    if found.accuracy is not None:
        console.print(f"{'accuracy':<18} {found.accuracy:.3f}")
        if found.balanced_accuracy is None:
            console.print(
                "the labels are all alike: balanced accuracy, macro F1 and AUROC need both"
            )
    left = [
        f"{count} {what}"
        for count, what in ((found.failed, "without a verdict"), (open_labels, "people left open"))
        if count
    ]
    if left:
        console.print(f"not counted: {', '.join(left)}")


def _shown(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}] (95 %)"
