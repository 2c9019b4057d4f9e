"""Source overlap: the cited ids against the gold ids."""

from __future__ import annotations

from typing import Any

import pytest

import citemeter

SOURCES = {f"d{n}": "" for n in range(1, 6)}


def overlap(cited: list[str], gold: Any, **options: Any) -> Any:
    return citemeter.source_overlap(
        {"statements": [("It is so.", cited)], "sources": SOURCES, "gold_source_ids": gold},
        **options,
    )


@pytest.mark.parametrize(
    ("cited", "gold", "recall", "precision", "f1"),
    [
        (["d1"], ["d1"], 1.0, 1.0, 1.0),
        # 1 of 1 gold, 1 of 2 cited, 2 * 1 / (2 + 1).
        (["d1", "d4"], ["d1"], 1.0, 0.5, 2 / 3),
        # 1 of 2 gold, 1 of 1 cited.
        (["d2"], ["d2", "d3"], 0.5, 1.0, 2 / 3),
        (["d2"], ["d3"], 0.0, 0.0, 0.0),
        # Ids count once.
        (["d1", "d1", "d2"], ["d1", "d1"], 1.0, 0.5, 2 / 3),
        # An invalid id is cited and not gold.
        (["d1", "d9"], ["d1"], 1.0, 0.5, 2 / 3),
        ([], ["d5"], 0.0, None, 0.0),
        (["d1"], [], None, 0.0, 0.0),
        ([], [], None, None, None),
        (["d1"], None, None, None, None),
    ],
)
def test_one_gold_set(
    cited: list[str],
    gold: Any,
    recall: float | None,
    precision: float | None,
    f1: float | None,
) -> None:
    found = overlap(cited, gold)
    assert (found.recall.value, found.precision.value, found.f1.value) == (recall, precision, f1)


def test_of_several_gold_sets_the_one_that_fits_best_counts() -> None:
    # {d1}: F1 2/3. {d2, d3}: 2 * 1 / 4. {d1, d2}: 2 * 2 / 4 = 1.
    found = overlap(["d1", "d2"], [["d1"], ["d2", "d3"], ["d1", "d2"]])
    assert found.gold == ("d1", "d2")
    assert (found.recall.value, found.precision.value, found.f1.value) == (1.0, 1.0, 1.0)
    assert found.cited == ("d1", "d2")
    # Of sets that fit equally well, the first.
    assert overlap(["d1"], [["d1", "d2"], ["d1", "d3"]]).gold == ("d1", "d2")


def test_a_set_that_may_be_empty_is_met_by_citing_nothing() -> None:
    found = overlap([], [["d1"], []])
    assert found.gold == ()
    assert (found.recall.value, found.precision.value) == (None, None)


def test_the_argument_goes_before_the_record() -> None:
    record = {"statements": [("It is so.", ["d1"])], "sources": SOURCES, "gold_source_ids": ["d2"]}
    assert citemeter.source_overlap(record).recall.value == 0.0
    assert citemeter.source_overlap(record, ["d1"]).recall.value == 1.0
    assert citemeter.source_overlap(record, [["d3"], ["d1"]]).recall.value == 1.0


def test_zero_division_fills_0_by_0_and_not_a_missing_gold_set() -> None:
    found = overlap([], ["d1"], zero_division=1.0)
    assert (found.recall.value, found.precision.value, found.f1.value) == (0.0, 1.0, 0.0)
    found = overlap(["d1"], None, zero_division=1.0)
    assert (found.recall.value, found.precision.value, found.f1.value) == (None, None, None)
    assert found.recall.reason == "no gold source ids are given"


def test_macro_and_micro_over_a_data_set() -> None:
    # Best sets: {d1} of [d1] or [d2, d3] for cited {d1}; [d2, d3] for cited {d2}; none for the
    # third, which has no gold ids.
    gold = [["d1"], ["d2", "d3"]]
    report = citemeter.score(
        [
            {"statements": [("s", ["d1"])], "sources": SOURCES, "gold_source_ids": gold},
            {"statements": [("s", ["d2", "d4"])], "sources": SOURCES, "gold_source_ids": gold},
            {"statements": [("s", ["d5"])], "sources": SOURCES},
        ],
        judge=None,
    )
    # Recall 1/1, 1/2; precision 1/1, 1/2; F1 1, 2 * 1 / 4. Pooled: 2/3, 2/3, 4/6.
    assert report.macro["source_recall"] == 0.75
    assert report.macro["source_precision"] == 0.75
    assert report.macro["source_f1"] == 0.75
    for name in ("source_recall", "source_precision", "source_f1"):
        assert report.micro[name] == pytest.approx(2 / 3)
        assert report.metrics[name].undefined == 1


def test_a_fabricated_id_does_not_choose_the_gold_set() -> None:
    # {d1, d2} fits both sets with F1 2/3: {d1} with precision 1/2, the larger with precision 1.
    # A third, fabricated id must not raise precision by tipping the scales to the larger.
    gold = [["d1"], ["d1", "d2", "d3", "d4"]]
    before = overlap(["d1", "d2"], gold)
    after = overlap(["d1", "d2", "d9"], gold)
    assert after.precision.value <= before.precision.value
    assert after.recall.value <= before.recall.value


def test_a_fabricated_id_matches_no_gold_id() -> None:
    # d9 is gold but among the sources it is not: an answer cannot have read it.
    assert overlap(["d1", "d9"], ["d9"]).recall.value == overlap(["d1"], ["d9"]).recall.value == 0.0
