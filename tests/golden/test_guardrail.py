"""The worked example of citation checks as a check online, before the answer is shown."""

from __future__ import annotations

import pytest

from citemeter.guardrail import Guardrail, GuardrailStream, Policy, check_citations

SOURCES = {
    "hr-12": "Employees accrue 25 days of paid time off per calendar year.",
    "hr-31": "Unused PTO up to 5 days may be carried over to the next year.",
}
FIRST = "You get 25 days of PTO per year [doc:hr-12]. "
SECOND = "Up to 5 unused days carry over [doc:hr-31]. "
THIRD = 'The policy says "unused PTO up to 10 days may be carried over" [doc:hr-31]. '
LAST = "Requests need manager approval [doc:hr-99]."
ANSWER = FIRST + SECOND + THIRD + LAST
QUOTE = "unused PTO up to 10 days may be carried over"

# Four ids, of which hr-99 names no source; four claims, of which the last has no valid citation;
# one quotation, with 10 where the source has 5.
FINDINGS = [
    ("unverified_quote", QUOTE, None),
    ("uncited_claim", LAST, None),
    ("invalid_id", "[doc:hr-99]", "hr-99"),
]


def test_what_is_found() -> None:
    verdict = check_citations(ANSWER, SOURCES)
    found = [
        (f.kind, f.span.of(ANSWER), f.source_id) for f in verdict.findings if f.span is not None
    ]
    assert found == FINDINGS
    assert verdict.findings[0].quote_status == "altered"
    assert verdict.action == "strip"
    assert verdict.clean == FIRST + SECOND + THIRD + "Requests need manager approval."


def test_as_a_blocking_guardrail() -> None:
    verdict = check_citations(ANSWER, SOURCES, Policy(invalid_id="block"))
    assert (verdict.action, verdict.clean, verdict.edits) == ("block", None, ())


def test_for_a_caller_who_may_not_see_a_document() -> None:
    # hr-31 exists, and this caller's role may not see it: it is as made up as hr-99.
    verdict = check_citations(ANSWER, SOURCES, allowed={"hr-12"})
    assert verdict == check_citations(ANSWER, {"hr-12": SOURCES["hr-12"]})
    assert verdict.clean == (
        FIRST
        + "Up to 5 unused days carry over. "
        + f'The policy says "{QUOTE}". '
        + "Requests need manager approval."
    )
    [quote] = [f for f in verdict.findings if f.kind == "unverified_quote"]
    assert quote.quote_status == "unverified"  # it cites ids of no source alone


def test_an_id_in_another_spelling_is_invalid_and_says_what_is_near() -> None:
    verdict = check_citations("You get 25 days [doc:hr_12].", SOURCES)
    [invalid] = [f for f in verdict.findings if f.kind == "invalid_id"]
    assert invalid.near_miss == "hr-12"
    assert invalid.message == "'hr_12' is none of the sources. Nearly the same: 'hr-12'."


@pytest.mark.parametrize("step", [1, 4, 1_000])
def test_as_a_stream(step: int) -> None:
    guard = Guardrail(SOURCES)
    stream = GuardrailStream(guard)
    out = [x for n in range(0, len(ANSWER), step) for x in stream.feed(ANSWER[n : n + step])]
    out += stream.finish()
    assert [checked.text for checked in out] == [
        FIRST,
        SECOND,
        THIRD,
        "Requests need manager approval.",
    ]
    assert [checked.action for checked in out] == ["pass", "pass", "flag", "strip"]
    assert stream.verdict.findings == guard.check(ANSWER).findings
