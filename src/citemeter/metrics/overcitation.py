"""Overcitation: of the citations of supported statements, the share that is irrelevant."""

from __future__ import annotations

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.base import Ratio, RecordLike
from citemeter.metrics.support import support_counts
from citemeter.results import Score

__all__ = ["OVERCITATION", "overcitation"]

OVERCITATION = Ratio(
    "overcitation",
    "irrelevant",
    "credited_citations",
    empty="no citation of a supported statement",
    blocked_by="unjudged_citations",
    lower_is_better=True,
)


def overcitation(
    record: RecordLike, entails: Entails | Judge, *, zero_division: float | None = None
) -> Score:
    r"""Return the share of irrelevant citations among those of supported statements.

    .. math:: \frac{\sum_{s: r_s = 1} |\{c \in C_s : c \text{ irrelevant}\}|}
              {\sum_{s: r_s = 1} |C_s|}

    with :math:`C_s` the set of ids that statement :math:`s` cites, :math:`r_s` its citation recall,
    and irrelevant as in ``citation_precision``.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        zero_division: The value to give when no supported statement has a citation.

    Returns:
        A score in [0, 1], lower is better; its value is ``None`` when undefined.

    Undefined when:
        No statement is supported, or the judge failed on a verdict that a citation depends on.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a", "b"])],
    ...     "sources": {"a": "Cats purr.", "b": "Dogs bark."},
    ... }
    >>> overcitation(record, lambda premise, hypothesis: hypothesis in premise).value
    0.5
    """
    return OVERCITATION.score(support_counts(record, entails), zero_division)
