"""Expectations from files of their own, joined to the records by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from citemeter.cli.console import say
from citemeter.errors import InputError
from citemeter.grounding import EXPECTATIONS, GroundingCase, read_cases
from citemeter.io import PlacedRecord
from citemeter.results import RecordError


def with_cases(
    records: Iterator[PlacedRecord | RecordError], paths: Sequence[Path]
) -> Iterator[PlacedRecord | RecordError]:
    """Yield the records with what is expected of them; say which cases no record met.

    Raises:
        InputError: If a case is malformed, has no id, or one that another has.
    """
    cases: dict[str, GroundingCase] = {}
    for case in read_cases(paths):
        if isinstance(case, RecordError):
            raise InputError(case.message)
        if case.id is None:
            raise InputError("a case has no id.", fix="give each case its record's id.")
        if case.id in cases:
            raise InputError(f"two cases have the id {case.id!r}.", fix="join them in one.")
        cases[case.id] = case
    return _joined(records, cases)


def _joined(
    records: Iterator[PlacedRecord | RecordError], cases: dict[str, GroundingCase]
) -> Iterator[PlacedRecord | RecordError]:
    left = dict(cases)
    for record in records:
        if isinstance(record, PlacedRecord):
            case = cases.get(str(record.get("id")))
            if case is not None:
                left.pop(str(case.id), None)
                given = case.model_dump(mode="json", include=set(EXPECTATIONS), exclude_none=True)
                record.update(given)
        yield record
    if left:
        names = ", ".join(list(left)[:5]) + (" and others" if len(left) > 5 else "")
        say(f"{len(left)} cases have no record: {names}")
