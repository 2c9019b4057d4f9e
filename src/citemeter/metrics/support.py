"""Who supports what: the verdicts that citation recall and precision rest on, asked for once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from citemeter.judges.base import Entails, Judge, Pair
from citemeter.metrics.ask import Asking, run
from citemeter.metrics.base import RecordLike, ready
from citemeter.models import Response, Source, Statement
from citemeter.results import (
    CitationResult,
    CitationState,
    StatementResult,
    StatementState,
    Verdict,
)

__all__ = [
    "SUPPORT_COUNTS",
    "Rules",
    "assess",
    "count_support",
    "judge_citations",
    "premise_text",
    "support",
]

_NO_TEXT = Verdict(supported=False, reason="the cited passages have no text")


def premise_text(source: Source) -> str:
    r"""Return what the judge reads of a source: its text, below its title if it has one.

    >>> premise_text(Source(id="1", text="It opened in 1904.", title="Harbour museum"))
    'Title: Harbour museum\nIt opened in 1904.'
    """
    if source.title:
        return f"Title: {source.title}\n{source.text}"
    return source.text


@dataclass(frozen=True, slots=True)
class Rules:
    """What a rule set may choose in judging citations.

    Args:
        duplicates: Whether an id repeated in one statement is one citation (``"set"``) or as many
            as its occurrences.
        at_most: Judge only the first so many citations of a statement; later ones count nowhere.
        precision: Whether single citations are judged too; recall alone needs fewer verdicts.
        premise: What the judge reads of a source.
    """

    duplicates: Literal["set", "occurrences"] = "set"
    at_most: int | None = None
    precision: bool = True
    premise: Callable[[Source], str] = premise_text


def _result(
    source_id: str, state: CitationState, alone: Verdict | None = None, rest: Verdict | None = None
) -> CitationResult:
    return CitationResult.trusted(
        {"source_id": source_id, "state": state, "alone": alone, "rest": rest}
    )


def judge_citations(
    texts: Sequence[str],
    cited: Sequence[Sequence[str]],
    premises: Sequence[Sequence[str]],
    precision: bool = True,
) -> Asking[tuple[list[Verdict], list[tuple[CitationResult, ...]]]]:
    """Judge statements that cite only valid ids: jointly, then each citation, then the rest.

    For a statement ``s`` with citations ``C``: if ``C`` together does not entail ``s``, every
    citation is unsupported. Otherwise ``c`` is irrelevant iff ``c`` alone does not entail ``s`` and
    ``C`` without ``c`` does.

    Args:
        texts: The hypotheses, one a statement.
        cited: The source ids of each statement, none empty.
        premises: What the judge reads of each of them, in the same order.
        precision: Whether the citations are judged singly at all.

    Returns:
        The joint verdicts and the citations' results, one each a statement.
    """
    joint_pairs = ["\n".join([p for p in parts if p]) for parts in premises]
    joint = yield from _judge_pairs(list(zip(joint_pairs, texts, strict=True)))
    if not precision:
        return joint, [()] * len(texts)
    several = [
        i for i, verdict in enumerate(joint) if verdict.supported is True and len(cited[i]) > 1
    ]
    places = [(i, k) for i in several for k in range(len(cited[i]))]
    alone = dict(
        zip(
            places,
            (yield from _judge_pairs([(premises[i][k], texts[i]) for i, k in places])),
            strict=True,
        )
    )
    places = [place for place in places if alone[place].supported is False]
    rest_pairs = [(_without(premises[i], cited[i].index(cited[i][k])), texts[i]) for i, k in places]
    rest = dict(zip(places, (yield from _judge_pairs(rest_pairs)), strict=True))
    results: list[tuple[CitationResult, ...]] = []
    for i, verdict in enumerate(joint):
        state: CitationState
        if verdict.supported is None:
            state = "unjudged"
        elif verdict.supported is False:
            state = "unsupported"
        elif len(cited[i]) == 1:
            state = "precise"
        else:
            results.append(
                tuple(
                    [
                        _single(source_id, alone[i, k], rest.get((i, k)))
                        for k, source_id in enumerate(cited[i])
                    ]
                )
            )
            continue
        results.append(tuple([_result(source_id, state) for source_id in cited[i]]))
    return joint, results


def _without(premises: Sequence[str], place: int) -> str:
    """Join the passages but one; of an id cited twice, the published script drops the first."""
    return "\n".join([p for k, p in enumerate(premises) if k != place and p])


def _single(source_id: str, alone: Verdict, rest: Verdict | None) -> CitationResult:
    state: CitationState = "precise"
    if alone.supported is None or (rest is not None and rest.supported is None):
        state = "unjudged"
    elif rest is not None and rest.supported:
        state = "irrelevant"
    return _result(source_id, state, alone, rest)


def _judge_pairs(pairs: list[Pair]) -> Asking[list[Verdict]]:
    """Ask for the pairs that have a premise; passages without text support nothing."""
    if not pairs:
        return []
    if all(premise for premise, _ in pairs):
        return list((yield pairs))
    asked = [pair for pair in pairs if pair[0]]
    answers = iter((yield asked) if asked else [])
    return [next(answers) if premise else _NO_TEXT for premise, _ in pairs]


def assess(response: Response, rules: Rules) -> Asking[tuple[StatementResult, ...]]:
    """Give every statement and citation of a parsed response its state, as ALCE's paper does.

    Args:
        response: The response; its statements must not be ``None``.
        rules: What the rule set chooses.

    Returns:
        One result a statement, in order.

    Reference: Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations.
    """
    by_id = response.by_id
    premises: dict[str, str] = {}
    results: list[StatementResult | None] = []
    texts: list[str] = []
    cited: list[Sequence[str]] = []
    parts: list[list[str]] = []
    pending: list[tuple[int, Statement]] = []
    for statement in response.statements or ():
        ids: Sequence[str] = [citation.source_id for citation in statement.citations]
        if len(ids) > 1 and rules.duplicates == "set":
            ids = list(dict.fromkeys(ids))
        if not ids:
            results.append(_statement_result(statement, "uncited"))
            continue
        if not by_id.keys() >= set(ids):
            results.append(
                _statement_result(
                    statement,
                    "invalid",
                    citations=tuple(
                        [_result(i, "voided" if i in by_id else "invalid") for i in ids]
                    ),
                )
            )
            continue
        if rules.at_most is not None:
            ids = ids[: rules.at_most]
        for source_id in ids:
            if source_id not in premises:
                text = rules.premise(by_id[source_id])
                premises[source_id] = text if text.strip() else ""
        pending.append((len(results), statement))
        results.append(None)
        texts.append(statement.text)
        cited.append(ids)
        parts.append([premises[source_id] for source_id in ids])
    if pending:
        joint, citations = yield from judge_citations(texts, cited, parts, rules.precision)
        for (place, statement), verdict, judged in zip(pending, joint, citations, strict=True):
            results[place] = _statement_result(
                statement,
                "unjudged"
                if verdict.supported is None
                else ("supported" if verdict.supported else "unsupported"),
                verdict,
                judged,
            )
    return tuple([result for result in results if result is not None])


def _statement_result(
    statement: Statement,
    state: StatementState,
    verdict: Verdict | None = None,
    citations: tuple[CitationResult, ...] = (),
) -> StatementResult:
    return StatementResult.trusted(
        {"statement": statement, "state": state, "verdict": verdict, "citations": citations}
    )


def support(
    record: RecordLike, entails: Entails | Judge, rules: Rules | None = None
) -> tuple[StatementResult, ...]:
    """Return every statement of one response with its state, verdicts and citations.

    Args:
        record: A response, or a plain record.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        rules: What the rule set chooses; ALCE's paper by default.

    >>> record = {
    ...     "statements": [("Up to 5 unused days carry over.", ["hr-31", "hr-12"])],
    ...     "sources": {"hr-12": "25 days accrue.", "hr-31": "Up to 5 days may be carried over."},
    ... }
    >>> [result] = support(record, lambda premise, hypothesis: "carried over" in premise)
    >>> result.state, [(c.source_id, c.state) for c in result.citations]
    ('supported', [('hr-31', 'precise'), ('hr-12', 'irrelevant')])
    """
    return run(assess(ready(record), rules or Rules()), entails)


def count_support(results: Sequence[StatementResult]) -> dict[str, int]:
    """Count the states of one response's statements and citations; the counts add up.

    ``statements`` is the sum of the five statement states and ``citations`` of the six citation
    states; ``cited_statements`` cite something; ``credited_citations`` are those of supported
    statements.
    """
    counts = dict.fromkeys(SUPPORT_COUNTS, 0)
    counts["statements"] = len(results)
    for result in results:
        state = result.state
        counts[_STATEMENT_COUNT[state]] += 1
        if result.statement.needs_citation:
            counts["worthy_statements"] += 1
            if state == "supported":
                counts["worthy_supported"] += 1
            elif state == "unjudged":
                counts["worthy_unjudged"] += 1
        citations = result.citations
        if citations:
            counts["citations"] += len(citations)
            for citation in citations:
                counts[_CITATION_COUNT[citation.state]] += 1
            if state == "supported":
                counts["credited_citations"] += len(citations)
    counts["cited_statements"] = counts["statements"] - counts["uncited"]
    return counts


_STATEMENT_COUNT: dict[StatementState, str] = {
    "supported": "supported",
    "unsupported": "unsupported",
    "uncited": "uncited",
    "invalid": "invalid_statements",
    "unjudged": "unjudged_statements",
}
_CITATION_COUNT: dict[CitationState, str] = {
    "precise": "precise",
    "irrelevant": "irrelevant",
    "unsupported": "unsupported_citations",
    "invalid": "invalid_citations",
    "voided": "voided_citations",
    "unjudged": "unjudged_citations",
}
SUPPORT_COUNTS = (
    "statements",
    *_STATEMENT_COUNT.values(),
    "cited_statements",
    "worthy_statements",
    "worthy_supported",
    "worthy_unjudged",
    "citations",
    *_CITATION_COUNT.values(),
    "credited_citations",
)
