"""Fit the lexical judge on the development set, and on nothing else.

It writes ``data/term_weights.txt``, how informative each term is in the development set's passages
(labels unseen), and ``data/lexical_parameters.txt``.

Usage: ``python training/fit_lexical.py [DATA]``; DATA is the folder that holds ``labelled/``.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import citemeter
from citemeter.judges import lexical_words
from citemeter.judges.lexical import Parameters, score_of
from citemeter.judges.lexical_findings import compare
from citemeter.judges.lexical_passage import Line, Passage
from citemeter.judges.lexical_statement import Statement
from citemeter.statistics.agreement import Bools, Floats, auroc, balanced_accuracy, best_threshold
from measures import DATA, DEVELOPMENT, Row, read_rows

PACKAGE_DATA = Path(citemeter.__file__).parent / "data"
CHUNK = 100  # content words of a background passage: documents of many lengths count alike
LEAST = 3  # passages that must have a term for it to be listed

WIDTHS = (20, 30, 40, 50, 60, 80, 120)
NAME_CLASHES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)
CLASHES = (1.0, 0.8, 0.6, 0.5, 0.4, 0.3)
# Evidence for one statement may stand in two passages; the development set, one document a row,
# cannot show it, so this is set and not fitted.
SECOND = 0.5
TOLERANCE = 0.003  # AUROC

Fit = tuple[Parameters, float]


def write_weights(rows: Sequence[Row], path: Path) -> None:
    """Count in how many stretches of the passages each term occurs, and write the weights."""
    word = re.compile(lexical_words.WORD)
    counts: Counter[str] = Counter()
    chunks = 0
    for premise in dict.fromkeys(row.premise for row in rows):
        terms = [term for term in map(lexical_words.term_of, word.findall(premise)) if term]
        for start in range(0, len(terms), CHUNK):
            counts.update(set(terms[start : start + CHUNK]))
            chunks += 1
    scale = math.log(chunks / 2)
    lines = [
        "# term, weight = ln(N / d) / ln(N / 2): d of N = "
        f"{chunks} stretches of background text have the term.",
        "# Written by training/fit_lexical.py.",
    ]
    lines += [
        f"{term} {math.log(chunks / count) / scale:.2f}"
        for term, count in sorted(counts.items())
        if count >= LEAST and term.isalpha()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def grid(rows: Sequence[Row]) -> dict[Parameters, Floats]:
    """Score every pair with every setting."""
    passages = [
        Passage([Line(line) for line in row.premise.splitlines() if line.strip()]) for row in rows
    ]
    statements = [Statement(row.hypothesis) for row in rows]
    pairs = list(zip(statements, passages, strict=True))
    scores = {}
    for width in WIDTHS:
        found = [(statement, compare(statement, passage, width)) for statement, passage in pairs]
        for name_clash, clash in itertools.product(NAME_CLASHES, CLASHES):
            setting = Parameters(width, SECOND, name_clash, clash, 0.0)
            scores[setting] = np.array([score_of(s, f, setting) for s, f in found])
    return scores


def choose(scores: dict[Parameters, Floats], truth: Bools, rows: Any = slice(None)) -> Fit:
    """Choose by AUROC; of what is within ``TOLERANCE`` of the best, what is hardest on clashes.

    Natural answers, as in the development set, seldom change one number or one "not" of their
    passage, so it hardly tells how hard a clash should weigh; a checker should be strict.
    """
    reached = {s: auroc(truth[rows], values[rows]) for s, values in scores.items()}
    best = max(reached.values())
    near = [s for s, value in reached.items() if value >= best - TOLERANCE]
    setting = min(near, key=lambda s: (s.name_clash, s.clash, -reached[s]))
    threshold = best_threshold(truth[rows], scores[setting][rows])
    return setting._replace(threshold=threshold), reached[setting]


def cross_validated(scores: dict[Parameters, Floats], truth: Bools, folds: int = 5) -> float:
    """Return the balanced accuracy with each fifth of the rows judged by a fit to the others."""
    order = np.random.default_rng(0).permutation(len(truth)) % folds
    said = np.zeros(len(truth), dtype=np.bool_)
    for fold in range(folds):
        held = order == fold
        setting, _ = choose(scores, truth, ~held)
        values = scores[setting._replace(threshold=0.0)]
        said[held] = values[held] >= setting.threshold
    return balanced_accuracy(truth, said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    data: Path = parser.parse_args().data
    rows = read_rows(data, DEVELOPMENT)
    truth = np.array([row.supported for row in rows])
    write_weights(rows, PACKAGE_DATA / "term_weights.txt")
    lexical_words.read_table.cache_clear()
    lexical_words._weights.cache_clear()
    scores = grid(rows)
    setting, reached = choose(scores, truth)
    if setting.clash >= setting.threshold:
        raise SystemExit(f"{setting}: a clash would not decide")
    lines = ["# Written by training/fit_lexical.py; what each means: judges/lexical.py."]
    lines += [f"{name} {value:g}" for name, value in setting._asdict().items()]
    (PACKAGE_DATA / "lexical_parameters.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = scores[setting._replace(threshold=0.0)] >= setting.threshold
    print(setting)
    print(f"rows {len(rows)}, settings tried {len(scores)}")
    best = max(auroc(truth, values) for values in scores.values())
    print(f"AUROC {reached:.3f} (best of all settings {best:.3f})")
    print(f"balanced accuracy {balanced_accuracy(truth, said):.3f} on the rows fitted on")
    print(f"balanced accuracy {cross_validated(scores, truth):.3f} by 5-fold cross-validation")


if __name__ == "__main__":
    main()
