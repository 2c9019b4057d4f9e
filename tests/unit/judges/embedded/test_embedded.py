from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

import citemeter
from citemeter.errors import JudgeError
from citemeter.judges.base import Premise
from citemeter.judges.embedded import judge as embedded
from citemeter.judges.embedded.encoder import Network
from citemeter.judges.embedded.judge import EmbeddedJudge, is_english
from citemeter.judges.lexical.judge import LexicalJudge
from citemeter.verdicts import Verdict

PTO = "Unused PTO up to 5 days may be carried over to the next year."
BOATS = (
    "The yard on the island built wooden boats from 1911 until the fire of 1956. "
    "Its founder, Ole Berg, sold it to a cooperative of fishermen in 1948."
)
PAIRS = [
    (PTO, "Up to 5 days of unused PTO may be carried over."),
    (PTO, "Up to 10 days of unused PTO may be carried over."),
    (PTO, "Employees have health insurance."),
    (BOATS, "Ole Berg founded the yard."),
    (BOATS, "The yard was founded by Ole Berg and sold to fishermen in 1948."),
    (BOATS, "The yard was never sold."),
    (BOATS, "Kari Nilsen founded the yard."),
    ("", "Ole Berg founded the yard."),
    (BOATS, "It is so."),
    ("Die Werft auf der Insel baute ab 1911 Boote.", "Ab 1911 baute die Werft Boote."),
    ("船は1911年に建造された。", "船は1911年に建造された。"),
]


@pytest.fixture(scope="module")
def judge() -> EmbeddedJudge:
    return EmbeddedJudge()


class Counting(Network):
    """Stands where the network is, and keeps what it was shown."""

    def __init__(self, value: float = 0.0) -> None:
        super().__init__(threads=1, remember=embedded._REMEMBERED)
        self.value = value
        self.shown: list[tuple[str, str]] = []

    def _compute(self, evidence: str, statement: str) -> np.float32:
        self.shown.append((evidence, statement))
        return np.float32(self.value)


def with_network(network: Counting) -> EmbeddedJudge:
    judge = EmbeddedJudge()
    judge._network = network
    return judge


def one(judge: EmbeddedJudge, premise: str, hypothesis: str) -> Verdict:
    return judge.judge([(premise, hypothesis)])[0]


def test_it_is_the_default_everywhere(judge: EmbeddedJudge) -> None:
    report = citemeter.score([{"answer": "Up to 5 days.[1]", "sources": [{"id": 1, "text": PTO}]}])
    assert report.signature.judge == judge.identity
    assert citemeter.load_judge("embedded").identity == judge.identity
    assert judge.identity.name == "embedded"
    assert judge.identity.version


@pytest.mark.parametrize("at", range(len(PAIRS)))
def test_obvious_pairs(judge: EmbeddedJudge, at: int) -> None:
    expected = [True, False, False, True, True, False, False, False, False, True, True]
    verdict = one(judge, *PAIRS[at])
    assert verdict.supported is expected[at], verdict.reason


def test_batches_order_threads_and_repetition_do_not_matter(judge: EmbeddedJudge) -> None:
    expected = EmbeddedJudge(threads=1).judge(PAIRS)
    order = list(range(len(PAIRS)))
    random.Random(0).shuffle(order)
    assert judge.judge([PAIRS[at] for at in order]) == [expected[at] for at in order]
    assert [one(judge, *pair) for pair in PAIRS] == expected
    assert EmbeddedJudge(threads=3).judge(PAIRS * 2) == expected * 2
    assert pickle.loads(pickle.dumps(judge)).judge(PAIRS) == expected


def test_verdicts_are_valid_and_scores_decide(judge: EmbeddedJudge) -> None:
    for verdict in judge.judge(PAIRS):
        assert verdict == Verdict.model_validate(verdict.model_dump())
        assert verdict.score is not None
        assert 0 <= verdict.score <= 1
        assert verdict.supported == (verdict.score >= judge.identity.threshold)
        assert verdict.reason


