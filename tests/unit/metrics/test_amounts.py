"""Citations per statement, statements by number of citations, sources per answer."""

from __future__ import annotations

from typing import Any

import pytest

from citemeter.metrics.amounts import (
    AMOUNT_RATIOS,
    citation_amounts,
    count_amounts,
)
from citemeter.metrics.base import ready
from citemeter.models import Response
from citemeter.statistics.aggregate import Aggregator

SOURCES = {"a": "", "b": "", "c": "", "d": ""}


def cut(*cited: list[str]) -> Response:
    return ready({"statements": [("It is so.", ids) for ids in cited], "sources": SOURCES})


def amounts(*cited: list[str]) -> Any:
    return citation_amounts(cut(*cited))


@pytest.mark.parametrize(
    ("cited", "per_statement", "per_cited", "sources", "shares"),
    [
        # 3 citations of 2 statements; 3 / 2 of those that cite; a and b.
        ([["a", "b"], ["a"]], 1.5, 1.5, 2, (0, 0.5, 0.5, 0)),
        # 4 citations of 4 statements, 2 of which cite; a, b, c.
        ([[], ["a"], ["a", "b", "c"], []], 1.0, 2.0, 3, (0.5, 0.25, 0, 0.25)),
        # An id repeated in a statement counts once.
        ([["a", "a"]], 1.0, 1.0, 1, (0, 1, 0, 0)),
        # A fabricated id is a citation given, and no source used.
        ([["a", "zz"], ["yy"]], 1.5, 1.5, 1, (0, 0.5, 0.5, 0)),
        ([["a", "b", "c", "d"]], 4.0, 4.0, 4, (0, 0, 0, 1)),
        ([[], []], 0.0, None, 0, (1, 0, 0, 0)),
    ],
)
def test_by_hand(
    cited: list[list[str]],
    per_statement: float,
    per_cited: float | None,
    sources: int,
    shares: tuple[float, ...],
) -> None:
    found = amounts(*cited)
    assert found.citations_per_statement.value == per_statement
    assert found.citations_per_cited_statement.value == per_cited
    assert found.sources_per_answer.value == sources
    assert tuple(share.value for share in found.shares) == shares
    assert found.per_statement == tuple(len(set(ids)) for ids in cited)


def test_what_is_counted_besides() -> None:
    found = citation_amounts(
        {
            "answer": "# Facts [1]\n\nCats purr [2][2][9].",
            "sources": ["", "", ""],
        }
    )
    assert (found.repeated, found.invalid, found.unattached) == (1, 1, 1)
    # Source 1 is used, though only a heading cites it.
    assert found.sources_used == ("2", "1")
    assert found.sources_per_answer.value == 2
    assert found.citations_per_statement.value == 2.0


@pytest.mark.parametrize("answer", ["", "   ", "[a]", "```\ncode [a]\n```"])
def test_without_a_statement_everything_is_undefined(answer: str) -> None:
    found = citation_amounts({"answer": answer, "sources": SOURCES})
    for score in (found.citations_per_statement, found.sources_per_answer, *found.shares):
        assert score.value is None
        assert score.reason == "there is no statement"
    assert count_amounts(ready({"answer": answer, "sources": SOURCES})) == {}


def test_where_nothing_is_cited_the_reason_says_so() -> None:
    assert amounts([]).citations_per_cited_statement.reason == "no statement cites anything"


def test_over_a_data_set() -> None:
    # Two answers: 3 citations of 2 statements, 1 of 4. Macro (1.5 + 0.25) / 2, micro 4 / 6.
    totals = Aggregator(AMOUNT_RATIOS)
    for cited in ([["a", "b"], ["a"]], [["a"], [], [], []]):
        totals.add(count_amounts(cut(*cited)))
    found = totals.summaries([ratio.name for ratio in AMOUNT_RATIOS])
    assert found["citations_per_statement"].macro == pytest.approx(0.875)
    assert found["citations_per_statement"].micro == pytest.approx(4 / 6)
    # Of the statements that cite: 3 of 2 and 1 of 1.
    assert found["citations_per_cited_statement"].macro == pytest.approx(1.25)
    assert found["citations_per_cited_statement"].micro == pytest.approx(4 / 3)
    # 2 sources and 1: the mean number for each answer, either way.
    assert found["sources_per_answer"].macro == found["sources_per_answer"].micro == 1.5
    assert found["share_statements_citing_0"].micro == pytest.approx(3 / 6)
    assert found["share_statements_citing_3_or_more"].micro == 0.0
