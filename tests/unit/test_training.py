from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from citemeter.judges.lexical.features import read_logistic
from citemeter.judges.lexical.word_lists import read_table

NAMES = ("hard_negatives", "measures", "cross_encoder_data", "fitting", "fit_lexical")


def test_token_overlap_by_hand(scripts: dict[str, ModuleType]) -> None:
    measures = scripts["measures"]
    assert measures.token_overlap("A cat, sat.", "the cat sat") == pytest.approx(2 / 3)
    assert measures.token_overlap("a", "") == 0


def test_the_table_goes_between_the_markers(scripts: dict[str, ModuleType], tmp_path: Path) -> None:
    write = scripts["measures"].write_between_markers
    page = tmp_path / "page.md"
    marked = "before\n<!-- begin a -->\n{}\n<!-- end a -->\nafter <!-- begin b --><!-- end b -->"
    page.write_text(marked.format("old"), encoding="utf-8")
    write(page, "a", "new")
    assert page.read_text(encoding="utf-8") == marked.format("\nnew\n")
    for missing in ("c", "a -->\nnothing"):
        with pytest.raises(SystemExit, match="has no"):
            write(page, missing, "new")


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
    found = script.fitted(shared / "data").logistic
    shipped = read_logistic("lexical_parameters.txt")
    assert found.names == shipped.names
    assert found.weights == pytest.approx(shipped.weights, abs=2e-3)
    assert (found.bias, found.threshold) == pytest.approx(
        (shipped.bias, shipped.threshold), abs=2e-3
    )
    assert found.constants == shipped.constants
