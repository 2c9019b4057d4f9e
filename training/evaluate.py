"""Measure judges, side by side with plain token overlap, on every labelled set not learnt from.

Usage:
    python training/evaluate.py [STEP ...] [--data DATA] [--cache DIR] [--write]

A STEP is what ``citemeter.load_judge`` reads; ``overlap``, plain token overlap with a threshold
fitted on the development set; or ``NAME=FILE.npz``, scores of what is not shipped: an array for
each set, in the order of ``measures.read_reported``, and ``threshold``. Steps are compared in the
order given, each with the one before and with overlap. ``--write`` puts the tables into the pages
and the model card.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from citemeter.judges import registry as specs
from citemeter.statistics.agreement import Bools, Floats
from hard_negatives import normalised
from measures import (
    CONTRAST,
    DATA,
    DEVELOPMENT,
    REPORTED,
    Row,
    markdown_table,
    read_reported,
    write_between_markers,
)
from resampling import (
    RESAMPLES,
    auroc,
    balanced_accuracy,
    brier,
    calibration_error,
    draws,
    macro_f1,
    value_and_interval,
)
from steps import OVERLAP, Scored, Step, load

ROOT = Path(__file__).resolve().parents[1]
LEXICAL_PAGE = ROOT / "docs" / "judges" / "lexical.md"
PAGE = ROOT / "docs" / "judges" / "embedded.md"
CARD = ROOT / "src" / "citemeter" / "data" / "network" / "MODEL_CARD.md"
MARKER = "evaluate.py"
COSTS = "evaluate.py: time"

TITLES = {**REPORTED, DEVELOPMENT: "AttributionBench dev (**fitted on**)"}
ONE = {"wice_claim_dev_oracle": "wice", "wice_claim_dev_full": "wice"}
"""Sets that are one in a mean, and whose claims are drawn together."""
LONG = 300  # words of evidence
FEWEST = 30  # rows of a slice that is worth a line
FEWEST_OF_A_LABEL = 10  # and of each label, of a slice that enters a mean
_NUMBER = re.compile(r"(?<![\[\d])\d")  # no citation marker
_NEGATION = re.compile(r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b", re.I)
NUMBER, NEGATION = "a number in the claim", "a negation in the claim"

MEANS = {
    "reported": "**mean of the reported sets**",
    "contrast": "**mean of the contrast sets**",
    "others": "**mean of the sets that are no contrast**",
}
Accuracies: TypeAlias = dict[str, Floats]


class Labelled(NamedTuple):
    """A set: its rows, their labels, how often each was drawn, and its slices."""

    name: str
    rows: list[Row]
    truth: Bools
    weights: Floats
    slices: dict[str, Bools]

    @property
    def size(self) -> str:
        """How many rows there are, and how many of them are supported."""
        return f"{len(self.truth)} ({self.truth.sum()})"


class Measured(NamedTuple):
    """A step, what it made of each set, and the balanced accuracy of each set and mean."""

    step: Step
    scored: dict[str, Scored]
    accuracies: Accuracies


# ---------------------------------------------------------------------- measuring


def slices(rows: Sequence[Row]) -> dict[str, Bools]:
    """Return the parts of a set that are measured by themselves."""
    parts = {
        NUMBER: [bool(_NUMBER.search(row.hypothesis)) for row in rows],
        NEGATION: [bool(_NEGATION.search(row.hypothesis)) for row in rows],
        f"evidence over {LONG} words": [len(row.premise.split()) > LONG for row in rows],
        f"evidence up to {LONG} words": [len(row.premise.split()) <= LONG for row in rows],
    }
    for source in sorted({row.source for row in rows if row.source}):
        parts[f"source {source}"] = [row.source == source for row in rows]
    return {name: np.array(part, dtype=np.bool_) for name, part in parts.items()}


def read_sets(data: Path, resamples: int = RESAMPLES) -> list[Labelled]:
    """Read the reported sets and the development set, and draw the resamples of each."""
    rows = {name: read_reported(data, name) for name in TITLES}
    weights: dict[str, Floats] = {}
    for group in dict.fromkeys(ONE.get(name, name) for name in rows):
        names = [name for name in rows if ONE.get(name, name) == group]
        claims = [[normalised(row.hypothesis) for row in rows[name]] for name in names]
        weights.update(zip(names, draws(claims, group, resamples=resamples), strict=True))
    return [
        Labelled(name, found, np.array([r.supported for r in found]), weights[name], slices(found))
        for name, found in rows.items()
    ]


def _mean(parts: Sequence[tuple[str, Floats]]) -> Floats:
    """Return the mean over sets, those that are one in a mean first put together."""
    groups: dict[str, list[Floats]] = {}
    for name, values in parts:
        groups.setdefault(ONE.get(name, name), []).append(values)
    means: Floats = np.mean([np.mean(group, axis=0) for group in groups.values()], axis=0)
    return means


def _enough(truth: Bools) -> bool:
    fewer = min(int(truth.sum()), int((~truth).sum()))
    return len(truth) >= FEWEST and fewer >= FEWEST_OF_A_LABEL


def measure(step: Step, sets: Sequence[Labelled], cache: Path | None = None) -> Measured:
    """Judge every set, and work out balanced accuracy: by set, of two slices, and the means."""
    scored = {one.name: step.scored(one.name, one.rows, cache) for one in sets}
    found = {
        one.name: balanced_accuracy(one.truth, scored[one.name].said, one.weights) for one in sets
    }
    tests = [one for one in sets if one.name in REPORTED]
    for part in (NUMBER, NEGATION):
        values = []
        for one in tests:
            chosen = one.slices[part]
            if _enough(one.truth[chosen]):
                said = scored[one.name].said[chosen]
                accuracy = balanced_accuracy(one.truth[chosen], said, one.weights[:, chosen])
                values.append((one.name, accuracy))
        if values:
            found[part] = _mean(values)
    contrast = [part for part in (*CONTRAST, NUMBER, NEGATION) if part in found]
    found["reported"] = _mean([(one.name, found[one.name]) for one in tests])
    found["contrast"] = _mean([(name, found[name]) for name in contrast])
    found["others"] = _mean(
        [(one.name, found[one.name]) for one in tests if one.name not in CONTRAST]
    )
    return Measured(step, scored, found)


# ---------------------------------------------------------------------- tables


def shown(values: Floats) -> str:
    """Return a measure with its 95 % interval."""
    value, low, high = value_and_interval(values)
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def points(values: Floats) -> str:
    """Return a difference in points, with its 95 % interval."""
    value, low, high = (100 * end for end in value_and_interval(values))
    return f"{value:+.1f} [{low:+.1f}, {high:+.1f}]"


def _lines(sets: Sequence[Labelled], measured: Sequence[Measured]) -> Iterator[tuple[str, ...]]:
    """Yield the key, the title and the size of each line that has a balanced accuracy."""
    for one in sets:
        yield one.name, TITLES[one.name], one.size
    for part in (NUMBER, NEGATION):
        if part in measured[0].accuracies:
            yield part, f"{part}, mean over sets", ""
    for mean, title in MEANS.items():
        yield mean, title, ""


def accuracy_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return the table of balanced accuracies, the steps side by side."""
    table = [
        [title, size, *(shown(one.accuracies[key]) for one in measured)]
        for key, title, size in _lines(sets, measured)
    ]
    head = ["set", "pairs (supported)", *(f"`{one.step.name}`" for one in measured)]
    return markdown_table(head, table)


