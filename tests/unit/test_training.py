from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from citemeter.judges.lexical import fitted
from citemeter.judges.lexical_words import read_table

TRAINING = Path(__file__).resolve().parents[2] / "training"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    if not TRAINING.is_dir():
        pytest.skip("the training scripts are not beside these tests")
    monkeypatch.syspath_prepend(str(TRAINING))
    names = ("measures", "fit_lexical", "evaluate_judges")
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return {name: importlib.import_module(name) for name in names}


def test_auroc_is_the_share_of_pairs_in_order(scripts: dict[str, ModuleType]) -> None:
    draw = np.random.default_rng(0)
    truth = draw.random(60) < 0.4
    scores = np.round(draw.random(60), 1)
    above = [(a > b) + 0.5 * (a == b) for a in scores[truth] for b in scores[~truth]]
    assert scripts["measures"].auroc(truth, scores) == pytest.approx(np.mean(above))
    assert np.isnan(scripts["measures"].auroc(np.ones(3, dtype=bool), np.ones(3)))


def test_accuracy_measures_by_hand(scripts: dict[str, ModuleType]) -> None:
    truth = np.array([True, True, True, True, False, False])
    said = np.array([True, True, True, False, True, False])
    measures = scripts["measures"]
    assert measures.balanced_accuracy(truth, said) == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert measures.macro_f1(truth, said) == pytest.approx((6 / 8 + 2 / 4) / 2)
    assert measures.token_overlap("A cat, sat.", "the cat sat") == pytest.approx(2 / 3)
    assert measures.token_overlap("a", "") == 0


def test_threshold_lies_where_the_classes_part(scripts: dict[str, ModuleType]) -> None:
    truth = np.array([False] * 50 + [True] * 50)
    scores = np.concatenate([np.linspace(0, 0.4, 50), np.linspace(0.6, 1, 50)])
    assert 0.4 < scripts["measures"].best_threshold(truth, scores) <= 0.6


def test_interval_holds_the_value_and_repeats(scripts: dict[str, ModuleType]) -> None:
    draw = np.random.default_rng(1)
    truth = draw.random(200) < 0.5
    scores = draw.random(200) + 0.3 * truth
    measures = scripts["measures"]
    low, high = measures.interval(measures.auroc, truth, scores, resamples=200)
    assert low < measures.auroc(truth, scores) < high
    assert (low, high) == measures.interval(measures.auroc, truth, scores, resamples=200)


def test_the_table_goes_between_the_markers(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    script = scripts["evaluate_judges"]
    page = tmp_path / "page.md"
    page.write_text(f"before\n{script.BEGIN}\nold\n{script.END}\nafter\n", encoding="utf-8")
    script.write_between_markers(page, "new")
    written = page.read_text(encoding="utf-8")
    assert written == f"before\n{script.BEGIN}\n\nnew\n\n{script.END}\nafter\n"
    page.write_text("no markers", encoding="utf-8")
    with pytest.raises(SystemExit):
        script.write_between_markers(page, "new")


@pytest.mark.slow
def test_fitting_again_gives_what_is_shipped(
    scripts: dict[str, ModuleType], shared: Path, tmp_path: Path
) -> None:
    script = scripts["fit_lexical"]
    rows = scripts["measures"].read_rows(shared / "data", script.DEVELOPMENT)
    script.write_weights(rows, tmp_path / "weights.txt")
    lines = (tmp_path / "weights.txt").read_text(encoding="utf-8").splitlines()
    written = tuple(tuple(line.split()) for line in lines if not line.startswith("#"))
    assert written == read_table("term_weights.txt")
    truth = np.array([row.supported for row in rows])
    setting, _ = script.choose(script.grid(rows), truth)
    assert setting == fitted()


@pytest.mark.slow
def test_the_page_prints_what_the_judge_reaches(
    scripts: dict[str, ModuleType], shared: Path
) -> None:
    script = scripts["evaluate_judges"]
    development = scripts["measures"].read_rows(shared / "data", script.DEVELOPMENT)
    judges = [script.load(spec, development) for spec in ("lexical", "overlap")]
    assert script.report(judges, shared / "data") in script.DOCS.read_text(encoding="utf-8")
