"""How what does not validate is worded: record, field, problem and fix, whatever the model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field, field_validator

from citemeter.errors import InputError
from citemeter.models import Model
from citemeter.validation import record_name, validated


class Inner(Model):
    name: str
    metadata: dict[str, Any] = Field(default_factory=dict)


class Outer(Model):
    inner: tuple[Inner, ...] | None = None
    share: float = Field(default=0.5, gt=0, le=1)
    words: tuple[str, ...] = Field(default=("a",), min_length=1)

    @field_validator("share")
    @classmethod
    def _not_half_of_half(cls, value: float) -> float:
        if value == 0.25:
            raise InputError("a quarter is too little.", fix="give a half.")
        return value


CASES: dict[str, tuple[Any, str | None, str, str]] = {
    "no object": ([1], None, "expected an object, got list.", "an object with inner, share, words"),
    "unknown": ({"inner_": 1}, "inner_", "unknown field.", "inner, share, words), or leave it out"),
    "unknown, nested": (
        {"inner": [{"name": "a", "nmae": "b"}]},
        "inner.0.nmae",
        "unknown field.",
        "rename it (known fields: metadata, name), move it into metadata, or leave it out.",
    ),
    "missing": ({"inner": [{}]}, "inner.0.name", "this field is missing.", "add it."),
    "null": ({"inner": [{"name": None}]}, "inner.0.name", "null is no value here;", "a string"),
    "a number": ({"inner": [{"name": 5}]}, "inner.0.name", "expected a string, got int.", "quotes"),
    "a list": ({"inner": [{"name": []}]}, "inner.0.name", "got list.", "give a string."),
    "out of range": ({"share": 2}, "share", "less than or equal to 1", "correct the value."),
    "too few": ({"words": []}, "words", "at least 1 item", "give at least one"),
    "the validator's own words": ({"share": 0.25}, "share", "too little.", "give a half."),
}


@pytest.mark.parametrize("case", list(CASES))
def test_a_problem_names_record_field_and_fix(case: str) -> None:
    value, field, problem, fix = CASES[case]
    with pytest.raises(InputError) as caught:
        validated(Outer, value, "line 3")
    error = caught.value
    assert (error.record, error.field) == ("line 3", field)
    assert problem in error.problem
    assert fix in (error.fix or "")


def test_a_field_within_a_field_is_named_by_its_whole_path() -> None:
    with pytest.raises(InputError, match=r"field 'sources\.2\.name': this field is missing"):
        validated(Inner, {}, "r", "sources.2")
    with pytest.raises(InputError, match=r"field 'sources\.2': expected an object"):
        validated(Inner, "text", "r", "sources.2")


def test_further_problems_are_counted() -> None:
    with pytest.raises(InputError, match=r"\(2 more problems in this record\.\)"):
        validated(Outer, {"inner": [{}], "share": 7, "words": []}, None)


def test_an_instance_stays_as_it_is() -> None:
    inner = Inner(name="a")
    assert validated(Inner, inner, None) is inner


def test_a_record_is_called_by_its_place_and_its_id() -> None:
    assert record_name({"id": "a"}, "a") == "a"
    assert record_name({"id": True}, "line 3") == "line 3"
    assert record_name(["id"], None) is None
