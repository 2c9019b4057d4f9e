"""Citation recall (ALCE): the share of statements that their citations support."""

from __future__ import annotations

from typing import Literal

from citemeter.errors import check_choice
from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, support_counts
from citemeter.metrics.base import Ratio, RecordLike
from citemeter.results import Score

__all__ = ["CITATION_RECALL", "CITATION_RECALL_WORTHY", "citation_recall"]

CITATION_RECALL = Ratio(
    "citation_recall",
    "supported",
    "statements",
    empty="no statement",
    blocked_by="unjudged_statements",
)
CITATION_RECALL_WORTHY = Ratio(
    "citation_recall",
    "worthy_supported",
    "worthy_statements",
    empty="no statement needs a citation",
    blocked_by="worthy_unjudged",
)


def citation_recall(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    over: Literal["all", "worthy"] = "all",
    zero_division: float | None = None,
) -> Score:
    r"""Return the share of statements that the passages they cite, read together, entail.

    .. math:: R = \frac{|\{s : C_s \ne \emptyset,\ C_s \subseteq D,\ C_s \models s\}|}{|S|}

    with :math:`S` the statements, :math:`C_s` the ids that :math:`s` cites, :math:`D` the sources'
    ids; :math:`C_s \models s` says that the joined passages entail :math:`s`. An uncited statement
    and one with an id outside :math:`D` count against recall.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge. It is asked once for
            each statement that cites valid ids only.
        over: Count ``"all"`` statements, as ALCE does, or only those ``"worthy"`` of a citation.
        zero_division: The value to give when there is no statement to count.

    Returns:
        A score in [0, 1], higher is better; its value is ``None`` when undefined.

    Raises:
        InputError: If the record or an option cannot be used.

    Undefined when:
        There is no statement, or the judge failed on one.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a"]), ("Dogs bark.", [])],
    ...     "sources": {"a": "Cats purr."},
    ... }
    >>> citation_recall(record, lambda premise, hypothesis: hypothesis in premise).value
    0.5

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 4.
    """
    check_choice("over", over, ("all", "worthy"))
    ratio = CITATION_RECALL if over == "all" else CITATION_RECALL_WORTHY
    return ratio.score(support_counts(record, entails, Rules(precision=False)), zero_division)
