"""Citation precision (ALCE): the share of citations that pull their weight."""

from __future__ import annotations

from typing import Literal

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, support_counts
from citemeter.metrics.base import Counts, Ratio, RecordLike
from citemeter.results import Bounds, Score

__all__ = ["CITATION_PRECISION", "citation_precision", "precision_bounds"]


def precision_bounds(counts: Counts, citations: str = "citations") -> Bounds:
    """Return the lowest and highest precision that missing verdicts could give.

    Args:
        counts: One response's counts.
        citations: The count in the denominator.
    """
    precise, total = counts["precise"], counts[citations]
    low, high = precise + counts["needed_anyway"], precise + counts["unjudged_citations"]
    return Bounds(low / total, high / total)


CITATION_PRECISION = Ratio(
    "citation_precision",
    "precise",
    "citations",
    empty="no citation",
    blocked_by="unjudged_citations",
    bounds=precision_bounds,
)


def citation_precision(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    duplicates: Literal["set", "occurrences"] = "set",
    zero_division: float | None = None,
) -> Score:
    r"""Return the share of citations whose statement is supported and that are not irrelevant.

    .. math:: P = \frac{\sum_s |\{c \in C_s : r_s = 1,\ (c \models s) \lor
              (C_s \setminus \{c\} \not\models s)\}|}{\sum_s |C_s|}

    with :math:`C_s` the set of ids that statement :math:`s` cites and :math:`r_s` its recall. A
    citation is irrelevant iff alone it does not entail :math:`s` and the rest without it do.
    Invalid ids earn nothing and stay in the denominator.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        duplicates: Count an id repeated in one statement once (``"set"``), or each of its
            ``"occurrences"``; then the rest without one occurrence still holds its copies.
        zero_division: The value to give when nothing is cited.

    Returns:
        A score in [0, 1], higher is better; its value is ``None`` when undefined.

    Undefined when:
        Nothing is cited, or the judge failed on a verdict that a citation depends on.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a", "b"])],
    ...     "sources": {"a": "Cats purr.", "b": "Dogs bark."},
    ... }
    >>> citation_precision(record, lambda premise, hypothesis: hypothesis in premise).value
    0.5

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 4.
    """
    counts = support_counts(record, entails, Rules(duplicates=duplicates))
    return CITATION_PRECISION.score(counts, zero_division)
