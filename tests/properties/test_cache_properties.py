"""A cache changes no verdict; an ensemble follows its rule, also when members fail."""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from citemeter.judges.base import Judge, Pair, Premise
from citemeter.judges.cache import CachedJudge, VerdictStore
from citemeter.judges.cache.store import pair_digest
from citemeter.judges.ensemble import EnsembleJudge
from citemeter.judges.recorded import RecordedJudge
from citemeter.judges.thresholded import ThresholdedJudge
from citemeter.verdicts import JudgeIdentity, LongPremise, Verdict
from support import write_jsonl

TEXT = st.one_of(
    st.text(max_size=8),
    st.text(st.characters(), max_size=8),  # lone surrogates and NUL too
    st.text("a\n\0\ud800\udc00 1,", max_size=8),
    st.sampled_from(["", "x" * 70_000, "déjà vu " * 5_000, "\udfff" * 3_000]),
)
PREMISE = st.one_of(
    TEXT, st.lists(st.text("ab\n", min_size=1, max_size=3), min_size=1, max_size=4).map(Premise)
)
PAIRS = st.lists(st.tuples(PREMISE, TEXT), max_size=12)
LONG: tuple[LongPremise | None, ...] = (None, "chunked", "truncated")


class Hashing(Judge):
    """Draws everything about a verdict from the pair, and answers in an order of its own."""

    def __init__(self, threshold: float | None, kinds: str = "scored") -> None:
        self.threshold = threshold
        self.kinds = kinds
        self.asked: list[bytes] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(
            name="hashing", threshold=self.threshold, parameters={"kinds": self.kinds}
        )

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [verdict for _, verdict in sorted(self.stream(pairs), key=lambda item: item[0])]

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        for position in sorted(range(len(pairs)), key=lambda n: pair_digest(*pairs[n])):
            self.asked.append(pair_digest(*pairs[position]))
            yield position, self.one(pair_digest(*pairs[position]))

    def one(self, draw: bytes) -> Verdict:
        if self.kinds == "mixed" and draw[0] < 50:
            return Verdict.failed(f"failed {draw[1]}")
        score = draw[2] / 255
        return Verdict(
            supported=score >= (0.5 if self.threshold is None else self.threshold),
            score=None if self.kinds == "mixed" and draw[3] < 80 else score,
            label=(None, "entailment", "é\0\ud800")[draw[4] % 3],
            reason=(None, "", "because " * 100)[draw[5] % 3],
            long_premise=LONG[draw[6] % 3],
        )


@given(st.lists(PAIRS, max_size=3))
@settings(max_examples=12, deadline=None)
def test_cached_equals_uncached(calls: list[list[Pair]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.sqlite"
        for kinds in ("scored", "mixed"):
            asked: list[bytes] = []
            for pairs in [*calls, *calls]:
                judge = Hashing(0.5, kinds)
                cached = CachedJudge(judge, path)
                assert cached.judge(pairs) == Hashing(0.5, kinds).judge(pairs)
                assert cached.hits + cached.misses == len(pairs)
                assert len(judge.asked) == cached.misses
                asked += judge.asked
                cached.close()
            again = [d for d in asked if Hashing(0.5, kinds).one(d).supported is not None]
            assert len(again) == len(set(again))  # only what failed is asked again


def plain(verdict: Verdict) -> Verdict:
    """Leave out the reason, which tells at which threshold it was given."""
    return verdict.model_copy(update={"reason": None})


THRESHOLDS = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])


