"""Citation F1: the harmonic mean of citation precision and recall."""

from __future__ import annotations

from typing import Literal

from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, support_counts
from citemeter.metrics.base import RecordLike
from citemeter.metrics.citation_precision import CITATION_PRECISION
from citemeter.metrics.citation_recall import CITATION_RECALL
from citemeter.results import Score

__all__ = ["citation_f1", "harmonic_mean"]


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """Return ``2pr / (p + r)``; 0 when both are 0, ``None`` when either is undefined.

    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0), harmonic_mean(None, 1.0)
    (0.6666666666666666, 0.0, None)
    """
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def citation_f1(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    duplicates: Literal["set", "occurrences"] = "set",
    zero_division: float | None = None,
) -> Score:
    r"""Return the harmonic mean of one response's citation precision and recall.

    .. math:: F_1 = \frac{2PR}{P + R}

    Over a data set, a report's ``citation_f1`` is the harmonic mean of the two macro means; the
    mean of these per-response values is ``citation_f1_per_response``.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        duplicates: As in ``citation_precision``.
        zero_division: The value to give to a precision or recall that is 0/0.

    Returns:
        A score in [0, 1], higher is better; 0 when both are 0; ``None`` when undefined. Its
        numerator and denominator are ``2PR`` and ``P + R``.

    Undefined when:
        Precision or recall is.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a", "b"])],
    ...     "sources": {"a": "Cats purr.", "b": "Dogs bark."},
    ... }
    >>> round(citation_f1(record, lambda premise, hypothesis: hypothesis in premise).value, 3)
    0.667

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627.
    """
    counts = support_counts(record, entails, Rules(duplicates=duplicates))
    precision = CITATION_PRECISION.score(counts, zero_division)
    recall = CITATION_RECALL.score(counts, zero_division)
    value = harmonic_mean(precision.value, recall.value)
    p, r = precision.value or 0.0, recall.value or 0.0
    return Score(
        name="citation_f1",
        value=value,
        numerator=2 * p * r,
        denominator=p + r,
        reason=precision.reason or recall.reason,
    )
