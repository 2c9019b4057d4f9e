from __future__ import annotations

import gzip
import json
import random
import re
from argparse import Namespace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = ("hard_negatives", "measures", "cross_encoder_data", "fit_cross_encoder")


@pytest.fixture(scope="module")
def hard(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["hard_negatives"]


@pytest.fixture(scope="module")
def data(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["cross_encoder_data"]


PREMISE = (
    "Marie Curie won the Nobel Prize in Physics in 1903. She shared it with Pierre Curie and "
    "Henri Becquerel. The prize was worth 141,000 kronor, and 3 people received it."
)
POOL = ["Lise Meitner", "Niels Bohr", "Otto Hahn", "Max Planck", "Paris", "Vienna"]


def changes(hard: ModuleType, kind: str, claim: str, premise: str = PREMISE) -> set[str | None]:
    return {hard.CHANGES[kind](claim, premise, POOL, random.Random(seed)) for seed in range(60)}


# ---------------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Telemundo -LRB- -LSB- tele -RSB- -RRB- is", "Telemundo ( [ tele ] ) is"),
        ("as shown [<|multi_cit|>].", "as shown."),
        ("as shown [<|multi_cit|>,7].", "as shown."),
        (
            "doxorubicin [<|other_cit|>] and metformin [<|cit|>] work",
            "doxorubicin and metformin work",
        ),
        ("by TSC2 (<|multi_cit|>).", "by TSC2."),
        ("two   spaces\tand a tab", "two spaces and a tab"),
        ("", ""),
    ],
)
def test_cleaning(hard: ModuleType, text: str, expected: str) -> None:
    assert hard.clean(text) == expected


def test_texts_that_say_the_same_words_are_equal(hard: ModuleType) -> None:
    spoken = "In the 1990 's -LRB- it \n was -RRB- “over”."
    assert hard.normalised(spoken) == hard.normalised('in the 1990\'s (it was) "over"')
    assert hard.normalised("It was 10.") != hard.normalised("It was 100.")
    assert hard.normalised("") == ""


def test_coverage_counts_content_words_alone(hard: ModuleType) -> None:
    assert hard.covered("The cat was in Paris", "a cat in Vienna") == 0.5
    assert hard.covered("it is not", "anything") == 0.0


def test_sentences_end_at_stops_and_line_breaks(hard: ModuleType) -> None:
    assert hard.sentences('One is 1.5 long. "Two!" Three\nfour') == [
        "One is 1.5 long.",
        '"Two!',
        "Three",
        "four",
    ]


# ---------------------------------------------------------------------- changes of a claim


def test_a_year_moves_to_one_the_premise_has_not(hard: ModuleType) -> None:
    claims = changes(hard, "date", "She won it in 1903.", PREMISE + " Not in 1904.")
    assert len(claims) > 3
    assert "She won it in 1903." not in claims
    assert "She won it in 1904." not in claims
    assert all(re.fullmatch(r"She won it in 1[89]\d\d\.", str(claim)) for claim in claims)


def test_a_month_becomes_another(hard: ModuleType) -> None:
    claims = changes(hard, "date", "It began on May 5.", "It began on May 5, not in June.")
    assert len(claims) > 5
    assert not claims & {"It began on May 5.", "It began on June 5."}
    assert changes(hard, "date", "May I ask whether they march?") == {None}


def test_a_number_changes_in_its_own_form(hard: ModuleType) -> None:
    claims = changes(hard, "number", "It was worth 141,000 kronor.")
    assert None not in claims
    for claim in claims:
        found = re.fullmatch(r"It was worth ([\d,]+) kronor\.", str(claim))
        assert found is not None
        value = int(found[1].replace(",", ""))
        assert value != 141_000
        assert found[1] == f"{value:,}"
    decimal = changes(hard, "number", "It rose by 2.5 points.")
    assert all(re.fullmatch(r"It rose by \d+\.\d points\.", str(c)) for c in decimal - {None})


