"""Whether a text holds a claim's words: by hand, in several scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from citemeter.errors import InputError
from citemeter.grounding.text_check import holds_phrase, text_support
from support import ROOT, read_jsonl

PHRASES = [
    ("log files", "We keep log  files.", True),
    ("LOG FILES.", "We keep log\nfiles", True),
    ("log", "a catalog of things", False),
    ("log", "logs", False),
    ("25", "25 days", True),
    ("25", "125 days", False),
    ("25", "it is 25.", True),
    ("25", "it is 25.5", False),
    ("25", "it is 1,025", False),
    ("5", "it is 2.5", False),
    ("25", "25kg", True),
    ("1", "A1", False),
    ("A", "A1", False),
    ("기관 A", "기관 A는 로그를 남긴다", True),
    ("기관 A", "기관 A1은 로그를 남긴다", False),
    ("기관 A", "기관 AB는", False),
    ("기관 A", "공공기관 A는", False),
    ("로그", "로그를 남긴다", True),
    ("로그", "블로그를 쓴다", False),
    ("보안 통제", "보안통제 절차", True),
    ("보안통제", "보안 통제 절차", True),
    ("安全", "信息安全管理", True),
    ("東京 都", "東京都は", True),
    ("ログ", "アクセスログを保存", True),
    ("Ｌｏｇ", "a log", True),
    ("naïve", "a nai\u0308ve view", True),
    ("infor-\nmation", "information", True),
    ("...", "anything...", False),
    ("", "anything", False),
    ("x", "", False),
]


@pytest.mark.parametrize(("phrase", "text", "held"), PHRASES)
def test_phrase(phrase: str, text: str, held: bool) -> None:
    assert holds_phrase(phrase, text) is held


# (claim, text, share of tokens, supported at 0.6). Tokens by hand in the comments.
TOKENS = [
    # museum, open, 1904 of museum, open, 1904
    ("The museum opened in 1904.", "In 1904 they opened the museum.", 1.0, True),
    # museum, open; 1904 is missing, and required
    ("The museum opened in 1904.", "The museum opened long ago.", 2 / 3, False),
    # museum of museum, clos, sunday
    ("The museum closes on Sundays.", "A museum.", 1 / 3, False),
    # 1000, visitor: "1,000" is "1000"
    ("It had 1,000 visitors.", "1000 visitors came", 1.0, True),
    # growth, 2.5, percent; a comma before other than three digits is a decimal one
    ("Growth of 2.50 percent", "growth in percent: 2.5", 1.0, True),
    ("Growth of 2,5 percent", "growth in percent: 2.5", 1.0, True),
    # chose, plan, B: B is no initial, and required
    ("They chose plan B", "The plan they chose was C", 2 / 3, False),
    # gpt4 is a code, and required; wins
    ("GPT4 wins often", "GPT5 wins often", 0.5, False),
    # 기관, A, 보안, 통제, 로그, 요구: A is a name here, not an article
    ("기관 A는 보안 통제와 로그를 요구한다", "보안 통제 및 로그: 기관 A의 요구사항", 1.0, True),
    ("기관 A는 보안 통제와 로그를 요구한다", "보안 통제 및 로그: 기관 B의 요구사항", 5 / 6, False),
    # 25, 휴가 of 25 (일 is one syllable: left out), 휴가
    ("휴가는 25일", "연간 25일 휴가", 1.0, True),
    ("휴가는 25일", "연간 15일 휴가", 0.5, False),
    # pairs 猫爱 爱吃 吃鱼, of which the text has the first and the last
    ("猫爱吃鱼。", "猫爱玩,也吃鱼", 2 / 3, True),
    ("猫爱吃鱼。", "狗爱玩", 0.0, False),
    # pairs of hiragana carry grammar: 記録 録を を保 保存 存し (し+ます etc. left out); text has
    # 記録 and 保存 of these five
    ("記録を保存します", "保存された記録", 2 / 5, False),
    # a single character may stand anywhere
    ("1 カ", "1 アカウント", 1.0, True),
    # a line break inside Chinese is no boundary
    ("信息安全", "信\n息安\n全", 1.0, True),
    # nothing but stop words: they count, then
    ("it is so", "so it was", 2 / 3, True),
    # nothing at all
    ("!?", "!?", 0.0, False),
]


@pytest.mark.parametrize(("claim", "text", "share", "supported"), TOKENS)
def test_tokens(claim: str, text: str, share: float, supported: bool) -> None:
    found = text_support(claim, text)
    assert found.share == pytest.approx(share)
    assert found.supported is supported


def test_a_claim_that_stands_in_the_text_as_it_is() -> None:
    found = text_support("Cats purr.", "It is known that cats purr when they are content.")
    assert (found.supported, found.how, found.share, found.missing) == (True, "substring", 1.0, ())


def test_what_is_missing_is_named() -> None:
    found = text_support("The museum opened in 1905 in Leeds", "The museum opened in 1904")
    assert found.missing == ("1905", "Leeds")
    assert found.required_missing == ("1905",)


def test_the_bar_is_an_option() -> None:
    claim, text = "Cats purr and hens cluck", "cats purr, hens run"  # 3 of 4
    assert text_support(claim, text, 0.75).supported
    assert not text_support(claim, text, 0.76).supported


@pytest.mark.parametrize("bar", [0, -1, 1.5, float("nan"), True, "0.5"])
def test_a_bar_that_is_no_share(bar: Any) -> None:
    with pytest.raises(InputError, match="min_share"):
        text_support("a", "b", bar)


def test_it_does_not_see_a_negation() -> None:
    assert text_support("Dogs are not permitted here", "Dogs are permitted here").supported


@pytest.mark.slow
def test_long_texts_take_linear_time() -> None:
    from time import process_time

    began = process_time()
    for claim, text in (
        ("a" * 20_000, "a" * 200_000),
        ("a." * 20_000, "a." * 100_000),
        ("1,1" * 20_000, "1," * 100_000),
        ("가 " * 20_000, "가" * 200_000),
        ("中 " * 20_000, "中\n" * 100_000),
        ("x'" * 20_000, "x'" * 100_000),
    ):
        text_support(claim, text)
    assert process_time() - began < 15


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        ("attributionbench_test500", 0.69),
        ("wice_claim_dev_oracle", 0.72),
        ("faithdial_audit", 0.78),
    ],
)
def test_balanced_accuracy_is_as_the_page_says(shared: Path, name: str, accuracy: float) -> None:
    right = {0: [0, 0], 1: [0, 0]}
    labelled = read_jsonl(shared / "data" / "labelled" / f"{name}.jsonl")
    for row in (row for row in labelled if row["y"] in right):
        found = text_support(row["claim"], row["evidence"]).supported
        right[row["y"]][0] += found is bool(row["y"])
        right[row["y"]][1] += 1
    assert round(sum(hit / of for hit, of in right.values()) / 2, 2) == accuracy
    page = ROOT / "docs" / "metrics" / "claim-citation-alignment.md"
    if page.exists():
        assert json.dumps(accuracy) in page.read_text(encoding="utf-8")
