"""The report on a set of attributions, with every row behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field

from citemeter.attribution.classify import Classifier, Classify, as_classifier, classify_rows
from citemeter.attribution.labels import CAQA, LabelSet, label_set_named, parse_complexity
from citemeter.attribution.matrix import Classification, confusion
from citemeter.attribution.rows import AttributionRow
from citemeter.attribution.scores import ClassScores, Unlabelled, class_scores
from citemeter.errors import InputError, check_choice
from citemeter.metrics.base import check_zero_division
from citemeter.models import Model
from citemeter.results import RecordError
from citemeter.validation import record_name
from citemeter.verdicts import JudgeIdentity

__all__ = ["AttributionReport", "AttributionResult", "AttributionState", "attribution_report"]

AttributionState = Literal["right", "wrong", "unlabelled", "failed"]
"""Every row is in exactly one state.

- ``right``: the predicted class is the true one.
- ``wrong``: it is another.
- ``unlabelled``: the prediction names no class.
- ``failed``: the classifier failed on it.
"""


class AttributionResult(Model):
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
    label: str
    prediction: str | None
    state: AttributionState
    complexity: str | None = None
    classification: Classification | None = None


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
    if isinstance(rows, (Mapping, AttributionRow, str, bytes)):
        raise InputError(
            f"expected a list of rows, got {type(rows).__name__}.", fix="put the row in a list."
        )
    asked = None if classifier is None else as_classifier(classifier)
    before = asked.usage() if asked else {}
    places: list[int] = []
    read: list[AttributionRow] = []
    labels: list[str] = []
    given: list[str | None] = []
    errors: list[RecordError] = []
    records = 0
    for index, record in enumerate(rows):
        records += 1
        try:
            row, label, prediction = _readable(record, index, known, asked is not None)
        except InputError as error:
            if strict:
                raise
            errors.append(_record_error(index, record, error))
            continue
        places.append(index)
        read.append(row)
        labels.append(label)
        given.append(prediction)
    classified: list[Classification | None]
    if asked is None:
        classified = [None] * len(read)
    else:
        classified = []
        for row, found in zip(read, classify_rows(asked, read), strict=True):
            classified.append(_known(found, known, row))
        given = [None if one is None else one.label for one in classified]
    results = tuple(
        AttributionResult(
            id=row.id if row.id is not None else str(index),
            index=index,
            question=row.question,
            answer=row.answer,
            citation=row.citation,
            label=label,
            prediction=prediction,
            state=_state(label, prediction, one),
            complexity=parse_complexity(row.complexity),
            classification=one,
        )
        for index, row, label, prediction, one in zip(
            places, read, labels, given, classified, strict=True
        )
    )
    levels = sorted({r.complexity for r in results if r.complexity is not None})
    states = [result.state for result in results]
    usage = asked.usage() if asked else {}
    return AttributionReport(
        label_set=known.name,
        labels=known.labels,
        classifier=asked.identity if asked else None,
        unlabelled=unlabelled,
        zero_division=zero_division,
        scores=_scores(results, known, unlabelled, zero_division),
        by_complexity={
            level: _scores(
                [r for r in results if r.complexity == level], known, unlabelled, zero_division
            )
            for level in levels
        },
        rows={
            "records": records,
            "scored": len(results),
            "error": len(errors),
            "right": states.count("right"),
            "wrong": states.count("wrong"),
            "unlabelled": states.count("unlabelled"),
            "failed": states.count("failed"),
            "without_complexity": sum(1 for r in results if r.complexity is None),
        },
        usage={name: value - before.get(name, 0) for name, value in usage.items()},
        results=results,
        errors=tuple(errors),
    )


def _readable(
    record: Any, index: int, known: LabelSet, classifying: bool
) -> tuple[AttributionRow, str, str | None]:
    if isinstance(record, RecordError):
        raise InputError(record.message, record=record.record)
    row = AttributionRow.from_record(record, getattr(record, "place", f"number {index}"))
    name = row.id or f"number {index}"
    if row.label is None:
        raise InputError("the true label is missing.", record=name, field="label", fix="add it.")
    label = known.parse(row.label, record=name)
    if not classifying:
        if "prediction" not in row.model_fields_set:
            raise InputError(
                "there is neither a prediction nor a classifier.",
                record=name,
                field="prediction",
                fix="add the predicted label (null where the model named none), or classify.",
            )
        return row, label, known.parse_prediction(row.prediction, record=name)
    for field in ("answer", "citation"):
        if getattr(row, field) is None:
            raise InputError(
                "there is nothing to classify.", record=name, field=field, fix="add it."
            )
    return row, label, None


def _known(found: Classification, known: LabelSet, row: AttributionRow) -> Classification:
    """Return a classification in the label set's own words; a class of no set has failed."""
    if found.error is not None:
        return found
    try:
        label = known.parse_prediction(found.label, record=row.id)
    except InputError as error:
        return found.model_copy(update={"label": None, "error": error.problem})
    return found if label == found.label else found.model_copy(update={"label": label})


def _state(label: str, prediction: str | None, one: Classification | None) -> AttributionState:
    if one is not None and one.error is not None:
        return "failed"
    if prediction is None:
        return "unlabelled"
    return "right" if prediction == label else "wrong"


def _scores(
    results: Iterable[AttributionResult],
    known: LabelSet,
    unlabelled: Unlabelled,
    zero_division: float | None,
) -> ClassScores:
    chosen = list(results)
    matrix = confusion(
        [r.prediction if r.classification is None else r.classification for r in chosen],
        [r.label for r in chosen],
        label_set=known,
    )
    return class_scores(matrix, unlabelled=unlabelled, zero_division=zero_division)


def _record_error(index: int, record: Any, error: InputError) -> RecordError:
    if isinstance(record, RecordError):
        return record.model_copy(update={"index": index})
    name = record_name(record, None) or str(index)
    return RecordError(index=index, record=name, message=str(error))
