"""The pipeline: parse answers, ask the judge, score each response, add up the data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from citemeter._version import __version__
from citemeter.errors import InputError, callable_name, check_choice
from citemeter.evaluation.extensions.base import Part
from citemeter.evaluation.extensions.registry import offers
from citemeter.evaluation.scored import Scored
from citemeter.judges import load_judge
from citemeter.judges.asking import (
    PAIR_COUNTS,
    JudgeSession,
    VerdictRequests,
    no_collection,
    run_all,
)
from citemeter.judges.base import Entails, Judge
from citemeter.metrics.abstention import is_uncited_refusal, leave_out_refusal, without_refusals
from citemeter.metrics.alce import Finding, Rules, assess
from citemeter.metrics.base import Ratio, check_zero_division
from citemeter.metrics.citation_recall import CITATION_RECALL_WORTHY
from citemeter.metrics.coverage import CITATION_COVERAGE, count_coverage
from citemeter.metrics.quotations import (
    QUOTE_VERIFICATION,
    check_quotes,
    count_quotes,
    may_quote,
)
from citemeter.metrics.rates import OVERCITATION
from citemeter.metrics.sources import (
    SOURCE_F1,
    SOURCE_PRECISION,
    SOURCE_RECALL,
    count_overlap,
)
from citemeter.metrics.support_rate import SUPPORT_RATE
from citemeter.metrics.validity import (
    CITATION_VALIDITY,
    FABRICATION_RATE,
    count_validity,
)
from citemeter.models import Response, Source, Statement, shown_id
from citemeter.protocols import get_protocol
from citemeter.results import RecordError, Report, ResponseResult, Signature
from citemeter.statistics.aggregate import F1_PER_RESPONSE, Aggregator
from citemeter.text.parse import ParseOptions, parse_response
from citemeter.text.phrases.refusals import RefusalRule, answer_outcome, with_outcome
from citemeter.verdicts import JudgeIdentity

if TYPE_CHECKING:
    from citemeter.contract import Contract

__all__ = ["METRICS", "MOST_ERRORS", "STREAM_LIMIT", "Evaluation"]

METRICS = (
    "citation_recall",
    "citation_precision",
    "citation_f1",
    F1_PER_RESPONSE,
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
"""Every metric of a report, in report order."""

_CHUNK = 256
"""How many responses advance together: enough to fill a model's batches, few enough to hold."""

STREAM_LIMIT = 262_144
"""How many verdicts are remembered when results are not kept, so that memory stays flat."""

MOST_ERRORS = 1000
"""How many bad records are described when results are not kept; the others are counted."""


class _Item(NamedTuple):
    """A record that can be scored."""

    number: int
    response: Response
    prepared: dict[str, Any]


_Cut: TypeAlias = tuple[Sequence[Statement], Mapping[str, Source]]
"""``(statements, sources)``: what the protocol judges."""


