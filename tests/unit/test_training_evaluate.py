"""The script that measures: resamples, steps, tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from citemeter.judges.base import CallableJudge
from citemeter.statistics import agreement
from citemeter.verdicts import Verdict
from support import write_jsonl

NAMES = (
    "hard_negatives",
    "measures",
    "resampling",
    "steps",
    "evaluate",
)


@pytest.fixture(scope="module")
def resampling(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["resampling"]


@pytest.fixture(scope="module")
def evaluate(scripts: dict[str, ModuleType]) -> ModuleType:
    return scripts["evaluate"]


# ---------------------------------------------------------------------- resamples


@st.composite
def judged(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    size = draw(st.integers(2, 40))
    truth = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    levels = st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.9, 1.0])
    scores = np.array(draw(st.lists(levels, min_size=size, max_size=size)))
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    return truth, scores, counts


@settings(max_examples=80, deadline=None)
@given(rows=judged())
def test_a_weighted_measure_is_the_measure_of_repeated_rows(
    resampling: ModuleType, rows: tuple[Any, Any, Any]
) -> None:
    truth, scores, counts = rows
    assume(counts.any())
    weights = np.array([np.ones(len(truth)), counts])
    many, again = np.repeat(truth, counts), np.repeat(scores, counts)
    both = truth.any() and not truth.all()
    for whole, (t, s) in enumerate([(truth, scores), (many, again)]):
        if not both or not t.any() or t.all():
            continue
        said = scores >= 0.5
        found = resampling.balanced_accuracy(truth, said, weights)[whole]
        assert found == pytest.approx(agreement.balanced_accuracy(t, s >= 0.5))
        found = resampling.macro_f1(truth, said, weights)[whole]
        assert found == pytest.approx(agreement.macro_f1(t, s >= 0.5))
        found = resampling.auroc(truth, scores, weights)[whole]
        assert found == pytest.approx(agreement.auroc(t, s))
        assert resampling.brier(truth, scores, weights)[whole] == pytest.approx(
            np.mean((t - s) ** 2)
        )


def test_without_one_label_balanced_accuracy_is_undefined(resampling: ModuleType) -> None:
    truth = np.array([True, False])
    weights = np.array([[1.0, 1.0], [2.0, 0.0]])
    found = resampling.balanced_accuracy(truth, truth, weights)
    assert found[0] == 1.0
    assert np.isnan(found[1])
    assert np.isnan(resampling.auroc(truth, np.array([1.0, 0.0]), weights)[1])
    assert np.isnan(resampling.macro_f1(truth, truth, weights)[1])
    assert resampling.value_and_interval(np.array([0.5, 0.4, np.nan, 0.6]))[0] == 0.5


def test_calibration_error_by_hand(resampling: ModuleType) -> None:
    scores = np.repeat(np.arange(10) / 10, 10)
    truth = np.arange(100) % 10 < np.repeat(np.arange(10), 10)  # as often as the score says
    ones = np.ones((1, 100))
    assert resampling.calibration_error(truth, scores, ones)[0] == pytest.approx(0.0)
    assert resampling.calibration_error(truth, scores + 0.05, ones)[0] == pytest.approx(0.05)
    half = np.full(100, 0.5)  # one score: one bin
    assert resampling.calibration_error(truth, half, ones)[0] == pytest.approx(0.05)
    assert resampling.calibration_error(~truth, np.zeros(100), ones)[0] == pytest.approx(0.55)


def test_rows_of_a_claim_are_drawn_together_in_all_sets(resampling: ModuleType) -> None:
    first, second = ["a", "b", "a", "c"], ["c", "a"]
    one, two = resampling.draws([first, second], "name", resamples=200)
    assert one.shape == (201, 4)
    assert two.shape == (201, 2)
    assert (one[0] == 1).all()
    assert (one[:, 0] == one[:, 2]).all()
    assert (one[:, [3, 0]] == two).all()
    assert (one[:, 0] + one[:, 1] + one[:, 3] == 3).all()  # as many claims as there are
    assert one[1:].std(0).min() > 0.5
    again = resampling.draws([first, second], "name", resamples=200)
    assert (again[0] == one).all()
    assert (resampling.draws([first, second], "other", resamples=200)[0] != one).any()


# ---------------------------------------------------------------------- steps


@pytest.fixture
def rows(measures: ModuleType) -> list[Any]:
    return [measures.Row(f"a b {n}", f"a {n}", n % 2 == 0, "") for n in range(6)]


class Counting(CallableJudge):
    """Counts what it is asked."""

    def __init__(self, fails: bool = False) -> None:
        super().__init__(lambda p, h: True, name="counting", version="1")
        self.asked, self.fails = 0, fails

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        self.asked += len(pairs)
        if self.fails:
            return [Verdict.failed("no")] * len(pairs)
        return [Verdict(supported=True, score=0.75)] * len(pairs)


def test_scores_are_kept_for_the_same_rows_and_the_same_code(
    tmp_path: Path, steps: ModuleType, rows: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Counting()
    step = steps.Step("package:judge", judge)
    first = step.scored("set", rows, tmp_path)
    assert judge.asked == 1 + len(rows)  # the first warms it up
    assert first.scores.tolist() == [0.75] * 6
    assert first.said.all()
    kept = step.scored("set", rows, tmp_path)
    assert judge.asked == 1 + len(rows)
    assert kept.scores.tolist() == first.scores.tolist()
    assert kept.said.dtype == np.bool_
    assert kept.microseconds == first.microseconds
    step.scored("set", rows[:5], tmp_path)
    assert judge.asked == 2 + 6 + 5
    step.scored("other", rows[:5], tmp_path)
    assert judge.asked == 3 + 6 + 5 + 5
    monkeypatch.setattr(steps, "_code", lambda: "changed")
    step.scored("other", rows[:5], tmp_path)
    assert judge.asked == 4 + 6 + 5 + 5 + 5
    step.scored("other", rows[:5])
    assert judge.asked == 5 + 6 + 5 + 5 + 5 + 5


def test_a_failure_is_no_verdict(steps: ModuleType, rows: list[Any]) -> None:
    with pytest.raises(SystemExit, match="6 pairs failed"):
        steps.Step("x", Counting(fails=True)).scored("set", rows)


def test_stored_scores_are_a_step(tmp_path: Path, steps: ModuleType, rows: list[Any]) -> None:
    file = tmp_path / "scores.npz"
    np.savez(file, threshold=0.5, set=np.array([0.1, 0.5, 0.9, 0.2, 0.6, 0.0]))
    step = steps.load(f"late={file}", tmp_path)
    assert step.name == "late"
    assert step.probability
    assert "not shipped" in step.description
    assert step.scored("set", rows).said.tolist() == [False, True, True, False, True, False]
    with pytest.raises(SystemExit, match="as many numbers"):
        step.scored("set", rows[:5])
    with pytest.raises(SystemExit, match="no scores of other"):
        step.scored("other", rows)
    np.savez(file, set=np.zeros(6))
    with pytest.raises(SystemExit, match="no threshold"):
        steps.load(f"late={file}", tmp_path)
    np.savez(file, threshold=0.5, set=np.full(6, np.nan), probability=False)
    step = steps.load(f"late={file}", tmp_path)
    assert not step.probability
    with pytest.raises(SystemExit, match="as many numbers"):
        step.scored("set", rows)


def test_overlap_is_fitted_on_the_development_set(tmp_path: Path, steps: ModuleType) -> None:
    found = [
        {"claim": "a b c d", "evidence": evidence, "y": y}
        for evidence, y in (("a b c d", 1), ("a b c", 1), ("a", 0), ("none", 0))
        for _ in range(3)
    ]
    write_jsonl(tmp_path / "labelled" / "attributionbench_dev.jsonl", found)
    step = steps.load("overlap", tmp_path)
    assert 0.25 < step.judge.identity.threshold <= 0.75
    assert not step.probability


# ---------------------------------------------------------------------- tables


@pytest.fixture
def sets(evaluate: ModuleType, measures: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Sets of 80 rows, half of them with a number, an eighth with a negation."""

    def read(data: Path, name: str) -> list[Any]:
        return [
            measures.Row(
                "word " * (400 if n % 4 == 0 else 3),
                f"{name if 'wice' not in name else 'wice'} {'not ' if n % 8 < 3 else ''}claim "
                f"{chr(97 + n % 26)}{chr(97 + n // 26)} {'12' if n % 2 else 'of [3]'}",
                n % 5 < 2,
                "src" if n < 40 else "",
            )
            for n in range(80)
        ]

    monkeypatch.setattr(evaluate, "read_reported", read)
    found: list[Any] = evaluate.read_sets(Path(), resamples=300)
    return found


