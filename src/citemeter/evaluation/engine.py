"""The one engine: parse answers, ask the judge, score each response, add up the data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from citemeter.errors import InputError
from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.evaluation.extensions.registry import extensions_of
from citemeter.evaluation.settings import Settings
from citemeter.intake import Intake
from citemeter.judges.asking import PAIR_COUNTS, JudgeSession, VerdictRequests, gather, run
from citemeter.judges.base import Judge, Pair
from citemeter.metrics.abstention import is_uncited_refusal, leave_out_refusal, without_refusals
from citemeter.metrics.alce import CITATION_F1, CITATION_RECALL_WORTHY, judge_statements
from citemeter.metrics.base import Derived, Metric
from citemeter.metrics.coverage import CITATION_COVERAGE, count_coverage
from citemeter.metrics.quotations import QUOTE_VERIFICATION, check_quotes, count_quotes
from citemeter.metrics.rates import OVERCITATION, SUPPORT_RATE
from citemeter.metrics.sources import SOURCE_F1, SOURCE_PRECISION, SOURCE_RECALL, count_overlap
from citemeter.metrics.validity import (
    CITATION_VALIDITY,
    FABRICATION_RATE,
    count_validity,
    invalid_citations,
)
from citemeter.models import Response, Source, Statement
from citemeter.results import (
    QuoteCheck,
    Report,
    ResponseResult,
    Score,
    StatementResult,
    source_infos,
)
from citemeter.statistics.aggregate import Aggregator
from citemeter.text.parse import parse_response
from citemeter.text.phrases.refusals import answer_outcome, with_outcome

METRICS = (
    "citation_recall",
    "citation_precision",
    *CITATION_F1.names,
    "citation_coverage",
    "citation_validity",
    "fabrication_rate",
    "support_rate",
    "overcitation",
    "quote_verification",
    "source_recall",
    "source_precision",
    "source_f1",
)
"""Every metric that needs no extension, in report order."""

_CHUNK = 256
"""How many responses advance together: enough to fill a model's batches, few enough to hold."""

STREAM_LIMIT = 262_144
"""How many verdicts are remembered when results are not kept, so that memory stays flat."""

_MOST_ERRORS = 1000
"""How many bad records are described when results are not kept; the others are counted."""


def metrics_of(
    protocol: Any, recall_over: str, refusals: str, *, judged: bool
) -> tuple[Metric, ...]:
    """Return the metrics of a run that need no extension.

    Args:
        protocol: The rule set.
        recall_over: What citation recall counts.
        refusals: Whether uncited refusals count in recall and coverage.
        judged: Whether there is a judge.
    """
    recall = CITATION_RECALL_WORTHY if recall_over == "worthy" else protocol.recall
    coverage = CITATION_COVERAGE
    if refusals == "leave_out":
        recall, coverage = without_refusals(recall), without_refusals(coverage)
    return (
        *((recall, protocol.precision, SUPPORT_RATE, OVERCITATION) if judged else ()),
        coverage,
        CITATION_VALIDITY,
        FABRICATION_RATE,
        QUOTE_VERIFICATION,
        SOURCE_RECALL,
        SOURCE_PRECISION,
        SOURCE_F1,
    )


def derived_of(*, judged: bool) -> tuple[Derived, ...]:
    """Return the derived metrics of a run that need no extension.

    Args:
        judged: Whether there is a judge.
    """
    return (CITATION_F1,) if judged else ()


def metric_order(
    totals: Aggregator, extensions: Iterable[Extension | type[Extension]]
) -> tuple[str, ...]:
    """Return the names of a run's metrics in report order.

    Args:
        totals: What adds them up.
        extensions: The extensions whose metrics belong to them.
    """
    known = {metric.name for metric in totals.metrics}
    known |= {name for derived in totals.derived for name in derived.names}
    own = [name for extension in extensions for name in extension.metric_names()]
    return (*(name for name in METRICS if name in known), *own)


@dataclass(slots=True)
class _Item:
    """A record that can be scored."""

    index: int
    response: Response
    statements: tuple[Statement, ...]
    sources: Mapping[str, Source]
    measured: dict[str, Measured] = field(default_factory=dict)
    asking: dict[str, VerdictRequests[Measured]] = field(default_factory=dict)
    judged: list[StatementResult] = field(default_factory=list)


