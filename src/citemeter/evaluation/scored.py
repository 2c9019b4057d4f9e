"""One response, scored: its counts at once, its result when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from citemeter.metrics.alce import Finding, statement_results
from citemeter.metrics.validity import invalid_citations
from citemeter.models import Response, Statement
from citemeter.results import QuoteCheck, ResponseResult
from citemeter.statistics.aggregate import Values

__all__ = ["Scored"]


class Scored:
    """One response, scored: the counts at once, the result when it is asked for."""

    __slots__ = (
        "_judged",
        "counts",
        "details",
        "findings",
        "index",
        "quotes",
        "response",
        "values",
    )

    def __init__(
        self,
        index: int,
        response: Response,
        judged: Sequence[Statement],
        findings: list[Finding],
        quotes: tuple[QuoteCheck, ...],
        counts: dict[str, int],
        values: Values,
        details: Mapping[str, Any],
    ) -> None:
        self.index = index
        self.response = response
        self._judged = judged
        self.findings = findings
        self.quotes = quotes
        self.counts = counts
        self.values = values
        self.details = details

    def result(self) -> ResponseResult:
        """Build the result, with every statement and citation."""
        response = self.response
        statements = self._judged if self.findings else ()  # () if there was no judge
        return ResponseResult.trusted(
            {
                "id": response.id if response.id is not None else str(self.index),
                "index": self.index,
                "question": response.question,
                "answer": response.answer,
                "scores": dict(self.values.scores),
                "undefined": dict(self.values.undefined),
                "bounds": dict(self.values.bounds),
                "counts": self.counts,
                "statements": statement_results(statements, self.findings),
                "quotes": self.quotes,
                "invalid_citations": invalid_citations(response)
                if self.counts["fabricating"]
                else (),
                "abstained": response.abstained,
                "parsing": response.parsing,
                "details": dict(self.details),
            }
        )
