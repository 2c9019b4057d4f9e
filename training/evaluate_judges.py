"""Measure judges on the labelled sets, and write the table into docs/judges/lexical.md.

Usage: ``python training/evaluate_judges.py [JUDGE ...] [--data DATA] [--docs FILE | --no-docs]``;
a judge is what ``citemeter.load_judge`` reads, or ``overlap``: plain token overlap, its threshold
fitted on the development set too.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import citemeter
from citemeter.judges.base import Judge, Pair
from citemeter.statistics.agreement import (
    Bools,
    Floats,
    auroc,
    balanced_accuracy,
    best_threshold,
    bootstrap_interval,
    macro_f1,
)
from citemeter.verdicts import JudgeIdentity, Verdict
from measures import DATA, DEVELOPMENT, Row, markdown_table, read_rows, token_overlap

SETS = {
    "attributionbench_test500": "AttributionBench test (500 rows)",
    "wice_claim_dev_oracle": "WiCE dev, claims with oracle evidence",
    DEVELOPMENT: "AttributionBench dev (**fitted on**)",
}
DOCS = Path(__file__).resolve().parents[1] / "docs" / "judges" / "lexical.md"
BEGIN, END = "<!-- begin evaluate_judges.py -->", "<!-- end evaluate_judges.py -->"
LONG = 300  # words of evidence
FEWEST = 30  # rows of a slice that is worth a line
_NUMBER = re.compile(r"(?<![\[\d])\d")  # no citation marker
_NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b", re.I)


class OverlapJudge(Judge):
    """The baseline: the share of the statement's words that the passage has."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    @property
    def identity(self) -> JudgeIdentity:
        """Its name and threshold."""
        return JudgeIdentity(name="overlap", threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Compare the share with the threshold."""
        scores = [token_overlap(premise, hypothesis) for premise, hypothesis in pairs]
        return [Verdict(supported=s >= self._threshold, score=s) for s in scores]


def load(spec: str, development: Sequence[Row]) -> Judge:
    """Return the judge that a specification names; the baseline is fitted first."""
    if spec != "overlap":
        return citemeter.load_judge(spec)
    truth = np.array([row.supported for row in development])
    scores = np.array([token_overlap(row.premise, row.hypothesis) for row in development])
    return OverlapJudge(best_threshold(truth, scores))


def answers(judge: Judge, rows: Sequence[Row]) -> tuple[Bools, Floats, float]:
    """Return what the judge said, its scores, and the microseconds it took for a pair."""
    begun = time.perf_counter()
    verdicts = judge.judge([(row.premise, row.hypothesis) for row in rows])
    taken = (time.perf_counter() - begun) / len(rows) * 1e6
    failed = sum(verdict.supported is None for verdict in verdicts)
    if failed:
        raise SystemExit(f"{judge.identity}: {failed} pairs failed")
    said = np.array([bool(verdict.supported) for verdict in verdicts])
    scores = [
        float(bool(verdict.supported)) if verdict.score is None else verdict.score
        for verdict in verdicts
    ]
    return said, np.array(scores), taken


def with_interval(measure: Callable[[Bools, Floats], float], truth: Bools, values: Floats) -> str:
    low, high = bootstrap_interval(measure, truth, values)
    return f"{measure(truth, values):.3f} [{low:.3f}, {high:.3f}]"


def slices(rows: Sequence[Row]) -> dict[str, Bools]:
    """Return the parts of a set that are measured by themselves."""
    parts = {
        "a number in the claim": [bool(_NUMBER.search(row.hypothesis)) for row in rows],
        "a negation in the claim": [bool(_NEGATION.search(row.hypothesis)) for row in rows],
        f"evidence over {LONG} words": [len(row.premise.split()) > LONG for row in rows],
        f"evidence up to {LONG} words": [len(row.premise.split()) <= LONG for row in rows],
    }
    for source in sorted({row.source for row in rows if row.source}):
        parts[f"source {source}"] = [row.source == source for row in rows]
    return {name: np.array(part) for name, part in parts.items()}


def report(judges: Sequence[Judge], data: Path) -> str:
    """Return the tables of all judges on all sets, in Markdown."""
    overall: list[list[str]] = []
    parts: list[list[str]] = []
    for name, title in SETS.items():
        rows = read_rows(data, name)
        truth = np.array([row.supported for row in rows])
        for judge in judges:
            said, scores, taken = answers(judge, rows)
            label = judge.identity.name
            print(f"{name}: {label} took {taken:.0f} µs a pair")
            told = said.astype(np.float64)
            overall.append(
                [
                    title,
                    f"`{label}`",
                    str(len(rows)),
                    with_interval(lambda t, v: balanced_accuracy(t, v > 0), truth, told),
                    with_interval(lambda t, v: macro_f1(t, v > 0), truth, told),
                    with_interval(auroc, truth, scores),
                    str(int((said & truth).sum())),
                    str(int((~said & truth).sum())),
                    str(int((said & ~truth).sum())),
                    str(int((~said & ~truth).sum())),
                ]
            )
            for part, chosen in slices(rows).items():
                kept = truth[chosen]
                if chosen.sum() < FEWEST or chosen.all() or kept.all() or not kept.any():
                    continue
                parts.append(
                    [
                        title,
                        part,
                        f"`{label}`",
                        f"{chosen.sum()} ({kept.sum()})",
                        f"{balanced_accuracy(kept, said[chosen]):.3f}",
                        f"{auroc(kept, scores[chosen]):.3f}",
                    ]
                )
    head = ["set", "judge", "n", "balanced accuracy", "macro-F1", "AUROC"]
    head += ["supported, said so", "supported, missed", "not, called supported", "not, said so"]
    used = "\n".join(f"- `{judge.identity}`" for judge in judges)
    return "\n\n".join(
        [
            f"Judges, at the thresholds they ship with:\n\n{used}",
            markdown_table(head, overall),
            "In brackets: 95 % bootstrap intervals (percentiles of 1,000 resamples, seed 0).",
            "The same by slices (of *n* rows, how many are supported):",
            markdown_table(["set", "slice", "judge", "n", "balanced accuracy", "AUROC"], parts),
        ]
    )


def write_between_markers(path: Path, text: str) -> None:
    """Replace what stands between the markers of a page."""
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path} has no {BEGIN} … {END}")
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judges", nargs="*", default=["lexical", "overlap"])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds labelled/")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the page to write the table into")
    parser.add_argument("--no-docs", action="store_true", help="print the table only")
    arguments = parser.parse_args()
    development = read_rows(arguments.data, DEVELOPMENT)
    text = report([load(spec, development) for spec in arguments.judges], arguments.data)
    print(text)
    if not arguments.no_docs:
        write_between_markers(arguments.docs, text)


if __name__ == "__main__":
    main()
