"""Pairs on their way through a model that knows only words: what is read whole, cut and joined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from citemeter import Verdict
from citemeter.judges.base import Pair, Premise
from citemeter.judges.nli.heads import Outcome
from citemeter.judges.nli.long_premises import Limits, Portion
from citemeter.judges.nli.tokenization import Ids, InputWriter


class Words(InputWriter):
    """One token a word or stop, and three special ones."""

    def __init__(self) -> None:
        self.texts: list[Pair] = []

    def clean(self, text: str) -> str:  # type: ignore[override]
        return text

    def write(self, pairs: Sequence[Pair]) -> list[tuple[Ids, int]]:
        return [(np.zeros(3 + count(p) + count(h), dtype=np.int64), 0) for p, h in pairs]

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def filler(words: int) -> str:
    return " ".join(f"Filler{k} word word word word." for k in range(words // 6))


class Reader:
    """Says how many of the hypothesis's words an input holds; keeps what it read."""

    def __init__(self, fail: str | None = None, decoded: bool = False) -> None:
        self.read: list[Pair] = []
        self.fail = fail
        self.decoded = decoded

    def outcome(self, premise: str, hypothesis: str) -> Outcome:
        self.read.append((premise, hypothesis))
        if self.fail and self.fail in premise:
            return Outcome(error="the model's output is not a number")
        wanted = re.findall(r"\w+", hypothesis.lower())
        share = sum(word in premise.lower() for word in wanted) / max(len(wanted), 1)
        if self.decoded:
            return Outcome(supported=share == 1, label=str(share))
        return Outcome(score=share, label="entailment" if share == 1 else "neutral")

    def judge(self, pairs: Sequence[Pair], **limits: Any) -> list[Verdict]:
        options = {
            "length": 60,
            "window": None,
            "rule": "chunk",
            "joint": "passages",
            "threshold": 1.0,
        }
        portion = Portion(pairs, Words(), Limits(**(options | limits)))
        found = dict(portion.ready)
        rounds = 0
        while fresh := portion.pending():
            rounds += 1
            assert rounds <= 2
            keys = {given: key for key, given in portion.inputs.items()}
            for given in fresh:
                assert len(given.row[0]) <= portion.limits.length
                for position, verdict in portion.take(given, self.outcome(*keys[given])):
                    assert position not in found
                    found[position] = verdict
        assert sorted(found) == list(range(len(pairs)))
        return [found[k] for k in range(len(pairs))]


def test_what_fits_is_read_whole_and_once() -> None:
    reader = Reader()
    verdicts = reader.judge(
        [("Cats purr.", "cats"), ("Cats purr.", "dogs"), ("Cats purr.", "cats")]
    )
    assert [v.supported for v in verdicts] == [True, False, True]
    assert all(v.long_premise is None and v.reason is None for v in verdicts)
    assert len(reader.read) == 2


def test_evidence_at_the_end_of_a_long_passage_is_found() -> None:
    premise = f"{filler(200)} The museum opened in 1904. {filler(60)}"
    reader = Reader()
    [verdict] = reader.judge([(premise, "museum opened 1904")])
    assert verdict.supported is True
    assert verdict.long_premise == "chunked"
    assert re.fullmatch(r"window \d of \d+ entails it", verdict.reason or "")
    [cut] = Reader().judge([(premise, "museum opened 1904")], rule="truncate")
    assert cut.supported is False
    assert cut.long_premise == "truncated"
    assert cut.reason == "the end of the premise was not read"
    [refused] = Reader().judge([(premise, "museum opened 1904")], rule="error")
    assert refused.supported is None


def test_a_statement_of_two_passages_is_supported_jointly() -> None:
    first = f"{filler(120)} The museum opened. {filler(60)}"
    second = f"{filler(60)} It was in 1904. {filler(120)}"
    statement = "museum opened 1904"
    [apart] = Reader().judge([(first + "\n" + second, statement)])
    assert apart.supported is False
    assert "none of" in (apart.reason or "")
    assert "comes closest" in (apart.reason or "")
    [together] = Reader().judge([(Premise([first, second]), statement)])
    assert together.supported is True
    assert together.reason == "the best parts of passages 1 and 2 together entail it"
    [never] = Reader().judge([(Premise([first, second]), statement)], joint="never")
    assert never.supported is False


