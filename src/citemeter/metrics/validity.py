"""Citation validity: the share of citations whose id names a source."""

from __future__ import annotations

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Response
from citemeter.results import InvalidCitation, Score

__all__ = ["Validity", "citation_validity"]

CITATION_VALIDITY = Ratio(
    "citation_validity", "valid_occurrences", "occurrences", empty="no citation"
)
FABRICATION_RATE = Ratio(
    "fabrication_rate", "fabricating", "responses", empty="no response", lower_is_better=True
)


class Validity(Score):
    """A validity score with the citations that name no source."""

    invalid: tuple[InvalidCitation, ...] = ()


def count_validity(response: Response) -> dict[str, int]:
    """Count the citation occurrences of a response and those with a known id.

    Args:
        response: A response that is cut into statements.
    """
    sources = response.by_id
    valid = [citation.source_id in sources for citation in response.citations]
    return {
        "occurrences": len(valid),
        "valid_occurrences": sum(valid),
        "fabricating": int(not all(valid)),
        "responses": 1,
    }


def invalid_citations(response: Response) -> tuple[InvalidCitation, ...]:
    """List a parsed response's citations that name no source, with the id they nearly name."""
    from citemeter.text.markers import near_miss

    return tuple(
        InvalidCitation(
            source_id=citation.source_id,
            marker=citation.marker,
            span=citation.span,
            near_miss=near_miss(citation.source_id, response.by_id),
        )
        for citation in response.citations
        if citation.source_id not in response.by_id
    )


def citation_validity(record: RecordLike, *, zero_division: float | None = None) -> Validity:
    r"""Return the share of citation occurrences whose id names one of the sources.

    .. math:: \frac{|\{c : c \in D\}|}{|\{c\}|}

    over all occurrences :math:`c` in the answer, headings included, with :math:`D` the sources'
    ids. Over a data set, ``fabrication_rate`` is the share of answers with any invalid id.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        zero_division: The value to give when nothing is cited.

    Returns:
        A score in [0, 1], higher is better, with the invalid citations: id, marker, span, and the
        source id that differs from it only in case, punctuation or width.

    Undefined when:
        Nothing is cited.

    >>> validity = citation_validity({
    ...     "statements": [("Cats purr.", ["doc-12", "doc_12"])], "sources": {"doc-12": "..."},
    ... })
    >>> validity.value, validity.invalid[0].source_id, validity.invalid[0].near_miss
    (0.5, 'doc_12', 'doc-12')
    """
    response = ready(record)
    score = CITATION_VALIDITY.score(count_validity(response), zero_division)
    return Validity(**dict(score), invalid=invalid_citations(response))
