"""How much is cited: citations per statement, statements by number of citations, sources used."""

from __future__ import annotations

from citemeter.metrics.base import Ratio, RecordLike, ready
from citemeter.models import Model, Response
from citemeter.results import Score

__all__ = ["CitationAmounts", "citation_amounts"]

_NO_STATEMENT = "there is no statement"

CITATIONS_PER_STATEMENT = Ratio(
    "citations_per_statement", "citations_given", "statements_counted", empty=_NO_STATEMENT
)
CITATIONS_PER_CITED_STATEMENT = Ratio(
    "citations_per_cited_statement",
    "citations_given",
    "statements_citing",
    empty="no statement cites anything",
)
SOURCES_PER_ANSWER = Ratio(
    "sources_per_answer", "sources_used", "answers_counted", empty=_NO_STATEMENT
)
STATEMENT_SHARES = tuple(
    Ratio(f"share_{name}", name, "statements_counted", empty=_NO_STATEMENT)
    for name in (
        "statements_citing_0",
        "statements_citing_1",
        "statements_citing_2",
        "statements_citing_3_or_more",
    )
)
"""The shares of statements with no citation, one, two, and three or more; they add up to 1."""

AMOUNT_RATIOS = (
    CITATIONS_PER_STATEMENT,
    CITATIONS_PER_CITED_STATEMENT,
    SOURCES_PER_ANSWER,
    *STATEMENT_SHARES,
)
"""The amounts in report order. Neither end of any of them is the good one."""


class CitationAmounts(Model):
    """How much one response cites.

    Args:
        citations_per_statement: The mean number of citations, uncited statements included.
        citations_per_cited_statement: The same over the statements that cite something.
        sources_per_answer: How many of its sources the answer cites.
        shares: The shares of statements with no citation, one, two, and three or more.
        per_statement: The number of citations of each statement, in order.
        repeated: How many citations repeat an id within their statement; they count once.
        invalid: How many of the citations counted name no source.
        unattached: How many citations belong to no statement; they are counted nowhere else but
            among the sources used.
        sources_used: The distinct sources cited, in order of first appearance.
    """

    citations_per_statement: Score
    citations_per_cited_statement: Score
    sources_per_answer: Score
    shares: tuple[Score, ...]
    per_statement: tuple[int, ...]
    repeated: int
    invalid: int
    unattached: int
    sources_used: tuple[str, ...]


def count_amounts(response: Response) -> dict[str, int]:
    """Count the citations of one response's statements.

    An id repeated within a statement counts once, as in citation recall and precision; an id that
    names no source is a citation given too.

    Args:
        response: A response that is cut into statements.

    Returns:
        Named counts; empty for a response without statements.

    >>> response = Response(statements=[("A.", ["1", "2"]), ("B.", [])], sources=["...", "..."])
    >>> count_amounts(response)["statements_citing_2"]
    1
    """
    numbers = [len(statement.source_ids) for statement in response.statements or ()]
    if not numbers:
        return {}
    none, one, two = numbers.count(0), numbers.count(1), numbers.count(2)
    return {
        "answers_counted": 1,
        "statements_counted": len(numbers),
        "statements_citing": len(numbers) - none,
        "statements_citing_0": none,
        "statements_citing_1": one,
        "statements_citing_2": two,
        "statements_citing_3_or_more": len(numbers) - none - one - two,
        "citations_given": sum(numbers),
        "sources_used": len(_sources_used(response)),
    }


def _sources_used(response: Response) -> tuple[str, ...]:
    sources = response.by_id
    cited = [citation.source_id for citation in response.citations]
    return tuple(dict.fromkeys([source_id for source_id in cited if source_id in sources]))


def citation_amounts(record: RecordLike) -> CitationAmounts:
    r"""Return how many citations the statements of a response have, and how many sources it uses.

    .. math:: \frac{1}{|S|} \sum_{s \in S} |C_s|, \quad
              \frac{\sum_{s \in S} |C_s|}{|\{s \in S : C_s \ne \emptyset\}|}, \quad
              \frac{|\{s \in S : |C_s| = k\}|}{|S|}

    with :math:`S` the statements and :math:`C_s` the distinct ids that :math:`s` cites, fabricated
    ones included.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.

    Returns:
        The means, each at least 0, and the shares, in [0, 1]. They describe; neither high nor low
        is better.

    Undefined when:
        There is no statement; for ``citations_per_cited_statement``, when none cites anything.

    >>> amounts = citation_amounts({
    ...     "answer": "Cats purr [1][2]. Dogs bark [1]. Fish swim.", "sources": ["…", "…", "…"],
    ... })
    >>> amounts.citations_per_statement.value, amounts.citations_per_cited_statement.value
    (1.0, 1.5)
    >>> amounts.per_statement, amounts.sources_used
    ((2, 1, 0), ('1', '2'))
    """
    response = ready(record)
    counts = count_amounts(response)
    cited = [statement.source_ids for statement in response.statements or ()]
    occurrences = sum([len(statement.citations) for statement in response.statements or ()])
    distinct = [source_id for ids in cited for source_id in ids]
    return CitationAmounts(
        citations_per_statement=CITATIONS_PER_STATEMENT.score(counts),
        citations_per_cited_statement=CITATIONS_PER_CITED_STATEMENT.score(counts),
        sources_per_answer=SOURCES_PER_ANSWER.score(counts),
        shares=tuple(ratio.score(counts) for ratio in STATEMENT_SHARES),
        per_statement=tuple(len(ids) for ids in cited),
        repeated=occurrences - len(distinct),
        invalid=sum(not response.has_source(source_id) for source_id in distinct),
        unattached=len(response.unattached),
        sources_used=_sources_used(response),
    )