def step_of(
    steps: ModuleType, sets: Sequence[Any], name: str, scores: Callable[[str, Any], Any]
) -> Any:
    given_scores = {one.name: np.asarray(scores(one.name, one.truth), float) for one in sets}
    return steps.Step(name, None, {**given_scores, "threshold": np.array(0.5)})


def guessing(name: str, truth: Any) -> Any:
    return np.random.default_rng(len(name)).random(len(truth))


def test_wice_is_drawn_as_one_and_others_for_themselves(sets: list[Any]) -> None:
    by_name = {one.name: one for one in sets}
    oracle, full = by_name["wice_claim_dev_oracle"], by_name["wice_claim_dev_full"]
    assert (oracle.weights == full.weights).all()
    assert (oracle.weights != by_name["hagrid"].weights).any()


def test_slices_are_what_they_say(sets: list[Any], evaluate: ModuleType) -> None:
    parts = next(one.slices for one in sets if one.name == "hagrid")
    assert parts[evaluate.NUMBER].sum() == 40  # a citation marker is no number
    assert parts[evaluate.NEGATION].sum() == 30
    assert parts["evidence over 300 words"].sum() == 20
    assert (parts["evidence over 300 words"] ^ parts["evidence up to 300 words"]).all()
    assert parts["source src"].sum() == 40


