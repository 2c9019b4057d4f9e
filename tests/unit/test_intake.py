"""Records one after another: positions, places, and what is set aside."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.files import PlacedRecord
from citemeter.intake import Intake, check_several
from citemeter.models import Response
from citemeter.results import RecordError


def answer(record: Any, index: int, place: str) -> tuple[int, str, str]:
    if "answer" not in record:
        raise InputError("there is no answer.", record=place)
    return index, place, record["answer"]


def test_bad_records_are_set_aside_and_positions_count_on() -> None:
    intake = Intake()
    unread = RecordError(index=0, record="a.jsonl:2", message="a.jsonl:2: broken")
    first = [{"answer": "a"}, unread, PlacedRecord({"id": "x"}, "a.jsonl:3")]
    assert list(intake.read(first, answer)) == [(0, "number 0", "a")]
    placed = PlacedRecord({"answer": "b"}, "a.jsonl:4")
    assert list(intake.read([placed, {}], answer)) == [(3, "a.jsonl:4", "b")]
    assert (intake.begun, intake.failed) == (5, 3)
    assert [(e.index, e.record, e.message) for e in intake.errors] == [
        (1, "a.jsonl:2", "a.jsonl:2: broken"),
        (2, "x", "record 'a.jsonl:3': there is no answer."),
        (4, "4", "record 'number 4': there is no answer."),
    ]


def test_only_the_first_errors_are_described_on_request() -> None:
    intake = Intake(most_errors=2)
    assert list(intake.read([{}] * 5, answer)) == []
    assert (intake.failed, len(intake.errors)) == (5, 2)


def test_strict_raises_at_the_first() -> None:
    read = Intake().read([{"answer": "a"}, {}], answer, strict=True)
    assert next(read) == (0, "number 0", "a")
    with pytest.raises(InputError, match="record 'number 1': there is no answer"):
        next(read)


@pytest.mark.parametrize("one", [{"answer": "a"}, "a", b"a", Response(answer="a"), None, 3])
def test_one_record_is_no_list_of_them(one: object) -> None:
    with pytest.raises(InputError, match=r"expected a list of rows, .*put the row in a list"):
        check_several(one, "row")
    check_several([one], "row")
    check_several(iter([]), "row")
