"""The lexical judge's features: what a logistic weighs to tell how likely a pair is supported."""

from __future__ import annotations

from typing import NamedTuple

from citemeter.judges.lexical.comparison import Findings
from citemeter.judges.lexical.hypothesis import Statement

__all__ = ["FEATURES", "Feature", "features_of"]


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


def features_of(statement: Statement, findings: Findings) -> tuple[float, ...]:
    """Return the value of each of ``FEATURES``, each in ``[0, 1]``.

    Args:
        statement: What is claimed.
        findings: What ``compare`` found of it in a passage.

    A statement of numbers alone has no words to look for: its shares are 1.
    """
    if statement.terms:
        window = min(1.0, findings.window + _SECOND * findings.second)
        shares = (window, findings.adjacent)
    else:
        shares = (1.0, 1.0)
    return (
        *shares,
        float(bool(findings.names)),
        float(bool(findings.numbers)),
        float(bool(findings.counts)),
        float(findings.polarity is not None),
    )
