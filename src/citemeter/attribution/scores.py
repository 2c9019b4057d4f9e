"""Scores of a classification of attributions, all of them functions of its confusion matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Literal, TypeAlias

from citemeter.attribution.labels import CAQA, LabelSet
from citemeter.attribution.matrix import AttributionOutcome, Confusion, Predicted, confusion
from citemeter.errors import check_choice
from citemeter.metrics.base import JUDGE_FAILED, Counts, CountsSummary, Ratio, check_zero_division
from citemeter.models import Model
from citemeter.results import Bounds, Score

__all__ = [
    "ATTRIBUTION_MICRO_F1",
    "AttributionSummary",
    "ClassScore",
    "ClassScores",
    "Unlabelled",
    "attribution_micro_f1",
    "class_scores",
    "complexity_ratio",
    "count_attribution",
]

Unlabelled: TypeAlias = Literal["wrong", "exclude"]
"""What a prediction without a label is: a wrong one, as in CAQA's recipe, or none."""

EMPTY = "there is no row with a label and a prediction"

ATTRIBUTION_MICRO_F1 = Ratio(
    "attribution_micro_f1",
    "attribution_correct",
    "attribution_rows",
    empty=EMPTY,
    blocked_by="attribution_failed",
)
"""Micro-F1 from the counts of ``count_attribution``: its pooled value is the data set's."""


def complexity_ratio(level: str) -> Ratio:
    """Return micro-F1 over the rows of one level of reasoning, as a metric on named counts.

    Args:
        level: A level as ``citemeter.attribution.labels.parse_complexity`` gives it.

    >>> complexity_ratio("union").name
    'attribution_micro_f1_union'
    """
    name = level.replace(" ", "_")
    return Ratio(
        f"attribution_micro_f1_{name}",
        f"attribution_correct_{name}",
        f"attribution_rows_{name}",
        empty=f"there is no row of the level {level}",
        blocked_by=f"attribution_failed_{name}",
    )


class ClassScore(Model):
    """How well one class was recognised.

    Args:
        label: The class.
        precision: Of the rows given this class, the share that has it.
        recall: Of the rows that have this class, the share that was given it.
        f1: Their harmonic mean.
        support: How many rows have it, those left out aside.
        predicted: How many were given it.
        correct: How many of both.
    """

    label: str
    precision: Score
    recall: Score
    f1: Score
    support: int
    predicted: int
    correct: int


class ClassScores(Model):
    """Every score of a classification.

    Args:
        attribution_micro_f1: See ``attribution_micro_f1``.
        bounds: Where the classifier failed, the lowest and the highest value that it could have
            led to.
        attribution_macro_f1: The mean of the classes' F1, over the classes where it is defined.
        classes: Precision, recall and F1 of each class.
        confusion: The matrix that all of them are made of.
    """

    attribution_micro_f1: Score
    bounds: Bounds | None = None
    attribution_macro_f1: float | None
    classes: tuple[ClassScore, ...]
    confusion: Confusion

    def __getitem__(self, label: str) -> ClassScore:
        for score in self.classes:
            if score.label == label:
                return score
        raise KeyError(f"{label!r}: the classes are {', '.join(self.confusion.labels)}")


def class_scores(
    matrix: Confusion,
    *,
    unlabelled: Unlabelled = "wrong",
    zero_division: float | None = None,
) -> ClassScores:
    r"""Return micro-F1, macro-F1 and each class's precision, recall and F1.

    .. math:: P_k = \frac{n_{kk}}{\sum_j n_{jk}}, \quad R_k = \frac{n_{kk}}{\sum_j n_{kj} + u_k},
              \quad F_k = \frac{2 n_{kk}}{\sum_j n_{jk} + \sum_j n_{kj} + u_k}

    with :math:`n_{jk}` the rows of class :math:`j` given class :math:`k` and :math:`u_k` the rows
    of class :math:`k` whose prediction names no class. Rows that the classifier failed on are in
    none of them.

    Args:
        matrix: The counts.
        unlabelled: Whether a prediction without a label is a wrong one or left out (then
            :math:`u_k = 0`).
        zero_division: The value at 0/0, per class; ``0`` gives scikit-learn's values.

    Returns:
        Scores in [0, 1], higher is better.

    Undefined when:
        Precision: the class was never given. Recall: no row has it. F1: neither; then the class is
        left out of macro-F1. Micro-F1: there is no row.

    >>> scores = class_scores(confusion(["support", "missing"], ["support", "irrelevant"]))
    >>> scores.attribution_micro_f1.value, scores["supportive"].f1.value
    (0.5, 1.0)
    >>> scores["contradictory"].f1.reason
    'no row has this class or was given it'
    """
    check_choice("unlabelled", unlabelled, ("wrong", "exclude"))
    check_zero_division(zero_division)
    classes = []
    for place, label in enumerate(matrix.labels):
        correct = matrix.table[place][place]
        predicted = sum(line[place] for line in matrix.table)
        support = sum(matrix.table[place])
        if unlabelled == "wrong":
            support += matrix.unlabelled[place]

        def score(name: str, top: int, bottom: int, empty: str, *, label: str = label) -> Score:
            return Score.ratio(
                f"attribution_{name}_{label}".replace(" ", "_"),
                top,
                bottom,
                empty=empty,
                zero_division=zero_division,
            )

        classes.append(
            ClassScore(
                label=label,
                precision=score("precision", correct, predicted, "no row was given this class"),
                recall=score("recall", correct, support, "no row has this class"),
                f1=score(
                    "f1",
                    2 * correct,
                    predicted + support,
                    "no row has this class or was given it",
                ),
                support=support,
                predicted=predicted,
                correct=correct,
            )
        )
    defined = [c.f1.value for c in classes if c.f1.value is not None]
    counted = sum(c.support for c in classes)
    failed = sum(matrix.failed)
    micro = Score.ratio(
        "attribution_micro_f1",
        matrix.correct,
        counted,
        empty=JUDGE_FAILED if failed else EMPTY,
        zero_division=None if failed else zero_division,
    )
    bounds = None
    if failed:
        everything = counted + failed
        bounds = Bounds(matrix.correct / everything, (matrix.correct + failed) / everything)
    return ClassScores(
        attribution_micro_f1=micro,
        bounds=bounds,
        attribution_macro_f1=fsum(defined) / len(defined) if defined else None,
        classes=tuple(classes),
        confusion=matrix,
    )


