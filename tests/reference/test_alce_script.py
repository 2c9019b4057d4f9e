"""Parity of ``alce-script`` with the values of the published evaluation script."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from citemeter.evaluation.score import Evaluator
from citemeter.judges.base import Judge, Pair
from citemeter.verdicts import JudgeIdentity, Verdict
from support import read_jsonl

pytest.importorskip("punkt")


def sha1(premise: str, hypothesis: str) -> bool:
    return int(hashlib.sha1(f"{premise}\0{hypothesis}".encode()).hexdigest(), 16) % 2 == 1


def fact(premise: str, hypothesis: str) -> bool:
    wanted = re.findall(r"\bF\d+\b", hypothesis)
    return bool(wanted) and set(wanted) <= set(re.findall(r"\bF\d+\b", premise))


def lex(premise: str, hypothesis: str) -> bool:
    tokens = re.findall(r"[a-z0-9]+", hypothesis.lower())
    known = set(re.findall(r"[a-z0-9]+", premise.lower()))
    return bool(tokens) and sum(t in known for t in tokens) / len(tokens) >= 0.6


RULES: dict[str, Callable[[str, str], bool]] = {"sha1": sha1, "fact": fact, "lex": lex}


class Recording(Judge):
    """A judge that keeps every pair it is asked."""

    def __init__(self, rule: Callable[[str, str], bool]) -> None:
        self.rule = rule
        self.asked: list[Pair] = []

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(name="recording")

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.asked += pairs
        return [Verdict(supported=self.rule(*pair)) for pair in pairs]


def to_record(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "answer": row["output"],
        "sources": [
            {"id": str(n), "title": doc["title"], "text": doc["text"]}
            for n, doc in enumerate(row["docs"], start=1)
        ],
    }


def outcomes(
    records: list[dict[str, Any]], expected: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, dict[str, Any], Any, Recording]]:
    """Yield each expected value beside what the protocol gives for that answer alone."""
    for record in records:
        for row in expected[record["id"]]["expected"]:
            judge = Recording(RULES[row["judge"]])
            evaluator = Evaluator(judge, "alce-script", at_most_citations=row["at_most_citations"])
            yield record["id"], row, evaluator.score_one(record), judge


def assert_equal(expected: float | None, value: float | None, name: str) -> None:
    """The script's percentages; ``null`` there is an answer it skips, undefined here."""
    if expected is None:
        assert value is None, name
    else:
        assert value is not None, name
        assert 100 * value == pytest.approx(expected, abs=1e-9), name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("generated", marks=pytest.mark.slow),
        pytest.param("real", marks=pytest.mark.slow),
        "edge",
    ],
)
def test_every_answer(name: str, shared: Path) -> None:
    folder = shared / "reference"
    if name == "edge":
        inputs = read_jsonl(folder / "edge_records.jsonl")
        expected = {row["id"]: row for row in read_jsonl(folder / "alce_edge.jsonl")}
        pairs = expected
    else:
        inputs = read_jsonl(folder / f"alce_{name}.jsonl")
        expected = {row["id"]: row for row in inputs}
        pairs = {row["id"]: row for row in read_jsonl(folder / f"alce_quirks_{name}.jsonl")}
    checked = 0
    for identifier, row, result, judge in outcomes([to_record(r) for r in inputs], expected):
        checked += 1
        where = f"{identifier} {row['judge']} {row['at_most_citations']}"
        if identifier == "edge-im_end":
            # The row's values were taken below the script's main(), which takes <|im_end|> out.
            assert [hypothesis for _, hypothesis in judge.asked] == ["It notes F1."]
            continue
        assert_equal(row["citation_rec"], result["citation_recall"], where)
        assert_equal(row["citation_prec"], result["citation_precision"], where)
        assert len(judge.asked) == len(set(judge.asked)) == row["n_distinct_pairs"], where
        # The very pairs, titles and joiners included.
        digest = next(
            p["pairs_sha1"]
            for p in pairs[identifier]["expected"]
            if (p["judge"], p["at_most_citations"]) == (row["judge"], row["at_most_citations"])
        )
        hashes = sorted(hashlib.sha1(f"{p}\0{h}".encode()).hexdigest() for p, h in judge.asked)
        assert hashlib.sha1("\n".join(hashes).encode()).hexdigest() == digest, where
    assert checked == sum(len(row["expected"]) for row in expected.values())


@pytest.mark.parametrize("name", [pytest.param("generated", marks=pytest.mark.slow), "real"])
@pytest.mark.parametrize("cap", [None, 3])
def test_macro_means_in_one_run(name: str, cap: int | None, shared: Path) -> None:
    folder = shared / "reference"
    inputs = read_jsonl(folder / f"alce_{name}.jsonl")
    sets = json.loads((folder / "alce_aggregate.json").read_text())["sets"][name]
    for rule in ("sha1", "fact" if name == "generated" else "lex"):
        expected = sets[f"{rule}|cap={cap}"]
        judge = Recording(RULES[rule])
        evaluator = Evaluator(judge, "alce-script", at_most_citations=cap)
        report = evaluator.score([to_record(row) for row in inputs], strict=True)
        assert report.metrics["citation_recall"].scored == expected["n_scored"]
        assert_equal(expected["citation_rec"], report["citation_recall"], rule)
        assert_equal(expected["citation_prec"], report["citation_precision"], rule)
        needed = sum(
            e["n_distinct_pairs"]
            for row in inputs
            for e in row["expected"]
            if (e["judge"], e["at_most_citations"]) == (rule, cap)
        )
        assert len(judge.asked) == len(set(judge.asked)) <= needed
