"""A system prompt's rules as a contract: worked examples, each value derived by hand."""

from __future__ import annotations

import pytest

from citemeter.contract import (
    Instruction,
    check_contract,
    contract_report,
    every_claim_cited,
    has_section,
    ids_exist,
    instruction_level_accuracy,
    instruction_level_accuracy_loose,
    marker_syntax,
    max_quote_words,
    max_words,
    must_avoid,
    no_emoji,
    prompt_level_accuracy,
    prompt_level_accuracy_loose,
    sources_section,
)

SYSTEM_RULES = [
    Instruction("I1_max_150_words", max_words(150)),
    Instruction("I5_no_codenames", must_avoid("Project Falcon", "BLUEJAY")),
    Instruction("I6_sources_section", has_section("Sources")),
    Instruction("I7_no_emoji", no_emoji()),
]
GOOD = "The PTO policy allows 25 days [doc:hr-12].\n\nSources:\n- [doc:hr-12]"
HR = {
    "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
    "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
}
ANSWER = (
    "You get 25 days of PTO per year [doc:hr-12]. Up to 5 unused days carry over [doc:hr-31]. "
    'The policy says "unused PTO up to 10 days may be carried over" [doc:hr-31]. '
    "Requests need manager approval [doc:hr-99]."
)


def test_the_good_answer_follows_every_rule() -> None:
    result = check_contract(GOOD, SYSTEM_RULES)
    assert result.per_instruction == {
        "I1_max_150_words": True,
        "I5_no_codenames": True,
        "I6_sources_section": True,
        "I7_no_emoji": True,
    }
    assert result.prompt_pass is True


def test_aggregate() -> None:
    """Two answers to four instructions each: 4 and 2 followed, one prompt of two.

    The second breaks two: it names a code name, and has no heading "Sources". So 6 of 8 and 1 of 2.
    """
    bad = "Project Falcon gives 25 days [doc:hr-12]."
    report = contract_report([check_contract(text, SYSTEM_RULES) for text in (GOOD, bad)])
    assert report.instruction_level_acc == 6 / 8
    assert report.prompt_level_acc == 1 / 2
    assert report.per_instruction["I5_no_codenames"].pass_rate == 1 / 2
    assert report.per_instruction["I1_max_150_words"].pass_rate == 1.0


@pytest.mark.parametrize(
    "heading", ["Sources", "Sources:", "## Sources", "**Sources:**", "**Sources**:"]
)
def test_every_form_of_the_heading_is_one(heading: str) -> None:
    answer = f"It is so [doc:a].\n\n{heading}\n- [doc:a]"
    assert has_section("Sources")(answer)
    assert sources_section("Sources")(answer)


@pytest.mark.parametrize(
    ("text", "emoji"),
    [
        ("🇩🇪", True),  # a flag
        ("✓", False),  # a symbol that is text
        ("✔️", True),  # a symbol made emoji by U+FE0F
        ("1️⃣", True),  # a keycap
        ("#", False),
        ("😀", True),
    ],
)
def test_emoji(text: str, emoji: bool) -> None:
    assert no_emoji()(f"Done {text}").passed is not emoji


def test_terms_that_end_in_no_letter_are_found() -> None:
    rule = must_avoid("C++", ".NET")
    assert not rule("Write it in C++ then.")
    assert not rule("Use .NET, please.")
    assert rule("The C language, the internet.")


class TestFourStatements:
    """Coverage 3 of 4: hr-99 is no source. One id of four fabricated. One quotation of 9 words."""

    record = {"answer": ANSWER, "sources": HR}  # noqa: RUF012 - read only

    def test_every_claim_cited(self) -> None:
        found = every_claim_cited()(self.record)
        assert found.passed is False
        assert found.reason == "1 of 4 claims lack a valid citation"
        [finding] = found.findings
        assert finding.problem == "cites no source that exists: hr-99"
        assert finding.span is not None
        assert finding.span.of(ANSWER) == "Requests need manager approval [doc:hr-99]."

    def test_ids_exist(self) -> None:
        [finding] = ids_exist()(self.record).findings
        assert finding.ids == ("hr-99",)
        assert finding.span is not None
        assert finding.span.of(ANSWER) == "[doc:hr-99]"

    def test_marker_syntax(self) -> None:
        assert marker_syntax("[doc:<id>]")(self.record)
        assert not marker_syntax("[<n>]")(self.record)

    def test_quote_words(self) -> None:
        # unused PTO up to 10 days may be carried over: 10 words.
        assert max_quote_words(10)(self.record)
        [finding] = max_quote_words(9)(self.record).findings
        assert finding.problem == "has 10 words"


LOOSE_RULES = (
    Instruction("short", max_words(5)),
    Instruction("plain", lambda text: "*" not in text),
    Instruction("no_x", lambda text: "(x)" not in text),
)
LOOSE_RESULTS = tuple(
    check_contract(text, LOOSE_RULES)
    for text in (
        "It opened in May [1].",
        "Sure, here is:\nIt opened in May [1].",
        "It **opened** in late May [1].",
    )
)


class TestStrictAndLoose:
    """Three answers to "at most 5 words", "no asterisk" and "no citation of (x)": 9 instructions.

    p1 follows all three. p2 has 8 words, 5 without its first line; the rest holds: strictly 2 of
    3, loosely 3 of 3. p3 has 6 words on one line and two asterisks: removing a line leaves
    nothing, which follows nothing, and without asterisks it still has 6 words: strictly 1 of 3,
    loosely 2 of 3. Strictly 3 + 2 + 1 = 6 of 9 and 1 of 3 prompts; loosely 3 + 3 + 2 = 8 of 9
    and 2 of 3.
    """

    results = LOOSE_RESULTS

    def test_accuracies(self) -> None:
        assert instruction_level_accuracy(self.results).value == 6 / 9
        assert prompt_level_accuracy(self.results).value == 1 / 3
        assert instruction_level_accuracy_loose(self.results).value == 8 / 9
        assert prompt_level_accuracy_loose(self.results).value == 2 / 3

    def test_under_the_published_names(self) -> None:
        assert contract_report(self.results).ifeval() == {
            "prompt_level_strict_acc": 1 / 3,
            "inst_level_strict_acc": 6 / 9,
            "prompt_level_loose_acc": 2 / 3,
            "inst_level_loose_acc": 8 / 9,
        }

    def test_which_variant_did(self) -> None:
        assert [r.instructions[0].variant for r in self.results] == [
            "original",
            "no_first_line",
            None,
        ]
        assert self.results[2].instructions[1].variant == "no_asterisks"
