"""Recorded verdicts are read as they are meant, or refused with their line."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import citemeter
from citemeter.errors import InputError, JudgeError
from citemeter.judges.base import Premise
from citemeter.judges.recorded import RecordedJudge
from citemeter.judges.verdict_words import NO, UNJUDGED, YES
from citemeter.verdicts import Verdict
from support import ROOT, write_jsonl

PAIR = ("Cats purr.", "Cats purr.")


def lines(path: Path, *rows: Any) -> Path:
    return write_jsonl(path, rows)


def row(verdict: Any, premise: Any = PAIR[0], **more: Any) -> dict[str, Any]:
    return {"premise": premise, "hypothesis": PAIR[1], "verdict": verdict, **more}


def said(judge: RecordedJudge) -> bool | None:
    return judge.judge([PAIR])[0].supported


@pytest.mark.parametrize(
    ("verdict", "supported"),
    [
        (True, True),
        (False, False),
        (1, True),
        (0, False),
        (1.0, True),
        (0.0, False),
        ("1", True),
        ("0", False),
        ("0.0", False),
        ("Supported", True),
        ("NOT_SUPPORTED", False),
        ("not-entailment", False),
        (" partially supported ", False),
        ("NOT ENOUGH INFO", False),
        ("neutral", False),
        (None, None),
        ("", None),
        (float("nan"), None),
        ("N/A", None),
        (Verdict(supported=True, score=0.3), True),
        (Verdict.failed("timeout"), None),
    ],
)
def test_verdicts(verdict: Any, supported: bool | None) -> None:
    assert said(RecordedJudge({PAIR: verdict})) is supported


def test_no_word_means_two_things() -> None:
    assert len({*YES, *NO, *UNJUDGED}) == len(YES) + len(NO) + len(UNJUDGED)
    for words, supported in ((YES, True), (NO, False), (UNJUDGED, None)):
        for word in words:
            for written in (word, word.upper(), word.replace(" ", "_")):
                assert said(RecordedJudge({PAIR: written})) is supported, written


@pytest.mark.parametrize(
    "verdict", ["maybe", "not fully supported", "2", 2, -1, 1.5, [], {}, "0,5"]
)
def test_an_unknown_verdict_is_not_guessed(verdict: Any) -> None:
    with pytest.raises(InputError, match=r"verdict 1.*is no verdict that is known here"):
        RecordedJudge({PAIR: verdict})


def test_a_score_needs_a_threshold() -> None:
    for score in (0.7, "0.7"):
        with pytest.raises(InputError, match=r"0.7 is a score, not a yes or no.*threshold="):
            RecordedJudge({PAIR: score})
        for threshold, supported in ((0.7, True), (0.71, False), (0, True), (1, False)):
            judge = RecordedJudge({PAIR: score}, threshold=threshold)
            assert judge.judge([PAIR]) == [Verdict(supported=supported, score=0.7)]
            assert judge.identity.threshold == threshold


def test_a_threshold_applies_to_scores_alone() -> None:
    table = {PAIR: True, ("p", "h"): 0.2, ("p", "i"): Verdict(supported=True, score=0.4)}
    judge = RecordedJudge(table, threshold=0.5)
    assert [v.supported for v in judge.judge(list(table))] == [True, False, False]
    with pytest.raises(JudgeError, match=r"threshold 0.5 has no score to apply to"):
        RecordedJudge({PAIR: True}, threshold=0.5)
    with pytest.raises(JudgeError, match="not between 0 and 1"):
        RecordedJudge({PAIR: 0.5}, threshold=1.5)


def test_a_missing_pair_is_a_failure_and_not_a_no() -> None:
    missing, blank = RecordedJudge({PAIR: None}).judge([("p", "h"), PAIR])
    assert (missing.supported, blank.supported) == (None, None)
    assert missing.error == "no verdict is recorded for this pair"
    assert blank.error == "this pair is recorded without a verdict"


def test_single_passages_do_not_answer_for_both_together() -> None:
    record = {
        "statements": [("s", ["a", "b"]), ("t", ["a"])],
        "sources": {"a": "passage a", "b": "passage b"},
    }
    judge = RecordedJudge(
        {("passage a", "s"): True, ("passage b", "s"): True, ("passage a", "t"): True}
    )
    report = citemeter.score([record], judge=judge)
    assert report.pair_counts["failed"] == 1
    assert report["citation_recall"] is None
    judge = RecordedJudge({("passage a\npassage b", "s"): False, ("passage a", "t"): True})
    assert citemeter.score([record], judge=judge)["citation_recall"] == 0.5


def test_passages_are_found_by_their_joined_text() -> None:
    judge = RecordedJudge({("a\nb", "h"): True})
    assert judge(Premise(["a", "b"]), "h") is True
    assert RecordedJudge({(Premise(["a", "b"]), "h"): True})("a\nb", "h") is True


def test_white_space_is_overlooked_only_on_request() -> None:
    table = {("Cats \n purr.", " Cats purr."): True}
    assert said(RecordedJudge(table)) is None
    loose = RecordedJudge(table, match="whitespace")
    assert said(loose) is True
    assert loose.judge([("Catspurr.", "Cats purr.")])[0].supported is None
    assert loose.identity != RecordedJudge(table).identity
    with pytest.raises(InputError, match="contradicts the one at verdict 1"):
        RecordedJudge({("a b", "h"): True, ("a  b", "h"): False}, match="whitespace")
    with pytest.raises(InputError, match="match is 'fuzzy'"):
        RecordedJudge(table, match="fuzzy")  # type: ignore[arg-type]


def test_identity_is_the_content() -> None:
    table: dict[Any, Any] = {PAIR: True, ("p", "h"): False}
    one = RecordedJudge(table).identity
    assert one.name == "recorded"
    assert RecordedJudge(dict(reversed(table.items()))).identity == one
    assert RecordedJudge(table, name="annotators").identity.name == "annotators"
    for other in ({**table, PAIR: False}, {PAIR: True}, {**table, ("p", "h"): None}):
        assert RecordedJudge(other).identity.key != one.key
    scores = {PAIR: 0.4, ("p", "h"): 0.9}
    assert len({RecordedJudge(scores, threshold=t).identity.key for t in (0.1, 0.5, 1.0)}) == 1
    assert (
        RecordedJudge({**scores, PAIR: 0.3}, threshold=0.5).identity.key
        != RecordedJudge(scores, threshold=0.5).identity.key
    )


@pytest.mark.parametrize("key", ["Cats purr.", ("a",), ("a", "b", "c"), ("a", 1), 7])
def test_a_key_that_is_no_pair_is_refused(key: Any) -> None:
    with pytest.raises(JudgeError, match="is no pair"):
        RecordedJudge({key: True})


ROWS = [
    {"premise": "Cats\npurr, \"they\" say.", "hypothesis": "a", "verdict": "yes", "score": "0.75"},
    {"premise": "Dogs bark.", "hypothesis": "b", "verdict": "no", "score": ""},
    {"premise": "", "hypothesis": "", "verdict": "", "score": ""},
]  # fmt: skip
WRITTEN = [
    Verdict(supported=True, score=0.75),
    Verdict(supported=False),
    Verdict.failed("this pair is recorded without a verdict"),
]


@pytest.mark.parametrize(
    "name",
    ["a.jsonl", "a.ndjson", "a.json", "a.csv", "a.tsv", "a.jsonl.gz", "A.CSV.GZ", "b.json"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_files(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    kind = name.lower().removesuffix(".gz").split(".")[1]
    opener = gzip.open if name.lower().endswith(".gz") else open
    with opener(path, "wt", encoding=encoding, newline="") as file:
        if kind in ("csv", "tsv"):
            writer = csv.DictWriter(file, ROWS[0], delimiter="\t" if kind == "tsv" else ",")
            writer.writeheader()
            writer.writerows(ROWS)
        elif name == "a.json":
            json.dump(ROWS, file, indent=1)
        else:  # JSON Lines, also under .json
            file.write("\n\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS))
    judge = RecordedJudge.from_file(path)
    assert judge.judge([(row["premise"], row["hypothesis"]) for row in ROWS]) == WRITTEN
    assert len(judge) == 3


def test_premises_as_lists_of_passages(tmp_path: Path) -> None:
    judge = RecordedJudge.from_file(
        lines(tmp_path / "a.jsonl", row("yes", ["a", "", "b"]), row("no", ["a"]), row("yes", []))
    )
    verdicts = judge.judge([("a\nb", PAIR[1]), ("a", PAIR[1]), ("", PAIR[1])])
    assert [v.supported for v in verdicts] == [True, False, True]
    path = tmp_path / "a.csv"
    path.write_text('premise,hypothesis,y\n"[""a"", ""b""]",h,1\n[1] x,h,0\n"[""a"", 2]",h,0\n')
    judge = RecordedJudge.from_file(path)
    verdicts = judge.judge([("a\nb", "h"), ("[1] x", "h"), ('["a", 2]', "h")])
    assert [v.supported for v in verdicts] == [True, False, False]


def test_other_column_names(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"claim": "c", "evidence": "e", "label": "odd word", "y": 1, "why": "because"},
        {"claim": "c", "evidence": "f", "label": "odd word", "y": None, "why": None},
    )
    judge = RecordedJudge.from_file(
        path, premise="evidence", hypothesis="claim", verdict="y", reason="why"
    )
    first, second = judge.judge([("e", "c"), ("f", "c")])
    assert first == Verdict(supported=True, label="odd word", reason="because")
    assert second.supported is None
    with pytest.raises(InputError, match=r"a.jsonl:1'.*'odd word' is no verdict.*words="):
        RecordedJudge.from_file(path, premise="evidence", hypothesis="claim")
    judge = RecordedJudge.from_file(
        path, premise="evidence", hypothesis="claim", words={"Odd_Word": False, "2": None}
    )
    assert judge("e", "c") is False


def test_scores_in_a_column_of_their_own(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"premise": "a", "hypothesis": "h", "score": 0.7},
        {"premise": "b", "hypothesis": "h", "score": 0.2},
        {"premise": "c", "hypothesis": "h", "score": None},
    )
    with pytest.raises(InputError, match=r"a.jsonl:1'.*threshold="):
        RecordedJudge.from_file(path)
    judge = RecordedJudge.from_file(path, threshold=0.5)
    verdicts = judge.judge([("a", "h"), ("b", "h"), ("c", "h")])
    assert [v.supported for v in verdicts] == [True, False, None]
    path = lines(tmp_path / "b.jsonl", row("no", score=0.9), row(None, "other", score=0.9))
    assert [
        v.supported for v in RecordedJudge.from_file(path).judge([PAIR, ("other", PAIR[1])])
    ] == [
        False,
        None,
    ]
    assert said(RecordedJudge.from_file(path, threshold=0.5)) is True
    with pytest.raises(InputError, match=r"c.jsonl:1'.*the score -3.2 is no number between"):
        RecordedJudge.from_file(lines(tmp_path / "c.jsonl", row("no", score=-3.2)))


def test_duplicates(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", row(None), row("yes"), row("true", score=0.8), row(None))
    assert RecordedJudge.from_file(path).judge([PAIR]) == [Verdict(supported=True, score=0.8)]
    path = lines(
        tmp_path / "b.jsonl", row("yes", "x"), row("yes"), row("maybe", "z", y=1), row("no")
    )
    words = {"maybe": None}
    with pytest.raises(InputError, match=r"b.jsonl:4'.* contradicts the one at .*b.jsonl:2"):
        RecordedJudge.from_file(path, words=words)
    judge = RecordedJudge.from_file(path, words=words, conflicts="unjudged")
    assert judge.judge([PAIR])[0].error == (
        "the verdicts recorded for this pair contradict each other"
    )
    assert judge("x", PAIR[1]) is True
    path = lines(tmp_path / "c.jsonl", row(1, score=0.8), row(1, score=0.9))
    with pytest.raises(InputError, match="contradicts"):
        RecordedJudge.from_file(path)
    # A pair stays in dispute whatever comes after.
    path = lines(tmp_path / "d.jsonl", row(1), row(0), row(0), row(1))
    assert said(RecordedJudge.from_file(path, conflicts="unjudged")) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"premise": "a", "hypothesis": "b", "verdict": 1}\n\n{"premise": ', r":3'.*malformed"),
        (b'{"premise": "a", "hypothesis": "b"}\n', r":1'.*no column verdict or supported"),
        (b'{"premise": "a", "verdict": 1}', r":1'.*no column 'hypothesis'.*hypothesis=\.\.\."),
        (b'{"premise": null, "hypothesis": "b", "verdict": 1}', r":1'.*NoneType in column 'prem"),
        (b'{"premise": "a", "hypothesis": ["b"], "verdict": 1}', r":1'.*list in column 'hypo"),
        (b'{"premise": ["a", 1], "hypothesis": "b", "verdict": 1}', r":1'.*list in column 'prem"),
        (b'{"premise": "caf\xe9", "hypothesis": "b", "verdict": 1}', r":1'.*no UTF-8"),
        (b"[1, 2]\n", r":1'.*expected an object, got list"),
        (b"[" * 100_000, r":1'.*nested too deeply"),
    ],
)
def test_malformed_rows_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"(?s)a\.jsonl" + message):
        RecordedJudge.from_file(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"premise,hypothesis,y\na,b,1\na,c\n", r"a.csv:3'.*as many cells"),
        ("a.csv", b"premise,hypothesis,y\na,b,1,2\n", r"a.csv:2'.*as many cells"),
        ("a.csv", b'premise,hypothesis,y\n"a,b,1\n', r"a.csv:2'.*malformed"),
        ("a.csv", b"premise,hypothesis,y\n\xe9,b,1\n", r"a.csv:2'.*no UTF-8"),
        ("a.json", b'[{"premise": "a"}, 3]', r"a.json#1'"),
        ("a.json", b"3", "expected an object, got int"),
        ("a.json", b'[{"premise": ', "malformed input"),
        ("a.json", b'{"premise": "a",\n', "malformed input"),
        ("a.parquet", b"", r"the format of \.parquet is not known"),
        ("a", b"", "the format of this name is not known"),
        ("a.jsonl.gz", b"not gzip", "cannot read .*a.jsonl.gz"),
        (
            "a.jsonl.gz",
            gzip.compress(b'{"premise": "a"}' * 50, mtime=0)[:30],
            "cannot read|malformed",
        ),
    ],
)
def test_malformed_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        RecordedJudge.from_file(path)


def test_files_without_verdicts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*absent.jsonl: No such file"):
        RecordedJudge.from_file(tmp_path / "absent.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot read"):
        RecordedJudge.from_file(tmp_path / "folder.jsonl")
    for name in ("a.jsonl", "a.csv", "a.json"):
        (tmp_path / name).write_bytes(b"[]" if name == "a.json" else b"")
        with pytest.raises(JudgeError, match="there is no verdict in"):
            RecordedJudge.from_file(tmp_path / name)


def test_labels_of_people(shared: Path) -> None:
    folder = shared / "data" / "labelled"
    names = {"premise": "evidence", "hypothesis": "claim", "verdict": "y"}
    for name, count, supported in (
        ("attributionbench_test500", 500, 250),
        ("wice_claim_dev_oracle", 1023, 337),
        ("citation_integrity_biomed", 3058, 1941),
    ):
        path = folder / f"{name}.jsonl"
        judge = RecordedJudge.from_file(path, **names)
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        verdicts = judge.judge([(r["evidence"], r["claim"]) for r in rows])
        assert len(judge) == count
        assert sum(v.supported is True for v in verdicts) == supported
        assert [v.supported for v in verdicts] == [r["y"] == 1 for r in rows]


def test_people_who_disagree(shared: Path) -> None:
    path = shared / "data" / "labelled" / "factcheckgpt_stance.jsonl"
    names = {"premise": "evidence", "hypothesis": "claim", "verdict": "y"}
    with pytest.raises(InputError, match=r"contradicts the one at .*:1710"):
        RecordedJudge.from_file(path, **names)
    judge = RecordedJudge.from_file(path, **names, conflicts="unjudged")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    said: dict[Any, set[int]] = {}
    for r in rows:
        said.setdefault((r["evidence"], r["claim"]), set()).update({r["y"]} - {None})
    verdicts = judge.judge(list(said))
    for verdict, labels in zip(verdicts, said.values(), strict=True):
        assert verdict.supported is (labels == {1} if len(labels) == 1 else None)
    assert any(len(labels) == 2 for labels in said.values())


def test_every_word_is_in_the_documentation() -> None:
    page = ROOT / "docs" / "judges" / "recorded.md"
    if not page.exists():
        pytest.skip("the pages are not beside these tests")
    rows = re.findall(r"^\|(.*)\|(.*)\|(.*)\|$", page.read_text("utf-8"), re.MULTILINE)
    for cells, words in zip(zip(*rows, strict=True), (YES, NO, UNJUDGED), strict=True):
        there = {word.strip(" `*") for cell in cells for word in cell.split(",")}
        assert set(words) - there <= {""}
