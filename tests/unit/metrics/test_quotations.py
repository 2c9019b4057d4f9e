"""The metric over quotations."""

from __future__ import annotations

import pytest

from citemeter.metrics.quotations import (
    QuoteCheck,
    QuoteVerification,
    check_quotes,
    count_quotes,
    quote_verification,
)
from citemeter.text.parse import parse

LEASE = "The tenant must keep the garden tidy. Pets are allowed with written consent."
POOL = "Lockers cost one coin, which is returned. Pets are not allowed."
SOURCES = {"lease": LEASE, "pool": POOL}


def one(answer: str) -> QuoteCheck:
    (check,) = check_quotes(parse(answer, SOURCES))
    return check


def test_value_is_verified_over_all() -> None:
    answer = (
        'The lease says "must keep the garden tidy" [doc:lease] and '
        '"the landlord pays for all" [doc:lease]. '
        'The pool has "one coin, which is returned" [doc:lease]. '
        'Dogs "must be on a lead" [doc:rules].'
    )
    score = quote_verification(parse(answer, SOURCES))
    assert [quote.status for quote in score.quotes] == [
        "verified",
        "fabricated",
        "misattributed",
        "unverified",
    ]
    assert (score.value, score.numerator, score.denominator) == (0.25, 1, 4)


def test_offsets_are_in_answer_and_source() -> None:
    answer = 'It says "keep the GARDEN tidy" [doc:lease].'
    check = one(answer)
    assert check.span is not None
    assert check.span.of(answer) == check.quote == "keep the GARDEN tidy"
    assert check.source_span is not None
    assert check.source_span.of(LEASE) == "keep the garden tidy"
    assert check.source_spans == (check.source_span,)


def test_parts_of_an_ellipsis() -> None:
    check = one('It says "The tenant … tidy" [doc:lease].')
    assert check.ellipsis
    assert [span.of(LEASE) for span in check.source_spans] == ["The tenant", "tidy"]
    assert check.source_span is not None
    assert check.source_span.of(LEASE) == "The tenant must keep the garden tidy"


def test_parts_of_several_sources() -> None:
    check = one('They say "written consent … one coin, which" [doc:lease][doc:pool].')
    assert (check.status, check.found_in, check.source_span) == ("stitched", None, None)
    assert [place.source_id for place in check.places] == ["lease", "pool"]


def test_only_fabricated_ids_are_not_looked_up_elsewhere() -> None:
    check = one('It says "must keep the garden tidy" [doc:rules].')
    assert (check.status, check.found_in, check.cited) == ("unverified", None, ("rules",))
    assert check.longest_match_share == 0.0


def test_a_valid_id_beside_a_fabricated_one_counts() -> None:
    assert one('It says "must keep the garden tidy" [doc:rules][doc:lease].').status == "verified"


def test_without_a_citation_all_sources_are_searched() -> None:
    check = one('It says "one coin, which is returned".')
    assert (check.status, check.found_in, check.cited) == ("verified", "pool", ())


def test_a_cited_source_comes_before_another_that_holds_the_words() -> None:
    response = parse(
        'It says "lost and found things" [2].',
        {"1": "lost and found things", "2": "The lost and found things."},
    )
    assert check_quotes(response)[0].found_in == "2"


def test_a_misattributed_quotation_names_its_source() -> None:
    check = one('The pool says "must keep the garden tidy" [doc:pool].')
    assert (check.status, check.found_in) == ("misattributed", "lease")
    assert check.longest_match_share < 1


def test_changes_and_share_of_an_altered_quotation() -> None:
    check = one('It says "must keep the lawn tidy" [doc:lease].')
    assert check.status == "altered"
    assert check.changes == (("lawn", "garden"),)
    assert 0.5 < check.longest_match_share < 1


def test_a_near_match_in_a_source_not_cited_says_so() -> None:
    check = one('It says "the tenant must keep the lawn tidy" [doc:pool].')
    assert (check.status, check.found_in) == ("altered", "lease")
    assert check.warnings == ("nearly the words of source 'lease', which is not cited",)


def test_a_dropped_negation_is_a_warning() -> None:
    check = one('It says "Pets are … allowed" [doc:pool].')
    assert check.status == "verified"
    assert check.warnings == ("ellipsis drops a negation: 'not'",)


def test_nothing_quoted_is_undefined() -> None:
    score = quote_verification(parse("Nothing is quoted [doc:lease].", SOURCES))
    assert (score.value, score.reason, score.quotes) == (None, "no quotation", ())
    score = quote_verification(parse("Nothing is quoted.", SOURCES), zero_division=1.0)
    assert score.value == 1.0


@pytest.mark.parametrize("sources", [{}, {"lease": ""}])
def test_no_source_or_an_empty_one(sources: dict[str, str]) -> None:
    response = parse('It says "must keep the garden tidy" [doc:lease].', sources)
    expected = "fabricated" if sources else "unverified"
    assert check_quotes(response)[0].status == expected


def test_quotations_without_sources_at_all() -> None:
    assert check_quotes(parse('It says "must keep the garden tidy".', {}))[0].status == "unverified"


def test_min_words() -> None:
    response = parse('It says "the garden" [doc:lease].', SOURCES)
    assert quote_verification(response).value is None
    assert quote_verification(response, min_words=2).value == 1.0


def test_order_of_sources_changes_nothing() -> None:
    answer = 'It says "one coin, which is returned" and "must keep the lawn tidy" [doc:lease].'
    reversed_sources = dict(reversed(SOURCES.items()))
    assert check_quotes(parse(answer, SOURCES)) == check_quotes(parse(answer, reversed_sources))


def test_a_trusted_check_equals_its_validated_self() -> None:
    check = one('It says "The tenant … lawn" [doc:lease].')
    assert QuoteCheck.model_validate(check.model_dump()) == check
    assert QuoteCheck.model_validate_json(check.model_dump_json()) == check


def test_the_score_survives_json() -> None:
    score = quote_verification(parse('It says "must keep the lawn tidy" [doc:lease].', SOURCES))
    assert QuoteVerification.model_validate_json(score.model_dump_json()) == score


def test_counts() -> None:
    checks = check_quotes(
        parse('It says "keep the garden tidy" and "keep the lawn tidy" [doc:lease].', SOURCES)
    )
    assert count_quotes(checks) == {"quotes": 2, "verified_quotes": 1}