def comparisons(measured: Sequence[Measured]) -> list[tuple[Measured, Measured]]:
    """Return each step with the one before, and with overlap."""
    found = []
    for at, one in enumerate(measured[1:], start=1):
        found.append((one, measured[at - 1]))
        if at > 1:
            found.append((one, measured[0]))
    return found


def gain_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return the paired differences of balanced accuracy, in points."""
    pairs = comparisons(measured)
    table = [
        [title, *(points(one.accuracies[key] - other.accuracies[key]) for one, other in pairs)]
        for key, title, _ in _lines(sets, measured)
    ]
    head = ["set", *(f"`{one.step.name}` over `{other.step.name}`" for one, other in pairs)]
    return markdown_table(head, table)


def earned(one: Measured, other: Measured) -> str:
    """Return whether a step earns its cost over another, and by which of the two rules."""
    gain = {mean: one.accuracies[mean] - other.accuracies[mean] for mean in MEANS}
    value, low, _ = value_and_interval(gain["reported"])
    if value >= 0.01 and low > 0:
        return "yes, by the mean"
    if gain["contrast"][0] >= 0.1 and gain["others"][0] >= 0:
        return "yes, by the contrast sets"
    return "no"


def confusion_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return all measures at the threshold and the four counts, a line a set and step."""
    table = []
    for one in sets:
        for found in measured:
            said, scores, _ = found.scored[one.name]
            truth = one.truth
            cells = (said & truth, ~said & truth, said & ~truth, ~said & ~truth)
            table.append(
                [
                    TITLES[one.name],
                    f"`{found.step.name}`",
                    str(len(truth)),
                    shown(found.accuracies[one.name]),
                    shown(macro_f1(truth, said, one.weights)),
                    shown(auroc(truth, scores, one.weights)),
                    *(str(int(cell.sum())) for cell in cells),
                ]
            )
    head = ["set", "judge", "n", "balanced accuracy", "macro-F1", "AUROC"]
    head += ["supported, said so", "supported, missed", "not, called supported", "not, said so"]
    return markdown_table(head, table)