def test_a_number_is_none_that_the_premise_has(hard: ModuleType) -> None:
    premise = "There were 1, 2, 4, 5, 6, 8 or 10 of 3."
    for claim in changes(hard, "number", "There were 3.", premise) - {None}:
        assert claim is not None
        assert not re.search(r"\b(?:1|2|3|4|5|6|8|10)\b", claim)


def test_years_names_and_citations_are_no_numbers(hard: ModuleType) -> None:
    for claim in ("It was in 1903.", "The B2 was a jet.", "See COVID-19.", "No digits at all."):
        assert changes(hard, "number", claim) == {None}


def test_a_number_word_becomes_another(hard: ModuleType) -> None:
    claims = changes(hard, "number", "There were three laureates.", "two or three")
    assert claims
    assert not claims & {None, "There were two laureates.", "There were three laureates."}


def test_a_name_becomes_one_that_is_not_in_the_claim(hard: ModuleType) -> None:
    claim = "The prize went to Marie Curie and Henri Becquerel."
    found = changes(hard, "name", claim) - {None}
    assert len(found) > 3
    for changed in found:
        assert changed is not None
        assert changed != claim
        assert ("Marie Curie" in changed) != ("Henri Becquerel" in changed)
    assert changes(hard, "name", "nobody by name") == {None}
    assert changes(hard, "name", "Laureates came.") == {None}  # a first word may be no name


def test_replacements_come_from_the_premise_and_from_elsewhere(hard: ModuleType) -> None:
    found = "|".join(str(c) for c in changes(hard, "name", "It went to Marie Curie."))
    assert "Henri Becquerel" in found
    assert any(name in found for name in POOL)


def test_without_other_names_a_claim_keeps_its_own(hard: ModuleType) -> None:
    draw = random.Random(0)
    results = {hard.change_name("To Ada Byron.", "no names", [], draw) for _ in range(20)}
    assert results == {None}


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("He was tall.", "He was not tall."),
        ("It has been done.", "It has not been done."),
        ("It is not red.", "It is red."),
        ("She did never ask.", "She did ask."),
        ("Cats purr.", None),
        ("", None),
    ],
)
def test_negation(hard: ModuleType, claim: str, expected: str | None) -> None:
    assert hard.negated(claim) == expected


def test_polarity_turns_a_word_round_or_negates(hard: ModuleType) -> None:
    found = changes(hard, "polarity", "It was before the war.")
    assert found == {"It was after the war.", "It was not before the war."}
    assert changes(hard, "polarity", "Cats purr.") == {None}


def test_opposites_go_both_ways_and_none_is_its_own(hard: ModuleType) -> None:
    for word, other in hard._OPPOSITE.items():
        assert word != other
        assert other in hard._OPPOSITE


def test_an_altered_pair_keeps_its_evidence_and_loses_its_support(hard: ModuleType) -> None:
    claim = "Marie Curie was one of 3 people who won before 1904."
    example = hard.Example(PREMISE, claim, True, "set")
    made = [hard.altered(example, POOL, random.Random(seed)) for seed in range(80)]
    assert {m.kind for m in made} == set(hard.CHANGES)
    for pair in made:
        assert (pair.premise, pair.source, pair.supported) == (PREMISE, "set", False)
        assert hard.normalised(pair.hypothesis) != hard.normalised(claim)
    assert hard.altered(example._replace(hypothesis="Cats purr."), POOL, random.Random(0)) is None


@settings(max_examples=150, deadline=None)
@given(claim=st.text(max_size=80), premise=st.text(max_size=80), seed=st.integers(0, 999))
def test_any_text_can_be_asked_to_change(
    hard: ModuleType, claim: str, premise: str, seed: int
) -> None:
    draw = random.Random(seed)
    for change in hard.CHANGES.values():
        changed = change(claim, premise, POOL, draw)
        assert changed is None or changed != claim
    example = hard.Example(premise, claim, True, "set")
    made = hard.altered(example, POOL, draw)
    assert made is None or hard.normalised(made.hypothesis) != hard.normalised(claim)
    cut = hard.without_needed(example)
    assert cut is None or (cut.premise and len(cut.premise) < len(premise))


