"""Whether answers decline where they should, and only there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Model
from citemeter.results import Score
from citemeter.text.phrases.refusals import AnswerOutcome, RefusalRule, answer_outcome

__all__ = [
    "ABSTENTION_RATIOS",
    "CLEAN_REFUSAL_RATE",
    "FALSE_REFUSAL_RATE",
    "REFUSAL_PRECISION",
    "REFUSAL_RECALL",
    "UNANSWERABLE_CITATION_RATE",
    "Abstention",
    "RefusalRule",
    "abstention",
    "count_abstention",
    "is_uncited_refusal",
    "leave_out_refusal",
]

_rate = partial(Ratio, needs="answerability_known", missing="answerable is not given")
_NO_UNANSWERABLE = "no question is unanswerable"

REFUSAL_RECALL = _rate(
    "refusal_recall", "unanswerable_abstained", "unanswerable", empty=_NO_UNANSWERABLE
)
"""Of the unanswerable questions, the share that the answer declines."""

REFUSAL_PRECISION = _rate(
    "refusal_precision", "unanswerable_abstained", "refusals", empty="no answer declines"
)
"""Of the answers that decline, the share whose question is unanswerable."""

FALSE_REFUSAL_RATE = _rate(
    "false_refusal_rate",
    "answerable_abstained",
    "answerable",
    empty="no question is answerable",
    lower_is_better=True,
)
"""Of the answerable questions, the share that the answer declines."""

UNANSWERABLE_CITATION_RATE = _rate(
    "unanswerable_citation_rate",
    "unanswerable_citing",
    "unanswerable",
    empty=_NO_UNANSWERABLE,
    lower_is_better=True,
)
"""Of the unanswerable questions, the share whose answer cites something."""

CLEAN_REFUSAL_RATE = _rate(
    "clean_refusal_rate", "unanswerable_clean", "unanswerable", empty=_NO_UNANSWERABLE
)
"""Of the unanswerable questions, the share whose answer declines and cites nothing."""

ABSTENTION_RATIOS = (
    REFUSAL_RECALL,
    REFUSAL_PRECISION,
    FALSE_REFUSAL_RATE,
    UNANSWERABLE_CITATION_RATE,
    CLEAN_REFUSAL_RATE,
)
"""The abstention metrics in report order. Per response each is 0, 1 or undefined, so their macro
means are shares of answers, equal to the micro means."""

_LEFT_OUT = "an uncited refusal, left out"
_STATEMENT_COUNTS = (
    "statements",
    "supported",
    "unsupported",
    "uncited",
    "invalid_statements",
    "unjudged_statements",
    "cited_statements",
    "worthy_statements",
    "worthy_supported",
    "worthy_unjudged",
    "claims",
    "covered_claims",
)


class Abstention(Model):
    """What one answer does with a question that can, or cannot, be answered.

    Args:
        outcome: See ``AnswerOutcome``.
        answerable: Whether the sources can answer the question, if that is known.
        cites: How many citations the answer has, fabricated ones included.
        refusal_recall: 1 if it declines an unanswerable question, 0 if not.
        refusal_precision: 1 if it declines an unanswerable question, 0 an answerable one.
        false_refusal_rate: 1 if it declines an answerable question, 0 if not.
        unanswerable_citation_rate: 1 if it cites something although the question is unanswerable.
        clean_refusal_rate: 1 if it declines an unanswerable question and cites nothing.
    """

    outcome: AnswerOutcome
    answerable: bool | None
    cites: int
    refusal_recall: Score
    refusal_precision: Score
    false_refusal_rate: Score
    unanswerable_citation_rate: Score
    clean_refusal_rate: Score


def count_abstention(
    outcome: AnswerOutcome, answerable: bool | None, cites: bool
) -> dict[str, int]:
    """Count one response's cell of the table of outcome and answerability.

    Args:
        outcome: What the answer does.
        answerable: Whether the question can be answered; unless it is known nothing is counted.
        cites: Whether the answer has any citation, fabricated ones included.

    Returns:
        Named counts: the cell (such as ``unanswerable_abstained``), its margins, and of
        unanswerable questions whether the answer cites (``unanswerable_citing``) and whether it
        declines without citing (``unanswerable_clean``).

    >>> count_abstention("abstained", False, cites=False)["unanswerable_clean"]
    1
    """
    if answerable is None:
        return {}
    side = "answerable" if answerable else "unanswerable"
    counts = {"answerability_known": 1, side: 1, f"{side}_{outcome}": 1}
    if outcome == "abstained":
        counts["refusals"] = 1
    if not answerable and cites:
        counts["unanswerable_citing"] = 1
    if not answerable and outcome == "abstained" and not cites:
        counts["unanswerable_clean"] = 1
    return counts


def abstention(record: RecordLike, rule: RefusalRule | None = None) -> Abstention:
    r"""Return whether an answer declines, and whether it should.

    Over a data set, with :math:`U` the unanswerable questions, :math:`A` the answerable ones,
    :math:`R` those whose answer declines and :math:`C` those whose answer cites something:

    .. math:: \text{refusal recall} = \frac{|U \cap R|}{|U|}, \quad
              \text{refusal precision} = \frac{|U \cap R|}{|R|}, \quad
              \text{false-refusal rate} = \frac{|A \cap R|}{|A|}

    .. math:: \text{citations on unanswerable} = \frac{|U \cap C|}{|U|}, \quad
              \text{clean refusals} = \frac{|U \cap R \setminus C|}{|U|}

    Args:
        record: A response with ``answerable``, or a plain record; an answer not yet cut is parsed.
        rule: What decides whether an answer declines, see ``outcome_of``.

    Returns:
        Scores of 0 or 1; lower is better for the false-refusal rate and for citations on
        unanswerable questions.

    Undefined when:
        ``answerable`` is not given, or no question is on the side that a score is about.

    >>> found = abstention({
    ...     "answer": "The documents do not say who built it.", "answerable": False,
    ... })
    >>> found.outcome, found.refusal_recall.value, found.false_refusal_rate.value
    ('abstained', 1.0, None)
    """
    response = ready(record)
    outcome = answer_outcome(response, rule)
    cites = len(response.citations)
    counts = count_abstention(outcome, response.answerable, bool(cites))
    return Abstention(
        outcome=outcome,
        answerable=response.answerable,
        cites=cites,
        **{ratio.name: ratio.score(counts) for ratio in ABSTENTION_RATIOS},
    )


def is_uncited_refusal(outcome: AnswerOutcome, cites: bool) -> bool:
    """Whether an answer declines and cites nothing at all: there is no support to measure in it."""
    return outcome == "abstained" and not cites


def leave_out_refusal(counts: Mapping[str, int]) -> dict[str, int]:
    """Return an uncited refusal's counts without what citation recall and coverage are made of.

    Every statement of such an answer is uncited, so the counts of citations are 0 already. The
    number of statements goes to ``left_out_statements``, the answer to ``left_out_refusals``; the
    states of the statements that remain still add up.

    Args:
        counts: The response's counts.

    >>> leave_out_refusal({"statements": 1, "uncited": 1, "claims": 0, "citations": 0})
    {'citations': 0, 'left_out_refusals': 1, 'left_out_statements': 1}
    """
    kept = {name: number for name, number in counts.items() if name not in _STATEMENT_COUNTS}
    kept["left_out_refusals"] = 1
    kept["left_out_statements"] = counts.get("statements", 0)
    return kept


def without_refusals(ratio: Ratio) -> Ratio:
    """Return citation recall or coverage as it is when uncited refusals are left out.

    It differs in the reason that a response left out is given, and needs the count
    ``answers_kept`` in every other response.

    >>> from citemeter.metrics.coverage import CITATION_COVERAGE
    >>> without_refusals(CITATION_COVERAGE).value({"left_out_refusals": 1})
    (None, 'an uncited refusal, left out')
    """
    return replace(ratio, needs="answers_kept", missing=_LEFT_OUT)