def attribution_micro_f1(
    predictions: Iterable[Predicted],
    labels: Iterable[str],
    *,
    label_set: LabelSet = CAQA,
    unlabelled: Unlabelled = "wrong",
    zero_division: float | None = None,
) -> Score:
    r"""Return the micro-averaged F1 of predicted attribution classes.

    .. math:: P = \frac{TP}{TP + FP}, \quad R = \frac{TP}{TP + FN}, \quad
              F_1 = \frac{2 P R}{P + R} = \frac{TP}{n}

    over all classes together: a right prediction is a :math:`TP`, a wrong one a :math:`FP` of the
    class given and a :math:`FN` of the true class. Each of :math:`n` rows has one class, so the two
    are equally many and micro-F1 is the share of right predictions.

    Args:
        predictions: Labels, ``None`` where there is none, or classifications.
        labels: The true labels, as many.
        label_set: The classes; CAQA's four by default.
        unlabelled: Whether a prediction that names no class is a wrong one, as in the recipe that
            CAQA is scored by, or left out.
        zero_division: The value without any row; the recipe gives 0.

    Returns:
        A score in [0, 1], higher is better. Rows that the classifier failed on are left out;
        ``class_scores`` has the bounds.

    Raises:
        InputError: If a label is unknown, or there are not as many predictions as labels.

    Undefined when:
        There is no row.

    >>> attribution_micro_f1(["supportive", "missing"], ["supportive", "irrelevant"]).value
    0.5

    Reference: Hu et al. (2024), https://arxiv.org/abs/2401.14640.
    """
    matrix = confusion(predictions, labels, label_set=label_set)
    scores = class_scores(matrix, unlabelled=unlabelled, zero_division=zero_division)
    return scores.attribution_micro_f1


def count_attribution(
    outcome: AttributionOutcome, unlabelled: Unlabelled = "wrong"
) -> dict[str, int]:
    """Count one row: whether it is right, and its cell of the confusion matrix.

    Args:
        outcome: What became of it.
        unlabelled: Whether a prediction that names no class is a wrong one or left out.

    Returns:
        ``attribution_rows`` and ``attribution_correct``, and ``attribution_failed`` where the
        classifier failed, as ``ATTRIBUTION_MICRO_F1`` reads them; the same with the level's name,
        as ``complexity_ratio`` reads them; and the cell.

    >>> from citemeter.attribution.matrix import outcome_of_row
    >>> count_attribution(outcome_of_row("support", "Missing"))
    {'attribution_supportive_as_insufficient': 1, 'attribution_rows': 1, 'attribution_correct': 0}
    """
    state, level = outcome.state, outcome.complexity
    counts = {outcome.cell: 1}
    for suffix in ("",) if level is None else ("", f"_{level.replace(' ', '_')}"):
        counts[f"attribution_rows{suffix}"] = int((state, unlabelled) != ("unlabelled", "exclude"))
        counts[f"attribution_correct{suffix}"] = int(state == "right")
        if state == "failed":
            counts[f"attribution_failed{suffix}"] = 1
    return counts


_ROWS = "attribution_rows_"


class AttributionSummary(ClassScores, CountsSummary):
    """Every score of a data set's attributions.

    Args:
        by_complexity: Micro-F1 of each level of reasoning.
    """

    by_complexity: dict[str, float | None]

    @classmethod
    def of(cls, counts: Counts, labels: Sequence[str] = CAQA.labels) -> AttributionSummary:
        """Return them from summed counts.

        Args:
            counts: The counts.
            labels: The classes.
        """
        matrix = Confusion.of_counts(counts, labels)
        # Rows that are left out have a cell of the matrix all the same.
        left_out = counts.get("attribution_rows", 0) < matrix.rows
        scores = class_scores(matrix, unlabelled="exclude" if left_out else "wrong")
        levels = sorted(n.removeprefix(_ROWS) for n in counts if n.startswith(_ROWS))
        return cls(
            **dict(scores),
            by_complexity={level: complexity_ratio(level).pooled(counts) for level in levels},
        )

    def anew(self, counts: Counts) -> AttributionSummary:
        """Return the same of other counts, for the same classes."""
        return self.of(counts, self.confusion.labels)
