"""Citation coverage: the share of claims that carry a valid citation."""

from __future__ import annotations

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Response, Statement
from citemeter.results import Score

__all__ = ["Coverage", "citation_coverage"]

CITATION_COVERAGE = Ratio(
    "citation_coverage", "covered_claims", "claims", empty="no statement needs a citation"
)


class Coverage(Score):
    """A coverage score with the claims that lack a valid citation."""

    uncited_claims: tuple[Statement, ...] = ()


def count_coverage(response: Response) -> dict[str, int]:
    """Count the statements that need a citation, and those that have a valid one.

    Args:
        response: A response that is cut into statements.
    """
    claims = [s for s in response.statements or () if s.needs_citation]
    return {"claims": len(claims), "covered_claims": len(claims) - len(_uncited(response))}


def _uncited(response: Response) -> tuple[Statement, ...]:
    """Return the statements that need a citation and have no valid one."""
    sources = response.by_id
    claims = [s for s in response.statements or () if s.needs_citation]
    return tuple([s for s in claims if not any(c.source_id in sources for c in s.citations)])


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
    score = CITATION_COVERAGE.score(count_coverage(response), zero_division)
    return Coverage(**dict(score), uncited_claims=_uncited(response))
