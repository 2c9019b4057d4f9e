"""Results as pandas data frames: one row a response, a statement or a citation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from citemeter.results import ResponseResult
from citemeter.verdicts import Verdict

if TYPE_CHECKING:
    from pandas import DataFrame


def response_frame(results: Sequence[ResponseResult]) -> DataFrame:
    """Return one row a response: its id, question, scores and counts.

    Args:
        results: The results of a report.
    """
    scores = list(dict.fromkeys(name for result in results for name in result.scores))
    counts = [
        name
        for name in dict.fromkeys(name for result in results for name in result.counts)
        if name not in scores
    ]
    rows = [
        {
            "id": result.id,
            "question": result.question,
            **{
                name: result.scores[name].value if name in result.scores else None
                for name in scores
            },
            **{name: result.counts.get(name, 0) for name in counts},
            "abstained": result.abstained,
        }
        for result in results
    ]
    columns = ["id", "question", *scores, *counts, "abstained"]
    return _frame(rows, columns, floats=scores, integers=counts)


def statements_frame(results: Iterable[ResponseResult]) -> DataFrame:
    """Return one row a statement: its words, state, and the verdict on all its passages together.

    Args:
        results: The results of a report.
    """
    rows = [
        {
            "id": result.id,
            "statement": number,
            "text": one.statement.text,
            "state": one.state,
            "kind": one.statement.kind,
            "needs_citation": one.statement.needs_citation,
            "citations": len(one.citations),
            "score": _score(one.verdict),
            "reason": one.verdict and (one.verdict.reason or one.verdict.error),
        }
        for result in results
        for number, one in enumerate(result.statements)
    ]
    columns = [
        "id",
        "statement",
        "text",
        "state",
        "kind",
        "needs_citation",
        "citations",
        "score",
        "reason",
    ]
    return _frame(rows, columns, floats=["score"], integers=["statement", "citations"])


def citations_frame(results: Iterable[ResponseResult]) -> DataFrame:
    """Return one row a citation: its state, and the verdicts on it alone and on the rest.

    Args:
        results: The results of a report.
    """
    rows = [
        {
            "id": result.id,
            "statement": number,
            "source_id": citation.source_id,
            "state": citation.state,
            "alone": citation.alone and citation.alone.supported,
            "alone_score": _score(citation.alone),
            "rest": citation.rest and citation.rest.supported,
            "rest_score": _score(citation.rest),
        }
        for result in results
        for number, one in enumerate(result.statements)
        for citation in one.citations
    ]
    columns = [
        "id",
        "statement",
        "source_id",
        "state",
        "alone",
        "alone_score",
        "rest",
        "rest_score",
    ]
    floats = ["alone_score", "rest_score"]
    return _frame(rows, columns, floats=floats, integers=["statement"])


def _score(verdict: Verdict | None) -> float | None:
    return None if verdict is None else verdict.score


def _frame(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    *,
    floats: Sequence[str],
    integers: Sequence[str],
) -> DataFrame:
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError("data frames need pandas: pip install 'citemeter[frames]'") from error
    types = dict.fromkeys(floats, "float64") | dict.fromkeys(integers, "int64")
    return DataFrame(rows, columns=list(columns)).astype(types)
