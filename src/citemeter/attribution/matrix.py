"""The confusion matrix of a classification: every row is in one of its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from citemeter.attribution.labels import CAQA, LabelSet
from citemeter.errors import InputError
from citemeter.metrics.base import Counts
from citemeter.models import Model
from citemeter.verdicts import Verdict

__all__ = ["Classification", "Confusion", "Predicted", "confusion"]


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


Predicted: TypeAlias = str | Classification | None
"""A predicted label, a classification, or ``None`` for no label."""


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

    @property
    def counts(self) -> dict[str, int]:
        """Every cell by name, such as ``attribution_supportive_as_irrelevant``.

        Drawing rows with replacement is drawing from these cells, so an interval needs no more.
        """
        cells: dict[str, int] = {}
        for true, line, unlabelled, failed in zip(
            self.labels, self.table, self.unlabelled, self.failed, strict=True
        ):
            for said, number in zip(self.labels, line, strict=True):
                cells[_cell(true, f"as_{said}")] = number
            cells[_cell(true, "unlabelled")] = unlabelled
            cells[_cell(true, "failed")] = failed
        return cells

    @classmethod
    def of_counts(cls, counts: Counts, labels: Sequence[str] = CAQA.labels) -> Confusion:
        """Return the matrix whose ``counts`` these are; other counts among them are left alone.

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
    names: Sequence[str] | None = None,
) -> Confusion:
    """Count how often each class was given to each class.

    Args:
        predictions: Labels, ``None`` where there is none, or classifications, which may have
            failed.
        labels: The true labels, as many.
        label_set: The classes.
        names: What to call the rows in an error; their positions from 0 by default.

    Raises:
        InputError: If a label is unknown, or there are not as many predictions as labels.

    >>> confusion(["supportive", None], ["supportive", "missing"]).unlabelled
    (0, 1, 0, 0)
    """
    places = {label: place for place, label in enumerate(label_set.labels)}
    said, true = list(predictions), list(labels)
    if len(said) != len(true):
        raise InputError(
            f"there are {len(said)} predictions and {len(true)} labels.",
            fix="give one prediction for each label; None where there is none.",
        )
    size = len(places)
    table = [[0] * size for _ in places]
    unlabelled, failed = [0] * size, [0] * size
    for index, (prediction, label) in enumerate(zip(said, true, strict=True)):
        name = str(index) if names is None else names[index]
        row = places[label_set.parse(label, record=name)]
        if isinstance(prediction, Classification):
            if prediction.error is not None:
                failed[row] += 1
                continue
            prediction = prediction.label
        known = label_set.parse_prediction(prediction, record=name)
        if known is None:
            unlabelled[row] += 1
        else:
            table[row][places[known]] += 1
    return Confusion(
        labels=label_set.labels,
        table=tuple(map(tuple, table)),
        unlabelled=tuple(unlabelled),
        failed=tuple(failed),
    )
