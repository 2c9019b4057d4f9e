"""The example, the benchmark and the page about repairs do and say what they promise."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support import ROOT

Printed = Callable[..., str]


def test_the_example(printed: Printed) -> None:
    words = printed("examples/repair.py")
    assert "August 1948 [1, 5, 6].\n  now: " in words
    assert "August 1948 [1, 5].\n  irrelevant -> repaired: '6' can go" in words
    assert 'lexifier." [3] Creole languages are evolved versions of pidgin languages [4].' in words
    assert re.search(r"^unsupported: \d+ of \d+ repaired$", words, re.M)
    recall = re.search(r"^citation_recall: (\d\.\d+) -> (\d\.\d+)$", words, re.M)
    assert recall is not None
    assert float(recall[1]) < float(recall[2])


@pytest.mark.slow
def test_the_benchmark_runs_on_the_example(printed: Printed) -> None:
    words = printed("benchmarks/repair.py", "--smoke")
    rows = re.findall(r"^\| (removed|swapped)(.*?): (.*?) \| (\d+) \|", words, re.M)
    assert len(rows) == 8
    assert {int(row[3]) for row in rows} == {35}
    assert "scores lower than before: 0" in words


@pytest.mark.slow
def test_the_page_has_the_table_that_the_benchmark_prints(printed: Printed, shared: Path) -> None:
    page = ROOT / "docs" / "how-to" / "repair.md"
    if not page.is_file():
        pytest.skip("the pages are not beside these tests")
    words = printed("benchmarks/repair.py")
    table = [line for line in words.splitlines() if line.startswith("|")]
    assert len(table) == 10
    text = page.read_text(encoding="utf-8")
    for line in table:
        assert line in text
