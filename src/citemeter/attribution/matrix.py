"""The confusion matrix of a classification: every row is in one of its cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from citemeter.attribution.labels import CAQA, LabelSet, parse_complexity
from citemeter.errors import InputError
from citemeter.metrics.base import Counts
from citemeter.models import Model
from citemeter.verdicts import Verdict

__all__ = [
    "AttributionOutcome",
    "AttributionState",
    "Classification",
    "Confusion",
    "Predicted",
    "confusion",
]

AttributionState = Literal["right", "wrong", "unlabelled", "failed"]
"""Every row is in exactly one state.

- ``right``: the predicted class is the true one.
- ``wrong``: it is another.
- ``unlabelled``: the prediction names no class.
- ``failed``: the classifier failed on it.
"""


class Classification(Model):
    """The class that a classifier gives a citation.

    Args:
        label: The class; ``None`` if the classifier failed, or answered without naming one.
        score: Its confidence, in ``[0, 1]``.
        reason: Why, in words a reader can check.
        error: What went wrong, when the classifier failed; that is never counted as a class.
        verdict: The judge's verdict behind it, if there is one.
    """

    label: str | None
    score: float | None = None
    reason: str | None = None
    error: str | None = None
    verdict: Verdict | None = None

    @classmethod
    def failed(cls, error: str) -> Classification:
        """Return the classification of a classifier that gave none."""
        return cls(label=None, error=Verdict.failed(error).error)


class AttributionOutcome(Model):
    """What became of one row.

    Args:
        label: The true class.
        prediction: The predicted class, if there is one.
        state: See ``AttributionState``.
        complexity: Its level of reasoning, if given.
        classification: What the classifier said, if one was asked.
    """

    label: str
    prediction: str | None
    state: AttributionState
    complexity: str | None = None
    classification: Classification | None = None

    @property
    def cell(self) -> str:
        """The count of its cell of the confusion matrix; see ``Confusion.of_counts``."""
        said = self.state if self.prediction is None else f"as_{self.prediction}"
        return _cell(self.label, said)


Predicted: TypeAlias = str | Classification | None
"""A predicted label, a classification, or ``None`` for no label."""


def outcome_of_row(
    label: str | None,
    predicted: Predicted,
    complexity: str | None = None,
    *,
    label_set: LabelSet = CAQA,
    record: str | None = None,
) -> AttributionOutcome:
    """Compare a predicted class, as written or as a classifier gave it, with the true one.

    Args:
        label: The true class, in any spelling.
        predicted: The predicted class, in any spelling, or a classification. A classification
            that names a class of no label set has failed.
        complexity: The level of reasoning, in any spelling.
        label_set: The classes.
        record: What to call the row in an error.

    Raises:
        InputError: If the label, or a prediction that is no classification, names no class.
    """
    true = label_set.parse(label, record=record)
    one = predicted if isinstance(predicted, Classification) else None
    prediction: str | None = None
    if one is None:
        prediction = label_set.parse_prediction(predicted, record=record)
    else:
        try:
            prediction = None if one.error else label_set.parse_prediction(one.label)
        except InputError as error:
            one = one.model_copy(update={"error": error.problem})
        one = one.model_copy(update={"label": prediction})
    state: AttributionState = "right" if prediction == true else "wrong"
    if prediction is None:
        state = "failed" if one is not None and one.error is not None else "unlabelled"
    return AttributionOutcome(
        label=true,
        prediction=prediction,
        state=state,
        complexity=parse_complexity(complexity),
        classification=one,
    )


class Confusion(Model):
    """How often each class was given to each class: every row is in exactly one cell.

    Args:
        labels: The classes, in the order of rows and columns.
        table: Rows are the true classes, columns the predicted ones.
        unlabelled: For each true class, the predictions that name no class.
        failed: For each true class, the rows that the classifier failed on.
    """

    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    unlabelled: tuple[int, ...]
    failed: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(map(sum, self.table)) + sum(self.unlabelled) + sum(self.failed)

    @property
    def correct(self) -> int:
        """How many rows are on the diagonal."""
        return sum(line[place] for place, line in enumerate(self.table))

    @classmethod
    def of_counts(cls, counts: Counts, labels: Sequence[str] = CAQA.labels) -> Confusion:
        """Return the matrix of the cells named so; other counts among them are left alone.

        >>> Confusion.of_counts({"attribution_a_as_b": 2}, ("a", "b")).table
        ((0, 2), (0, 0))
        """
        return cls(
            labels=tuple(labels),
            table=tuple(
                tuple(counts.get(_cell(true, f"as_{said}"), 0) for said in labels)
                for true in labels
            ),
            unlabelled=tuple(counts.get(_cell(true, "unlabelled"), 0) for true in labels),
            failed=tuple(counts.get(_cell(true, "failed"), 0) for true in labels),
        )


def _cell(true: str, said: str) -> str:
    return f"attribution_{true}_{said}".replace(" ", "_")


def confusion(
    predictions: Iterable[Predicted],
    labels: Iterable[str],
    *,
    label_set: LabelSet = CAQA,
) -> Confusion:
    """Count how often each class was given to each class.

    Args:
        predictions: Labels, ``None`` where there is none, or classifications, which may have
            failed.
        labels: The true labels, as many.
        label_set: The classes.

    Raises:
        InputError: If a label is unknown, or there are not as many predictions as labels.

    >>> confusion(["supportive", None], ["supportive", "missing"]).unlabelled
    (0, 1, 0, 0)
    """
    said, true = list(predictions), list(labels)
    if len(said) != len(true):
        raise InputError(
            f"there are {len(said)} predictions and {len(true)} labels.",
            fix="give one prediction for each label; None where there is none.",
        )
    cells = Counter(
        outcome_of_row(label, prediction, label_set=label_set, record=str(index)).cell
        for index, (prediction, label) in enumerate(zip(said, true, strict=True))
    )
    return Confusion.of_counts(cells, label_set.labels)
