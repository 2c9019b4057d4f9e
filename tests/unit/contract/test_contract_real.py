"""The list of sources in real answers, against a plain reading of their one form."""

from __future__ import annotations

import re
from pathlib import Path

from citemeter.contract import sources_section
from support import read_jsonl

_ENTRY = re.compile(r"(?m)^\s*\[(\d+)\] - http.*$")
_REASONING = re.compile(r"<think>.*?</think>", re.DOTALL)


def test_lists_of_long_answers(shared: Path) -> None:
    rule = sources_section(None)
    passed = 0
    for row in read_jsonl(shared / "data" / "answers" / "deepresearchgym_urls.jsonl"):
        answer = _REASONING.sub("", row["answer"])
        listed = set(_ENTRY.findall(answer))
        body = _ENTRY.sub("", answer)
        cited = {n for group in re.findall(r"\[([\d, ]+)\]", body) for n in group.split(", ")}
        found = rule(row["answer"])
        assert found.passed is (bool(listed) and cited == listed), (row["id"], found.reason)
        extra = {i for f in found.findings if f.problem == "listed but not cited" for i in f.ids}
        assert extra == (listed - cited if listed else set())
        passed += found.passed
    assert passed > 10