# ---------------------------------------------------------------------- changes of the evidence


def test_the_needed_sentence_goes(hard: ModuleType) -> None:
    example = hard.Example(PREMISE, "The prize was worth 141,000 kronor.", True, "set")
    cut = hard.without_needed(example)
    assert "kronor" not in cut.premise
    assert "Becquerel" in cut.premise
    assert not cut.supported


def test_a_needed_sentence_goes_wherever_it_is_repeated(hard: ModuleType) -> None:
    example = hard.Example("Cats purr loudly. Dogs bark. Cats purr loudly.", "Cats purr", True, "s")
    assert hard.without_needed(example).premise == "Dogs bark."


@pytest.mark.parametrize(
    "premise",
    [
        "Cats purr.",
        "",
        "Cats purr. Cats purr.",
        "Cats purr a lot. Many cats purr.",
        "It is. So it is.",
    ],
)
def test_evidence_that_would_still_do_or_be_empty_is_left(hard: ModuleType, premise: str) -> None:
    assert hard.without_needed(hard.Example(premise, "Cats purr", True, "set")) is None


def test_a_window_holds_what_the_claim_is_about(hard: ModuleType) -> None:
    filler = "Nothing to see here at all. " * 10
    text = f"{filler}Ada wrote programs. She lived in Kent. {filler}"
    example = hard.Example(text, "Ada wrote programs and lived in Kent", True, "set")
    cut = hard.window(example, 12)
    assert "Ada wrote programs. She lived in Kent." in cut.premise
    assert len(cut.premise.split()) <= 12
    assert cut._replace(premise=text) == example
    assert hard.window(example, 1000) is example
    assert hard.window(example, 1).premise == "Ada wrote programs."
    assert hard.window(example._replace(premise=""), 5).premise == ""


def test_distractors_surround_the_evidence_and_fit(hard: ModuleType) -> None:
    example = hard.Example("The needle.", "A needle", True, "set")
    others = [f"Straw number {n} lies here." for n in range(20)]
    places = set()
    for seed in range(20):
        made = hard.among(example, others, 30, random.Random(seed))
        assert len(made.premise.split()) <= 30
        assert made.premise.count("The needle.") == 1
        assert (made.supported, made.hypothesis) == (True, "A needle")
        places.add(made.premise.index("The needle."))
    assert len(places) > 3
    assert hard.among(example, others, 1, random.Random(0)).premise == "The needle."


def test_two_claims_need_both_their_passages(hard: ModuleType) -> None:
    first = hard.Example("P1.", "H1.", True, "a")
    second = hard.Example("P2.", "H2.", True, "b")
    both = hard.composed(first, second, None)
    assert both[:3] == ("P1. P2.", "H1. H2.", True)
    assert hard.composed(first, second, "Other.")[:3] == ("P1. Other.", "H1. H2.", False)
    assert not hard.composed(first, second._replace(supported=False), None).supported


def test_neighbours_share_words_but_do_not_give_the_claim(hard: ModuleType) -> None:
    texts = [
        "zebra facts and figures",
        "zebra stripes vary",
        *(f"filler text {n}" for n in range(9)),
    ]
    near = hard.Neighbours(texts)
    found = near.of("Every zebra in Kenya sleeps standing", 2, random.Random(0))
    assert len(found) == 2
    assert set(found) <= set(texts)
    counts = [
        text.startswith("zebra")
        for seed in range(30)
        for text in near.of("Every zebra in Kenya sleeps standing", 2, random.Random(seed))
    ]
    assert sum(counts) == 60
    given_away = near.of("zebra stripes vary", 5, random.Random(0), most=0.5)
    assert "zebra stripes vary" not in given_away


