r"""ALCE's citation recall, precision and F1: what is judged, what is counted, what is divided.

A response has statements :math:`S`; statement :math:`s` cites the ids :math:`C_s`, which may name
some of the sources :math:`D`. :math:`C \models s` says that the passages of :math:`C`, joined,
entail :math:`s`.

- Recall: :math:`|\{s : C_s \ne \emptyset, C_s \subseteq D, C_s \models s\}| \,/\, |S|`.
- Precision: of all citations, the share that is precise; see ``judge_statement``.
- F1: their harmonic mean.

Reference: Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
https://arxiv.org/abs/2305.14627, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from citemeter.errors import check_choice
from citemeter.judges.asking import VerdictRequests, gather, run
from citemeter.judges.base import Entails, Judge, Pair, Premise
from citemeter.metrics.base import Counts, Derived, Ratio, RecordLike, Terms, ready
from citemeter.models import Source, Statement
from citemeter.results import (
    Bounds,
    CitationResult,
    CitationState,
    Score,
    StatementResult,
    StatementState,
)
from citemeter.verdicts import Verdict

__all__ = [
    "CITATION_PRECISION",
    "CITATION_RECALL",
    "Rules",
    "citation_f1",
    "citation_precision",
    "citation_recall",
    "count_support",
    "harmonic_mean",
    "judge_statement",
    "premise_text",
    "support",
]

_PORTION = 4_000_000
"""Characters of joined passages that one statement asks about at once: thousands of citations
would else fill the memory with copies of their passages."""
_NO_TEXT = Verdict(supported=False, reason="the cited passages have no text")
_STATES: dict[bool | None, StatementState] = {
    True: "supported",
    False: "unsupported",
    None: "unjudged",
}


def premise_text(source: Source) -> str:
    r"""Return what the judge reads of a source: its text, below its title if it has one.

    >>> premise_text(Source(id="1", text="It opened in 1904.", title="Harbour museum"))
    'Title: Harbour museum\nIt opened in 1904.'
    """
    return f"Title: {source.title}\n{source.text}" if source.title else source.text


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


# -- judging --------------------------------------------------------------------------------------


def judge_statement(
    statement: Statement, premises: Mapping[str, str], rules: Rules
) -> VerdictRequests[StatementResult]:
    """Give one statement and its citations their states.

    A statement ``s`` that cites ``C``, all of them sources, is supported if ``C`` together entails
    it; if not, none of its citations is precise. A citation ``c`` of a supported statement is
    irrelevant if ``c`` alone does not entail ``s`` and ``C`` without ``c`` does, and otherwise
    precise.

    Args:
        statement: The statement.
        premises: What the judge reads of each source, by the id that cites it; any other id is
            invalid.
        rules: What the rule set chooses.
    """
    cited = [citation.source_id for citation in statement.citations]
    if rules.duplicates == "set":
        cited = list(dict.fromkeys(cited))
    if not cited:
        return _result(statement, "uncited")
    if not all(map(premises.__contains__, cited)):
        voided = [_citation(i, "voided" if i in premises else "invalid") for i in cited]
        return _result(statement, "invalid", None, voided)
    cited, text = cited[: rules.at_most], statement.text
    together = _joined(cited, premises)
    [joint] = (yield [(together, text)]) if together else [_NO_TEXT]
    state = _STATES[joint.supported]
    if not rules.precision:
        return _result(statement, state, joint)
    if state != "supported" or len(cited) == 1:
        alike = "precise" if joint.supported else state
        return _result(statement, state, joint, [_citation(i, alike) for i in cited])
    alone = yield from _verdicts([(premises[i], text) for i in cited])
    # Where the judge failed on one alone, the rest may still settle that it is needed.
    asked = [k for k, verdict in enumerate(alone) if not verdict.supported]
    size = max(1, _PORTION // max(1, sum(len(premises[i]) for i in cited)))
    rest: dict[int, Verdict] = {}
    for few in (asked[k : k + size] for k in range(0, len(asked), size)):
        verdicts = yield from _verdicts(
            [(_joined(_without(cited, k), premises), text) for k in few]
        )
        rest.update(zip(few, verdicts, strict=True))
    singly = [
        _citation(i, _single_state(alone[k], rest.get(k)), alone[k], rest.get(k))
        for k, i in enumerate(cited)
    ]
    return _result(statement, state, joint, singly)


def judge_statements(
    statements: Iterable[Statement], sources: Mapping[str, Source], rules: Rules
) -> VerdictRequests[list[StatementResult]]:
    """Judge every statement of a response, all of them in step.

    Args:
        statements: The statements.
        sources: The sources by the id that cites them.
        rules: What the rule set chooses.

    Returns:
        One result a statement, in order.
    """
    statements = list(statements)
    cited = {citation.source_id for statement in statements for citation in statement.citations}
    premises = {i: rules.premise(sources[i]) for i in cited if i in sources}
    premises = {i: "" if text.isspace() else text for i, text in premises.items()}
    return (yield from gather([judge_statement(s, premises, rules) for s in statements]))


def _verdicts(pairs: list[Pair]) -> VerdictRequests[list[Verdict]]:
    """Ask for the pairs that have a premise; passages without text support nothing."""
    asked = [pair for pair in pairs if pair[0]]
    verdicts = iter((yield asked) if asked else ())
    return [next(verdicts) if premise else _NO_TEXT for premise, _ in pairs]


def _joined(ids: Sequence[str], premises: Mapping[str, str]) -> str:
    """Return what the judge reads of several sources; those without text are left out."""
    if len(ids) == 1:
        return premises[ids[0]]
    passages = [premises[i] for i in ids if premises[i]]
    return Premise(passages) if len(passages) > 1 else "".join(passages)


def _without(cited: Sequence[str], k: int) -> Sequence[str]:
    """Leave one citation out; of an id cited twice, the published script drops the first."""
    first = cited.index(cited[k])
    return [*cited[:first], *cited[first + 1 :]]


def _single_state(alone: Verdict, rest: Verdict | None) -> CitationState:
    """Return the state of one of several citations of a supported statement."""
    if rest is None or rest.supported is False:
        return "precise"
    return "unjudged" if None in (alone.supported, rest.supported) else "irrelevant"


def _citation(
    source_id: str, state: str, alone: Verdict | None = None, rest: Verdict | None = None
) -> CitationResult:
    return CitationResult.trusted(
        {"source_id": source_id, "state": state, "alone": alone, "rest": rest}
    )


def _result(
    statement: Statement,
    state: StatementState,
    verdict: Verdict | None = None,
    citations: Sequence[CitationResult] = (),
) -> StatementResult:
    return StatementResult.trusted(
        {
            "statement": statement,
            "state": state,
            "verdict": verdict,
            "citations": tuple(citations),
        }
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
    statements = response.statements or ()
    return tuple(run(judge_statements(statements, response.by_id, rules or Rules()), entails))


# -- counting -------------------------------------------------------------------------------------


def count_support(results: Sequence[StatementResult]) -> dict[str, int]:
    """Count the states of one response's statements and citations; the counts add up.

    ``statements`` is the sum of the five statement states and ``citations`` of the six citation
    states; ``cited_statements`` cite something; ``worthy_…`` need a citation;
    ``credited_citations`` are those of supported statements. Where the judge failed, further
    counts bound what its verdicts could have given: see ``_count_missing``.

    Args:
        results: The results of its statements.
    """
    states = [result.state for result in results]
    worthy = [result.state for result in results if result.statement.needs_citation]
    cited = [citation.state for result in results for citation in result.citations]
    counts = {
        "statements": len(states),
        "supported": states.count("supported"),
        "unsupported": states.count("unsupported"),
        "uncited": states.count("uncited"),
        "invalid_statements": states.count("invalid"),
        "unjudged_statements": states.count("unjudged"),
        "cited_statements": len(states) - states.count("uncited"),
        "worthy_statements": len(worthy),
        "worthy_supported": worthy.count("supported"),
        "worthy_unjudged": worthy.count("unjudged"),
        "citations": len(cited),
        "precise": cited.count("precise"),
        "irrelevant": cited.count("irrelevant"),
        "unsupported_citations": cited.count("unsupported"),
        "invalid_citations": cited.count("invalid"),
        "voided_citations": cited.count("voided"),
        "unjudged_citations": cited.count("unjudged"),
        "credited_citations": sum(len(r.citations) for r in results if r.state == "supported"),
    }
    return counts | _count_missing(results) if counts["unjudged_citations"] else counts


def _count_missing(results: Sequence[StatementResult]) -> dict[str, int]:
    """Count what limits the values that missing verdicts could give.

    - ``needed_anyway``: unjudged citations that are precise whatever those verdicts are. Of two
      citations of a supported statement that the judge failed on singly, at least one is: each is
      the rest of the other, and a citation is irrelevant only if its rest suffices. If both have
      the same id, both are.
    - ``unjudged_in_pairs``, ``unjudged_in_groups``: citations of statements that the judge failed
      on, of two or of more. If supported after all, at most one of two may be irrelevant, and all
      of more.
    - ``creditable_citations``: citations of all these statements.
    """
    needed = pairs = groups = creditable = 0
    for result in results:
        citations = result.citations
        two_ids = len({citation.source_id for citation in citations}) == 2
        if result.state == "unjudged":
            creditable += len(citations)
            pairs += 2 * (len(citations) == 2 and two_ids)
            groups += len(citations) * (len(citations) > 2)
        elif len(citations) == 2 and all(c.state == "unjudged" for c in citations):
            needed += 1 if two_ids else 2
    return {
        "needed_anyway": needed,
        "creditable_citations": creditable,
        "unjudged_in_pairs": pairs,
        "unjudged_in_groups": groups,
    }


def judged_counts(
    record: RecordLike, entails: Entails | Judge, rules: Rules | None = None
) -> dict[str, int]:
    """Judge one response and count its states; see ``support`` for the arguments."""
    return count_support(support(record, entails, rules))


# -- citation recall ------------------------------------------------------------------------------

CITATION_RECALL = Ratio(
    "citation_recall",
    "supported",
    "statements",
    empty="no statement",
    blocked_by="unjudged_statements",
)
CITATION_RECALL_WORTHY = Ratio(
    "citation_recall",
    "worthy_supported",
    "worthy_statements",
    empty="no statement needs a citation",
    blocked_by="worthy_unjudged",
)


def citation_recall(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    over: Literal["all", "worthy"] = "all",
    zero_division: float | None = None,
) -> Score:
    r"""Return the share of statements that the passages they cite, read together, entail.

    .. math:: R = \frac{|\{s : C_s \ne \emptyset,\ C_s \subseteq D,\ C_s \models s\}|}{|S|}

    with :math:`S` the statements, :math:`C_s` the ids that :math:`s` cites, :math:`D` the sources'
    ids; :math:`C_s \models s` says that the joined passages entail :math:`s`. An uncited statement
    and one with an id outside :math:`D` count against recall.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge. It is asked once for
            each statement that cites valid ids only.
        over: Count ``"all"`` statements, as ALCE does, or only those ``"worthy"`` of a citation.
        zero_division: The value to give when there is no statement to count.

    Returns:
        A score in [0, 1], higher is better; its value is ``None`` when undefined.

    Raises:
        InputError: If the record or an option cannot be used.

    Undefined when:
        There is no statement, or the judge failed on one.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a"]), ("Dogs bark.", [])],
    ...     "sources": {"a": "Cats purr."},
    ... }
    >>> citation_recall(record, lambda premise, hypothesis: hypothesis in premise).value
    0.5

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 4.
    """
    check_choice("over", over, ("all", "worthy"))
    ratio = CITATION_RECALL if over == "all" else CITATION_RECALL_WORTHY
    return ratio.score(judged_counts(record, entails, Rules(precision=False)), zero_division)


# -- citation precision ---------------------------------------------------------------------------


def precision_bounds(counts: Counts, citations: str = "citations") -> Bounds:
    """Return the lowest and highest precision that missing verdicts could give.

    Args:
        counts: One response's counts.
        citations: The count in the denominator.
    """
    precise, total = counts["precise"], counts[citations]
    low, high = precise + counts["needed_anyway"], precise + counts["unjudged_citations"]
    return Bounds(low / total, high / total)


CITATION_PRECISION = Ratio(
    "citation_precision",
    "precise",
    "citations",
    empty="no citation",
    blocked_by="unjudged_citations",
    bounds=precision_bounds,
)


def citation_precision(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    duplicates: Literal["set", "occurrences"] = "set",
    zero_division: float | None = None,
) -> Score:
    r"""Return the share of citations whose statement is supported and that are not irrelevant.

    .. math:: P = \frac{\sum_s |\{c \in C_s : r_s = 1,\ (c \models s) \lor
              (C_s \setminus \{c\} \not\models s)\}|}{\sum_s |C_s|}

    with :math:`C_s` the set of ids that statement :math:`s` cites and :math:`r_s` its recall; see
    ``judge_statement`` for what is irrelevant. Invalid ids earn nothing and stay in the
    denominator.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        duplicates: Count an id repeated in one statement once (``"set"``), or each of its
            ``"occurrences"``; then the rest without one occurrence still holds its copies.
        zero_division: The value to give when nothing is cited.

    Returns:
        A score in [0, 1], higher is better; its value is ``None`` when undefined.

    Undefined when:
        Nothing is cited, or the judge failed on a verdict that a citation depends on.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a", "b"])],
    ...     "sources": {"a": "Cats purr.", "b": "Dogs bark."},
    ... }
    >>> citation_precision(record, lambda premise, hypothesis: hypothesis in premise).value
    0.5

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627, section 4.
    """
    counts = judged_counts(record, entails, Rules(duplicates=duplicates))
    return CITATION_PRECISION.score(counts, zero_division)


# -- citation F1 ----------------------------------------------------------------------------------


def harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    """Return ``2pr / (p + r)``; 0 when both are 0, ``None`` when either is undefined.

    >>> harmonic_mean(0.5, 1.0), harmonic_mean(0.0, 0.0), harmonic_mean(None, 1.0)
    (0.6666666666666666, 0.0, None)
    """
    if precision is None or recall is None:
        return None
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def _f1_terms(values: Sequence[float | None]) -> Terms:
    precision, recall = values
    p, r = precision or 0.0, recall or 0.0
    return harmonic_mean(precision, recall), 2 * p * r, p + r


CITATION_F1 = Derived(
    "citation_f1",
    ("citation_precision", "citation_recall"),
    _f1_terms,
    mean_name="citation_f1_per_response",
)


def citation_f1(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    duplicates: Literal["set", "occurrences"] = "set",
    zero_division: float | None = None,
) -> Score:
    r"""Return the harmonic mean of one response's citation precision and recall.

    .. math:: F_1 = \frac{2PR}{P + R}

    Over a data set, a report's ``citation_f1`` is the harmonic mean of the two macro means; the
    mean of these per-response values is ``citation_f1_per_response``.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        duplicates: As in ``citation_precision``.
        zero_division: The value to give to a precision or recall that is 0/0.

    Returns:
        A score in [0, 1], higher is better; 0 when both are 0; ``None`` when undefined. Its
        numerator and denominator are ``2PR`` and ``P + R``.

    Undefined when:
        Precision or recall is.

    >>> record = {
    ...     "statements": [("Cats purr.", ["a", "b"])],
    ...     "sources": {"a": "Cats purr.", "b": "Dogs bark."},
    ... }
    >>> round(citation_f1(record, lambda premise, hypothesis: hypothesis in premise).value, 3)
    0.667

    Reference: Gao et al. (2023), https://arxiv.org/abs/2305.14627.
    """
    counts = judged_counts(record, entails, Rules(duplicates=duplicates))
    parts = (
        CITATION_PRECISION.score(counts, zero_division),
        CITATION_RECALL.score(counts, zero_division),
    )
    return CITATION_F1.score({part.name: part for part in parts})
