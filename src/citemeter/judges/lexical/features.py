"""The lexical judge's features, and the logistic that weighs them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import NamedTuple

from citemeter.judges.lexical.comparison import Comparison
from citemeter.judges.lexical.hypothesis import Statement
from citemeter.judges.lexical.word_lists import read_table

_SECOND = 0.5
"""The share that a second window counts. Evidence for one statement may stand in two passages; the
labelled sets, most of one short passage a row, cannot show it, so this is set and not fitted."""


class Feature(NamedTuple):
    """One feature.

    Args:
        name: Its name, as in the tables of weights.
        sign: 1 if more of it speaks for support and its weight may not be negative, -1 the other
            way round.
        best: Its value where it is all in the statement's favour.
        meaning: What it is, in a phrase.
    """

    name: str
    sign: int
    best: float
    meaning: str


FEATURES = (
    Feature(
        "window",
        1,
        1,
        "share of the statement's weight in the passage's best 50 words, and half of what a second "
        "stretch of 50 words adds",
    ),
    Feature("adjacent", 1, 1, "share of neighbouring terms that the passage has as neighbours"),
    Feature("names", -1, 0, "1 if a name is missing"),
    Feature("numbers", -1, 0, "1 if a number with its unit, or a date, is missing or differs"),
    Feature("counts", -1, 0, "1 if a small number in words is missing"),
    Feature("polarity", -1, 0, "1 if a negation or an opposite contradicts the statement"),
)
"""The features in their order; ``training/README.md`` says what else was tried."""


def features_of(statement: Statement, comparison: Comparison) -> tuple[float, ...]:
    """Return the value of each of ``FEATURES``, each in ``[0, 1]``.

    Args:
        statement: What is claimed.
        comparison: What ``compare`` found of it in a passage.

    A statement of numbers alone has no words to look for: its shares are 1.
    """
    shares = (1.0, 1.0)
    if statement.terms:
        window = min(1.0, comparison.window + _SECOND * comparison.second)
        shares = (window, comparison.adjacent)
    problems = (comparison.names, comparison.numbers, comparison.counts, comparison.polarity)
    return (*shares, *(float(bool(problem)) for problem in problems))


class Logistic(NamedTuple):
    r"""Weights of features.

    Args:
        names: The features, in order.
        weights: One weight for each.
        bias: What is added.
        threshold: The probability from which a pair is supported.
        constants: Other numbers that were fitted or set with them.
    """

    names: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float
    threshold: float
    constants: dict[str, float]

    def probability(self, values: Sequence[float]) -> float:
        r"""Return the probability of support.

        .. math:: p = \frac{1}{1 + e^{-(b + \sum_i w_i x_i)}}

        Args:
            values: The features :math:`x_i`, in the order of ``names``.

        >>> Logistic(("window",), (2.0,), -1.0, 0.5, {}).probability([0.5])
        0.5
        """
        total = self.bias
        for weight, value in zip(self.weights, values, strict=True):
            total += weight * value
        return 1 / (1 + exp(-total)) if total >= 0 else 1 - 1 / (1 + exp(total))

    def losses(self, values: Sequence[float]) -> dict[str, float]:
        """Return what each of ``FEATURES`` took from the logit of one that has everything."""
        return {
            feature.name: weight * (feature.best - value)
            for feature, weight, value in zip(FEATURES, self.weights, values, strict=False)
        }


@cache
def read_logistic(name: str) -> Logistic:
    """Read the weights that the package ships in one of its files."""
    weights: dict[str, float] = {}
    others: dict[str, float] = {}
    for row in read_table(name):
        target = weights if row[0] == "weight" else others
        target[row[-2]] = float(row[-1])
    return Logistic(
        tuple(weights),
        tuple(weights.values()),
        others.pop("bias"),
        others.pop("threshold"),
        others,
    )
