"""Fit the lexical judge: term weights, the logistic's weights and its threshold.

It writes ``data/term_weights.txt``, how informative each term is in the development set's passages
(labels unseen), and ``data/lexical_parameters.txt``. The weights are fitted on the labelled sets
for training, calibration and threshold on the development set.

Usage: ``python training/fit_lexical.py [DATA]``; DATA is the folder that holds ``labelled/``.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import citemeter
from citemeter.judges.lexical import terms
from citemeter.judges.lexical.features import FEATURES
from citemeter.judges.lexical.word_lists import read_table
from cross_encoder_data import read_human
from fitting import (
    Fitted,
    Table,
    constrained,
    finished,
    lexical_features,
    row_weights,
    with_edits,
    write,
)
from measures import DATA, DEVELOPMENT, Row, read_rows

PACKAGE_DATA = Path(citemeter.__file__).parent / "data"
CHUNK = 100  # content words of a background passage: documents of many lengths count alike
LEAST = 3  # passages that must have a term for it to be listed
WIDTH = 50  # words of a window; 20 to 120 were tried on the development set


def write_weights(rows: Sequence[Row], path: Path) -> None:
    """Count in how many stretches of the passages each term occurs, and write the weights."""
    word = re.compile(terms.WORD)
    counts: Counter[str] = Counter()
    chunks = 0
    for premise in dict.fromkeys(row.premise for row in rows):
        content = [term for term in map(terms.term_of, word.findall(premise)) if term]
        for start in range(0, len(content), CHUNK):
            counts.update(set(content[start : start + CHUNK]))
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


def fitted(data: Path) -> Fitted:
    """Fit the logistic with the term weights as they are."""
    rows = read_rows(data, DEVELOPMENT)
    truth = np.array([row.supported for row in rows])
    development = lexical_features([(row.premise, row.hypothesis) for row in rows], WIDTH)
    examples = with_edits(read_human(data))
    table = Table(
        lexical_features([(e.premise, e.hypothesis) for e in examples], WIDTH),
        np.array([e.supported for e in examples]),
        [e.kind for e in examples],
    )
    signs = [feature.sign for feature in FEATURES]
    fit = constrained(table.features, table.truth, row_weights(table), signs)
    names = [feature.name for feature in FEATURES]
    shipped = finished(names, fit, development, truth, {"width": WIDTH})
    return Fitted(shipped, table, Table(development, truth, [DEVELOPMENT] * len(truth)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    data: Path = parser.parse_args().data
    write_weights(read_rows(data, DEVELOPMENT), PACKAGE_DATA / "term_weights.txt")
    read_table.cache_clear()
    terms._weights.cache_clear()
    found = fitted(data)
    write(found.logistic, PACKAGE_DATA / "lexical_parameters.txt", "fit_lexical.py")
    print(found.described())


if __name__ == "__main__":
    main()
