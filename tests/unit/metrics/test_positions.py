"""Where citations stand: positions, their variation, those inside a sentence."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable
from math import sqrt
from pathlib import Path

import pytest

from citemeter.errors import InputError
from citemeter.metrics.positions import (
    CVCP,
    INSIDE_RATE,
    citation_positions,
    count_positions,
    script_positions,
    variation_counts,
)
from citemeter.models import Citation, Response, Span, Statement
from citemeter.text.parse import parse

SOURCES = ["a", "b", "c"]


def cited(raw: str, places: Iterable[int]) -> Statement:
    """A statement with a marker of three characters at each place."""
    spans = [Span(place, place + 3) for place in places]
    citations = tuple(Citation(source_id="1", marker=span.of(raw), span=span) for span in spans)
    return Statement(text=raw, raw=raw, span=Span(0, len(raw)), citations=citations)


def test_by_hand() -> None:
    # "Ab [1] cd [2]." has 14 characters, its markers at 3 and 10; "Efgh ij [1]." has 12, at 8.
    found = citation_positions({"answer": "Ab [1] cd [2]. Efgh ij [1].", "sources": SOURCES})
    expected = [3 / 14, 10 / 14, 8 / 12]
    assert found.positions == pytest.approx(expected, abs=1e-6)
    mean = sum(expected) / 3
    assert found.mean == pytest.approx(mean, abs=1e-6)
    spread = sqrt(sum((x - mean) ** 2 for x in expected) / 3)
    assert found.variation.value == pytest.approx(spread / mean, abs=1e-5)
    assert found.variation.numerator == pytest.approx(spread, abs=1e-6)
    assert found.variation.denominator == pytest.approx(mean, abs=1e-6)
    # "[1]" of the first sentence is followed by a word; the others by a full stop.
    assert found.inside_rate.value == pytest.approx(1 / 3)
    assert found.unplaced == 0


def test_citations_at_one_place_do_not_vary() -> None:
    # "It is [1]." twice: position 6/10 twice.
    found = citation_positions({"answer": "It is [1]. It is [2].", "sources": SOURCES})
    assert found.positions == (0.6, 0.6)
    assert found.variation.value == 0.0


def test_the_ids_of_one_marker_share_its_place() -> None:
    found = citation_positions({"answer": "It is [1, 2]. It is.", "sources": SOURCES})
    assert found.positions == pytest.approx((6 / 13, 6 / 13), abs=1e-6)
    assert found.variation.value == 0.0


def test_a_marker_after_the_full_stop_stands_at_the_end() -> None:
    # "It is so. [1]" has 13 characters, the marker at 10.
    found = citation_positions({"answer": "It is so. [1] It is.", "sources": SOURCES})
    assert found.positions == pytest.approx((10 / 13,), abs=1e-6)
    assert found.inside_rate.value == 0.0


@pytest.mark.parametrize(
    ("answer", "reason", "positions"),
    [
        ("", "no citation stands in a statement", 0),
        ("Cats purr.", "no citation stands in a statement", 0),
        ("[1]", "no citation stands in a statement", 0),
        ("# Title [1]\n\nCats purr.", "no citation stands in a statement", 0),
        ("Cats purr [1].", "one position does not vary", 1),
        ("[1, 2] Cats purr.", "every citation stands at the start of its statement", 2),
    ],
)
def test_undefined(answer: str, reason: str, positions: int) -> None:
    found = citation_positions({"answer": answer, "sources": SOURCES})
    assert found.variation.value is None
    assert found.variation.reason == reason
    assert len(found.positions) == positions
    instead = citation_positions({"answer": answer, "sources": SOURCES}, zero_division=0)
    assert instead.variation.value == 0.0
    assert instead.variation.reason == reason


def test_zero_division_must_be_a_score() -> None:
    with pytest.raises(InputError, match="zero_division"):
        citation_positions({"answer": "", "sources": []}, zero_division=-1)


def test_the_mean_is_zero() -> None:
    assert CVCP.value(variation_counts([0, 0])) == (
        None,
        "every citation stands at the start of its statement",
    )
    assert CVCP.score({}).bounds is None


def test_statements_that_came_split_have_no_places() -> None:
    found = citation_positions({"statements": [("Cats purr.", ["1", "2"])], "sources": SOURCES})
    assert (found.positions, found.unplaced, found.mean) == ((), 2, None)
    assert found.variation.value is None


def test_offsets_that_do_not_fit_are_no_places() -> None:
    statement = Statement.model_validate(
        {
            "text": "Cats purr.",
            "raw": "Cats [1] purr.",
            "span": (100, 114),
            "citations": [
                {"source_id": "1", "marker": "[1]", "span": (105, 108)},
                {"source_id": "2", "marker": "[2]", "span": (5, 8)},
                {"source_id": "3", "marker": "[3]", "span": (112, 115)},
                {"source_id": "3"},
            ],
        }
    )
    found = citation_positions({"statements": [statement], "sources": SOURCES})
    assert found.positions == pytest.approx((5 / 14,), abs=1e-6)
    assert found.unplaced == 3
    wrong_length = statement.model_copy(update={"raw": "Cats"})
    assert count_positions(Response(statements=(wrong_length,))) == {}


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("Cats [1] purr.", 1),
        ("Cats purr [1].", 0),
        ("Cats purr. [1]", 0),
        ("Cats purr [1] [2].", 0),
        ("Cats [1] purr [2].", 1),
        ("Cats [1], which purr [2]!", 1),
        ("猫は[1]鳴く。", 1),
        ("**Cats purr [1]**.", 0),
        # Before the first word or after the last is not inside.
        ("[1] Cats purr.", 0),
        ("[1][2] **Cats** [3] purr.", 1),
    ],
)
def test_which_citations_stand_inside(answer: str, inside: int) -> None:
    counts = count_positions(parse(answer, SOURCES))
    assert counts["inside_citations"] == inside
    assert INSIDE_RATE.value(counts)[0] == inside / counts["positions"]


def test_in_a_statement_without_words_nothing_is_inside() -> None:
    counts = count_positions(
        Response(statements=(cited("[1] … [2]", [0, 6]), cited("[1]", [0])), sources=SOURCES)
    )
    assert (counts["positions"], counts["inside_citations"]) == (3, 0)


def test_pooled_counts_are_the_data_sets_value() -> None:
    answers = ["Cats [1] purr [2].", "It is so [1]. Dogs [3] bark.", "No citation."]
    pooled: dict[str, int] = {}
    positions: list[float] = []
    for answer in answers:
        response = parse(answer, SOURCES)
        for name, number in count_positions(response).items():
            pooled[name] = pooled.get(name, 0) + number
        positions += citation_positions(response).positions
    expected = statistics.pstdev(positions) / statistics.fmean(positions)
    assert CVCP.value(pooled)[0] == pytest.approx(expected, abs=1e-9)
    assert pooled["positions"] == len(positions) == 4


def test_a_long_answer_is_read_in_linear_time() -> None:
    # 20,000 citations in one statement, and one statement of a million characters.
    many = cited("x" * 200_000, range(0, 199_980, 10))
    long = cited("." * 1_000_000, [0])
    counts = count_positions(Response(statements=(many, long)))
    assert counts["positions"] == 19_998 + 1
    assert counts["inside_citations"] == 19_998 - 1  # the first stands before the first letter


class TestPublishedScript:
    def test_by_hand(self) -> None:
        # Positions 5/18 and 14/18; a sentence without a marker is passed over.
        counts = script_positions(["Cats [1] purr [2].", "Dogs bark.", "Sources [1, 2] [a]."])
        assert counts["positions"] == 2
        # Mean 19/36, deviation 9/36: 9/19.
        assert CVCP.value(counts)[0] == pytest.approx(9 / 19, abs=1e-5)

    def test_equal_to_the_definition_on_real_answers(self, shared: Path) -> None:
        punkt = pytest.importorskip("punkt")
        lines = (shared / "reference" / "alce_real.jsonl").read_text(encoding="utf-8").splitlines()
        sentences = [s for line in lines for s in punkt.sent_tokenize(json.loads(line)["output"])]
        positions = [
            marker.start() / len(sentence)
            for sentence in sentences
            for marker in re.finditer(r"\[\d+\]", sentence)
        ]
        assert len(positions) > 2000
        expected = statistics.pstdev(positions) / statistics.fmean(positions)
        assert CVCP.value(script_positions(sentences))[0] == pytest.approx(expected, abs=1e-6)
