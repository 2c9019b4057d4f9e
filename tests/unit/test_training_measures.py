"""Which rows are reported, and what they come with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from citemeter.judges.base import Premise
from support import write_jsonl

NAMES = ("hard_negatives", "measures")


PASSAGES = [
    {"id": "1", "text": "Cats purr."},
    {"id": "2", "text": "Dogs bark."},
    {"id": "3", "text": " https://example.org/page "},
    {"id": "4", "text": "See https://example.org/page for more."},
    {"id": "5", "text": " "},
]


def hagrid(data: Path, sentences: Sequence[tuple[str, int | None]]) -> None:
    labelled = [{"text": text, "attributable": label} for text, label in sentences]
    write_jsonl(
        data / "answers" / "hagrid.jsonl",
        [{"passages": PASSAGES, "human": {"sentences": labelled}}],
    )


def expertqa(data: Path, claims: Sequence[tuple[str, str | None]], known: Sequence[str]) -> None:
    labelled = [{"claim_string": text, "support": support} for text, support in claims]
    answer = {"passages": PASSAGES, "system": "gpt", "human": {"claims": labelled}}
    write_jsonl(data / "answers" / "expertqa.jsonl", [answer])
    for name in ("attributionbench_dev", "attributionbench_test500"):
        write_jsonl(data / "labelled" / f"{name}.jsonl", [{"claim": c, "y": 1} for c in known])


def test_a_labelled_sentence_comes_with_what_it_cites(tmp_path: Path, measures: ModuleType) -> None:
    hagrid(
        tmp_path,
        [
            ("Cats purr [1].", 1),
            ("Both are pets. [1, 2]", 0),
            ("Cats purr [1]. Dogs bark, too [2][1].", 1),
            ("Nobody knows.", 0),
            ("Cats purr [9].", 0),
            ("Cats purr [1, 9].", 0),
            ("Cats meow [1].", None),
            ("Blank [5].", 0),
            ("[1]", 0),
        ],
    )
    rows = measures.read_reported(tmp_path, "hagrid")
    assert [tuple(row) for row in rows] == [
        ("Cats purr.", "Cats purr.", True, ""),
        ("Cats purr.\nDogs bark.", "Both are pets.", False, ""),
        ("Cats purr.\nDogs bark.", "Cats purr. Dogs bark, too.", True, ""),
        ("Cats purr.", "Cats purr.", False, ""),
    ]
    assert [type(row.premise) for row in rows] == [str, Premise, Premise, str]


def test_an_experts_claim_is_supported_where_support_is_complete(
    tmp_path: Path, measures: ModuleType
) -> None:
    expertqa(
        tmp_path,
        [
            ("A is [1].", "Complete"),
            ("B is [1].", "Partial"),
            ("C is [1].", "Incomplete"),
            ("D is [1].", "N/A"),
            ("E is [1].", None),
            ("F is.", "Missing"),
            ("An address alone [3].", "Complete"),
            ("One of two [1][3].", "Complete"),
            ("Address and words [4].", "Complete"),
            ("The other set has it [1][2].", "Complete"),
            ("And this [1].", "Incomplete"),
        ],
        known=["the other set has it", "And this. [4]"],
    )
    rows = measures.read_reported(tmp_path, "expertqa")
    assert [(row.hypothesis, row.supported, row.source) for row in rows] == [
        ("A is.", True, "gpt"),
        ("B is.", False, "gpt"),
        ("C is.", False, "gpt"),
        ("Address and words.", True, "gpt"),
    ]


def test_split_sets_are_reported_in_part_and_training_sets_not_at_all(
    tmp_path: Path, measures: ModuleType
) -> None:
    rows = [{"claim": f"c{n}", "evidence": "e", "y": n % 2} for n in range(4)]
    rows[3]["y"] = None
    write_jsonl(tmp_path / "labelled" / "fever_symmetric.jsonl", rows)
    assert [r.hypothesis for r in measures.read_reported(tmp_path, "fever_symmetric")] == ["c1"]
    rows = [{"claim": s, "evidence": "e", "y": 1, "split": s} for s in ("dev", "test")]
    write_jsonl(tmp_path / "labelled" / "foolmetwice.jsonl", rows)
    assert [r.hypothesis for r in measures.read_reported(tmp_path, "foolmetwice")] == ["test"]
    for name in measures.TRAINED:
        with pytest.raises(ValueError, match="learnt"):
            measures.read_reported(tmp_path, name)


def test_the_parts_of_sets_do_not_meet(measures: ModuleType) -> None:
    assert not {*measures.TRAINED} & {*measures.REPORTED}
    assert {*measures.SPLIT} <= {*measures.REPORTED}
    assert {*measures.CONTRAST} <= {*measures.REPORTED}
    assert measures.DEVELOPMENT not in measures.REPORTED


@pytest.mark.slow
def test_the_reported_sets_have_the_rows_they_are_said_to_have(
    shared: Path, measures: ModuleType
) -> None:
    sizes = {
        name: (len(rows), sum(row.supported for row in rows))
        for name in measures.REPORTED
        if (rows := measures.read_reported(shared / "data", name))
    }
    assert sizes == {
        "attributionbench_test500": (500, 250),
        "wice_claim_dev_oracle": (1023, 337),
        "wice_claim_dev_full": (349, 115),
        "hagrid": (1401, 1062),
        "expertqa": (796, 638),
        "scifact_rationale_nli": (771, 506),
        "foolmetwice": (1379, 681),
        "fever_symmetric": (708, 350),
    }