# ---------------------------------------------------------------------- reading


UNLEARNT = (
    "attributionbench_dev",
    "attributionbench_test500",
    "wice_claim_dev_oracle",
    "wice_claim_dev_full",
    "scifact_rationale_nli",
)


def write_labelled(folder: Path, name: str, records: list[dict[str, Any]]) -> None:
    (folder / "labelled").mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(record) for record in records]
    (folder / "labelled" / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, data: ModuleType) -> Path:
    for name in (*UNLEARNT, *data.TRAINED):
        rows = [{"claim": f"{name} {n}", "evidence": f"E {n}", "y": n % 2} for n in range(3)]
        write_labelled(tmp_path, name, rows)
    rows = [{"claim": f"sym {n}", "evidence": f"E {n}", "y": 1} for n in range(4)]
    write_labelled(tmp_path, "fever_symmetric", rows)
    rows = [
        {"claim": f"fool {split}", "evidence": "E", "y": 0, "split": split}
        for split in ("dev", "test")
    ]
    write_labelled(tmp_path, "foolmetwice", rows)
    (tmp_path / "answers").mkdir()
    for name in ("hagrid", "expertqa"):
        (tmp_path / "answers" / f"{name}.jsonl").write_text("", encoding="utf-8")
    return tmp_path


def test_only_training_rows_are_read(folder: Path, data: ModuleType) -> None:
    claims = {example.hypothesis for example in data.read_human(folder)}
    assert claims == {
        *(f"{name} {n}" for name in data.TRAINED for n in range(3)),
        "sym 0",
        "sym 2",
        "fool dev",
    }


def test_reported_rows_are_all_the_others(folder: Path, data: ModuleType) -> None:
    pairs, claims = data.reported_pairs(folder)
    assert {"sym 1", "sym 3", "fool test"} <= claims
    assert not {"sym 0", "fool dev"} & claims
    assert len(pairs) == 3 * len(UNLEARNT) + 3


def test_undecided_rows_are_not_learnt_but_are_reported(folder: Path, data: ModuleType) -> None:
    rows = [{"claim": "neither", "evidence": "E", "y": None}]
    write_labelled(folder, "q2_wow", rows)
    write_labelled(folder, "scifact_rationale_nli", rows)
    assert "neither" not in {example.hypothesis for example in data.read_human(folder)}
    assert "neither" in data.reported_pairs(folder)[1]


def test_what_equals_a_reported_pair_is_left_out(data: ModuleType) -> None:
    pairs, claims = {("the evidence", "the claim")}, {"the claim"}
    make = data.Example
    own = make("Other evidence.", "The claim!", True, "fever_symmetric")
    fine = make("The evidence", "Another claim", True, "mnli_dev_all")
    offered = [
        make("The  evidence.", "the CLAIM", True, "fever_symmetric"),
        make("Other evidence.", "The claim!", True, "fever_gold_evidence"),
        own,
        fine,
    ]
    assert data.kept(offered, pairs, claims) == [own, fine]


