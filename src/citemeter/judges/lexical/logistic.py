"""A logistic over named features, as the embedded judges ship it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import NamedTuple

from citemeter.judges.lexical.terms import read_table

__all__ = ["Logistic", "read_logistic"]


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
