"""Who supports what: the verdicts that citation recall and precision rest on, asked for once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from citemeter.errors import check_choice
from citemeter.judges.asking import VerdictRequests, run
from citemeter.judges.base import Entails, Judge, Pair, Premise
from citemeter.metrics.base import RecordLike, ready
from citemeter.models import Response, Source, Statement
from citemeter.results import CitationResult, CitationState, StatementResult, StatementState
from citemeter.verdicts import Verdict

__all__ = [
    "CitationFinding",
    "Finding",
    "Rules",
    "assess",
    "count_support",
    "judge_citations",
    "premise_text",
    "statement_results",
    "support",
    "support_counts",
]

_PORTION = 4_000_000
"""Characters of joined passages that are asked about at once.

Thousands of citations of one statement would else fill the memory with copies of their passages.
"""
_NO_TEXT = Verdict(supported=False, reason="the cited passages have no text")

CitationFinding: TypeAlias = tuple[str, CitationState, Verdict | None, Verdict | None]
"""``(source id, state, verdict on it alone, verdict on the rest)``."""

Finding: TypeAlias = tuple[StatementState, Verdict | None, Sequence[CitationFinding]]
"""``(state, joint verdict, citations)``: what a ``StatementResult`` says of its statement.

A run counts findings by the thousand and builds results only for those that are kept.
"""


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

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        check_choice("duplicates", self.duplicates, ("set", "occurrences"))


def judge_citations(
    texts: Sequence[str],
    cited: Sequence[Sequence[str]],
    premises: Sequence[Sequence[str]],
    precision: bool = True,
) -> VerdictRequests[tuple[list[Verdict], list[Sequence[CitationFinding]]]]:
    """Judge statements that cite only valid ids: jointly, then each citation, then the rest.

    For a statement ``s`` with citations ``C``: if ``C`` together does not entail ``s``, every
    citation is unsupported. Otherwise ``c`` is irrelevant iff ``c`` alone does not entail ``s`` and
    ``C`` without ``c`` does.

    Args:
        texts: The hypotheses, one a statement.
        cited: The source ids of each statement, none empty.
        premises: What the judge reads of each of them, in the same order; blank if nothing.
        precision: Whether the citations are judged singly at all.

    Returns:
        The joint verdicts and the citations' findings, one each a statement.
    """
    joint: list[Verdict] = yield from _judge_pairs(
        [
            (parts[0] if len(parts) == 1 else _joined(parts), text)
            for parts, text in zip(premises, texts, strict=True)
        ]
    )
    if not precision:
        return joint, [()] * len(texts)
    several = [i for i, ids in enumerate(cited) if len(ids) > 1 and joint[i].supported]
    alone: dict[tuple[int, int], Verdict] = {}
    rest: dict[tuple[int, int], Verdict] = {}
    if several:
        places = [(i, k) for i in several for k in range(len(cited[i]))]
        verdicts = yield from _judge_pairs([(premises[i][k], texts[i]) for i, k in places])
        alone = dict(zip(places, verdicts, strict=True))
        # Where the judge failed on one alone, the rest may still settle that it is needed.
        places = [place for place, verdict in alone.items() if not verdict.supported]
        for few in _portions(places, premises):
            verdicts = yield from _judge_pairs(
                [(_without(premises[i], cited[i], k), texts[i]) for i, k in few]
            )
            rest.update(zip(few, verdicts, strict=True))
    findings: list[Sequence[CitationFinding]] = []
    for i, verdict in enumerate(joint):
        supported = verdict.supported
        if supported and len(cited[i]) > 1:
            findings.append(
                [
                    _single(source_id, alone[i, k], rest.get((i, k)))
                    for k, source_id in enumerate(cited[i])
                ]
            )
        else:
            state: CitationState = (
                "precise" if supported else "unjudged" if supported is None else "unsupported"
            )
            findings.append([(source_id, state, None, None) for source_id in cited[i]])
    return joint, findings


def _portions(
    places: Sequence[tuple[int, int]], premises: Sequence[Sequence[str]]
) -> Iterator[list[tuple[int, int]]]:
    """Part the citations so that the passages of the others, joined, fit in memory."""
    lengths: dict[int, int] = {}
    portion: list[tuple[int, int]] = []
    size = 0
    for place in places:
        i = place[0]
        if i not in lengths:
            lengths[i] = sum(map(len, premises[i]))
        if portion and size + lengths[i] > _PORTION:
            yield portion
            portion, size = [], 0
        portion.append(place)
        size += lengths[i]
    if portion:
        yield portion


def _joined(premises: Sequence[str]) -> str:
    passages = [premise for premise in premises if premise]
    return Premise(passages) if len(passages) > 1 else "".join(passages)


def _without(premises: Sequence[str], cited: Sequence[str], place: int) -> str:
    """Join the passages but one; of an id cited twice, the published script drops the first."""
    place = cited.index(cited[place])
    return _joined([*premises[:place], *premises[place + 1 :]])


def _single(source_id: str, alone: Verdict, rest: Verdict | None) -> CitationFinding:
    state: CitationState = "precise"
    if rest is not None and rest.supported is not False:
        failed = alone.supported is None or rest.supported is None
        state = "unjudged" if failed else "irrelevant"
    return (source_id, state, alone, rest)


def _judge_pairs(pairs: list[Pair]) -> VerdictRequests[list[Verdict]]:
    """Ask for the pairs that have a premise; passages without text support nothing."""
    for premise, _ in pairs:
        if not premise:
            break
    else:
        return list((yield pairs))
    asked = [pair for pair in pairs if pair[0]]
    answers = iter((yield asked) if asked else [])
    return [next(answers) if premise else _NO_TEXT for premise, _ in pairs]


def assess(
    statements: Sequence[Statement], sources: Mapping[str, Source], rules: Rules
) -> VerdictRequests[list[Finding]]:
    """Give every statement and citation of a response its state, as ALCE's paper does.

    Args:
        statements: The statements with their citations.
        sources: The sources by the id that cites them; any other id is invalid.
        rules: What the rule set chooses.

    Returns:
        One finding a statement, in order.

    Reference: Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations.
    """
    by_set = rules.duplicates == "set"
    premises: dict[str, str] = {}
    findings: list[Finding] = []
    texts: list[str] = []
    cited: list[Sequence[str]] = []
    parts: list[list[str]] = []
    pending: list[int] = []
    for statement in statements:
        ids: Sequence[str] = [citation.source_id for citation in statement.citations]
        if not ids:
            findings.append(_UNCITED)
            continue
        if by_set and len(ids) > 1:
            ids = list(dict.fromkeys(ids))
        passages: list[str] = []
        for source_id in ids:
            premise = premises.get(source_id)
            if premise is None:
                source = sources.get(source_id)
                if source is None:
                    findings.append(("invalid", None, _with_invalid(ids, sources)))
                    break
                premise = rules.premise(source)
                premises[source_id] = premise = "" if premise.isspace() else premise
            passages.append(premise)
        else:
            if rules.at_most is not None:
                ids, passages = ids[: rules.at_most], passages[: rules.at_most]
            pending.append(len(findings))
            findings.append(_UNCITED)
            texts.append(statement.text)
            cited.append(ids)
            parts.append(passages)
    if pending:
        joint, found = yield from judge_citations(texts, cited, parts, rules.precision)
        for place, verdict, citations in zip(pending, joint, found, strict=True):
            supported = verdict.supported
            state: StatementState = (
                "supported" if supported else "unjudged" if supported is None else "unsupported"
            )
            findings[place] = (state, verdict, citations)
    return findings


_UNCITED: Finding = ("uncited", None, ())


def _with_invalid(ids: Sequence[str], known: Mapping[str, Source]) -> list[CitationFinding]:
    return [(i, "voided" if i in known else "invalid", None, None) for i in ids]


def statement_results(
    statements: Sequence[Statement], findings: Sequence[Finding]
) -> tuple[StatementResult, ...]:
    """Build the results of statements from what was found of them."""
    return tuple(
        [
            StatementResult.trusted(
                {
                    "statement": statement,
                    "state": state,
                    "verdict": verdict,
                    "citations": tuple(
                        [
                            CitationResult.trusted(
                                {"source_id": i, "state": s, "alone": alone, "rest": rest}
                            )
                            for i, s, alone, rest in citations
                        ]
                    ),
                }
            )
            for statement, (state, verdict, citations) in zip(statements, findings, strict=True)
        ]
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
    response = ready(record)
    findings = _judged(response, entails, rules)
    return statement_results(response.statements or (), findings)


def _judged(response: Response, entails: Entails | Judge, rules: Rules | None) -> list[Finding]:
    return run(assess(response.statements or (), response.by_id, rules or Rules()), entails)


def support_counts(
    record: RecordLike, entails: Entails | Judge, rules: Rules | None = None
) -> dict[str, int]:
    """Judge one response and count its states; see ``support`` for the arguments."""
    response = ready(record)
    worthy = [statement.needs_citation for statement in response.statements or ()]
    return count_support(_judged(response, entails, rules), worthy)


def count_support(findings: Sequence[Finding], worthy: Sequence[bool]) -> dict[str, int]:
    """Count the states of one response's statements and citations; the counts add up.

    ``statements`` is the sum of the five statement states and ``citations`` of the six citation
    states; ``cited_statements`` cite something; ``credited_citations`` are those of supported
    statements. Where the judge failed, further counts bound what its verdicts could have given.

    Args:
        findings: What was found of the statements.
        worthy: Whether each of them needs a citation.
    """
    states = [finding[0] for finding in findings]
    claims = [state for state, needed in zip(states, worthy, strict=True) if needed]
    cited = [citation[1] for finding in findings for citation in finding[2]]
    counts = {"statements": len(states)}
    for statement_state, name in _STATEMENT_COUNTS:
        counts[name] = states.count(statement_state)
    counts["cited_statements"] = len(states) - counts["uncited"]
    counts["worthy_statements"] = len(claims)
    counts["worthy_supported"] = claims.count("supported")
    counts["worthy_unjudged"] = claims.count("unjudged")
    counts["citations"] = len(cited)
    for citation_state, name in _CITATION_COUNTS:
        counts[name] = cited.count(citation_state)
    counts["credited_citations"] = sum(
        [len(finding[2]) for finding in findings if finding[0] == "supported"]
    )
    if counts["unjudged_citations"]:
        counts.update(_count_open(findings))
    return counts


def _count_open(findings: Sequence[Finding]) -> dict[str, int]:
    """Count what limits the values that missing verdicts could give.

    - ``needed_anyway``: unjudged citations that are precise whatever those verdicts are. Of two
      citations of a supported statement that the judge failed on singly, at least one is: each is
      the rest of the other, and a citation is irrelevant only if its rest suffices. If both have
      the same id, both are.
    - ``unjudged_in_pairs``, ``unjudged_in_crowds``: citations of statements that the judge failed
      on, of two or of more. If supported after all, at most one of two may be irrelevant, and all
      of more.
    - ``creditable_citations``: citations of all these statements.
    """
    needed = pairs = crowds = creditable = 0
    for state, _, citations in findings:
        if state == "unjudged":
            creditable += len(citations)
            if len(citations) == 2 and citations[0][0] != citations[1][0]:
                pairs += 2
            crowds += len(citations) * (len(citations) > 2)
        elif len(citations) == 2 and citations[0][1] == citations[1][1] == "unjudged":
            needed += 2 if citations[0][0] == citations[1][0] else 1
    return {
        "needed_anyway": needed,
        "creditable_citations": creditable,
        "unjudged_in_pairs": pairs,
        "unjudged_in_crowds": crowds,
    }


_STATEMENT_COUNTS: tuple[tuple[StatementState, str], ...] = (
    ("supported", "supported"),
    ("unsupported", "unsupported"),
    ("uncited", "uncited"),
    ("invalid", "invalid_statements"),
    ("unjudged", "unjudged_statements"),
)
_CITATION_COUNTS: tuple[tuple[CitationState, str], ...] = (
    ("precise", "precise"),
    ("irrelevant", "irrelevant"),
    ("unsupported", "unsupported_citations"),
    ("invalid", "invalid_citations"),
    ("voided", "voided_citations"),
    ("unjudged", "unjudged_citations"),
)
