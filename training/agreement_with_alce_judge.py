"""Compare ALCE scores by each step with those that an 11-billion-parameter judge gave.

Usage:
    python training/agreement_with_alce_judge.py [STEP ...] [--data DATA] [--write]

A STEP is what ``training/evaluate.py`` takes, but for stored scores. The answers are those of
``answers/attributed_ir_llama13b_alce_scored.jsonl``, which come with the recall and precision that
the judge of the ALCE paper gave them. The script that asked it cuts answers in a way of its own, so
they are scored twice: in its sentences, where only the judges differ, and as citemeter reads them.
No text of the answers is written anywhere.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import citemeter
from citemeter.results import Report
from citemeter.statistics.agreement import Floats
from citemeter.text.sentences.segmenters import segmenter_named
from evaluate import PAGE, default_steps, ordered
from measures import DATA, markdown_table, records, write_between_markers
from steps import Step, load

FILE = "attributed_ir_llama13b_alce_scored.jsonl"
MARKER = "agreement_with_alce_judge.py"
READINGS = ("its script's", "citemeter's")
MEASURES = {"citation_recall": "alce_rec", "citation_precision": "alce_prec"}
RESAMPLES = 1000


class Compared(NamedTuple):
    """Scores of the same answers, in [0, 1]: the 11B judge's and citemeter's."""

    theirs: Floats
    ours: Floats


def ranks(values: Floats) -> Floats:
    """Return the ranks from 1, ties sharing their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return shared


def spearman(first: Floats, second: Floats) -> float:
    """Return Spearman's rank correlation; NaN where one of the two does not vary.

    >>> spearman(np.array([0.0, 0.5, 1.0]), np.array([0.1, 0.1, 0.9])).__round__(3)
    0.866
    """
    x, y = ranks(first), ranks(second)
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / scale) if scale else float("nan")


def mean_difference(first: Floats, second: Floats) -> float:
    """Return the mean absolute difference."""
    return float(np.abs(first - second).mean())


def with_interval(measure: Callable[[Floats, Floats], float], pair: Compared) -> str:
    """Return a measure with its 95 % bootstrap interval over answers."""
    draw = np.random.default_rng(0)
    size = len(pair.theirs)
    found = []
    for _ in range(RESAMPLES):
        chosen = draw.integers(0, size, size)
        found.append(measure(pair.theirs[chosen], pair.ours[chosen]))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return f"{measure(*pair):.3f} [{low:.3f}, {high:.3f}]"


_MARKERS = re.compile(r"\[\d+(?:,\s*\d+)*\](?:,\s\[\d+(?:,\s*\d+)*\])*")
_MOST = 20  # sentences that the script scores


def sentences(answer: str) -> list[tuple[str, list[str]]]:
    """Cut an answer as the script that asked the 11B judge does.

    Sentences are Punkt's, markers in. The marker that a sentence begins with is the only one of the
    sentence before, in place of its own; a sentence that is all marker is none.

    >>> sentences("It opened [2]. [1] It is free [1, 2].")
    [('It opened.', ['1']), (' It is free.', ['1', '2'])]
    """
    _, spans = segmenter_named("punkt")
    found: dict[int, tuple[str, list[str]]] = {}
    for at, (start, end) in enumerate(spans(answer, (), ())):
        sentence = answer[start:end]
        markers = _MARKERS.findall(sentence)
        own = sentence
        if markers and sentence.startswith(markers[0]):
            if at - 1 in found:
                found[at - 1] = (found[at - 1][0], _ids(markers[0]))
            own = sentence[len(markers[0]) :]
        if not markers or ", ".join(markers) != sentence:
            claim = _MARKERS.sub("", sentence).replace(" .", ".")
            found[at] = (claim, _ids(" ".join(_MARKERS.findall(own))))
    return list(found.values())[:_MOST]


def _ids(markers: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"\d+", markers)))


