"""Overcitation: of the citations of supported statements, the share that is irrelevant."""

from __future__ import annotations

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import support_counts
from citemeter.metrics.base import Counts, Ratio, RecordLike
from citemeter.results import Bounds, Score

__all__ = ["OVERCITATION", "overcitation", "overcitation_bounds"]


def overcitation_bounds(counts: Counts) -> Bounds | None:
    """Return the lowest and highest overcitation that missing verdicts could give.

    A statement that the judge failed on adds nothing if it is not supported. If it is, it adds its
    citations below, and above none at least; at most one of two, or all of more than two. A
    citation that the judge failed on singly is irrelevant or not.
    """
    irrelevant, credited = counts["irrelevant"], counts["credited_citations"]
    # What is unjudged among the citations of supported statements.
    open_ = counts["unjudged_citations"] - counts["creditable_citations"]
    below = credited + counts["creditable_citations"]
    top = irrelevant + open_ - counts["needed_anyway"] + counts["unjudged_in_crowds"]
    bottom = credited + counts["unjudged_in_crowds"]
    pairs = counts["unjudged_in_pairs"]
    if 2 * top < bottom or not bottom:
        top, bottom = top + pairs // 2, bottom + pairs
    return Bounds(irrelevant / below, top / bottom if bottom else 0.0, certain=credited > 0)


OVERCITATION = Ratio(
    "overcitation",
    "irrelevant",
    "credited_citations",
    empty="no citation of a supported statement",
    blocked_by="unjudged_citations",
    bounds=overcitation_bounds,
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
