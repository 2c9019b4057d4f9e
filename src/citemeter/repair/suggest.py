"""Which sources would support what an answer says, and which of its citations can go."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citemeter.errors import InputError, check_choice
from citemeter.intake import Intake, check_several
from citemeter.judges.asking import JudgeSession, VerdictRequests, gather, run
from citemeter.judges.base import Entails, Judge
from citemeter.metrics.alce import Rules, judge_statements, premise_text
from citemeter.metrics.base import RecordLike
from citemeter.models import Citation, Response, Source
from citemeter.repair.counts import count_repairs, counts_of, scores_of
from citemeter.repair.models import (
    PROBLEMS,
    Outcome,
    Problem,
    Removal,
    RepairResult,
    StatementRepair,
)
from citemeter.repair.rewrite import Plan, Rewriter, Rewritten
from citemeter.repair.search import Library, SearchTask, search, trimmed
from citemeter.results import StatementResult
from citemeter.text.markers import near_miss
from citemeter.text.parse import ParseOptions, parse_response

__all__ = ["repairing", "suggest_all", "suggest_citations"]


@dataclass(frozen=True, slots=True)
class RepairRules:
    """What may be chosen in repairing; see ``suggest_citations``."""

    top: int = 3
    candidates: int = 5
    problems: Collection[Problem] = PROBLEMS
    premise: Callable[[Source], str] = premise_text
    parsing: ParseOptions | None = None

    def __post_init__(self) -> None:
        """Refuse what is no choice."""
        for name, value in (("top", self.top), ("candidates", self.candidates)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is {value!r}.", fix="give 1 or more.")
        if isinstance(self.problems, str):
            raise InputError(f"problems is {self.problems!r}.", fix="give a list of problems.")
        for problem in self.problems:
            check_choice("problems", problem, PROBLEMS)


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
    return run(_ask(record, RepairRules(top, candidates, problems, premise, parsing)), entails)


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
    rules = RepairRules(top, candidates, problems, premise, parsing)
    session = judge if isinstance(judge, JudgeSession) else JudgeSession(judge)
    check_several(records, "record")

    def asked(record: RecordLike, index: int, place: str) -> VerdictRequests[RepairResult]:
        return _ask(Response.from_record(record, place), rules)

    return run(gather(list(Intake().read(records, asked, strict=True))), session)


def repairing(record: RecordLike, **options: Any) -> VerdictRequests[RepairResult]:
    """Return the computation behind ``suggest_citations``: it yields pairs and takes verdicts.

    Args:
        record: A response, or a plain record.
        options: What ``suggest_citations`` takes by name.

    Raises:
        InputError: If the record or an option cannot be used.
    """
    return _ask(record, RepairRules(**options))


def _ask(record: RecordLike, rules: RepairRules) -> VerdictRequests[RepairResult]:
    """Check the record at once, and return what asks about it."""
    response = record if isinstance(record, Response) else Response.from_record(record)
    parsing = rules.parsing
    info = response.parsing
    if response.statements is None:
        parsing = parsing or ParseOptions()
        response = parse_response(response, parsing)
    elif info is None or response.answer is None:
        parsing = None
    elif parsing is None:
        names = ("segmenter", "attach", "numbering", "worthiness")
        try:
            parsing = ParseOptions(
                style=info.requested_style, **{name: getattr(info, name) for name in names}
            )
        except InputError:
            raise InputError(
                "the answer was read with a style, segmenter or rule of the caller's own.",
                record=response.id,
                fix="give the same options again: parsing=ParseOptions(...).",
            ) from None
    return _repaired(response, parsing, rules)


def _repaired(
    response: Response, parsing: ParseOptions | None, rules: RepairRules
) -> VerdictRequests[RepairResult]:
    """Repair a response, and measure it before and after.

    Args:
        response: The response, cut into statements.
        parsing: How its text was read; ``None`` if its statements came already split.
        rules: What is looked for.
    """
    support = Rules(premise=rules.premise)
    statements = response.statements or ()
    judged = yield from judge_statements(statements, response.by_id, support)
    library = Library(response.by_id, rules.premise)
    repairs = yield from gather(
        [_statement(index, result, library, rules) for index, result in enumerate(judged)]
    )
    before = after = counts_of(response, judged)
    drop: set[str] = set()
    if "invalid" in rules.problems:
        drop = {c.source_id for c in response.unattached if not response.has_source(c.source_id)}
    plans = {
        r.index: Plan(r.proposed, {i: r.near_misses[i] for i in r.respelled})
        for r in repairs
        if r.changed
    }
    done = Rewritten(response.answer or "", (), response, frozenset(), False)
    if plans or drop:
        done = (
            _with_citations(response, plans, drop)
            if parsing is None
            else Rewriter(response, parsing).rewrite(plans, drop)
        )
        repairs = [
            r.model_copy(update={"written": r.index in done.written}) if r.changed else r
            for r in repairs
        ]
    if done.response is not response:
        statements = done.response.statements or ()
        judged = yield from judge_statements(statements, response.by_id, support)
        after = counts_of(done.response, judged)
    return RepairResult(
        id=response.id,
        original=None if parsing is None else response.answer,
        answer=None if parsing is None else done.response.answer,
        repairs=tuple(repairs),
        statements=done.response.statements or (),
        edits=done.edits,
        dropped=tuple(c for c in response.unattached if done.dropped and c.source_id in drop),
        before=scores_of(before),
        after=scores_of(after),
        counts=count_repairs(repairs, after),
    )


def _with_citations(
    response: Response, plans: Mapping[int, Plan], drop: Collection[str]
) -> Rewritten:
    """Carry out the plans for statements that came already split, which have no text."""
    statements = list(response.statements or ())
    for index, plan in plans.items():
        kept = {c.source_id: c for c in statements[index].citations}
        citations = tuple(kept.get(i) or Citation(source_id=i) for i in plan.wanted)
        statements[index] = statements[index].model_copy(update={"citations": citations})
    unattached = tuple(c for c in response.unattached if c.source_id not in drop)
    after = response.model_copy(update={"statements": tuple(statements), "unattached": unattached})
    return Rewritten(response.answer or "", (), after, frozenset(plans), bool(drop))


def _statement(
    index: int, result: StatementResult, library: Library, rules: RepairRules
) -> VerdictRequests[StatementRepair]:
    """Look into one statement."""
    statement, state, verdict = result.statement, result.state, result.verdict
    cited = statement.source_ids
    found = StatementRepair(
        index=index, statement=statement, state=state, cited=cited, proposed=cited
    )
    if state == "unjudged":
        error = verdict.error if verdict is not None else None
        note = f"the judge failed: {error or 'it gave no verdict'}"
        return _with(found, "unjudged", "unjudged", note)
    if state == "supported":
        idle = sum(citation.state == "irrelevant" for citation in result.citations)
        if "irrelevant" not in rules.problems or not idle:
            return found
        kept, removals = yield from trimmed(
            SearchTask(statement.text, library),
            cited,
            precise=len(result.citations) - idle,
            irrelevant=idle,
        )
        if not removals:
            note = "none can go without another's losing its use"
            return _with(found, "irrelevant", "unrepaired", note)
        gone = _listed([removal.source_id for removal in removals])
        verb = "alone supports it" if len(kept) == 1 else "support it without"
        note = f"{gone} can go: {_listed(kept)} {verb}"
        return _with(found, "irrelevant", "repaired", note, proposed=kept, removals=tuple(removals))
    if state not in rules.problems or (state == "uncited" and not statement.needs_citation):
        return found
    searched = yield from search(
        statement.text,
        cited,
        library,
        judged=verdict,
        candidates=rules.candidates,
        top=rules.top,
    )
    return _searched(found, state, searched, library)


def _with(
    found: StatementRepair, problem: Problem, outcome: Outcome, note: str, **more: object
) -> StatementRepair:
    update = {"problem": problem, "outcome": outcome, "note": note, **more}
    return found.model_copy(update=update)


def _searched(
    found: StatementRepair, state: Problem, result: SearchTask, library: Library
) -> StatementRepair:
    proposed = found.cited
    invalid = [i for i in found.cited if i not in library.sources]
    outcome: Outcome
    if result.suggestions:
        outcome = "repaired"
        best = result.suggestions[0]
        proposed = best.source_ids
        verb = "supports" if len(proposed) == 1 else "together support"
        note = f"{_listed(proposed)} {verb} it"
        if best.verdict.reason:
            note += f": {best.verdict.reason}"
    elif result.failed is not None:
        outcome = "unjudged"
        note = f"no source is known to support it, and the judge failed: {result.failed}"
    else:
        outcome = "unrepaired"
        note = "no source supports it" if library.order else "there are no sources"
        if invalid:
            proposed = tuple(i for i in found.cited if i in library.sources)
            note += f"; {_listed(invalid)} can go, since no source has that name"
    removals = [
        Removal(
            source_id=i,
            reason="invalid" if i in invalid else "unsupported",
            alone=result.known.get((i,)),
        )
        for i in found.cited
        if i not in proposed
    ]
    return _with(
        found,
        state,
        outcome,
        note,
        proposed=proposed,
        suggestions=tuple(result.suggestions),
        removals=tuple(removals),
        near_misses={i: j for i in found.cited if (j := near_miss(i, library.order)) is not None},
        asked=result.asked,
    )


def _listed(ids: Sequence[str]) -> str:
    names = [repr(i) for i in ids]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
