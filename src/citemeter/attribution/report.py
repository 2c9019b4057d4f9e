"""The report on a set of attributions, with every row behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, get_args

from pydantic import Field

from citemeter.attribution.classify import Classifier, Classify, as_classifier, classify_rows
from citemeter.attribution.labels import CAQA, LabelSet, label_set_named
from citemeter.attribution.matrix import (
    AttributionOutcome,
    AttributionState,
    Confusion,
    Predicted,
    outcome_of_row,
)
from citemeter.attribution.rows import AttributionRow
from citemeter.attribution.scores import ClassScores, Unlabelled, class_scores
from citemeter.errors import InputError, check_choice
from citemeter.intake import Intake, check_several
from citemeter.metrics.base import check_zero_division
from citemeter.models import Model
from citemeter.results import RecordError
from citemeter.verdicts import JudgeIdentity

__all__ = ["AttributionReport", "AttributionResult", "attribution_report"]


class AttributionResult(AttributionOutcome):
    """One row, and what became of it.

    Args:
        id: The row's id, or its position when it has none.
        index: Its position in the input, from 0.
        question: What was asked.
        answer: The answer.
        citation: The passages cited.
        label: The true class.
        prediction: The predicted class, if there is one.
        state: See ``AttributionState``.
        complexity: Its level of reasoning, if given.
        classification: What the classifier said, if one was asked.
    """

    id: str
    index: int
    question: str | None = None
    answer: str | None = None
    citation: tuple[str, ...] | None = None


class AttributionReport(Model):
    """The scores of a set of attributions, and everything behind them.

    ``report["attribution_micro_f1"]`` is the primary score.

    Args:
        label_set: The classes' name.
        labels: The classes.
        classifier: Who classified; ``None`` if the predictions came with the rows.
        unlabelled: What a prediction without a label counted as.
        zero_division: The value at 0/0.
        scores: The scores over all rows.
        by_complexity: The scores over the rows of each level of reasoning.
        rows: How many ``records`` there were, how many were ``scored`` and how many had an
            ``error``; of those scored, how many were ``right``, ``wrong``, ``unlabelled``,
            ``failed``, and how many are ``without_complexity``.
        usage: What the classifier used up.
        results: One result a scored row.
        errors: The records that could not be scored.
    """

    label_set: str
    labels: tuple[str, ...]
    classifier: JudgeIdentity | None
    unlabelled: Unlabelled
    zero_division: float | None
    scores: ClassScores
    by_complexity: dict[str, ClassScores]
    rows: dict[str, int]
    usage: dict[str, float] = Field(default_factory=dict)
    results: tuple[AttributionResult, ...] = ()
    errors: tuple[RecordError, ...] = ()

    @property
    def metrics(self) -> dict[str, float | None]:
        """Every score by name; those of a level of reasoning as ``…/union``."""
        found = _named(self.scores)
        for level, scores in self.by_complexity.items():
            found.update({f"{name}/{level}": value for name, value in _named(scores).items()})
        return found

    def __getitem__(self, metric: str) -> float | None:
        metrics = self.metrics
        if metric not in metrics:
            raise KeyError(f"{metric!r}: this report has {', '.join(metrics)}")
        return metrics[metric]


def _named(scores: ClassScores) -> dict[str, float | None]:
    found = {
        "attribution_micro_f1": scores.attribution_micro_f1.value,
        "attribution_macro_f1": scores.attribution_macro_f1,
    }
    for one in scores.classes:
        for score in (one.precision, one.recall, one.f1):
            found[score.name] = score.value
    return found


def attribution_report(
    rows: Iterable[Any],
    classifier: Classifier | Classify | None = None,
    *,
    label_set: str | LabelSet = CAQA,
    unlabelled: Unlabelled = "wrong",
    zero_division: float | None = None,
    strict: bool = False,
) -> AttributionReport:
    """Score a classification of attributions.

    Args:
        rows: ``AttributionRow`` objects, plain dicts with their fields, or what
            ``read_attribution_rows`` yields.
        classifier: What names each row's class: a ``Classifier``, or a callable
            ``(question, answer, citation) -> label``. Its classes count, not predictions that came
            with the rows. Without one, each row must have a ``prediction``.
        label_set: The classes: ``"caqa"``, ``"attributionbench"``, or a ``LabelSet``.
        unlabelled: Whether a prediction that names no class is a wrong one, as in CAQA's recipe,
            or left out.
        zero_division: The value at 0/0; ``0`` gives scikit-learn's values.
        strict: Raise at the first row that cannot be scored, instead of setting it aside.

    Returns:
        The report. Rows that the classifier failed on are counted and left out of the scores;
        ``scores.bounds`` says what they could have done to micro-F1.

    Raises:
        InputError: If an option is unknown, or ``strict`` is set and a row cannot be scored.

    >>> report = attribution_report([
    ...     {"label": "Support", "prediction": "supportive", "complexity": "union"},
    ...     {"label": "Missing", "prediction": "irrelevant", "complexity": "union"},
    ...     {"label": "irrelevant", "prediction": "irrelevant", "complexity": "single"},
    ... ])
    >>> round(report["attribution_micro_f1"], 4), report["attribution_micro_f1/union"]
    (0.6667, 0.5)

    Reference: Hu et al. (2024), https://arxiv.org/abs/2401.14640; Li et al. (2024),
    https://arxiv.org/abs/2402.15089, for the two-class form.
    """
    known = label_set_named(label_set)
    check_choice("unlabelled", unlabelled, ("wrong", "exclude"))
    check_zero_division(zero_division)
    check_several(rows, "row")
    asked = None if classifier is None else as_classifier(classifier)
    before = asked.usage() if asked else {}

    def read(record: Any, index: int, place: str) -> tuple[int, AttributionRow]:
        row = AttributionRow.from_record(record, place)
        name = row.id or f"number {index}"
        _check_complete(row, name, classifying=asked is not None)
        said = None if asked else row.prediction
        outcome_of_row(row.label, said, label_set=known, record=name)  # what is no label
        return index, row

    intake = Intake()
    readable = list(intake.read(rows, read, strict=strict))
    predicted: list[Predicted] = [row.prediction for _, row in readable]
    if asked is not None:
        predicted = [*classify_rows(asked, [row for _, row in readable])]
    results = [
        AttributionResult(
            **dict(outcome_of_row(row.label, said, row.complexity, label_set=known)),
            id=row.id if row.id is not None else str(index),
            index=index,
            question=row.question,
            answer=row.answer,
            citation=row.citation,
        )
        for (index, row), said in zip(readable, predicted, strict=True)
    ]

    def scores(level: str | None = None) -> ClassScores:
        cells = Counter(r.cell for r in results if level is None or r.complexity == level)
        matrix = Confusion.of_counts(cells, known.labels)
        return class_scores(matrix, unlabelled=unlabelled, zero_division=zero_division)

    levels = sorted({r.complexity for r in results if r.complexity is not None})
    states = [result.state for result in results]
    usage = asked.usage() if asked else {}
    return AttributionReport(
        label_set=known.name,
        labels=known.labels,
        classifier=asked.identity if asked else None,
        unlabelled=unlabelled,
        zero_division=zero_division,
        scores=scores(),
        by_complexity={level: scores(level) for level in levels},
        rows={
            "records": intake.begun,
            "scored": len(results),
            "error": intake.failed,
            **{state: states.count(state) for state in get_args(AttributionState)},
            "without_complexity": sum(1 for r in results if r.complexity is None),
        },
        usage={name: value - before.get(name, 0) for name, value in usage.items()},
        results=tuple(results),
        errors=tuple(intake.errors),
    )


def _check_complete(row: AttributionRow, name: str, *, classifying: bool) -> None:
    """Refuse a row that lacks what it takes to be scored."""
    needed = {"label": "the true label is missing."}
    if classifying:
        needed |= dict.fromkeys(("answer", "citation"), "there is nothing to classify.")
    for field, problem in needed.items():
        if getattr(row, field) is None:
            raise InputError(problem, record=name, field=field, fix="add it.")
    if not classifying and "prediction" not in row.model_fields_set:
        raise InputError(
            "there is neither a prediction nor a classifier.",
            record=name,
            field="prediction",
            fix="add the predicted label (null where the model named none), or classify.",
        )
