"""Citation coverage: the share of claims that carry a valid citation."""

from __future__ import annotations

from collections.abc import Container, Sequence

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Statement
from citemeter.results import Score
from citemeter.text.parsed import Claim, claims_of

__all__ = ["CITATION_COVERAGE", "Coverage", "citation_coverage", "count_coverage"]

CITATION_COVERAGE = Ratio(
    "citation_coverage", "covered_claims", "claims", empty="no statement needs a citation"
)


class Coverage(Score):
    """A coverage score with the claims that lack a valid citation."""

    uncited_claims: tuple[Statement, ...] = ()


def count_coverage(
    claims: Sequence[Claim], worthy: Sequence[bool], sources: Container[str]
) -> dict[str, int]:
    """Count the statements that need a citation, and those that have a valid one.

    Args:
        claims: The statements: their words and the ids they cite.
        worthy: Whether each needs a citation.
        sources: The known ids.
    """
    needing = [ids for (_, ids), needed in zip(claims, worthy, strict=True) if needed]
    covered = 0
    for ids in needing:
        for source_id in ids:
            if source_id in sources:
                covered += 1
                break
    return {"claims": len(needing), "covered_claims": covered}


def citation_coverage(record: RecordLike, *, zero_division: float | None = None) -> Coverage:
    r"""Return the share of claims that carry at least one valid citation.

    .. math:: \frac{|\{s \in W : C_s \cap D \ne \emptyset\}|}{|W|}

    with :math:`W` the statements that need a citation, :math:`C_s` the ids that :math:`s` cites and
    :math:`D` the sources' ids. A fabricated id does not cover a claim.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        zero_division: The value to give when no statement needs a citation.

    Returns:
        A score in [0, 1], higher is better, with the uncovered claims; its value is ``None`` when
        undefined.

    Undefined when:
        No statement needs a citation.

    >>> coverage = citation_coverage({
    ...     "statements": [("Cats purr.", ["a"]), ("Dogs bark.", ["zz"])],
    ...     "sources": {"a": "Cats purr."},
    ... })
    >>> coverage.value, [s.text for s in coverage.uncited_claims]
    (0.5, ['Dogs bark.'])

    Reference: Liu, Zhang & Liang (2023), https://arxiv.org/abs/2304.09848, for claims worth
    verifying.
    """
    response = ready(record)
    statements = response.statements or ()
    counts = count_coverage(
        claims_of(statements), [s.needs_citation for s in statements], response.by_id
    )
    score = CITATION_COVERAGE.score(counts, zero_division)
    uncited = tuple(
        statement
        for statement in statements
        if statement.needs_citation
        and not any(response.has_source(c.source_id) for c in statement.citations)
    )
    return Coverage(**dict(score), uncited_claims=uncited)
