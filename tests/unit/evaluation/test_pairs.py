"""Bare pairs: what is read, what is refused, what is added up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.evaluation.pairs import Judging, LabelledPair, judge_pairs, read_pairs
from citemeter.judges import CallableJudge, Premise, load_judge
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import Judge, Pair
from citemeter.results import RecordError
from citemeter.verdicts import JudgeIdentity, Verdict
from support import write_jsonl


def file_of(tmp_path: Path, *rows: Any) -> Path:
    return write_jsonl(tmp_path / "pairs.jsonl", rows)


def test_other_names_lists_of_passages_and_labels(tmp_path: Path) -> None:
    path = file_of(
        tmp_path,
        {"id": 7, "evidence": "Cats purr.", "claim": "Cats purr.", "y": 1},
        {"evidence": ["Cats purr.", "Dogs bark."], "claim": "Dogs bark.", "y": "not supported"},
        {"evidence": ["Cats purr."], "claim": "x", "y": None},
    )
    names = {"premise": "evidence", "hypothesis": "claim"}
    first, second, third = read_pairs([path], names, "y")
    assert first == LabelledPair(("Cats purr.", "Cats purr."), True, "7")
    assert isinstance(second, LabelledPair)
    assert isinstance(third, LabelledPair)
    assert isinstance(second.pair[0], Premise)
    assert second.pair[0].passages == ("Cats purr.", "Dogs bark.")
    assert (second.gold, third.gold) == (False, None)
    assert type(third.pair[0]) is str
    assert third.id == f"{path}:3"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"hypothesis": "h", "y": 1}, "premise is missing"),
        ({"premise": "p", "y": 1}, "hypothesis is missing"),
        ({"premise": 3, "hypothesis": "h", "y": 1}, "premise is int"),
        ({"premise": [], "hypothesis": "h", "y": 1}, "premise is list"),
        ({"premise": ["p", 3], "hypothesis": "h", "y": 1}, "premise is list"),
        ({"premise": "p", "hypothesis": ["h"], "y": 1}, "hypothesis is list"),
        ({"premise": "p", "hypothesis": "h"}, "there is no label"),
        ({"premise": "p", "hypothesis": "h", "y": "maybe"}, "the label is 'maybe'"),
        ({"premise": "p", "hypothesis": "h", "y": 0.4}, "the label is 0.4"),
        ({"premise": "p", "hypothesis": "h", "y": 2}, "the label is 2"),
        ({"premise": "p", "hypothesis": "h", "y": [1]}, "the label is [1]"),
        (["p", "h"], "expected an object"),
    ],
)
def test_what_is_no_pair_is_an_error_of_its_own(tmp_path: Path, row: Any, message: str) -> None:
    good = {"premise": "p", "hypothesis": "h", "y": 0}
    path = file_of(tmp_path, row, good)
    error, pair = read_pairs([path], gold="y")
    assert isinstance(error, RecordError)
    assert message in error.message
    assert f"{path}:1" in error.message
    assert "Fix:" in error.message
    assert isinstance(pair, LabelledPair)


def test_a_field_that_pairs_do_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no field 'answer'"):
        list(read_pairs([file_of(tmp_path)], {"answer": "a"}))


class Scores(Judge):
    """Gives the scores in the premises; ``?`` is a failure. Notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Pair] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="scores", threshold=0.5)

    def judge(self, pairs: Any) -> list[Verdict]:
        self.asked += pairs
        return [
            Verdict.failed("?")
            if premise == "?"
            else Verdict(supported=float(premise) >= 0.5, score=float(premise))
            for premise, _ in pairs
        ]


def judged(rows: list[tuple[str, bool | None]], judge: Judge) -> Judging:
    session = JudgeSession(judge)
    found = Judging(session, gold=True)
    pairs = [LabelledPair((premise, "h"), gold, "") for premise, gold in rows]
    for pair, verdict in judge_pairs(pairs, session):
        found.add(pair, verdict)
    return found


def test_sums_count_every_pair_once() -> None:
    judge = Scores()
    found = judged(
        [("0.9", True), ("0.9", True), ("0.2", True), ("0.7", False), ("?", False), ("0.1", None)],
        judge,
    ).summary()
    assert len(judge.asked) == 5
    assert found.pairs == {
        "needed": 6, "judged": 5, "failed": 1, "chunked": 0, "truncated": 0,
        "supported": 3, "unsupported": 2, "unjudged": 1,
    }  # fmt: skip
    assert found.open_labels == 1
    assert found.agreement is not None
    # Labelled and judged: 0.9, 0.9, 0.2 (supported), 0.7 (not).
    assert (found.agreement.pairs, found.agreement.failed) == (4, 1)
    assert (found.agreement.hits, found.agreement.misses) == (2, 1)
    assert (found.agreement.false_alarms, found.agreement.rejections) == (1, 0)
    assert found.best_threshold is None


def test_a_threshold_is_fitted_where_scores_and_both_labels_are() -> None:
    rows: list[tuple[str, bool | None]] = [("0.8", True), ("0.3", False), ("?", False)]
    threshold = judged(rows, Scores()).summary(fit_threshold=True).best_threshold
    assert threshold is not None
    assert 0.3 < threshold <= 0.8
    with pytest.raises(InputError, match="all alike"):
        judged(rows[:1], Scores()).summary(fit_threshold=True)
    unscored = CallableJudge(lambda premise, hypothesis: premise > "0.5")
    with pytest.raises(InputError, match="no score"):
        judged(rows, unscored).summary(fit_threshold=True)


def test_pairs_are_read_as_they_are_judged() -> None:
    read = 0

    def pairs() -> Any:
        nonlocal read
        for number in range(20_000):
            read += 1
            yield LabelledPair(("Cats purr.", f"cats {number}"), None, "")

    verdicts = judge_pairs(pairs(), JudgeSession(load_judge("toy:contains"), limit=1 << 12))
    next(verdicts)
    assert read < 10_000