def run(step: Step, answers: Sequence[Mapping[str, Any]], reading: str) -> Report:
    """Score the answers; a record that cannot be scored or a failed verdict is an error."""
    if step.judge is None:
        raise SystemExit(f"{step.name}: stored scores of other pairs cannot score these answers")
    rows = []
    for at, answer in enumerate(answers):
        sources = [{"id": p["id"], "text": p["text"]} for p in answer["passages"]]
        text = answer["answer"]
        said = {"answer": text} if reading == "citemeter's" else {"statements": sentences(text)}
        rows.append({"id": str(at), "sources": sources, **said})
    report = citemeter.score(rows, judge=step.judge, protocol="alce")
    if len(report.results) != len(rows) or report.pair_counts["failed"]:
        raise SystemExit(f"{step.name}: {len(report.results)} of {len(rows)} answers were scored")
    return report


def compared(report: Report, answers: Sequence[Mapping[str, Any]], metric: str) -> Compared:
    """Return both scores of every answer; what is undefined is 0, as the script has it."""
    theirs = [float(answer["scores"][MEASURES[metric]]) for answer in answers]
    ours = [result[metric] or 0.0 for result in report.results]
    return Compared(np.array(theirs), np.array(ours))


def fitting(report: Report, answers: Sequence[Mapping[str, Any]]) -> int:
    """Return in how many answers the other recall is a whole number of our statements."""
    count = 0
    for result, answer in zip(report.results, answers, strict=True):
        found = answer["scores"]["alce_rec"] * result.counts["statements"]
        count += result.counts["statements"] > 0 and abs(found - round(found)) < 1e-6
    return count


def note_on(report: Report, answers: Sequence[Mapping[str, Any]], reading: str) -> str:
    """Return what must be known of a reading: whether it is the same, and what is undefined."""
    counts = [sum(result[metric] is None for result in report.results) for metric in MEASURES]
    return (
        f"In {reading} sentences the 11B judge's recall is a whole number of statements in "
        f"{fitting(report, answers)} answers; recall is undefined, and counted as 0, in "
        f"{counts[0]} of {len(answers)}, precision in {counts[1]}."
    )


def table_of(steps: Sequence[Step], answers: Sequence[Mapping[str, Any]]) -> str:
    """Return the comparison in Markdown."""
    filled = np.array([bool(answer["answer"].strip()) for answer in answers])
    lines, notes = [], []
    for reading in READINGS:
        reports = [run(step, answers, reading) for step in steps]
        notes.append(note_on(reports[0], answers, reading))
        for metric in MEASURES:
            for step, report in zip(steps, reports, strict=True):
                pair = compared(report, answers, metric)
                part = Compared(pair.theirs[filled], pair.ours[filled])
                lines.append(
                    [
                        reading,
                        metric.replace("_", " "),
                        f"`{step.name}`",
                        f"{part.theirs.mean():.3f}",
                        f"{part.ours.mean():.3f}",
                        with_interval(spearman, part),
                        with_interval(mean_difference, part),
                        with_interval(spearman, pair),
                    ]
                )
    head = ["sentences", "score", "judge", "mean, 11B judge", "mean, this judge", "Spearman"]
    head += ["mean absolute difference", f"Spearman, all {len(answers)}"]
    return "\n\n".join(
        [
            markdown_table(head, lines),
            f"Scores are in [0, 1]; in brackets 95 % bootstrap intervals over answers. "
            f"{filled.sum()} answers have text; the other {(~filled).sum()} are empty, both sides "
            f"have 0 for them, and they are in the last column alone.\n" + "\n".join(notes),
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", help="by default overlap and what ships")
    parser.add_argument("--data", type=Path, default=DATA, help="holds labelled/ and answers/")
    parser.add_argument("--write", action="store_true", help="into the page")
    options = parser.parse_args()
    steps = [load(spec, options.data) for spec in ordered(options.steps or default_steps())]
    text = table_of(steps, records(options.data / "answers" / FILE))
    print(text)
    if options.write:
        write_between_markers(PAGE, MARKER, text)


if __name__ == "__main__":
    main()
