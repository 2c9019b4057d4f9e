"""What is measured: plain overlap, a judge by its name, or scores that another script wrote."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import citemeter
from citemeter.judges.base import Judge, Pair
from citemeter.statistics.agreement import Bools, Floats, best_threshold
from citemeter.verdicts import JudgeIdentity, Verdict
from measures import DEVELOPMENT, Row, read_rows, token_overlap

PACKAGE = Path(citemeter.__file__).parent
OVERLAP = "overlap"


class OverlapJudge(Judge):
    """The baseline: the share of the statement's words that the passage has."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    @property
    def identity(self) -> JudgeIdentity:
        """Its name and threshold."""
        return JudgeIdentity(name=OVERLAP, threshold=self._threshold)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Compare the share with the threshold."""
        scores = [token_overlap(premise, hypothesis) for premise, hypothesis in pairs]
        return [Verdict(supported=s >= self._threshold, score=s) for s in scores]


class Scored(NamedTuple):
    """What a step made of a set: whether it holds, the score, and the time it took for a pair."""

    said: Bools
    scores: Floats
    microseconds: float


class Step:
    """One way to judge.

    Args:
        name: What the tables call it.
        judge: The judge, or ``None`` where the scores are given.
        given: Scores by set, and ``threshold``.
        probability: Whether a score is meant as the probability of support.
    """

    def __init__(
        self,
        name: str,
        judge: Judge | None,
        given: Mapping[str, Floats] | None = None,
        *,
        probability: bool = True,
    ) -> None:
        self.name, self.judge, self.given, self.probability = name, judge, given, probability

    @property
    def description(self) -> str:
        """What must be known to repeat its scores."""
        if self.judge is not None:
            return str(self.judge.identity)
        return f"{self.name}, not shipped, threshold={float((self.given or {})['threshold']):.4g}"

    def scored(self, name: str, rows: Sequence[Row], cache: Path | None = None) -> Scored:
        """Judge a set, or take what was kept of it: the same judge, code and rows."""
        if self.judge is None:
            return self._taken(name, len(rows))
        place = None
        if cache is not None and not isinstance(self.judge, OverlapJudge):
            place = cache / re.sub(r"[^\w.-]+", "_", self.name) / f"{name}.npz"
            key = _key(self.judge, rows)
            if place.exists():
                with np.load(place) as kept:
                    if str(kept["key"]) == key:
                        time_taken = float(kept["microseconds"])
                        return Scored(kept["said"], kept["scores"], time_taken)
        found = _asked(self.judge, rows)
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            np.savez(place, key=np.array(key), **found._asdict())
        return found

    def _taken(self, name: str, count: int) -> Scored:
        given = self.given or {}
        if name not in given:
            raise SystemExit(f"{self.name}: no scores of {name}; there are {', '.join(given)}")
        scores = np.asarray(given[name], dtype=np.float64)
        if scores.shape != (count,) or not np.isfinite(scores).all():
            raise SystemExit(f"{self.name}: {name} has {count} rows, and needs as many numbers")
        return Scored(scores >= float(given["threshold"]), scores, float("nan"))


def load(spec: str, data: Path) -> Step:
    """Return the step that a specification names; the baseline's threshold is fitted first."""
    if spec == OVERLAP:
        rows = read_rows(data, DEVELOPMENT)
        truth = np.array([row.supported for row in rows])
        scores = np.array([token_overlap(row.premise, row.hypothesis) for row in rows])
        threshold = best_threshold(truth, scores)
        return Step(spec, OverlapJudge(threshold), probability=False)
    name, equals, file = spec.partition("=")
    if equals and file.endswith(".npz"):
        with np.load(file) as arrays:
            given = dict(arrays)
        if "threshold" not in given:
            raise SystemExit(f"{file} has no threshold")
        return Step(name, None, given, probability=bool(given.get("probability", True)))
    return Step(spec, citemeter.load_judge(spec))


def _asked(judge: Judge, rows: Sequence[Row]) -> Scored:
    pairs: list[Pair] = [(row.premise, row.hypothesis) for row in rows]
    judge.judge(pairs[:1])  # what is loaded at first use is not a pair's time
    begun = time.perf_counter()
    verdicts = judge.judge(pairs)
    taken = (time.perf_counter() - begun) / len(rows) * 1e6
    failed = sum(verdict.supported is None for verdict in verdicts)
    if failed:
        raise SystemExit(f"{judge.identity}: {failed} pairs failed")
    said = np.array([bool(verdict.supported) for verdict in verdicts])
    scores = [
        float(bool(verdict.supported)) if verdict.score is None else verdict.score
        for verdict in verdicts
    ]
    return Scored(said, np.array(scores), taken)


@functools.cache
def _code() -> str:
    """Return a digest of the code and the data that the package judges with."""
    digest = hashlib.sha256()
    for folder in ("judges", "data", "text"):
        for path in sorted((PACKAGE / folder).rglob("*")):
            if path.is_file() and path.suffix not in (".pyc", ".md"):
                digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _key(judge: Judge, rows: Sequence[Row]) -> str:
    pairs = [(row.premise, row.hypothesis) for row in rows]
    parts = json.dumps([str(judge.identity), _code(), pairs])
    return hashlib.sha256(parts.encode()).hexdigest()