def test_means_weigh_sets_alike_and_wice_as_one(
    sets: list[Any], evaluate: ModuleType, steps: ModuleType
) -> None:
    def right_on(*names: str) -> Any:
        step = step_of(steps, sets, "s", lambda name, truth: truth if name in names else ~truth)
        return evaluate.measure(step, sets).accuracies

    for name in ("hagrid", "expertqa", "attributionbench_test500"):
        found = right_on(name)
        assert found["reported"][0] == pytest.approx(1 / 7)
        assert found["others"][0] == pytest.approx(1 / 4)
        # Each slice is a mean over the seven sets; three sets and two slices are the contrast.
        assert found["contrast"][0] == pytest.approx(2 / 7 / 5)
    assert right_on("wice_claim_dev_full")["reported"][0] == pytest.approx(1 / 14)
    assert right_on("scifact_rationale_nli")["contrast"][0] == pytest.approx((1 + 2 / 7) / 5)
    assert right_on("attributionbench_dev")["reported"][0] == 0.0


def test_small_slices_enter_no_mean(evaluate: ModuleType) -> None:
    enough = evaluate._enough
    assert enough(np.array([True] * 20 + [False] * 10))
    assert not enough(np.array([True] * 21 + [False] * 9))
    assert not enough(np.array([True] * 15 + [False] * 14))


def test_a_step_earns_its_cost_by_either_rule(
    sets: list[Any], evaluate: ModuleType, steps: ModuleType
) -> None:
    contrast = ("scifact_rationale_nli", "foolmetwice", "fever_symmetric")

    def measured(scores: Callable[[str, Any], Any]) -> Any:
        return evaluate.measure(step_of(steps, sets, "s", scores), sets)

    base = measured(guessing)
    perfect = measured(lambda name, truth: truth)
    assert evaluate.earned(perfect, base) == "yes, by the mean"
    assert evaluate.earned(base, base) == "no"
    assert evaluate.earned(base, perfect) == "no"
    # Better on edits, as much worse elsewhere: neither rule holds.
    traded = measured(lambda name, truth: truth if name in contrast else ~truth)
    assert evaluate.earned(traded, base) == "no"


