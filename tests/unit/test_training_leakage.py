"""Nothing that is reported is learnt."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import ModuleType

import pytest

from support import write_jsonl

NAMES = ("hard_negatives", "measures", "cross_encoder_data", "leakage")


@pytest.fixture(scope="module")
def leakage(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["leakage"]


@pytest.fixture
def data(tmp_path: Path, scripts: dict[str, ModuleType], leakage: ModuleType) -> Path:
    """Sets of one row each, which share nothing."""
    measures = scripts["measures"]
    for name in (*measures.TRAINED, *measures.SPLIT, measures.DEVELOPMENT, *measures.REPORTED):
        if name not in ("hagrid", "expertqa"):
            row = {"claim": f"{name} says", "evidence": f"{name} is", "y": 1, "split": "test"}
            write_jsonl(tmp_path / "labelled" / f"{name}.jsonl", [row])
    passages = [{"id": "1", "text": "Cats purr."}, {"id": "2", "text": "Dogs bark."}]
    sentences = [{"text": "Cats purr and dogs bark [1, 2].", "attributable": None}]
    answer = {"passages": passages, "human": {"sentences": sentences}}
    write_jsonl(tmp_path / "answers" / "hagrid.jsonl", [answer])
    claims = [{"claim_string": "Only dogs bark [2].", "support": "Complete"}]
    answer = {"passages": passages, "system": "s", "human": {"claims": claims}}
    write_jsonl(tmp_path / "answers" / "expertqa.jsonl", [answer])
    (tmp_path / "nli").mkdir()
    for name in leakage.ENTAILMENT:
        write_nli(tmp_path, name, f"{name} premise", f"{name} hypothesis")
    return tmp_path


def write_nli(data: Path, name: str, premise: str, claim: str) -> None:
    with gzip.open(data / "nli" / f"{name}.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.write(f"label\tpremise\thypothesis\ne\t{premise}\t{claim}\n")


def found(leakage: ModuleType, data: Path) -> list[tuple[str, str, int, int, int]]:
    sets = leakage.reported_digests(data)
    examples = leakage.with_reported_claims(leakage.sources(data), sets)
    return [tuple(one) for one in leakage.collisions(examples, sets)]


def test_sets_apart_share_nothing(leakage: ModuleType, data: Path) -> None:
    assert found(leakage, data) == []
    # Every set that can be learnt from is looked at, and every reported one.
    assert len(list(leakage.sources(data))) == 5 + len(leakage.ENTAILMENT)
    sets = leakage.reported_digests(data)
    assert {name: len(claims) for name, claims in sets.items() if len(claims) != 1} == {
        "fever_symmetric": 0  # its only row is for training
    }


@pytest.mark.parametrize(
    ("premise", "claim", "reported"),
    [
        ("SCIFACT rationale nli  -LRB- is -RRB-", "“Scifact_rationale_nli” says!", None),
        ("scifact rationale nli is", "scifact rationale nli says", "scifact_rationale_nli"),
        ("attributionbench dev IS.", "attributionbench dev, says", "attributionbench_dev"),
        ("Cats purr. Dogs bark.", "cats purr and dogs bark", "hagrid"),
        ("Dogs bark", "Cats purr and dogs bark.", "hagrid"),
        ("dogs -LRB- bark -RRB-", "Only dogs bark", "expertqa"),
        ("foolmetwice is", "foolmetwice says", "foolmetwice"),
    ],
)
def test_a_pair_with_the_same_words_is_found(
    leakage: ModuleType, data: Path, premise: str, claim: str, reported: str | None
) -> None:
    write_nli(data, "mnli_dev_all", premise, claim)
    name = reported or "scifact_rationale_nli"
    assert found(leakage, data) == [(name, "mnli_dev_all", 1, 0, 1)]


def test_a_labelled_row_is_found_too(leakage: ModuleType, data: Path) -> None:
    row = {"claim": "Foolmetwice says", "evidence": "foolmetwice is", "y": 0}
    write_jsonl(data / "labelled" / "q2_wow.jsonl", [row])
    assert found(leakage, data) == [("foolmetwice", "q2_wow", 1, 0, 1)]


def test_a_claim_with_other_evidence_is_counted_apart(leakage: ModuleType, data: Path) -> None:
    write_nli(data, "fever_gold_evidence", "Nothing of the kind", "Foolmetwice says")
    assert found(leakage, data) == [("foolmetwice", "fever_gold_evidence", 0, 1, 1)]


@pytest.mark.slow
def test_no_training_pair_is_a_reported_pair(
    shared: Path, leakage: ModuleType, scripts: dict[str, ModuleType]
) -> None:
    folder = shared / "data"
    sets = leakage.reported_digests(folder)
    assert len(sets) == 9
    assert all(sets.values())
    examples = leakage.with_reported_claims(leakage.sources(folder), sets)
    assert examples  # claims of FeverSymmetric, with their other passage
    pairs, claims = scripts["measures"].reported_pairs(folder)
    learnt = scripts["cross_encoder_data"].kept(examples, pairs, claims)
    assert [one for one in leakage.collisions(learnt, sets) if one.pairs] == []
    # Rows that fit the fusion are taken as they are, with none left out.
    held = [example for example in examples if scripts["cross_encoder_data"].is_held(example)]
    held = [example for example in held if example.kind == "labelled"]
    assert [one for one in leakage.collisions(held, sets) if one.pairs] == []
    # Nothing but FeverSymmetric's own rows has a reported claim.
    shares = {(one.reported, one.trained) for one in leakage.collisions(learnt, sets)}
    assert shares == {("fever_symmetric", "fever_symmetric")}


@pytest.mark.slow
def test_no_pair_of_the_whole_mixture_is_a_reported_pair(
    shared: Path, leakage: ModuleType, scripts: dict[str, ModuleType]
) -> None:
    folder = shared / "data"
    sets = leakage.reported_digests(folder)
    made = scripts["cross_encoder_data"].mixture(folder)
    held = scripts["cross_encoder_data"].held_rows(folder)
    shown = [scripts["cross_encoder_data"].seen(example, 100) for example in held]
    for examples in (made, held, shown):
        assert [one for one in leakage.collisions(examples, sets) if one.pairs] == []
