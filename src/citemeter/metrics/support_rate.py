"""Support rate: of the statements that cite something, the share that is supported."""

from __future__ import annotations

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, support_counts
from citemeter.metrics.base import Ratio, RecordLike
from citemeter.results import Score

__all__ = ["SUPPORT_RATE", "support_rate"]

SUPPORT_RATE = Ratio(
    "support_rate",
    "supported",
    "cited_statements",
    empty="no statement cites anything",
    blocked_by="unjudged_statements",
)


def support_rate(
    record: RecordLike, entails: Entails | Judge, *, zero_division: float | None = None
) -> Score:
    r"""Return the share of cited statements that their passages together entail.

    .. math:: \frac{|\{s : r_s = 1\}|}{|\{s : C_s \ne \emptyset\}|}

    with :math:`r_s` the statement's citation recall and :math:`C_s` the ids it cites, valid or not.
    Unlike recall it does not blame an answer for statements without a citation.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        zero_division: The value to give when no statement cites anything.

    Returns:
        A score in [0, 1], higher is better; its value is ``None`` when undefined.

    Undefined when:
        No statement cites anything, or the judge failed on one.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a"]), ("Dogs bark.", [])],
    ...     "sources": {"a": "Cats purr."},
    ... }
    >>> support_rate(record, lambda premise, hypothesis: hypothesis in premise).value
    1.0

    Reference: the "citation support" check of AutoAIS, Bohnet et al. (2022),
    https://arxiv.org/abs/2212.08037.
    """
    return SUPPORT_RATE.score(
        support_counts(record, entails, Rules(precision=False)), zero_division
    )
