"""The rule that an answer lists just the sources it cites."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.contract import sources_section
from citemeter.errors import InputError
from citemeter.text.parse import ParseOptions

HR = {
    "hr-12": {"text": "A.", "title": "PTO policy"},
    "hr-31": {"text": "B.", "title": "Carry-over rules"},
    "lease": {"text": "C."},
}
NUMBERS = {"1": "A.", "2": "B.", "3": "C."}


def hr(tail: str) -> dict[str, Any]:
    return {"answer": f"You get 25 days [hr-12]. Five stay [hr-31].\n\n{tail}", "sources": HR}


def numbers(tail: str) -> dict[str, Any]:
    return {"answer": f"It is so [1]. It was so [2].\n\n{tail}", "sources": NUMBERS}


@pytest.mark.parametrize(
    "tail",
    [
        "Sources:\n- [hr-12]\n- [hr-31]",
        "## Sources\n- hr-12: PTO policy\n- hr-31",
        "**Sources**: [hr-12], [hr-31]",
        "Sources: hr-12, hr-31",
        "Sources: hr-12 and hr-31.",
        "**Sources:**\n1. hr-12\n2. hr-31",
        "Sources\n* PTO policy\n* Carry-over rules",
        "### Sources\n\n| id | title |\n|---|---|\n| hr-12 | PTO |\n| hr-31 | C |",
        "Sources:\n- [hr-12] The policy\n  and a second line of it\n- [doc:hr-31]\n\nAsk for more!",
    ],
)
def test_lists_equal_to_what_is_cited(tail: str) -> None:
    for title in ("Sources", "sources", None):
        found = sources_section(title)(hr(tail))
        assert found.passed is True, found.reason


@pytest.mark.parametrize(
    "tail",
    [
        "Sources:\n[1] A\n[2] B",
        "Sources: [1][2]",
        "Sources: 1, 2",
        "Sources:\n1. A\n2. B",
        "Sources:\n(1) A\n(2) B",
        "Sources:\n¹ A\n² B",
        "Sources:\n【1】A\n【2】B",
        "Sources:\n[2] B\n[1] A",
    ],
)
def test_numbers(tail: str) -> None:
    found = sources_section()(numbers(tail))
    assert found.passed is True, found.reason


def test_both_directions_are_named_with_their_places() -> None:
    record = numbers("Sources:\n[1] a.pdf\n[3] c.pdf")
    found = sources_section()(record)
    assert found.reason == "cited but not listed: 2; listed but not cited: 3"
    missing, extra = found.findings
    assert missing.problem == "cited but not listed"
    assert missing.span is not None
    assert missing.span.of(record["answer"]) == "[2]"
    assert missing.statement == 1
    assert extra.problem == "listed but not cited"
    assert extra.span is not None
    assert extra.span.of(record["answer"]) == "[3] c.pdf"


def test_only_presence_is_asked_for() -> None:
    rule = sources_section(equal=False)
    assert rule(numbers("Sources:\n[3] c.pdf")).passed is True
    assert rule(numbers("")).passed is False


def test_an_entry_that_names_no_source() -> None:
    found = sources_section()(hr("Sources:\n- [hr-12]\n- [hr-31]\n- Some other book"))
    assert found.reason == "1 entry names no source"
    assert found.findings[0].text == "- Some other book"


def test_a_list_without_entries() -> None:
    assert sources_section()(numbers("Sources:")).reason == "cited but not listed: 1, 2"


def test_another_heading_is_named() -> None:
    found = sources_section()(numbers("References:\n[1] A\n[2] B"))
    assert found.reason == (
        "no list of sources headed 'Sources'; there is one that begins with 'References:'"
    )
    assert sources_section("References")(numbers("References:\n[1] A\n[2] B")).passed is True
    assert sources_section()(numbers("Sources used:\n[1] A\n[2] B")).passed is False


def test_a_list_without_a_heading() -> None:
    record = numbers("[1] a.pdf\n[2] b.pdf")
    assert sources_section(None)(record).passed is True
    assert sources_section()(record).passed is False


def test_a_title_that_no_list_usually_has() -> None:
    rule = sources_section("Belege und Fundstellen")
    assert rule({"answer": "So [1].\n\nBelege und Fundstellen\n- [1]", "sources": NUMBERS})
    # Its entries are parsed as statements that cite; they are not what the answer cites.
    answer = "So [1].\n\nBelege und Fundstellen\n- [1]\n- [2]"
    assert rule({"answer": answer, "sources": NUMBERS}).reason == "listed but not cited: 2"
    # What follows the next heading is the answer again, and cites 2.
    answer = "So [1].\n\n## Belege und Fundstellen\n- [1]\n\n## More\nAnd so [2]."
    assert rule({"answer": answer, "sources": NUMBERS}).reason == "cited but not listed: 2"


def test_code_holds_no_heading() -> None:
    answer = "So [1].\n\n```\nBelege\n- [1]\n```"
    assert sources_section("Belege")({"answer": answer, "sources": NUMBERS}).passed is False


def test_numbers_defined_by_the_list() -> None:
    sources = [{"id": "hr-12", "text": "A.", "metadata": {"url": "https://a.example/pto"}}]
    answer = "So it is [1].\n\nSources:\n[1]: https://a.example/pto"
    assert sources_section()({"answer": answer, "sources": sources}).passed is True
    answer = "So it is [hr-12].\n\nSources:\n- https://a.example/pto"
    assert sources_section()({"answer": answer, "sources": sources}).passed is True


def test_numbers_that_count_the_sources() -> None:
    record = {
        "answer": "So [2].\n\nSources:\n2. Carry-over rules",
        "sources": HR,
    }
    assert sources_section()(record, ParseOptions(numbering=1)).passed is True


def test_a_fabricated_id_must_be_listed_too() -> None:
    answer = "So [1]. So [9].\n\nSources:\n[1] A"
    found = sources_section()({"answer": answer, "sources": NUMBERS})
    assert found.reason == "cited but not listed: 9"


def test_refusals() -> None:
    refusal = "The documents do not say when it opened."
    assert sources_section()({"answer": refusal, "sources": NUMBERS}).passed is None
    # That it cites is for no_citation_in_refusals to say.
    assert sources_section()({"answer": f"{refusal[:-1]} [1].", "sources": NUMBERS}).passed is None
    answer = f"{refusal}\n\nSources:\n[1] A"
    assert sources_section()({"answer": answer, "sources": NUMBERS}).passed is False


def test_an_answer_that_cites_nothing_lacks_its_list() -> None:
    assert sources_section()("Cats purr.").passed is False
    assert sources_section()("").passed is False


def test_split_statements() -> None:
    found = sources_section()({"statements": [("So.", ["1"])], "sources": NUMBERS})
    assert found.passed is None
    assert found.reason == "only split statements are given, not the answer as written"


@pytest.mark.parametrize("title", ["", "  ", 3])
def test_no_title(title: Any) -> None:
    with pytest.raises(InputError, match="is no title"):
        sources_section(title)


def test_equal_is_true_or_false() -> None:
    with pytest.raises(InputError, match="equal is 'yes'"):
        sources_section(equal="yes")  # type: ignore[arg-type]
