"""Fit the embedded judge: the lexical features and the network's logit in one logistic.

It writes ``data/embedded_parameters.txt``. The lexical features keep the weights that they have in
``lexical_parameters.txt``, which more rows tell. What the network's logit weighs beside them is
fitted on the labelled rows for training that it has not learnt from, calibration and threshold on
the development set.

Usage: ``python training/fit_embedded.py [DATA]``; DATA is the folder that holds ``labelled/``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citemeter.judges.embedded.encoder import Network
from citemeter.judges.embedded.judge import CUT
from citemeter.judges.lexical.features import read_logistic
from citemeter.statistics.agreement import Floats, auroc
from cross_encoder_data import held_rows, seen
from fit_lexical import PACKAGE_DATA
from fitting import (
    DIGITS,
    Fitted,
    Table,
    calibrated,
    constrained,
    finished,
    lexical_features,
    row_weights,
    with_edits,
    write,
)
from hard_negatives import Example
from measures import DATA, DEVELOPMENT, read_rows

WORDS = 100  # of evidence that the network is shown


def features(examples: Sequence[Example], width: int, words: int) -> Floats:
    """Return the lexical features of each pair and, last, the network's logit."""
    shown = [seen(example, words) for example in examples]
    logits = Network().logits([(example.premise, example.hypothesis) for example in shown])
    lexical = lexical_features([(e.premise, e.hypothesis) for e in examples], width)
    return np.c_[lexical, np.clip(logits, -CUT, CUT)]


def fitted(data: Path) -> Fitted:
    """Fit the logistic with the network and the lexical weights as they are."""
    lexical = read_logistic("lexical_parameters.txt")
    width = int(lexical.constants["width"])
    rows = read_rows(data, DEVELOPMENT)
    truth = np.array([row.supported for row in rows])
    pairs = [Example(row.premise, row.hypothesis, row.supported, DEVELOPMENT) for row in rows]
    development = features(pairs, width, WORDS)
    examples = with_edits(held_rows(data))
    table = Table(
        features(examples, width, WORDS),
        np.array([e.supported for e in examples]),
        [e.kind for e in examples],
    )
    words = table.features[:, :-1] @ np.array(lexical.weights)
    told = np.c_[words, table.features[:, -1]]
    scale, network, bias = constrained(told, table.truth, row_weights(table), [1, 1])
    fit = np.array([*(scale * weight for weight in lexical.weights), network, bias])
    names = [*lexical.names, "network"]
    # What the network by itself makes of a pair, for the reason that a verdict gives.
    alone = calibrated(np.array([1.0, 0.0]), development[:, -1:], truth).round(DIGITS)
    constants = {"words": WORDS, "network_scale": alone[0], "network_bias": alone[1]}
    shipped = finished(names, fit, development, truth, constants)
    return Fitted(shipped, table, Table(development, truth, [DEVELOPMENT] * len(truth)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    found = fitted(parser.parse_args().data)
    write(found.logistic, PACKAGE_DATA / "embedded_parameters.txt", "fit_embedded.py")
    print(found.described())
    print("the network alone, AUROC:")
    for table in (found.table, found.development):
        for group in sorted(set(table.groups)):
            chosen = np.array(table.groups) == group
            reached = auroc(table.truth[chosen], table.features[chosen, -1])
            print(f"{group}: {reached:.3f}")


if __name__ == "__main__":
    main()
