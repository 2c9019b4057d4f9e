"""What is classified: question, answer and citation, with the labels that are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from pydantic import Field, field_validator

from citemeter.errors import InputError
from citemeter.files import ExtraFields, PlacedRecord, read_objects, rename_fields
from citemeter.intake import read_each
from citemeter.judges.base import Premise
from citemeter.metrics.alce import premise_text
from citemeter.models import Id, Model, Response, Text
from citemeter.results import RecordError
from citemeter.validation import record_name, validated

__all__ = ["AttributionRow", "read_attribution_rows", "row_of_response"]


class AttributionRow(Model):
    """One attribution: an answer, what it cites, and what people or a model say of the two.

    Args:
        id: The row's name in reports; its position when absent.
        question: What was asked.
        answer: The answer, or the one claim of it that the citation is to support.
        citation: The text cited, or several passages that are cited together.
        label: The true class, in any spelling of the label set.
        prediction: The class that was predicted; ``None``, blank or ``"None"`` if the model named
            none.
        complexity: How the answer follows from the citation; CAQA's ``single``, ``union``,
            ``intersection``, ``concatenation``, or any other grouping.
        metadata: Anything else.
    """

    id: Id | None = None
    question: Text | None = None
    answer: Text | None = None
    citation: tuple[Text, ...] | None = None
    label: Text | None = None
    prediction: Text | None = None
    complexity: Text | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @field_validator("citation", mode="before")
    @classmethod
    def _one_passage(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @property
    def premise(self) -> str:
        """The passages with any text, joined as a judge reads them."""
        passages = [text for text in self.citation or () if text and not text.isspace()]
        return Premise(passages) if len(passages) > 1 else "".join(passages)

    @classmethod
    def from_record(cls, record: Any, name: str | None = None) -> AttributionRow:
        """Validate a plain record; what is wrong is said with record, field and fix.

        Args:
            record: A mapping with this model's fields, or an ``AttributionRow``.
            name: What to call the record in an error when it has no id.

        Raises:
            InputError: If the record is no mapping, or a field is unknown or malformed.

        >>> AttributionRow.from_record({"answer": "Yes.", "evidence": "No."}, name="line 3")
        Traceback (most recent call last):
        ...
        citemeter.errors.InputError: record 'line 3', field 'evidence': unknown field. Fix: rename
        it (known fields: answer, citation, complexity, id, label, metadata, prediction, question),
        move it into metadata, or leave it out.
        """
        example = "a dict with 'answer', 'citation' and 'label'"
        return validated(cls, record, record_name(record, name), example=example)


def row_of_response(response: Response) -> AttributionRow:
    """Return a parsed response as one attribution: its whole answer against what it cites.

    Args:
        response: The response, with its statements; ``attribution_label`` is the true class,
            ``attribution_prediction`` the predicted one.

    Returns:
        The row. The answer is its statements without markers; the citation is the sources that it
        cites, in order of first appearance, or all of its sources if it cites none of them.

    >>> from citemeter import parse
    >>> row = row_of_response(parse("Cats purr [2].", ["Dogs bark.", "Cats purr."]))
    >>> row.answer, row.citation
    ('Cats purr.', ('Cats purr.',))
    """
    known = response.by_id
    cited = dict.fromkeys([c.source_id for c in response.citations if c.source_id in known])
    return AttributionRow(
        id=response.id,
        question=response.question,
        answer=" ".join([statement.text for statement in response.statements or ()]),
        citation=tuple([premise_text(known[source_id]) for source_id in cited or known]),
        label=response.attribution_label,
        prediction=response.attribution_prediction,
        complexity=response.complexity,
        metadata=response.metadata,
    )


def read_attribution_rows(
    paths: Iterable[str | Path],
    names: Mapping[str, str] | None = None,
    *,
    extra: ExtraFields = "error",
    stdin: TextIO | None = None,
) -> Iterator[PlacedRecord | RecordError]:
    """Read rows from JSON Lines, JSON or CSV files, one at a time where the format allows it.

    Args:
        paths: Files ending in ``.jsonl``, ``.ndjson``, ``.json`` or ``.csv``, also gzipped;
            ``-`` is standard input.
        names: Other names for the fields: ``{"answer": "claim", "citation": "references"}``.
        extra: What becomes of the fields that are left over.
        stdin: What ``-`` stands for; ``sys.stdin`` by default.

    Returns:
        Plain rows, and a ``RecordError`` for each that cannot be read, with file and line.

    Raises:
        InputError: If a file cannot be opened, its format is not known, or ``names`` maps what is
            no field.
    """
    names = dict(names or {})
    known = set(AttributionRow.model_fields)
    for ours in names:
        if ours not in known:
            raise InputError(
                f"there is no field {ours!r}.",
                field=ours,
                fix=f"the left side of a mapping is one of {', '.join(sorted(known))}.",
            )

    def read(record: Mapping[str, Any], place: str) -> PlacedRecord:
        return PlacedRecord({"id": place, **rename_fields(record, names, known, extra)}, place)

    return read_each(read_objects(paths, stdin=stdin, nested=("metadata",)), read)
