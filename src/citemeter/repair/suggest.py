"""Which sources would support what an answer says, and which of its citations can go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from citemeter.errors import InputError, check_choice
from citemeter.guardrail.offsets import Edit
from citemeter.judges.asking import JudgeSession, VerdictRequests, run, run_all
from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Finding, Rules, assess, premise_text
from citemeter.metrics.base import RecordLike
from citemeter.models import Citation, Response, Source, Statement
from citemeter.repair.counts import count_repairs, counts_of, scores_of
from citemeter.repair.lockstep import together
from citemeter.repair.models import (
    PROBLEMS,
    Outcome,
    Problem,
    Removal,
    RepairResult,
    StatementRepair,
)
from citemeter.repair.rewrite import Plan, Rewriter
from citemeter.repair.search import Found, Inquiry, Library, search, trimmed
from citemeter.text.markers import near_miss
from citemeter.text.parse import ParseOptions, parse_response

__all__ = ["repairing", "suggest_all", "suggest_citations"]


class _Options(NamedTuple):
    top: int
    candidates: int
    problems: frozenset[str]
    premise: Callable[[Source], str]
    parsing: ParseOptions | None


def suggest_citations(
    record: RecordLike,
    entails: Entails | Judge,
    *,
    top: int = 3,
    candidates: int = 5,
    problems: Collection[Problem] = PROBLEMS,
    premise: Callable[[Source], str] = premise_text,
    parsing: ParseOptions | None = None,
) -> RepairResult:
    """Find the sources that would support what an answer's citations do not, and those that can go.

    For each statement that is unsupported, lacks a citation it needs or cites an id that names no
    source, the judge is asked about other sources: those whose ids were probably meant, then the
    ``candidates`` best of a lexical pre-filter one by one; where none supports it alone, what the
    statement cites together with one more, and pairs. Nothing is suggested that the judge does not
    support. Citations of a supported statement that are irrelevant are taken out one by one, each
    time asking whether the rest still supports it. Ids that name no source go.

    Args:
        record: A response, or a plain record; an answer not yet cut is parsed.
        entails: Any ``(premise, hypothesis) -> bool`` callable, or a judge.
        top: How many suggestions are kept for a statement.
        candidates: How many sources the judge is asked about one by one for a statement.
        problems: What to look into; see ``Problem``.
        premise: What the judge reads of a source.
        parsing: How the answer is read; if it was parsed before, as it was then.

    Returns:
        The repair of each statement, the repaired answer, and its scores before and after.

    Raises:
        InputError: If the record or an option cannot be used.

    >>> result = suggest_citations(
    ...     {"answer": "Cats purr [2]. Dogs bark.", "sources": ["Cats purr.", "Dogs bark."]},
    ...     lambda premise, hypothesis: hypothesis in premise,
    ... )
    >>> result.answer
    'Cats purr [1]. Dogs bark [2].'
    >>> [(repair.problem, repair.removed, repair.added) for repair in result.repairs]
    [('unsupported', ('2',), ('1',)), ('uncited', (), ('2',))]
    >>> result.before["citation_recall"].value, result.after["citation_recall"].value
    (0.0, 1.0)
    """
    options = _checked(top, candidates, problems, premise, parsing)
    return run(_repairing(*_prepared(record, options), options), entails)


def suggest_all(
    records: Iterable[RecordLike],
    judge: Judge | Entails | JudgeSession,
    *,
    top: int = 3,
    candidates: int = 5,
    problems: Collection[Problem] = PROBLEMS,
    premise: Callable[[Source], str] = premise_text,
    parsing: ParseOptions | None = None,
) -> list[RepairResult]:
    """Do what ``suggest_citations`` does for many answers, and ask the judge in large batches.

    Args:
        records: Responses or plain records.
        judge: A judge, any ``(premise, hypothesis) -> bool`` callable, or a ``JudgeSession``, whose
            verdicts are then used again.
        top: See ``suggest_citations``, as for the other options.
        candidates: How many sources are asked about one by one.
        problems: What to look into.
        premise: What the judge reads of a source.
        parsing: How answers are read.

    Returns:
        One result a record, in order.

    Raises:
        InputError: If a record or an option cannot be used.

    >>> results = suggest_all(
    ...     [{"answer": "Cats purr.", "sources": ["Fish swim.", "Cats purr."]}],
    ...     lambda premise, hypothesis: hypothesis in premise,
    ... )
    >>> results[0].answer
    'Cats purr [2].'
    """
    options = _checked(top, candidates, problems, premise, parsing)
    session = judge if isinstance(judge, JudgeSession) else JudgeSession(judge)
    prepared = [_prepared(record, options) for record in records]
    return run_all([_repairing(*one, options) for one in prepared], session)


def repairing(
    record: RecordLike,
    *,
    top: int = 3,
    candidates: int = 5,
    problems: Collection[Problem] = PROBLEMS,
    premise: Callable[[Source], str] = premise_text,
    parsing: ParseOptions | None = None,
) -> VerdictRequests[RepairResult]:
    """Return the computation behind ``suggest_citations``: it yields pairs and takes verdicts.

    Args:
        record: A response, or a plain record.
        top: See ``suggest_citations``, as for the other options.
        candidates: How many sources are asked about one by one.
        problems: What to look into.
        premise: What the judge reads of a source.
        parsing: How the answer is read.

    Raises:
        InputError: If the record or an option cannot be used.
    """
    options = _checked(top, candidates, problems, premise, parsing)
    return _repairing(*_prepared(record, options), options)


def _checked(
    top: int,
    candidates: int,
    problems: Collection[Problem],
    premise: Callable[[Source], str],
    parsing: ParseOptions | None,
) -> _Options:
    for name, value in (("top", top), ("candidates", candidates)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} is {value!r}.", fix="give 1 or more.")
    if isinstance(problems, str):
        raise InputError(f"problems is {problems!r}.", fix="give a list of problems.")
    for problem in problems:
        check_choice("problems", problem, PROBLEMS)
    return _Options(top, candidates, frozenset(problems), premise, parsing)


def _prepared(record: RecordLike, options: _Options) -> tuple[Response, ParseOptions | None]:
    """Return the response cut into statements, and how its text was read, if it was."""
    response = record if isinstance(record, Response) else Response.from_record(record)
    if response.statements is None:
        reading = options.parsing or ParseOptions()
        return parse_response(response, reading), reading
    info = response.parsing
    if info is None or response.answer is None:
        return response, None
    if options.parsing is not None:
        return response, options.parsing
    try:
        reading = ParseOptions(
            style=info.requested_style,
            segmenter=info.segmenter,
            attach=info.attach,
            numbering=info.numbering,
            worthiness=info.worthiness,
        )
    except InputError:
        raise InputError(
            "the answer was read with a style, segmenter or rule of the caller's own.",
            record=response.id,
            fix="give the same options again: parsing=ParseOptions(...).",
        ) from None
    return response, reading


def _repairing(
    response: Response, reading: ParseOptions | None, options: _Options
) -> VerdictRequests[RepairResult]:
    statements = response.statements or ()
    rules = Rules(premise=options.premise)
    sources = response.by_id
    findings = yield from assess(statements, sources, rules)
    library = Library(sources, options.premise)
    repairs = yield from together(
        [
            _statement(index, statement, finding, library, options)
            for index, (statement, finding) in enumerate(zip(statements, findings, strict=True))
        ]
    )
    invalid = [c.source_id for c in response.unattached if c.source_id not in sources]
    drop = frozenset(invalid) if "invalid" in options.problems else frozenset()
    before = counts_of(response, findings)
    after_response = response
    edits: tuple[Edit, ...] = ()
    dropped: tuple[Citation, ...] = ()
    if any(repair.changed for repair in repairs) or drop:
        if reading is None:
            after_response = _split(response, repairs, drop)
            repairs = [_marked(r, True) if r.changed else r for r in repairs]
            written = bool(drop)
        else:
            plans = {
                r.index: Plan(r.proposed, {i: r.near_misses[i] for i in r.respelled})
                for r in repairs
                if r.changed
            }
            done = Rewriter(response, reading).rewrite(plans, drop)
            after_response, edits, written = done.response, done.edits, done.dropped
            repairs = [_marked(r, r.index in done.written) if r.changed else r for r in repairs]
        if written:
            dropped = tuple(c for c in response.unattached if c.source_id in drop)
    changed = after_response is not response
    if changed:
        after_statements = after_response.statements or ()
        findings = yield from assess(after_statements, after_response.by_id, rules)
    after = counts_of(after_response, findings) if changed else before
    return RepairResult(
        id=response.id,
        original=response.answer if reading is not None else None,
        answer=after_response.answer if reading is not None else None,
        repairs=tuple(repairs),
        statements=after_response.statements or (),
        edits=edits,
        dropped=dropped,
        before=scores_of(before),
        after=scores_of(after),
        counts=count_repairs(repairs, after),
    )


def _marked(repair: StatementRepair, written: bool) -> StatementRepair:
    return repair.model_copy(update={"written": written})


def _split(response: Response, repairs: list[StatementRepair], drop: Collection[str]) -> Response:
    """Return a response of statements that came already split, with their new citations."""
    statements = []
    for statement, repair in zip(response.statements or (), repairs, strict=True):
        if repair.changed:
            kept: dict[str, Citation] = {c.source_id: c for c in statement.citations}
            citations = tuple(
                kept.get(source_id) or Citation(source_id=source_id)
                for source_id in repair.proposed
            )
            statement = statement.model_copy(update={"citations": citations})
        statements.append(statement)
    unattached = tuple(c for c in response.unattached if c.source_id not in drop)
    update = {"statements": tuple(statements), "unattached": unattached}
    return response.model_copy(update=update)


def _statement(
    index: int, statement: Statement, finding: Finding, library: Library, options: _Options
) -> VerdictRequests[StatementRepair]:
    """Look into one statement."""
    state, verdict, citations = finding
    cited = statement.source_ids
    base: dict[str, Any] = {
        "index": index,
        "statement": statement,
        "state": state,
        "cited": cited,
        "proposed": cited,
    }
    if state == "unjudged":
        error = verdict.error if verdict is not None else None
        note = f"the judge failed: {error or 'it gave no verdict'}"
        return StatementRepair(**base, problem="unjudged", outcome="unjudged", note=note)
    if state == "supported":
        idle = sum(citation[1] == "irrelevant" for citation in citations)
        if "irrelevant" not in options.problems or not idle:
            return StatementRepair(**base)
        inquiry = Inquiry(statement.text, library)
        kept, removals = yield from trimmed(
            inquiry, cited, precise=len(citations) - idle, irrelevant=idle
        )
        base["proposed"] = kept
        gone = _listed([removal.source_id for removal in removals])
        if not removals:
            note = "none can go without another's losing its use"
        elif len(kept) == 1:
            note = f"{gone} can go: {_listed(kept)} alone supports it"
        else:
            note = f"{gone} can go: {_listed(kept)} support it without"
        return StatementRepair(
            **base,
            problem="irrelevant",
            outcome="repaired" if removals else "unrepaired",
            removals=tuple(removals),
            note=note,
        )
    if state not in options.problems or (state == "uncited" and not statement.needs_citation):
        return StatementRepair(**base)
    found = yield from search(
        statement.text,
        cited,
        library,
        judged=verdict,
        candidates=options.candidates,
        top=options.top,
    )
    return _searched(base, state, found, library)


def _searched(
    base: dict[str, Any], state: Problem, found: Found, library: Library
) -> StatementRepair:
    cited: tuple[str, ...] = base["cited"]
    near = {i: j for i in cited if (j := near_miss(i, library.order)) is not None}
    invalid = [i for i in cited if i not in library.sources]
    outcome: Outcome
    if found.suggestions:
        outcome = "repaired"
        best = found.suggestions[0]
        base["proposed"] = best.source_ids
        verb = "supports" if len(best.source_ids) == 1 else "together support"
        note = f"{_listed(best.source_ids)} {verb} it"
        if best.verdict.reason:
            note += f": {best.verdict.reason}"
    elif found.failed is not None:
        outcome = "unjudged"
        note = f"no source is known to support it, and the judge failed: {found.failed}"
    else:
        outcome = "unrepaired"
        note = "no source supports it" if library.order else "there are no sources"
        if invalid:
            base["proposed"] = tuple(i for i in cited if i in library.sources)
            note += f"; {_listed(invalid)} can go, since no source has that name"
    removals = [
        Removal(
            source_id=i,
            reason="invalid" if i in invalid else "unsupported",
            alone=found.singles.get(i),
        )
        for i in cited
        if i not in base["proposed"]
    ]
    return StatementRepair(
        **base,
        problem=state,
        outcome=outcome,
        suggestions=tuple(found.suggestions),
        removals=tuple(removals),
        near_misses=near,
        asked=found.asked,
        note=note,
    )


def _listed(ids: Collection[str]) -> str:
    names = [repr(i) for i in ids]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