def calibration_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return calibration error and Brier score of the steps whose score is a probability."""
    chosen = [found for found in measured if found.step.probability]
    table = []
    for one in sets:
        line = [TITLES[one.name]]
        for found in chosen:
            scores = found.scored[one.name].scores
            line.append(shown(calibration_error(one.truth, scores, one.weights)))
            line.append(shown(brier(one.truth, scores, one.weights)))
        table.append(line)
    names = [f"`{found.step.name}`" for found in chosen]
    head = ["set", *(f"{name}, {what}" for name in names for what in ("ECE", "Brier"))]
    return markdown_table(head, table)


def slice_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return balanced accuracy by slices, the steps side by side."""
    table = []
    for one in sets:
        for part, chosen in one.slices.items():
            truth = one.truth[chosen]
            if len(truth) < FEWEST or chosen.all() or truth.all() or not truth.any():
                continue
            accuracies = [
                balanced_accuracy(truth, m.scored[one.name].said[chosen], one.weights[:, chosen])
                for m in measured
            ]
            size = f"{len(truth)} ({truth.sum()})"
            table.append([TITLES[one.name], part, size, *map(shown, accuracies)])
    steps = (f"`{found.step.name}`" for found in measured)
    return markdown_table(["set", "slice", "pairs (supported)", *steps], table)


HOW = f"""\
In brackets: 95 % bootstrap intervals ({RESAMPLES:,} resamples of claims; the rows of one claim are
drawn together). AttributionBench's dev set fits the thresholds; no other of these sets fitted
anything, and no pair of any of them was learnt from. In the means WiCE is one set: the same 349
claims with evidence that annotators chose and with whole pages, each counting half. The contrast
sets are SciFact, FoolMeTwice, FeverSymmetric, and the claims with a number and those with a
negation, each of these two the mean over the sets with at least {FEWEST} such rows and
{FEWEST_OF_A_LABEL} of each label."""
SOURCES = """\
HAGRID's sentences are supported where people called them attributable, ExpertQA's claims where
experts called the support complete; partial and incomplete support is none. The evidence is what
the statement cites. Left out are statements that cite nothing, rows without a judgment, and of
ExpertQA the claims that AttributionBench has and those whose sources are addresses without text."""