def test_two_places_of_one_passage_are_joined_on_request() -> None:
    premise = f"The museum opened. {filler(200)} It was in 1904."
    pair = (premise, "museum opened 1904")
    assert Reader().judge([pair])[0].supported is False
    [verdict] = Reader().judge([pair], joint="always")
    assert verdict.supported is True
    assert verdict.reason == "its best parts together entail it"


def test_three_passages_two_of_them_needed() -> None:
    passages = [f"{filler(90)} Alpha.", filler(150), f"Beta. {filler(90)}"]
    [verdict] = Reader().judge([(Premise(passages), "alpha beta")], length=120)
    assert verdict.supported is True
    assert "together" in (verdict.reason or "")


def test_a_passage_that_says_it_alone_is_enough() -> None:
    passages = [filler(120), "The museum opened in 1904."]
    [verdict] = Reader().judge([(Premise(passages), "museum opened 1904")])
    assert verdict.supported is True


def test_equal_texts_of_other_passages_are_judged_apart() -> None:
    first, second = f"{filler(120)} Alpha.", f"Beta. {filler(120)}"
    both = Premise([first, second])
    verdicts = Reader().judge([(str(first + "\n" + second), "alpha beta"), (both, "alpha beta")])
    verdicts += Reader().judge([(both, "alpha beta"), (first + "\n" + second, "alpha beta")])[::-1]
    assert verdicts[1].supported is True
    assert verdicts[3].supported is True
    assert verdicts[1].reason == verdicts[3].reason


def test_a_window_that_failed_fails_the_pair() -> None:
    premise = f"The museum opened in 1904. {filler(200)} poison"
    [verdict] = Reader(fail="poison").judge([(premise, "museum opened 1904")])
    assert verdict.supported is None
    assert "windows" in (verdict.error or "")
    assert "not a number" in (verdict.error or "")


def test_the_decoded_rule_over_windows_is_any_window() -> None:
    premise = f"{filler(200)} The museum opened in 1904."
    reader = Reader(decoded=True)
    verdicts = reader.judge([(premise, "museum opened 1904"), (premise, "harbour")], threshold=None)
    assert [v.supported for v in verdicts] == [True, False]
    assert all(v.score is None for v in verdicts)


def test_evidence_over_the_models_published_window_is_cut_though_it_fits() -> None:
    premise = f"{filler(60)} The museum opened in 1904."
    reader = Reader()
    [verdict] = reader.judge([(premise, "museum")], length=500, window=30)
    assert verdict.long_premise == "chunked"
    assert all(count(p) <= 30 for p, _ in reader.read)
    [whole] = Reader().judge([(premise, "museum")], length=500, window=80)
    assert whole.long_premise is None
    [cut] = Reader().judge([(premise, "museum")], length=500, window=30, rule="truncate")
    assert cut.long_premise is None


@pytest.mark.parametrize("rule", ["chunk", "truncate", "error"])
def test_a_statement_that_leaves_no_room_is_a_failure(rule: str) -> None:
    verdicts = Reader().judge([("Cats purr.", "word " * 70), ("Cats.", "cats")], rule=rule)
    assert verdicts[0].supported is None
    assert "the statement takes 73 of the 60 tokens" in (verdicts[0].error or "")
    assert verdicts[1].supported is True


def test_windows_of_one_premise_and_many_statements() -> None:
    premise = Premise([f"{filler(100)} Alpha. {filler(50)}", f"{filler(100)} Beta."])
    statements = ["alpha", "beta", "alpha beta", "gamma", "alpha"]
    verdicts = Reader().judge([(premise, text) for text in statements])
    assert [v.supported for v in verdicts] == [True, True, True, False, True]
