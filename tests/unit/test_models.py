"""Input models: what validates, what is refused, and what the refusal says."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from citemeter.errors import InputError
from citemeter.models import Citation, Model, ParseInfo, Response, Skipped, Source, Span, Statement


class TestForms:
    def test_sources_as_mapping_texts_dicts_and_objects(self) -> None:
        for sources in (
            {"1": "A."},
            {1: "A."},
            ["A."],
            [{"id": "1", "text": "A."}],
            [Source(id="1", text="A.")],
            {"1": {"text": "A."}},
        ):
            assert Response(answer="", sources=sources).sources == (Source(id="1", text="A."),)  # type: ignore[arg-type]

    def test_statements_as_pairs(self) -> None:
        response = Response.from_record({"statements": [("A.", ["x", 2]), ["B.", []]]})
        assert response.statements is not None
        assert [s.text for s in response.statements] == ["A.", "B."]
        assert response.statements[0].source_ids == ("x", "2")
        assert response.statements[0].raw == "A."
        assert response.statements[0].citations[0].span is None

    def test_integers_are_ids_and_truth_values_are_not(self) -> None:
        assert Source(id=7, text="").id == "7"  # type: ignore[arg-type]
        with pytest.raises(ValidationError):
            Source(id=True, text="")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("gold", "expected"),
        [
            (["a", "b"], (("a", "b"),)),
            ([["a"], ["b", 3]], (("a",), ("b", "3"))),
            ([], ((),)),
            ({"b", "a"}, (("a", "b"),)),
            (None, None),
        ],
    )
    def test_gold(self, gold: Any, expected: Any) -> None:
        response = Response.from_record({"answer": "", "gold_source_ids": gold})
        assert response.gold_source_ids == expected

    def test_models_are_frozen(self) -> None:
        with pytest.raises(ValidationError):
            Source(id="1", text="").text = "x"  # type: ignore[misc]

    def test_repeated_equal_sources_are_one(self) -> None:
        response = Response(answer="", sources=[{"id": "1", "text": "A."}] * 2)  # type: ignore[arg-type]
        assert len(response.sources) == 1

    def test_citations_lists_unattached_ones_too(self) -> None:
        response = Response(
            statements=(Statement(text="A.", citations=(Citation(source_id="1"),)),),
            unattached=(Citation(source_id="2"),),
        )
        assert [c.source_id for c in response.citations] == ["1", "2"]


BAD = [
    ({"answer": None}, None, "neither 'answer' nor 'statements'"),
    ({}, None, "neither 'answer' nor 'statements'"),
    ({"answer": 5}, "answer", "string"),
    ({"answer": "x", "question": "?", "foo": 1}, "foo", "unknown field"),
    ({"answer": "x", "sources": None}, "sources", "null is no value here"),
    ({"answer": "x", "sources": "text"}, "sources", "tuple"),
    ({"answer": "x", "sources": [{"id": "1"}]}, "sources.0.text", "missing"),
    ({"answer": "x", "sources": [{"id": "1", "text": None}]}, "sources.0.text", "null"),
    ({"answer": "x", "sources": [{"id": None, "text": ""}]}, "sources.0.id", "null"),
    ({"answer": "x", "sources": [{"id": "1", "text": "", "url": ""}]}, "sources.0.url", "unknown"),
    (
        {"answer": "x", "sources": [{"id": 1, "text": "a"}, {"id": "1", "text": "b"}]},
        "sources",
        "two different texts",
    ),
    ({"statements": [("a", "id")]}, "statements.0", r"expected \(text, \[source ids\]\)"),
    ({"statements": [("a",)]}, "statements.0", r"expected \(text, \[source ids\]\)"),
    ({"statements": [(None, [])]}, "statements.0.text", "null"),
    ({"answer": "x", "gold_source_ids": ["a", ["b"]]}, "gold_source_ids", "mixture"),
    ({"answer": "x", "answerable": "maybe"}, "answerable", "boolean"),
    ({"answer": "lone \ud800"}, "answer", "lone surrogate at offset 5"),
]


@pytest.mark.parametrize(("record", "field", "problem"), BAD)
def test_errors_name_record_field_and_mend(record: Any, field: str | None, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        Response.from_record(record, "line 7")
    error = caught.value
    assert (error.record, error.field) == ("line 7", field)
    assert error.fix
    assert "line 7" in str(error)


def test_errors_count_further_problems_and_name_the_id() -> None:
    with pytest.raises(InputError, match="1 more problem") as caught:
        Response.from_record({"id": "r9", "answer": 1, "sources": 2}, "line 7")
    assert caught.value.record == "line 7 (id r9)"


@pytest.mark.parametrize("record", [None, 5, "text", [1]])
def test_records_that_are_no_mappings(record: Any) -> None:
    with pytest.raises(InputError, match="expected an object"):
        Response.from_record(record, "line 7")


def test_trusted_instances_equal_validated_ones() -> None:
    def check(model: Model) -> None:
        twin = type(model).trusted(dict(model))
        assert twin == model
        assert hash(twin) == hash(model)
        assert twin.model_dump_json() == model.model_dump_json()
        assert type(model).model_validate_json(twin.model_dump_json()) == model
        assert twin.model_copy(update={}) == model

    check(Citation(source_id="1", marker="[1]", span=Span(0, 3)))
    check(Statement(text="A.", raw="A.", span=Span(0, 2), citations=(Citation(source_id="1"),)))
    check(Skipped(kind="code", span=Span(0, 2)))
    check(
        ParseInfo(
            style="numeric",
            requested_style="auto",
            segmenter="citemeter",
            attach="previous",
            numbering=None,
            worthiness="default",
            skipped=(Skipped(kind="code", span=Span(0, 2)),),
        )
    )


def test_nul_and_right_to_left_text_are_text() -> None:
    text = "a\x00b \u202e\u05d0\u05d1 [1]"
    response = Response(answer=text)
    assert Response.model_validate_json(response.model_dump_json()).answer == text