def test_the_network_moves_the_score() -> None:
    low, high = (one(with_network(Counting(logit)), *PAIRS[0]).score for logit in (-3, 3))
    assert low is not None
    assert high is not None
    assert low < high
    # Beyond the cut it is only surer of itself.
    assert one(with_network(Counting(embedded.CUT)), *PAIRS[0]) == one(
        with_network(Counting(1000)), *PAIRS[0]
    )


def test_equal_evidence_is_read_once() -> None:
    network = Counting()
    judge = with_network(network)
    other = "A passage about the weather in June, which was wet."
    long = " ".join(f"Sentence {number} tells of other things." for number in range(90))
    premises = [PTO, Premise([PTO]), PTO]
    judge.judge([(premise, PAIRS[0][1]) for premise in premises])
    assert len(network.shown) == 1
    judge.judge([(PTO, PAIRS[0][1])])
    assert len(network.shown) == 1
    judge.judge([(other, PAIRS[0][1])])
    assert len(network.shown) == 2
    judge.judge([(f"{PTO}\n{long}", PAIRS[0][1])])
    assert all(len(evidence.split()) <= 130 for evidence, _ in network.shown)


def test_what_the_network_cannot_read_is_judged_by_words() -> None:
    network = Counting()
    judge = with_network(network)
    for premise, hypothesis in PAIRS[-4:]:
        verdict = one(judge, premise, hypothesis)
        by_words = LexicalJudge().judge([(premise, hypothesis)])[0]
        assert verdict.supported == by_words.supported
    assert network.shown == []
    assert "by words alone" in str(one(judge, *PAIRS[-2]).reason)


def test_markers_and_frames_are_not_shown() -> None:
    network = Counting()
    with_network(network).judge(
        [(PTO, "According to the passage, 5 days may be carried over [1].")]
    )
    assert network.shown[0][1].startswith("5 days")
    assert "[1]" not in network.shown[0][1]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_REMEMBERED", 100)
    network = Counting()
    judge = with_network(network)
    for number in range(300):
        judge.judge([(f"Passage {number} is of some length.", f"Passage {number} has length.")])
    assert len(network.shown) == 300
    assert network.logit.cache_info().currsize == 100
    assert EmbeddedJudge()._network.remember == 100


def test_reasons(judge: EmbeddedJudge) -> None:
    assert str(one(judge, *PAIRS[1]).reason).startswith("amount 10 days is not in the passage")
    assert "the network reads 0." in str(one(judge, *PAIRS[0]).reason)
    against = one(with_network(Counting(-4)), *PAIRS[0])
    assert not against.supported
    assert str(against.reason).startswith("the network reads 0.0")
    assert "though all informative words" in str(against.reason)
    assert one(judge, "", "x").reason == "the passage is empty"


def test_threshold_and_threads_are_checked() -> None:
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(JudgeError, match="not between 0 and 1"):
            EmbeddedJudge(threshold=threshold)
    with pytest.raises(JudgeError, match="threads=0"):
        citemeter.load_judge("embedded", concurrency=0)
    with pytest.raises(JudgeError, match="embedded:threshold=NUMBER"):
        citemeter.load_judge("embedded:0.5")
    assert EmbeddedJudge(threshold=0.0)(PTO, "Something else entirely.")
    assert citemeter.load_judge("embedded:threshold=0.9").identity.threshold == 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The bridge over the river was built in 1905.", True),
        ("Paris, Rome.", True),
        ("Le pont sur le fleuve a été construit par ses habitants.", False),
        ("Der Bericht wurde gestern von ihr veröffentlicht.", False),
        ("El puente fue construido por los habitantes del pueblo.", False),
        ("橋は1905年に建設された。", False),
        ("", True),
    ],
)
def test_english(text: str, expected: bool) -> None:
    assert is_english(text) is expected