class Run:
    """One run over any number of records, which may come in several portions.

    Args:
        settings: How answers are read, counted and extended.
        judge: What decides entailment; ``None`` leaves out the metrics that need verdicts.
        streaming: Whether memory must stay flat however many records there are: then the oldest
            verdicts are forgotten and only the first errors are described.

    Attributes:
        session: Who asks the judge, and counts pairs.
        metrics: The names of the metrics computed so far: without a judge, those that need none; of
            the extensions, those that some record asked for.
    """

    def __init__(self, settings: Settings, judge: Judge | None, *, streaming: bool = False) -> None:
        self.settings = settings
        self.session = None
        if judge is not None:
            self.session = JudgeSession(judge, STREAM_LIMIT if streaming else None)
        self._extensions = extensions_of(settings, judge is not None)
        self._active: dict[str, Extension] = {}
        self._totals = Aggregator(
            metrics_of(
                settings.rule_set,
                settings.recall_over,
                settings.refusals,
                judged=judge is not None,
            ),
            settings.zero_division,
            derived_of(judged=judge is not None),
        )
        self._intake = Intake(_MOST_ERRORS if streaming else None)
        self.metrics = metric_order(self._totals, ())

    @property
    def begun(self) -> int:
        """How many records it has begun with."""
        return self._intake.begun

    @property
    def possible_metrics(self) -> tuple[str, ...]:
        """The names of the metrics that this run computes if the records ask for them."""
        return metric_order(self._totals, self._extensions)

    def score(self, records: Iterable[Any], *, strict: bool = False) -> Iterator[ResponseResult]:
        """Score records as they come, a few hundred at a time.

        Args:
            records: ``Response`` objects, plain dicts, or ``RecordError`` objects for records that
                could not even be read.
            strict: Raise at the first record that cannot be scored, instead of setting it aside.

        Yields:
            One result for each record that could be scored, in order.

        Raises:
            InputError: If a record cannot be scored and ``strict`` is set.
        """
        for items in self._judged(records, strict):
            yield from [self._result(item) for item in items]

    def count(self, records: Iterable[Any], *, strict: bool = False) -> None:
        """Score records without making their results; see ``score`` for the arguments."""
        for items in self._judged(records, strict):
            for item in items:
                self._add(item)

    def _judged(self, records: Iterable[Any], strict: bool) -> Iterator[list[_Item]]:
        """Read records and put their questions to the judge, a few hundred at a time."""
        source = iter(records)
        while chunk := list(islice(source, _CHUNK)):
            items = list(self._intake.read(chunk, self._read, strict=strict))
            if self.session is not None:
                self._ask(items, self.session)
            yield items

    def _ask(self, items: list[_Item], session: JudgeSession) -> None:
        """Put all questions of many records to the judge, in lock-step."""
        rules = self.settings.rules
        judging = [judge_statements(i.statements, i.sources, rules) for i in items]
        extending = [(item, name) for item in items for name in item.asking]
        requests: list[VerdictRequests[Any]] = [
            *judging,
            *(item.asking[name] for item, name in extending),
        ]
        answers = run(gather(requests), session)
        for item, results in zip(items, answers, strict=False):
            item.judged = results
        for (item, name), measured in zip(extending, answers[len(items) :], strict=True):
            item.measured[name] = measured

    def _read(self, record: Any, index: int, place: str) -> _Item:
        given = Response.from_record(record, place)
        if given is record:
            place = given.id or place
        response = self._parsed(given, place)
        statements, sources = response.statements or (), response.by_id
        if self.settings.rule_set.cut is not None and self.session is not None:
            cut, sources = self.settings.rule_set.cut(given)
            statements = tuple(cut)
        item = _Item(index, response, statements, sources)
        name = place if response.id in (None, place) else f"{place} (id {response.id})"
        asked = [e for e in self._extensions if e.applies(given, self.session is not None)]
        for extension in asked:
            measured = _started(extension.measure(response, name))
            if isinstance(measured, Measured):
                item.measured[extension.name] = measured
            else:
                item.asking[extension.name] = measured
        for extension in asked:
            if extension.name not in self._active:
                self._active[extension.name] = extension
                self._totals.extend(extension.metrics(), extension.derived())
                active = [e for e in self._extensions if e.name in self._active]
                self.metrics = metric_order(self._totals, active)
        return item

    def _parsed(self, response: Response, place: str) -> Response:
        if response.statements is not None or response.answer is None:
            return with_outcome(response, self.settings.refusal_rule)
        try:
            return parse_response(response, self.settings.parsing)
        except InputError as error:
            raise error.at(place) from None
        except Exception as error:
            # A segmenter, style or rule of the caller's own failed; the other records are scored.
            raise InputError(
                f"the answer could not be read ({type(error).__name__}: {error}).",
                record=place,
                fix="check the segmenter, style and worthiness rule that were given.",
            ) from error

    def _add(
        self, item: _Item
    ) -> tuple[dict[str, int], Mapping[str, Score], tuple[QuoteCheck, ...]]:
        """Count one response and add it up; return its counts, scores and checked quotations."""
        quotes = check_quotes(item.response)
        counts = self._counts(item)
        if quotes:
            counts.update(count_quotes(quotes))
        for name, measured in item.measured.items():
            taken = counts.keys() & measured.counts.keys()
            if taken:
                raise InputError(
                    f"the extension {name!r} has a count {min(taken)!r}, which there is already.",
                    fix="give it a name of its own.",
                )
            counts.update(measured.counts)
        return counts, self._totals.add(counts), quotes

    def _result(self, item: _Item) -> ResponseResult:
        """Add one response and return all that was found out about it."""
        response = item.response
        counts, scores, quotes = self._add(item)
        foreign: set[str] = set()
        for name, extension in self._active.items():
            if name not in item.measured:
                foreign.update(extension.metric_names())
        return ResponseResult.trusted(
            {
                "id": response.id if response.id is not None else str(item.index),
                "index": item.index,
                "question": response.question,
                "answer": response.answer,
                "metadata": response.metadata,
                "sources": source_infos(response, self.settings.keep_sources),
                "scores": {n: scores[n] for n in self.metrics if n in scores and n not in foreign},
                "counts": counts,
                "statements": tuple(item.judged),
                "quotes": quotes,
                "invalid_citations": invalid_citations(response) if counts["fabricating"] else (),
                "abstained": response.abstained,
                "parsing": response.parsing,
                "details": {
                    name: measured.details
                    for name in self._active
                    if (measured := item.measured.get(name)) and measured.details is not None
                },
            }
        )

    def _counts(self, item: _Item) -> dict[str, int]:
        """Count what needs no extension."""
        response = item.response
        cites = bool(response.citations)
        if self.session is None:
            counts = {"statements": len(item.statements)}
        else:
            counts = self.settings.rule_set.count(item.judged)
        counts.update(count_coverage(response))
        counts.update(count_validity(response))
        if response.gold_source_ids:
            cited = {citation.source_id for citation in response.citations}
            counts.update(count_overlap(cited, response.gold_source_ids, response.by_id))
        outcome = answer_outcome(response)
        if not response.statements:
            counts[_without_statements(response, cites)] = 1
        elif outcome == "abstained":
            counts["abstained_answers"] = 1
        if self.settings.refusals == "leave_out":
            if is_uncited_refusal(outcome, cites):
                return leave_out_refusal(counts)
            counts["answers_kept"] = 1
        return counts

    def report(self, results: Iterable[ResponseResult] = ()) -> Report:
        """Return the report on all records scored so far.

        Args:
            results: The results to keep in it.
        """
        counts = self._totals.counts
        scored = self._totals.responses
        session = self.session
        return Report(
            signature=self.settings.signature(None if session is None else session.judge.identity),
            metrics=self._totals.summaries(self.metrics),
            counts=counts,
            record_counts={
                "records": scored + self._intake.failed,
                "scored": scored,
                "failed": self._intake.failed,
            },
            pair_counts=dict.fromkeys(PAIR_COUNTS, 0) if session is None else session.counts,
            usage={} if session is None else session.usage(),
            details={
                extension.name: summary
                for extension in self._extensions
                if extension.name in self._active
                and (summary := extension.summarize(counts)) is not None
            },
            results=tuple(results),
            errors=tuple(self._intake.errors),
        )


def _started(
    measuring: Measured | VerdictRequests[Measured],
) -> Measured | VerdictRequests[Measured]:
    """Begin a measurement, so that a malformed field is found before any verdict is asked for."""
    if isinstance(measuring, Measured):
        return measuring
    try:
        first = next(measuring)
    except StopIteration as stop:
        measured: Measured = stop.value
        return measured
    return _resumed(measuring, first)


def _resumed(measuring: VerdictRequests[Measured], pairs: list[Pair]) -> VerdictRequests[Measured]:
    while True:
        verdicts = yield pairs
        try:
            pairs = measuring.send(verdicts)
        except StopIteration as stop:
            measured: Measured = stop.value
            return measured


def _without_statements(response: Response, cites: bool) -> str:
    """Name the count of an answer that has no statement."""
    if cites:
        return "only_markers_answers"
    return "no_statement_answers" if (response.answer or "").strip() else "empty_answers"
