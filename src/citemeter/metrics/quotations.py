"""Quote verification: the share of quotations that stand verbatim in what they cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Response, Source, Span
from citemeter.results import MIN_QUOTE_WORDS, QuoteCheck, Score

if TYPE_CHECKING:
    from citemeter.text.quotations.extraction import Quotation

__all__ = ["QuoteCheck", "QuoteVerification", "quote_verification"]

QUOTE_VERIFICATION = Ratio("quote_verification", "verified_quotes", "quotes", empty="no quotation")


# What finds and compares quotations is loaded at the first check: its expressions take time to
# compile.


class QuoteVerification(Score):
    """A quote-verification score with every quotation's check."""

    quotes: tuple[QuoteCheck, ...] = ()


def check_quotes(response: Response, *, min_words: int = MIN_QUOTE_WORDS) -> tuple[QuoteCheck, ...]:
    """Return the check of every quotation in a parsed response, in order.

    Args:
        response: The response.
        min_words: How many words a quotation has at least.
    """
    from citemeter.text.quotations.extraction import find_quotations

    return tuple([_check(q, response) for q in find_quotations(response, min_words=min_words)])


def _check(quotation: Quotation, response: Response) -> QuoteCheck:
    from citemeter.text.quotations.matching import Match, match_quote

    by_id = response.by_id
    cited = [by_id[source_id] for source_id in quotation.cited if source_id in by_id]
    if quotation.cited:
        ids = set(quotation.cited)
        others: Sequence[Source] = [s for s in response.sources if s.id not in ids]
    else:
        cited, others = list(response.sources), ()
    if cited:
        match = match_quote(quotation.text, cited, others)
    else:
        match = Match("unverified", None, (), False, 0.0)
    within = [place.span for place in match.places if place.source_id == match.found_in]
    around = Span(min(s.start for s in within), max(s.end for s in within)) if within else None
    return QuoteCheck(
        quote=quotation.text,
        span=quotation.span,
        kind=quotation.kind,
        statement=quotation.statement,
        cited=quotation.cited,
        status=match.status,
        found_in=match.found_in,
        source_span=around,
        places=match.places,
        ellipsis=match.ellipsis,
        longest_match_share=match.share,
        changes=match.changes,
        warnings=match.warnings,
    )


def count_quotes(quotes: Sequence[QuoteCheck]) -> dict[str, int]:
    """Count the quotations of a response and those verified."""
    return {
        "quotes": len(quotes),
        "verified_quotes": sum(quote.status == "verified" for quote in quotes),
    }


def quote_verification(
    record: RecordLike, *, min_words: int = MIN_QUOTE_WORDS, zero_division: float | None = None
) -> QuoteVerification:
    r"""Return the share of quotations that stand verbatim in a source they cite.

    .. math:: \frac{|\{q : q \text{ verified}\}|}{|\{q\}|}

    Compared is what the reader reads: case, typesetting, a stop before the closing mark and white
    space that separates no two words do not count; every word, number and inner stop does. A
    quotation cites what its sentence, list item, table row or block quote cites. One without a
    citation is looked for in all sources; one whose ids are all fabricated in none.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        min_words: How many words a quotation has at least.
        zero_division: The value to give when nothing is quoted.

    Returns:
        A score in [0, 1], higher is better, with each quotation's status, place and differences.

    Undefined when:
        Nothing is quoted.

    >>> checked = quote_verification({
    ...     "statements": [('The lease says "pets are welcome with consent".', ["1"])],
    ...     "sources": ["Pets are allowed with consent."],
    ... })
    >>> checked.value, checked.quotes[0].status, checked.quotes[0].changes
    (0.0, 'altered', (('welcome', 'allowed'),))
    """
    response = ready(record)
    quotes = check_quotes(response, min_words=min_words)
    score = QUOTE_VERIFICATION.score(count_quotes(quotes), zero_division)
    return QuoteVerification(**dict(score), quotes=quotes)
