"""The comparison with the judge of the ALCE paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.judges.base import CallableJudge
from citemeter.verdicts import Verdict

NAMES = (
    "hard_negatives",
    "measures",
    "resampling",
    "steps",
    "evaluate",
    "agreement_with_alce_judge",
)


@pytest.fixture(scope="module")
def alce(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["agreement_with_alce_judge"]


class Failing(CallableJudge):
    """Gives no verdict."""

    def __init__(self) -> None:
        super().__init__(lambda p, h: True)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        return [Verdict.failed("no")] * len(pairs)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", []),
        ("It is so [1]. And so.", [("It is so.", ["1"]), ("And so.", [])]),
        ("It is so. [2] And so.", [("It is so.", ["2"]), (" And so.", [])]),
        ("It is so [1]. [2] And so.", [("It is so.", ["2"]), (" And so.", [])]),
        ("It is so. [2]", [("It is so.", ["2"])]),
        ("It is so. [1, 2]", [("It is so.", ["1", "2"])]),
        # Two markers are not one: the second stays, with a sentence of no words.
        ("It is so. [1][2]", [("It is so.", ["1"]), ("", ["2"])]),
        ("[1] It is so.", [(" It is so.", [])]),
        ("It is [1][1] so [3].", [("It is  so.", ["1", "3"])]),
    ],
)
def test_sentences_as_the_other_script_cuts_them(
    alce: ModuleType, answer: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert alce.sentences(answer) == expected


def test_no_more_than_twenty_sentences_are_scored(alce: ModuleType) -> None:
    assert len(alce.sentences("It is so. " * 30)) == 20


@settings(max_examples=100, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda p: (p[0] / 4, p[1] / 4)),
        min_size=2,
        max_size=30,
    )
)
def test_spearman_is_pearson_of_ranks(alce: ModuleType, pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    found = alce.spearman(first, second)
    ranks = [
        [sum(x < y for x in values) + (sum(x == y for x in values) + 1) / 2 for y in values]
        for values in (first.tolist(), second.tolist())
    ]
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(np.corrcoef(*ranks)[0, 1])
    assert alce.mean_difference(first, second) == pytest.approx(
        sum(abs(a - b) for a, b in pairs) / len(pairs)
    )


def test_what_is_undefined_counts_as_zero_and_is_told(
    alce: ModuleType, steps: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alce, "RESAMPLES", 20)
    passages = [{"id": "1", "text": "cats purr"}, {"id": "2", "text": "dogs bark"}]

    def answer(text: str, recall: float, precision: float) -> dict[str, Any]:
        scores = {"alce_rec": recall, "alce_prec": precision}
        return {"id": "x", "answer": text, "passages": passages, "scores": scores}

    answers = [
        answer("cats purr [1]. dogs bark [1].", 0.5, 0.5),
        answer("cats purr.", 0.0, 0),
        answer("", 0.0, 0),
        answer("cats purr [1]. dogs bark [2].", 1.0, 1.0),
        answer("Cats purr [2]. Dogs bark [2]. Fish swim [1].", 0.5, 0.25),
    ]
    judge = CallableJudge(lambda p, h: h.lower().strip(" .") in p)
    report = alce.run(steps.Step("contains", judge), answers, alce.READINGS[0])
    pair = alce.compared(report, answers, "citation_precision")
    assert pair.theirs.tolist() == [0.5, 0, 0, 1.0, 0.25]
    assert pair.ours.tolist() == [0.5, 0, 0, 1.0, pytest.approx(1 / 3)]
    note = alce.note_on(report, answers, alce.READINGS[0])
    assert "in 3 answers" in note
    assert "1 of 5, precision in 2" in note
    text = alce.table_of([steps.Step("contains", judge)], answers)
    assert "4 answers have text; the other 1 are empty" in text
    assert "purr" not in text
    with pytest.raises(SystemExit, match="stored scores"):
        alce.run(steps.Step("late", None, {}), answers, alce.READINGS[0])


def test_a_failed_verdict_stops_the_comparison(alce: ModuleType, steps: ModuleType) -> None:
    answers = [
        {
            "answer": "cats purr [1].",
            "passages": [{"id": "1", "text": "x"}],
            "scores": {"alce_rec": 0, "alce_prec": 0},
        }
    ]
    with pytest.raises(SystemExit, match="were scored"):
        alce.run(steps.Step("fails", Failing()), answers, alce.READINGS[0])


def test_the_other_scripts_sentences_explain_every_score(
    shared: Path, alce: ModuleType, measures: ModuleType
) -> None:
    answers = measures.records(shared / "data" / "answers" / alce.FILE)
    whole = 0
    for answer in answers:
        share = answer["scores"]["alce_rec"] * len(alce.sentences(answer["answer"]))
        whole += abs(share - round(share)) < 1e-6
        assert bool(answer["answer"].strip()) == bool(alce.sentences(answer["answer"]))
    assert whole == len(answers) == 716
