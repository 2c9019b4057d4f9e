"""More rates over the states that citation recall and precision count: support, overcitation."""

from __future__ import annotations

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, judged_counts
from citemeter.metrics.base import Counts, Ratio, RecordLike
from citemeter.results import Bounds, Score

__all__ = ["overcitation", "support_rate"]


def overcitation_bounds(counts: Counts) -> Bounds | None:
    """Return the lowest and highest overcitation that missing verdicts could give.

    A statement that the judge failed on adds nothing if it is not supported. If it is, it adds its
    citations below, and above none at least; at most one of two, or all of more than two. A
    citation that the judge failed on singly is irrelevant or not.
    """
    irrelevant, credited = counts["irrelevant"], counts["credited_citations"]
    # What is unjudged among the citations of supported statements.
    unknown = counts["unjudged_citations"] - counts["creditable_citations"]
    below = credited + counts["creditable_citations"]
    top = irrelevant + unknown - counts["needed_anyway"] + counts["unjudged_in_groups"]
    bottom = credited + counts["unjudged_in_groups"]
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
    return OVERCITATION.score(judged_counts(record, entails), zero_division)


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
    return SUPPORT_RATE.score(judged_counts(record, entails, Rules(precision=False)), zero_division)
