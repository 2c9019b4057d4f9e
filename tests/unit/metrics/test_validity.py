"""Citation validity: the share of citations that name a source, and those that do not."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter

SOURCES = {"1": "A", "2": "B", "doc-12": "C"}


def test_occurrences_are_counted_headings_and_repetitions_included() -> None:
    # 1 in the heading, 1 twice and 7 in the sentences: 3 of 4.
    record = {"answer": "# Cats [1]\n\nCats purr [1][1]. Dogs bark [7].", "sources": SOURCES}
    validity = citemeter.citation_validity(record)
    assert (validity.value, validity.numerator, validity.denominator) == (0.75, 3, 4)


def test_invalid_ids_are_listed_with_their_places() -> None:
    answer = "Cats purr [1, 9]. Dogs bark [7].\n\n## More [8]"
    validity = citemeter.citation_validity({"answer": answer, "sources": SOURCES})
    assert [c.source_id for c in validity.invalid] == ["9", "7", "8"]
    for invalid in validity.invalid:
        assert invalid.span is not None
        assert invalid.span.of(answer) == invalid.marker
        assert invalid.source_id in invalid.marker
        assert invalid.near_miss is None


@pytest.mark.parametrize("cited", ["doc_12", "Doc-12", "DOC 12", "doc12"])
def test_near_misses_are_invalid_and_named(cited: str) -> None:
    record = {"statements": [("Cats purr.", [cited])], "sources": SOURCES}
    validity = citemeter.citation_validity(record)
    assert validity.value == 0.0
    assert [(c.source_id, c.near_miss) for c in validity.invalid] == [(cited, "doc-12")]


@pytest.mark.parametrize(
    ("numbering", "invalid", "value"),
    [
        # Counted from 1, [0] is no place and [2] the last; it is never the last source.
        (1, ["0"], 2 / 3),
        # Counted from 0, [0] and [1] are the two sources.
        (0, ["2"], 2 / 3),
        # As ids, "0" to "2" name nothing.
        (None, ["0", "1", "2"], 0.0),
    ],
)
def test_numbering(numbering: Any, invalid: list[str], value: float) -> None:
    response = citemeter.parse(
        "Cats purr [0]. Dogs bark [1]. Fish swim [2].",
        {"x": "A", "y": "B"},
        numbering=numbering,
        style="numeric",
    )
    validity = citemeter.citation_validity(response)
    assert [c.marker.strip("[]") for c in validity.invalid] == invalid
    assert validity.value == value


def test_zero_is_invalid_when_ids_start_at_one() -> None:
    record = {"answer": "Cats purr [0].", "sources": ["A", "B"]}
    validity = citemeter.citation_validity(record)
    assert [c.source_id for c in validity.invalid] == ["0"]
    assert citemeter.citation_recall(record, lambda premise, hypothesis: True).value == 0.0
    assert citemeter.citation_precision(record, lambda premise, hypothesis: True).value == 0.0


def test_nothing_cited_is_undefined() -> None:
    record = {"answer": "Cats purr.", "sources": SOURCES}
    validity = citemeter.citation_validity(record)
    assert (validity.value, validity.reason, validity.invalid) == (None, "no citation", ())
    assert citemeter.citation_validity(record, zero_division=1.0).value == 1.0


def test_the_share_of_answers_with_any_fabricated_id() -> None:
    # Answers 2 and 4 of 4 have one, however many.
    answers = ["Cats purr [1].", "Cats purr [1][7].", "Cats purr.", "Cats purr [7][8]."]
    report = citemeter.score([{"answer": a, "sources": SOURCES} for a in answers], judge=None)
    assert report["fabrication_rate"] == 0.5
    # Validity: 1, 1/2, undefined, 0; pooled 2 of 5.
    assert report["citation_validity"] == 0.5
    assert report.micro["citation_validity"] == 0.4
