"""The rule that citations are written in one form."""

from __future__ import annotations

import re
from typing import Any

import pytest

from citemeter.contract import marker_syntax
from citemeter.contract.syntax import template_pattern
from citemeter.errors import InputError

SOURCES = {"hr-12": "A.", "hr-31": "B.", "1": "C.", "2": "D."}


def check(syntax: Any, answer: str) -> tuple[bool | None, list[str]]:
    found = marker_syntax(syntax)({"answer": answer, "sources": SOURCES})
    for finding in found.findings:
        assert finding.span is not None
        assert finding.span.of(answer) == finding.text
    return found.passed, [finding.text for finding in found.findings]


@pytest.mark.parametrize(
    ("syntax", "answer", "broken"),
    [
        ("[doc:<id>]", "So [doc:hr-12]. So [doc:hr-31].", []),
        ("[doc:<id>]", "So [doc:hr-99].", []),  # fabricated, and well written
        ("[doc:<id>]", "So [hr-12].", ["[hr-12]"]),
        ("[doc:<id>]", "So [Doc:hr-12].", ["[Doc:hr-12]"]),
        ("[doc:<id>]", "So [doc: hr-12].", ["[doc: hr-12]"]),
        ("[doc:<id>]", "So [doc:hr-12, doc:hr-31].", ["[doc:hr-12, doc:hr-31]"]),
        ("[doc:<id>]", "So (hr-12) and [1].", ["(hr-12)", "[1]"]),
        ("[doc:<id>]", "So [doc:hr-12", ["doc:hr-12"]),
        ("[doc:<id>]", "So doc:hr-12 and [doc:hr-31].", ["doc:hr-12"]),
        ("[doc:<id>]", "So `[doc:` begins a marker [doc:hr-12].", []),
        ("[doc:<id>]", "# On [doc:hr-12]\n\nSo [2].", ["[2]"]),
        ("[<n>]", "So [1][2].", []),
        ("[<n>]", "So [1, 2]. So [[1]]. So [1](https://a.example).", None),
        ("[<n>]", "According to source[1], so.", []),
        ("[Source <n>]", "So [Source 1]. So [source 2].", ["[source 2]"]),
        ("(<id>, p. <n>)", "So (hr-12, p. 3). So (hr-12).", ["(hr-12)"]),
        ("{{cite:<id>}}", "So {{cite:hr-12}}. So {{cite:zz}}.", []),
        ("@<id>", "As @hr-12. And @hr-31, too.", []),
        ("numeric", "So [1], [1, 2] and (hr-12).", ["(hr-12)"]),
        ("numeric+id", "So [1], [1, 2] and (hr-12).", []),
        ("superscript", "So.¹ So [2].", ["[2]"]),
        ("circled", "So ①. So [2].", ["[2]"]),
        (re.compile(r"<<(?P<id>[\w-]+)>>"), "So <<hr-12>>. So [1].", ["[1]"]),
        (re.compile(r"(?<=\s)\[(\d)\]"), "So [1]. So[2].", ["[2]"]),  # a space before
    ],
)
def test_forms(syntax: Any, answer: str, broken: list[str] | None) -> None:
    passed, texts = check(syntax, answer)
    if broken is None:
        broken = ["[1, 2]", "[[1]]", "[1](https://a.example)"]
    assert texts == broken
    assert passed is (not broken)


def test_lists_of_sources_are_not_looked_at() -> None:
    answer = "So [doc:hr-12].\n\nSources:\n[1] hr-12"
    assert check("[doc:<id>]", answer) == (True, [])


def test_a_group_is_one_marker() -> None:
    found = marker_syntax("[<n>]")({"answer": "So [1, 2].", "sources": SOURCES})
    assert len(found.findings) == 1
    assert found.reason == "1 marker is not written as [<n>]"


def test_does_not_apply_where_nothing_is_cited() -> None:
    for syntax in ("[doc:<id>]", "numeric", re.compile(r"\[(\d)\]")):
        assert check(syntax, "So it is.") == (None, [])
        assert marker_syntax(syntax)("").passed is None


def test_split_statements_are_checked_if_they_hold_their_markers() -> None:
    def split(*markers: str) -> dict[str, Any]:
        citations = [{"source_id": "1", "marker": marker} for marker in markers]
        return {"statements": [{"text": "So.", "citations": citations}], "sources": SOURCES}

    for syntax in ("[<n>]", "numeric"):
        rule = marker_syntax(syntax)
        assert rule(split("[1]", "[2]")).passed is True
        assert [f.text for f in rule(split("[1]", "(hr-12)")).findings] == ["(hr-12)"]
        found = rule({"statements": [("So.", ["1"])], "sources": SOURCES})
        assert found.passed is None
        assert found.reason is not None
        assert "without their markers" in found.reason
        assert rule({"statements": [("So.", [])]}).reason == "nothing is cited"


@pytest.mark.parametrize("syntax", ["", "[1]", "numerical", "numeric+", 3, None, re.compile(b"a")])
def test_no_syntax(syntax: Any) -> None:
    with pytest.raises(InputError, match="rule 'marker_syntax'"):
        marker_syntax(syntax)


def test_templates() -> None:
    assert template_pattern("[doc:<id>]").fullmatch("[doc:a b]") is None
    assert template_pattern("[doc:<id>]").fullmatch("[doc:]") is None
    assert template_pattern("(a.<id>)").fullmatch("(ab1)") is None  # the dot is a dot
    found = template_pattern("<id>:<id>").fullmatch("a:b")
    assert found is not None
    assert found["id"] == "a"