def report(sets: Sequence[Labelled], measured: Sequence[Measured], *, brief: bool = False) -> str:
    """Return the tables of all steps on all sets, in Markdown.

    Args:
        sets: The sets.
        measured: The steps, overlap first.
        brief: Leave out the slices and the counts.
    """
    used = "\n".join(f"- `{found.step.description}`" for found in measured)
    verdicts = "\n".join(
        f"- `{one.step.name}` over `{other.step.name}`: {earned(one, other)}"
        for one, other in comparisons(measured)
    )
    parts = [
        f"At the thresholds they ship with:\n\n{used}",
        "Balanced accuracy:",
        accuracy_table(sets, measured),
        HOW,
        SOURCES,
        "Gains in points of balanced accuracy, both judges on the same resamples:",
        gain_table(sets, measured),
        "A step earns its cost by a gain of at least one point in the mean of the reported sets, "
        "its interval above 0, or of at least ten in the mean of the contrast sets with none lost "
        "in the mean of the others:",
        verdicts,
    ]
    if not brief:
        parts += ["All measures, and the counts:", confusion_table(sets, measured)]
    if any(found.step.probability for found in measured):
        parts += [
            "Scores read as probabilities: expected calibration error (10 bins of equal count) and "
            "Brier score:",
            calibration_table(sets, measured),
        ]
    if not brief:
        parts += ["Balanced accuracy by slices:", slice_table(sets, measured)]
    return "\n\n".join(parts)


def time_table(sets: Sequence[Labelled], measured: Sequence[Measured]) -> str:
    """Return the microseconds a pair takes, one pair after another in one call."""
    table = []
    for found in measured:
        times = np.array([found.scored[one.name].microseconds for one in sets])
        if np.isnan(times).any():
            continue
        sizes = [len(one.truth) for one in sets]
        mean = np.average(times, weights=sizes)
        spread = f"{times.min():,.0f} – {times.max():,.0f}"
        table.append([f"`{found.step.name}`", f"{mean:,.0f}", spread])
    return markdown_table(["judge", "µs a pair, all sets", "by set"], table)


# ---------------------------------------------------------------------- the command


def default_steps() -> list[str]:
    """Return the steps that ship, overlap first."""
    known = {spec.partition(":")[0] for spec in specs.SPECS}
    return [OVERLAP, *(name for name in ("lexical", "embedded") if name in known)]


def ordered(given: Sequence[str]) -> list[str]:
    """Return the steps with overlap first, since all are compared with it."""
    return [OVERLAP, *(spec for spec in dict.fromkeys(given) if spec != OVERLAP)]


def write(sets: Sequence[Labelled], measured: Sequence[Measured]) -> None:
    """Put the tables into the pages; a page about a judge that was not measured is left alone."""
    by_name = {found.step.name: found for found in measured}
    if "lexical" in by_name:
        two = [by_name[OVERLAP], by_name["lexical"]]
        write_between_markers(LEXICAL_PAGE, MARKER, report(sets, two))
    if "embedded" in by_name:
        write_between_markers(PAGE, MARKER, report(sets, measured))
        write_between_markers(PAGE, COSTS, time_table(sets, measured))
        write_between_markers(CARD, MARKER, report(sets, measured, brief=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", nargs="*", help="by default overlap and what ships")
    parser.add_argument("--data", type=Path, default=DATA, help="holds labelled/ and answers/")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the scores")
    parser.add_argument("--write", action="store_true", help="into the pages and the model card")
    options = parser.parse_args()
    sets = read_sets(options.data)
    measured = [
        measure(load(spec, options.data), sets, options.cache)
        for spec in ordered(options.steps or default_steps())
    ]
    print(report(sets, measured))
    print(f"\n{time_table(sets, measured)}")
    if options.write:
        write(sets, measured)


if __name__ == "__main__":
    main()