@given(st.lists(st.tuples(THRESHOLDS, st.booleans(), PAIRS, st.integers(0, 12)), max_size=5))
@settings(max_examples=25, deadline=None)
def test_any_interleaving_of_thresholds_views_and_broken_off_runs(
    calls: list[tuple[float | None, bool, list[Pair], int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.sqlite"
        kept_open = []
        for threshold, as_view, pairs, stop in calls:
            for kinds in ("scored", "mixed"):
                judge: Judge = Hashing(threshold, kinds)
                if as_view and threshold is not None:
                    judge = ThresholdedJudge(Hashing(None, kinds), threshold)
                expected = judge.judge(pairs)
                cached = CachedJudge(judge, path)
                kept_open.append(cached)
                stream = cached.stream(pairs)
                for position, verdict in itertools.islice(stream, stop):
                    assert plain(verdict) == plain(expected[position])
                stream.close()  # type: ignore[attr-defined]
                assert [*map(plain, cached.judge(pairs))] == [*map(plain, expected)]
        for cached in kept_open:
            cached.close()


# JSON writes two lone surrogates that make a pair like the character they would make.
WRITABLE = TEXT.filter(lambda text: json.loads(json.dumps(text)) == text)


@given(
    st.lists(st.tuples(st.one_of(WRITABLE, PREMISE.filter(lambda p: "\ud800" not in p)), WRITABLE))
)
@settings(max_examples=20, deadline=None)
def test_an_export_replays_the_run(pairs: list[Pair]) -> None:
    # One text with its passages in two places is one pair to who knows only the text.
    pairs = list(
        {
            (str(premise), hypothesis): (premise, hypothesis) for premise, hypothesis in pairs
        }.values()
    )
    pairs = [pair for pair in pairs if json.loads(json.dumps(pair[0])) == pair[0]]
    with tempfile.TemporaryDirectory() as folder:
        cached = CachedJudge(Hashing(0.5), Path(folder) / "cache.sqlite")
        expected = cached.judge(pairs)
        cached.close()
        with VerdictStore(Path(folder) / "cache.sqlite") as store:
            file = write_jsonl(Path(folder) / "export.jsonl", store.export())
        if pairs:
            assert RecordedJudge.from_file(file).judge(pairs) == expected


VOTES = st.lists(
    st.one_of(
        st.just("failed"),
        st.just("no score"),
        st.integers(0, 8).map(lambda eighths: eighths / 8),
    ),
    min_size=1,
    max_size=5,
)


class Voting(Judge):
    def __init__(self, vote: Any, backwards: bool) -> None:
        self.vote = vote
        self.backwards = backwards

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="voting")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [self.verdict] * len(pairs)

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        positions = range(len(pairs))
        for position in reversed(positions) if self.backwards else positions:
            yield position, self.verdict

    @property
    def verdict(self) -> Verdict:
        if self.vote == "failed":
            return Verdict.failed("failed")
        if self.vote == "no score":
            return Verdict(supported=True)
        return Verdict(supported=self.vote >= 0.5, score=self.vote)


def outcomes(rule: str, votes: list[Any], weights: list[int], threshold: float) -> set[bool]:
    """Return what the rule gives for every answer that the failed members might have given."""
    possible = [(0.0, 1.0) if vote == "failed" else (vote,) for vote in votes]
    found = set()
    for world in itertools.product(*possible):
        yes = sum(vote == "no score" or vote >= 0.5 for vote in world)
        if rule == "majority":
            found.add(yes > len(votes) - yes)
        elif rule == "all":
            found.add(yes == len(votes))
        elif rule == "any":
            found.add(yes > 0)
        else:
            total = sum(w * Fraction(v) for w, v in zip(weights, world, strict=True))
            found.add(total / sum(weights) >= Fraction(threshold))
    return found


@given(
    VOTES,
    st.sampled_from(["majority", "all", "any", "mean"]),
    st.lists(st.integers(0, 4), min_size=5, max_size=5),
    st.sampled_from([0.0, 0.25, 0.5, 0.625, 1.0]),
    st.lists(st.booleans(), min_size=5, max_size=5),
    st.integers(1, 5),
)
@settings(max_examples=120, deadline=None)
def test_an_ensemble_decides_what_every_completion_agrees_on(
    votes: list[Any], rule: Any, weights: list[int], threshold: float, order: list[bool], count: int
) -> None:
    weights = weights[: len(votes)] if sum(weights[: len(votes)]) else [1] * len(votes)
    options: Any = {"threshold": threshold, "weights": weights} if rule == "mean" else {}
    judges = [Voting(vote, backwards) for vote, backwards in zip(votes, order, strict=False)]
    verdicts = EnsembleJudge(judges, rule, **options).judge([("p", "h")] * count)
    assert len(verdicts) == count
    assert len(set(map(repr, verdicts))) == 1
    verdict = verdicts[0]
    if rule == "mean" and "no score" in votes:
        assert verdict.supported is None
        return
    found = outcomes(rule, votes, weights, threshold)
    assert verdict.supported is (found.pop() if len(found) == 1 else None)
    if "failed" in votes:
        assert verdict.score is None
    elif rule == "mean":
        mean = sum(w * Fraction(v) for w, v in zip(weights, votes, strict=True)) / sum(weights)
        assert verdict.score is not None
        assert math.isclose(verdict.score, mean, abs_tol=1e-12)
    else:
        yes = sum(vote == "no score" or vote >= 0.5 for vote in votes)
        assert verdict.score == yes / len(votes)
