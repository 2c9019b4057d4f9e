"""A document that the caller may not see and one that does not exist get the same verdict."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.guardrail import Guardrail, GuardrailStream, Policy

TEXT = "The board meets in secret on the ninth of March to sell the depot."
ANSWERS = [
    "The depot is sold [fin-7].",
    "The depot is sold [doc:fin-7][hr-1].",
    "The depot is sold [hr-1, fin-7].",
    "The depot is sold (source: fin-7).",
    "The depot is sold [FIN_7].",
    f'The minutes say "{TEXT}" [fin-7].',
    f'The minutes say "{TEXT}".',
    f'The minutes say "{TEXT}" [hr-1].',
    "The depot is sold [1][2][3].",
    "See https://intranet.example/fin-7 for more [1].",
    "The sale is near (Ledger, 2031).",
    "The depot is sold [1].\n\nSources:\n- [fin-7] Minutes\n- [hr-1] Leave",
    "The depot is sold [1].\n\n[1]: https://intranet.example/fin-7",
]
ALLOWED = {"hr-1": "Leave is 25 days.", "hr-2": "Sick days need a note."}
SECRET: dict[str, Any] = {
    "id": "fin-7",
    "text": TEXT,
    "title": "Sale",
    "metadata": {"url": "https://intranet.example/fin-7", "author": "Ledger", "year": 2031},
}
HIDDEN: list[Any] = [
    SECRET,
    {**SECRET, "text": "\ud800"},  # not even what is wrong with it shows
    {**SECRET, "text": None},
]


def _given(secret: Any | None, place: int) -> list[Any]:
    sources: list[Any] = [{"id": i, "text": t} for i, t in ALLOWED.items()]
    if secret is not None:
        sources.insert(place, secret)
    return sources


@pytest.mark.parametrize(
    "policy", [Policy(), Policy(invalid_id="block"), Policy(invalid_id="flag")]
)
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("numbering", [None, 0, 1])
def test_the_verdicts_are_identical(answer: str, policy: Policy, numbering: Any) -> None:
    from citemeter.text.parse import ParseOptions

    parsing = ParseOptions(numbering=numbering)
    absent = Guardrail(_given(None, 0), policy, allowed=set(ALLOWED), parsing=parsing)
    expected = absent.check(answer)
    other = GuardrailStream(absent)
    shown = [*other.feed(answer), *other.finish()]
    for place in range(3):
        for secret in HIDDEN:
            guard = Guardrail(_given(secret, place), policy, allowed=set(ALLOWED), parsing=parsing)
            verdict = guard.check(answer)
            assert repr(verdict) == repr(expected)
            assert verdict.model_dump_json() == expected.model_dump_json()
            assert verdict.message == expected.message
            stream = GuardrailStream(guard)
            assert [*stream.feed(answer), *stream.finish()] == shown
            assert stream.verdict == other.verdict


def test_the_prepared_sources_hold_nothing_of_what_is_hidden() -> None:
    """The work done is the same, because there is nothing that it could differ by."""
    guard = Guardrail(_given(SECRET, 1), allowed=set(ALLOWED))
    absent = Guardrail(_given(None, 1), allowed=set(ALLOWED))
    assert guard.sources.template == absent.sources.template
    assert guard.sources.index is absent.sources.index  # the very same tables
    assert "fin-7" not in repr(vars(guard.sources))


def test_hints_name_only_what_may_be_cited() -> None:
    hidden = Guardrail({"fin-7": "", "hr-1": ""}, allowed={"hr-1"}).check("Sold [doc:fin_7].")
    assert [f.near_miss for f in hidden.findings if f.kind == "invalid_id"] == [None]
    shown = Guardrail({"fin-7": "", "hr-1": ""}).check("Sold [doc:fin_7].")
    assert [f.near_miss for f in shown.findings if f.kind == "invalid_id"] == ["fin-7"]


def test_an_allowed_id_without_a_source_is_invalid() -> None:
    verdict = Guardrail({"hr-1": ""}, allowed={"hr-1", "hr-2"}).check("Sold [hr-2].")
    assert "invalid_id" in [finding.kind for finding in verdict.findings]


def test_quotations_are_looked_for_in_allowed_sources_alone() -> None:
    guard = Guardrail({"hr-1": "Leave.", "fin-7": TEXT}, allowed={"hr-1"})
    [finding, *_] = guard.check(f'They say "{TEXT}" [hr-1].').findings
    assert (finding.kind, finding.quote_status) == ("unverified_quote", "fabricated")
