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


def test_token_overlap_by_hand(scripts: dict[str, ModuleType]) -> None:
    measures = scripts["measures"]
    assert measures.token_overlap("A cat, sat.", "the cat sat") == pytest.approx(2 / 3)
    assert measures.token_overlap("a", "") == 0


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
