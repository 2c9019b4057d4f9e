"""Bounds of metrics against every completion of the verdicts that a judge did not give."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import citemeter
from citemeter.judges.base import Judge, Pair
from citemeter.results import Report
from citemeter.verdicts import JudgeIdentity, Verdict
from support import NEED_A_JUDGE

SOURCES = {"a": "A", "b": "B", "c": "C"}


class Told(Judge):
    """Answers as it was told, and notes what it was asked; what it was not told is a failure."""

    def __init__(self, answers: dict[Pair, bool]) -> None:
        self.answers = answers
        self.answered: dict[Pair, bool] = {}

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="told")

    def judge(self, pairs: Any) -> list[Verdict]:
        self.answered.update({pair: self.answers[pair] for pair in pairs if pair in self.answers})
        return [
            Verdict(supported=self.answers[pair]) if pair in self.answers else Verdict.failed("?")
            for pair in pairs
        ]


def every_pair(cited: list[str], text: str) -> list[Pair]:
    """List every pair that judging one statement may ask for."""
    texts = [SOURCES[i] for i in cited]
    parts = [texts, *([t] for t in texts)]
    parts += [texts[:k] + texts[k + 1 :] for k in range(len(texts))]
    return list(dict.fromkeys(("\n".join(part), text) for part in parts if part))


def records_of(shape: list[list[list[str]]]) -> tuple[list[dict[str, Any]], list[Pair]]:
    """Make responses of statements that cite these ids, and list the pairs of their statements."""
    records, pairs, number = [], [], 0
    for response in shape:
        statements = []
        for cited in response:
            number += 1
            statements.append((f"s{number}", cited))
            pairs += every_pair(list(dict.fromkeys(cited)), f"s{number}")
        records.append({"statements": statements, "sources": SOURCES})
    return records, pairs


def run(records: list[dict[str, Any]], judge: Told, zero: float | None) -> Report:
    return citemeter.score(records, judge=judge, zero_division=zero)


def completions(pairs: list[Pair], given: dict[Pair, bool]) -> Iterator[dict[Pair, bool]]:
    open_ = [pair for pair in pairs if pair not in given]
    for values in product((False, True), repeat=len(open_)):
        yield given | dict(zip(open_, values, strict=True))


SHAPES = [
    [[["a"], ["b"]]],
    [[["a", "b"]]],
    [[["a", "b"], ["c"], []]],
    [[["a", "b", "c"]]],
    [[["a", "b"]], [["c"]]],
    [[["a"]], [["a", "b"], []]],
    [[["a"], ["b"]], [["c"], ["a"]]],
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_bounds_are_the_extremes_over_all_completions(shape: Any, data: st.DataObject) -> None:
    records, pairs = records_of(shape)
    told = data.draw(st.lists(st.sampled_from([True, False, None]), min_size=len(pairs)))
    given_ = {p: t for p, t in zip(pairs, told[: len(pairs)], strict=True) if t is not None}
    zero = data.draw(st.sampled_from([None, 0.5]))
    judge = Told(given_)
    failed = run(records, judge, zero)
    # What the judge was never asked, because something before it failed, is open too.
    reports = [run(records, Told(all_), zero) for all_ in completions(pairs, judge.answered)]
    for name in NEED_A_JUDGE:
        summary = failed.metrics[name]
        values = [r[name] for r in reports]
        known = [v for v in values if v is not None]
        if summary.bounds is None:
            assert not summary.failed
            assert set(values) == {summary.macro}
            continue
        assert summary.failed
        assert summary.bounds.low == pytest.approx(min(known))
        assert summary.bounds.high == pytest.approx(max(known))
        assert summary.bounds.certain is (None not in values)
    for number, result in enumerate(failed.results):
        for name, bounds in (
            (n, s.bounds) for n, s in result.scores.items() if s.bounds is not None
        ):
            seen = [r.results[number][name] for r in reports]
            known = [v for v in seen if v is not None]
            assert bounds.low == pytest.approx(min(known))
            assert bounds.high == pytest.approx(max(known))
            assert bounds.certain is (None not in seen)
        for score in result.scores.values():
            failed = score.value is None and score.reason == "the judge failed"
            assert (score.bounds is not None) == failed