def test_entailment_sets_are_read_without_their_heading(tmp_path: Path, data: ModuleType) -> None:
    (tmp_path / "nli").mkdir()
    with gzip.open(tmp_path / "nli" / "x.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.write("label\tpremise\thypothesis\ne\tA -LRB- b -RRB-\tC\nbroken\tline\n")
    assert data.read_nli(tmp_path, "x") == [("e", "A ( b )", "C")]


def test_matching_pairs_tell_nothing_by_the_claim(hard: ModuleType, data: ModuleType) -> None:
    texts = [
        "Old zebras wander over dusty northern plains.",
        "Bright comets wander past distant silent planets.",
        "Carved violins need patient careful tuning daily.",
        "Old glaciers grind granite valleys very slowly.",
        "Bright beetles need rotten damp timber logs.",
    ]
    rows = [data.Example(text, text.rstrip("."), True, "set") for text in texts]
    near = hard.Neighbours([row.premise for row in rows])
    made = data.matching(rows, near, random.Random(0))
    assert len(made) == 2 * len(rows)
    assert {pair.kind for pair in made} == {"match"}
    by_claim: dict[str, list[bool]] = {}
    for pair in made:
        by_claim.setdefault(pair.hypothesis, []).append(pair.supported)
        assert pair.supported == (hard.covered(pair.hypothesis, pair.premise) > 0.5)
    assert all(sorted(found) == [False, True] for found in by_claim.values())
    refuted = [row._replace(hypothesis="Nothing said here", supported=False) for row in rows]
    said = {pair.hypothesis for pair in data.matching(refuted, near, random.Random(1))}
    assert said <= set(texts)


def test_composed_pairs_are_about_the_same_thing(data: ModuleType) -> None:
    make = data.Example
    rows = [
        make("Born in Kent.", "Ada Byron was born there.", True, "s"),
        make("Wrote programs.", "Ada Byron wrote them.", True, "s"),
        make("Wrote programs.", "Ada Byron did not.", False, "s"),
        make("Lived in Rome.", "Leo Rossi lived there.", True, "s"),
    ]
    assert data._groups(rows) == [(rows[0], rows[1])]


# ---------------------------------------------------------------------- training


def test_batches_hold_each_pair_once_and_repeat(scripts: dict[str, ModuleType]) -> None:
    draw = random.Random(0)
    lengths = [draw.randrange(10, 400) for _ in range(2000)]
    chosen = range(0, 2000, 2)
    script = scripts["fit_cross_encoder"]
    made = script.batches(chosen, lengths, 16, seed=3, epoch=0)
    assert sorted(at for batch in made for at in batch) == list(chosen)
    assert max(map(len, made)) == 16
    assert made == script.batches(chosen, lengths, 16, seed=3, epoch=0)
    assert made != script.batches(chosen, lengths, 16, seed=3, epoch=1)
    assert made != script.batches(chosen, lengths, 16, seed=4, epoch=0)
    padded = sum(max(lengths[at] for at in b) * len(b) for b in made)
    assert padded < 1.15 * sum(lengths[at] for at in chosen)
    assert script.batches([], lengths, 16, seed=3, epoch=0) == []


def test_matching_comes_first_then_short_pairs_then_all(
    scripts: dict[str, ModuleType], data: ModuleType
) -> None:
    kinds = ["match", "labelled", "labelled", "match"]
    rows = [data.Example("P", "H", True, "s", kind) for kind in kinds]
    plan = scripts["fit_cross_encoder"].stages(rows, [200, 90, 97, 10], short=96)
    assert [chosen for _, chosen in plan] == [[0, 3], [1], [1, 2]]
    shares = [until for until, _ in plan]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_run_goes_on_where_it_stopped(scripts: dict[str, ModuleType]) -> None:
    script = scripts["fit_cross_encoder"]
    lengths = list(range(100))
    plan = [(0.3, list(range(10))), (0.6, list(range(10, 60))), (1.0, list(range(10, 100)))]

    def run(place: dict[str, int], steps: int) -> list[list[int]]:
        training = object.__new__(script.Training)
        training.options = Namespace(pairs=400, batch=7, seed=1)
        training.place = place
        seen = []
        for batch in training.batches(plan, lengths):
            seen.append(batch)
            place["batch"] += 1
            place["pairs"] += len(batch)
            if len(seen) == steps:
                break
        return seen

    def start() -> dict[str, int]:
        return {"stage": 0, "epoch": 0, "batch": 0, "pairs": 0}

    whole = run(start(), 1000)
    assert {at for batch in whole for at in batch} == set(range(100))
    assert 400 <= sum(map(len, whole)) < 407
    assert sum(len(batch) for batch in whole if batch[0] < 10) >= 120
    for steps in (1, 5, 17, 18, 19, 30, 40):
        place = start()
        before = run(place, steps)
        assert before + run(dict(place), 1000) == whole


def test_the_rate_rises_and_falls_to_nothing(scripts: dict[str, ModuleType]) -> None:
    rate = scripts["fit_cross_encoder"].rate_at
    assert rate(0.0) == 0.0
    assert rate(0.02) == pytest.approx(0.5)
    assert rate(0.04) == pytest.approx(1.0)
    assert rate(0.52) == pytest.approx(0.5)
    assert rate(1.0) == 0.0
    assert rate(1.01) == 0.0


def test_held_out_claims_are_known_by_their_words(data: ModuleType) -> None:
    rows = [data.Example("P", f"claim {n}", True, "s") for n in range(500)]
    again = [data.Example("Q", f"Claim,  {n}!", False, "s", "number") for n in range(500)]
    held = [data.is_held(row) for row in rows]
    assert held == [data.is_held(row) for row in again]
    assert 70 < sum(held) < 130


def test_held_rows_are_labelled_rows_and_the_mixture_has_none_of_their_claims(
    folder: Path, data: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in data.TRAINED:
        rows = [{"claim": f"{name} says {n}", "evidence": f"E {n}", "y": 1} for n in range(20)]
        write_labelled(folder, name, rows)
    monkeypatch.setattr(data, "nli", lambda *_: [])
    monkeypatch.setattr(data, "fever", lambda *_: [])
    monkeypatch.setattr(data.random.Random, "sample", lambda self, rows, count: list(rows)[:count])
    held, read = data.held_rows(folder), data.read_human(folder)
    assert 0 < len(held) < len(read)
    assert {row.hypothesis for row in held} < {row.hypothesis for row in read}
    learnt = {row.hypothesis for row in data.mixture(folder) if row.kind == "labelled"}
    assert learnt
    assert not learnt & {row.hypothesis for row in held}
    assert learnt | {row.hypothesis for row in held} == {row.hypothesis for row in read}


def test_a_pair_is_seen_as_the_judge_shows_it(data: ModuleType) -> None:
    filler = " ".join(f"Sentence {n} is about nothing." for n in range(60))
    pair = data.Example(
        f"{filler} Ada wrote  programs. {filler}", "Ada  wrote\nprograms.", True, "s"
    )
    shown = data.seen(pair, 20)
    assert "Ada wrote programs." in shown.premise
    assert len(shown.premise.split()) < 40
    assert shown.hypothesis == "Ada wrote programs."
    assert shown[2:] == pair[2:]


# ---------------------------------------------------------------------- the real sets


@pytest.mark.slow
def test_no_training_row_is_a_reported_pair(shared: Path, data: ModuleType) -> None:
    pairs, claims = data.reported_pairs(shared / "data")
    human = data.kept(data.read_human(shared / "data"), pairs, claims)
    words = data.normalised
    assert len(human) > 9_000
    again = [(e.premise, words(e.hypothesis)) for e in human if words(e.hypothesis) in claims]
    assert again  # FeverSymmetric's claims, with their other passage
    assert not {(words(premise), claim) for premise, claim in again} & pairs


@pytest.mark.slow
def test_the_mixture_repeats_and_holds_no_reported_pair(shared: Path, data: ModuleType) -> None:
    pairs, claims = data.reported_pairs(shared / "data")
    made = data.mixture(shared / "data", seed=0)
    words = data.normalised
    assert not {(words(e.premise), words(e.hypothesis)) for e in made} & pairs
    people = {*data.TRAINED, *data.SPLIT}
    assert not {words(e.hypothesis) for e in made if e.source not in people} & claims
    held = {words(e.hypothesis) for e in data.held_rows(shared / "data")}
    labelled = {words(e.hypothesis) for e in made if e.kind == "labelled"}
    assert len(labelled) > 4_000
    assert not labelled & held
    assert 0.35 < sum(e.supported for e in made) / len(made) < 0.6
    assert len(set(made)) > 0.95 * len(made)
    assert made == data.mixture(shared / "data", seed=0)