def test_gains_are_paired(sets: list[Any], evaluate: ModuleType, steps: ModuleType) -> None:
    first = evaluate.measure(step_of(steps, sets, "overlap", guessing), sets)
    same = evaluate.measure(step_of(steps, sets, "same", guessing), sets)
    third = evaluate.measure(step_of(steps, sets, "third", lambda n, t: t), sets)
    pairs = evaluate.comparisons([first, same, third])
    names = [(one.step.name, other.step.name) for one, other in pairs]
    assert names == [("same", "overlap"), ("third", "same"), ("third", "overlap")]
    table = evaluate.gain_table(sets, [first, same, third])
    for line in table.splitlines()[2:]:
        assert line.split(" | ")[1] == "+0.0 [+0.0, +0.0]"


def test_the_report_has_every_set_and_step(
    sets: list[Any], evaluate: ModuleType, steps: ModuleType
) -> None:
    base = step_of(steps, sets, "overlap", guessing)
    base.probability = False
    good = step_of(steps, sets, "lexical", lambda name, truth: 0.1 + 0.8 * truth)
    measured = [evaluate.measure(step, sets) for step in (base, good)]
    text = evaluate.report(sets, measured)
    for title in evaluate.TITLES.values():
        assert text.count(f"| {title} |") >= 2 + 2 + 1
    assert "`overlap`, ECE" not in text
    assert "`lexical`, ECE" in text
    counts = [line for line in text.splitlines() if line.count("|") == 11 and "`lexical`" in line]
    assert len(counts) == len(sets)
    # README.md's figures are taken from these lines: ten cells, the last four of them counts.
    assert counts[0].split(" | ")[6:] == ["32", "0", "0", "48 |"]
    assert "1.000 [1.000, 1.000]" in counts[0]
    brief = evaluate.report(sets, measured, brief=True)
    assert "slice" not in brief.replace("slices", "")
    assert len(brief) < len(text)
    assert evaluate.time_table(sets, measured).count("\n") == 1  # stored scores have no time


def test_each_page_gets_the_steps_it_is_about(
    sets: list[Any],
    evaluate: ModuleType,
    steps: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = {}
    for name in ("LEXICAL_PAGE", "PAGE", "CARD"):
        pages[name] = tmp_path / f"{name}.md"
        markers = (
            f"<!-- begin {m} -->\n<!-- end {m} -->" for m in (evaluate.MARKER, evaluate.COSTS)
        )
        pages[name].write_text("\n".join(["Prose.", *markers, "More."]), encoding="utf-8")
        monkeypatch.setattr(evaluate, name, pages[name])
    names = ["overlap", "lexical", "late", "embedded"]
    measured = [evaluate.measure(step_of(steps, sets, name, guessing), sets) for name in names]
    evaluate.write(sets, measured[:2])
    texts = {name: page.read_text(encoding="utf-8") for name, page in pages.items()}
    assert evaluate.report(sets, measured[:2]) in texts["LEXICAL_PAGE"]
    assert "`overlap`" not in texts["PAGE"] + texts["CARD"]
    evaluate.write(sets, measured)
    texts = {name: page.read_text(encoding="utf-8") for name, page in pages.items()}
    assert evaluate.report(sets, measured[:2]) in texts["LEXICAL_PAGE"]
    assert evaluate.report(sets, measured) in texts["PAGE"]
    assert "`embedded` over `late`" in texts["CARD"]
    for text in texts.values():
        assert text.startswith("Prose.")
        assert text.endswith("More.")
        assert text.count("Balanced accuracy:") == 1


def test_overlap_comes_first(evaluate: ModuleType) -> None:
    assert evaluate.ordered(["lexical", "overlap", "lexical"]) == ["overlap", "lexical"]
    assert evaluate.default_steps()[:2] == ["overlap", "lexical"]


# ---------------------------------------------------------------------- the real sets


@pytest.mark.slow
def test_the_page_prints_what_the_judge_reaches(
    shared: Path, evaluate: ModuleType, steps: ModuleType
) -> None:
    # To bring the page up to date: python training/evaluate.py overlap lexical --write
    data = shared / "data"
    sets = evaluate.read_sets(data)
    measured = [evaluate.measure(steps.load(spec, data), sets) for spec in ("overlap", "lexical")]
    assert evaluate.report(sets, measured) in evaluate.LEXICAL_PAGE.read_text(encoding="utf-8")