class Evaluation:
    """One run of the pipeline over any number of records; see ``score`` for the arguments."""

    def __init__(
        self,
        judge: str | Judge | Entails | None = "embedded",
        protocol: str = "alce",
        *,
        style: Any = "auto",
        segmenter: Any = "citemeter",
        attach: Literal["previous", "next"] = "previous",
        numbering: Literal[0, 1] | None = None,
        worthiness: Any = "default",
        recall_over: Literal["all", "worthy"] = "all",
        duplicates: Literal["set", "occurrences"] = "set",
        at_most_citations: int | None = None,
        zero_division: float | None = None,
        refusals: Literal["count", "leave_out"] = "count",
        refusal_rule: RefusalRule | None = None,
        claim_support: Literal["tokens", "judge"] = "tokens",
        contract: Contract | Sequence[Any] | str | Path | None = None,
        repair: bool = False,
        describe: bool = False,
        remember: int | None = None,
    ) -> None:
        check_choice("recall_over", recall_over, ("all", "worthy"))
        check_choice("refusals", refusals, ("count", "leave_out"))
        check_choice("duplicates", duplicates, ("set", "occurrences"))
        check_zero_division(zero_division)
        if at_most_citations is not None and (
            not isinstance(at_most_citations, int) or at_most_citations < 1
        ):
            raise InputError(
                f"at_most_citations is {at_most_citations!r}.", fix="give 1 or more, or None."
            )
        self.protocol = get_protocol(protocol)
        self.session = None if judge is None else JudgeSession(load_judge(judge), remember)
        self.parsing = ParseOptions(
            style=style,
            segmenter=segmenter,
            attach=attach,
            numbering=numbering,
            worthiness=worthiness,
            refusal_rule=refusal_rule,
        )
        self.rules = Rules(
            duplicates=self.protocol.duplicates or duplicates,
            at_most=at_most_citations,
            premise=self.protocol.premise,
        )
        self.zero_division = zero_division
        self.recall_over = recall_over
        self.refusals = refusals
        self.claim_support = claim_support
        recall = CITATION_RECALL_WORTHY if recall_over == "worthy" else self.protocol.recall
        coverage = CITATION_COVERAGE
        if refusals == "leave_out":
            recall, coverage = without_refusals(recall), without_refusals(coverage)
        judged: tuple[Ratio, ...] = (recall, self.protocol.precision, SUPPORT_RATE, OVERCITATION)
        self.ratios: tuple[Ratio, ...] = (
            *(judged if self.session else ()),
            coverage,
            CITATION_VALIDITY,
            FABRICATION_RATE,
            QUOTE_VERIFICATION,
            SOURCE_RECALL,
            SOURCE_PRECISION,
            SOURCE_F1,
        )
        self.offers, self.contract = offers(
            judged=self.session is not None,
            parsing=self.parsing,
            premise=self.protocol.premise,
            claim_support=claim_support,
            contract=contract,
            repair=repair,
            describe=describe,
        )
        self.parts: dict[str, Part] = {}
        self.totals = Aggregator(self.ratios, zero_division)
        self.errors: list[RecordError] = []
        self.failed = 0
        self.begun = 0
        self._most_errors = None if remember is None else MOST_ERRORS

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics computed so far.

        Without a judge, those that need none; of the parts that need fields of their own, those
        whose fields some record had.
        """
        return self._metrics(offer.name for offer in self.offers if offer.name in self.parts)

    @property
    def possible_metrics(self) -> tuple[str, ...]:
        """The names of the metrics that this run computes if the records have the fields."""
        return self._metrics(offer.name for offer in self.offers)

    def _metrics(self, parts: Iterable[str]) -> tuple[str, ...]:
        names = {ratio.name for ratio in self.ratios}
        if self.session:
            names |= {"citation_f1", F1_PER_RESPONSE}
        wanted = set(parts)
        of_parts = [name for offer in self.offers if offer.name in wanted for name in offer.metrics]
        return (*(name for name in METRICS if name in names), *of_parts)

    def run(self, records: Iterable[Any], *, strict: bool = False) -> Iterator[Scored]:
        """Score records as they come, a few hundred at a time.

        Args:
            records: ``Response`` objects, plain dicts, or ``RecordError`` objects for records that
                could not even be read.
            strict: Raise at the first record that cannot be scored, instead of setting it aside.

        Yields:
            One scored response for each record that could be scored, in order.

        Raises:
            InputError: If a record cannot be scored and ``strict`` is set.
        """
        numbered = enumerate(records)
        while chunk := list(islice(numbered, _CHUNK)):
            self.begun += len(chunk)
            with no_collection():
                items = list(self._readable(chunk, strict))
                cuts = [self._cut(item.response) for item in items]
            if self.session is None:
                found: list[list[Finding]] = [[]] * len(items)
            else:
                found = run_all([assess(*cut, self.rules) for cut in cuts], self.session)
                self._ask_parts(items, self.session)
            with no_collection():
                scored = [
                    self._scored(item, cut, findings)
                    for item, cut, findings in zip(items, cuts, found, strict=True)
                ]
            yield from scored

    def _ask_parts(self, items: Sequence[_Item], session: JudgeSession) -> None:
        """Put the parts' questions to the judge, those of many records at once."""
        for part in self.parts.values():
            places: list[_Item] = []
            askings: list[VerdictRequests[Any]] = []
            for item in items:
                if part.name in item.prepared:
                    asking = part.ask(item.response, item.prepared[part.name])
                    if asking is not None:
                        places.append(item)
                        askings.append(asking)
            if askings:
                for item, answer in zip(places, run_all(askings, session), strict=True):
                    item.prepared[part.name] = answer

    def _readable(self, chunk: list[tuple[int, Any]], strict: bool) -> Iterator[_Item]:
        """Yield the records that can be scored, their answers read; set the others aside."""
        for index, record in chunk:
            try:
                yield self._read(record, index)
            except InputError as error:
                if strict:
                    raise
                self.failed += 1
                if self._most_errors is None or len(self.errors) < self._most_errors:
                    self.errors.append(_record_error(index, record, error))

    def _read(self, record: Any, index: int) -> _Item:
        if isinstance(record, Response):
            response, place = record, record.id or f"number {index}"
        elif isinstance(record, RecordError):
            raise InputError(record.message, record=record.record)
        else:
            place = getattr(record, "place", f"number {index}")
            response = Response.from_record(record, place)
        response = self._parsed(response, place)
        prepared: dict[str, Any] = {}
        for offer in self.offers:
            if offer.applies(response):
                part = self.parts.get(offer.name) or offer.build()
                name = place if response.id in (None, place) else f"{place} (id {response.id})"
                prepared[offer.name] = part.prepare(response, name)
                if offer.name not in self.parts:
                    self.parts[offer.name] = part
                    self.totals.extend(part.ratios, part.derived)
        return _Item(index, response, prepared)

    def _parsed(self, response: Response, place: str) -> Response:
        try:
            if response.statements is None:
                return parse_response(response, self.parsing)
            return with_outcome(response, self.parsing.refusal_rule)
        except InputError as error:
            raise error.at(place) from None
        except Exception as error:
            # A segmenter, style or rule of the caller's own failed; the other records are scored.
            raise InputError(
                f"the answer could not be read ({type(error).__name__}: {error}).",
                record=place,
                fix="check the segmenter, style and rules that were given.",
            ) from error

    def _cut(self, response: Response) -> _Cut:
        """Return what the protocol judges: the response's statements, or its own cut of them."""
        if self.protocol.cut is None or self.session is None:
            return response.statements or (), response.by_id
        return self.protocol.cut(response)

    def _scored(self, item: _Item, cut: _Cut, findings: list[Finding]) -> Scored:
        index, response, prepared = item
        worthy = [statement.needs_citation for statement in cut[0]]
        counts = self.protocol.count(findings, worthy) if self.session else {}
        counts.update(count_coverage(response))
        cited = [citation.source_id for citation in response.citations]
        counts.update(count_validity(response))
        quotes = check_quotes(response) if may_quote(response) else ()
        if quotes:
            counts.update(count_quotes(quotes))
        if response.gold_source_ids:
            counts.update(count_overlap(set(cited), response.gold_source_ids, response.by_id))
        outcome = answer_outcome(response)
        if not response.statements:
            counts[_without_statements(response, bool(cited))] = 1
        elif outcome == "abstained":
            counts["abstained_answers"] = 1
        if self.refusals == "leave_out":
            if is_uncited_refusal(outcome, bool(cited)):
                counts = leave_out_refusal(counts)
            else:
                counts["answers_kept"] = 1
        details: dict[str, Any] = {}
        for part in self.parts.values() if prepared else ():
            if part.name in prepared:
                part_counts, part_details = part.find(response, cited, prepared[part.name])
                counts.update(part_counts)
                if part_details is not None:
                    details[part.name] = part_details
        values = self.totals.add(counts)
        return Scored(index, response, cut[0], findings, quotes, counts, values, details)

    def signature(self) -> Signature:
        """Return how this run's numbers are made."""
        identity: JudgeIdentity | None = self.session.judge.identity if self.session else None
        return Signature(
            version=__version__,
            protocol=self.protocol.name,
            judge=identity,
            segmenter="punkt" if self.protocol.cut else self.parsing.plan.segmenter_name,
            style=self.parsing.plan.label,
            attach=self.parsing.attach,
            numbering=self.parsing.numbering,
            worthiness=self.parsing.plan.worthiness_name,
            recall_over=self.recall_over,
            duplicates=self.rules.duplicates,
            at_most_citations=self.rules.at_most,
            zero_division=self.zero_division,
            refusals=self.refusals,
            refusal_rule="default"
            if self.parsing.refusal_rule is None
            else f"callable:{callable_name(self.parsing.refusal_rule)}",
            claim_support=self.claim_support,
            contract=self.contract,
        )

    def report(self, results: Iterable[ResponseResult] = ()) -> Report:
        """Return the report on all records run so far.

        Args:
            results: The results to keep in it.
        """
        counts = self.totals.counts
        return Report(
            signature=self.signature(),
            metrics=self.totals.summaries(self.metrics),
            counts=counts,
            responses={
                "records": self.totals.responses + self.failed,
                "scored": self.totals.responses,
                "failed": self.failed,
            },
            pairs=self.session.counts if self.session else dict.fromkeys(PAIR_COUNTS, 0),
            usage=self.session.usage() if self.session else {},
            details={
                offer.name: summary
                for offer in self.offers
                if offer.name in self.parts and (summary := self.parts[offer.name].summary(counts))
            },
            results=tuple(results),
            errors=tuple(self.errors),
        )


def _without_statements(response: Response, cites: bool) -> str:
    """Name the count of an answer that has no statement."""
    if cites:
        return "only_markers_answers"
    return "no_statement_answers" if (response.answer or "").strip() else "empty_answers"


def _record_error(index: int, record: Any, error: InputError) -> RecordError:
    if isinstance(record, RecordError):
        return record.model_copy(update={"index": index})
    name = shown_id(record.get("id")) if isinstance(record, Mapping) else None
    return RecordError(index=index, record=name or str(index), message=str(error))
