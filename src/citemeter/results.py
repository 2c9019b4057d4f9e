"""What comes out: the state of every statement and citation, scores and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, ConfigDict, Field, SerializeAsAny, model_validator

from citemeter.errors import InputError
from citemeter.models import Model, ParseInfo, Response, Span, Statement
from citemeter.verdicts import JudgeIdentity, Verdict

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "MIN_QUOTE_WORDS",
    "Bounds",
    "CitationResult",
    "CitationState",
    "InvalidCitation",
    "MetricSummary",
    "Place",
    "QuoteCheck",
    "QuoteStatus",
    "RecordError",
    "Report",
    "ResponseResult",
    "Score",
    "Signature",
    "SourceInfo",
    "StatementResult",
    "StatementState",
]

SCHEMA_VERSION = 2
"""Of a report as JSON; what version 1 wrote is read too, see ``citemeter.upgrades``."""


class Bounds(NamedTuple):
    """The values that a metric could have, whatever the verdicts that the judge did not give.

    Args:
        low: The lowest.
        high: The highest.
        certain: Whether it has a value at all, whatever those verdicts are.
    """

    low: float
    high: float
    certain: bool = True


class Score(Model):
    """A metric's value for one response, with the counts it is made of.

    Args:
        name: The metric.
        value: ``numerator / denominator``, or ``None`` when undefined.
        numerator: What counts in its favour.
        denominator: What was counted.
        reason: Why the value is undefined, or that a ``zero_division`` stands in for it.
        bounds: If it is undefined because the judge failed, the values that the missing verdicts
            could give it.
    """

    name: str
    value: float | None
    numerator: float
    denominator: float
    reason: str | None = None
    bounds: Bounds | None = None

    @classmethod
    def ratio(
        cls,
        name: str,
        numerator: float,
        denominator: float,
        *,
        empty: str,
        zero_division: float | None = None,
    ) -> Score:
        """Divide, and say why when there is nothing to divide by.

        Args:
            name: The metric.
            numerator: What counts in its favour.
            denominator: What was counted.
            empty: The reason given at 0/0.
            zero_division: The value to report at 0/0; ``None`` leaves it undefined.

        >>> Score.ratio("citation_recall", 1, 2, empty="no statement").value
        0.5
        >>> Score.ratio("citation_recall", 0, 0, empty="no statement").reason
        'no statement'
        """
        return cls(
            name=name,
            value=numerator / denominator if denominator else zero_division,
            numerator=numerator,
            denominator=denominator,
            reason=None if denominator else empty,
        )

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.name} is undefined: {self.reason}")
        return float(self.value)


StatementState = Literal["supported", "unsupported", "uncited", "invalid", "unjudged"]
"""Every statement is in exactly one state.

- ``supported``: its passages together entail it.
- ``unsupported``: they do not.
- ``uncited``: it cites nothing.
- ``invalid``: at least one id it cites names no source.
- ``unjudged``: the judge failed on it.
"""

CitationState = Literal["precise", "irrelevant", "unsupported", "invalid", "voided", "unjudged"]
"""Every citation is in exactly one state.

- ``precise``, ``irrelevant``: its statement is supported, and it is needed or not; the rule is in
  ``citemeter.metrics.alce.judge_statement``.
- ``unsupported``: its statement is not supported by all its citations together.
- ``invalid``: its id names no source.
- ``voided``: its id is valid, but another id of the same statement is not.
- ``unjudged``: the judge failed on a verdict it depends on.
"""


class CitationResult(Model):
    """One citation of a statement and the verdicts that decided its state.

    Args:
        source_id: The id cited.
        state: What it came to; see ``CitationState``.
        alone: Whether its passage alone entails the statement, if that was asked.
        rest: Whether the statement's other passages do without it, if that was asked.
    """

    source_id: str
    state: CitationState
    alone: Verdict | None = None
    rest: Verdict | None = None


class StatementResult(Model):
    """One statement and the verdict on all its passages together.

    Args:
        statement: The statement judged.
        state: What it came to; see ``StatementState``.
        verdict: The joint verdict, if it was asked for.
        citations: Its citations: one for each distinct id, or for each occurrence on request.
    """

    statement: Statement
    state: StatementState
    verdict: Verdict | None = None
    citations: tuple[CitationResult, ...] = ()


class InvalidCitation(Model):
    """A citation whose id names no source.

    Args:
        source_id: The id as cited.
        marker: The marker's text.
        span: The marker's offsets in the answer.
        near_miss: The source id that it differs from only in case, punctuation or width.
    """

    source_id: str
    marker: str = ""
    span: Span | None = None
    near_miss: str | None = None


QuoteStatus = Literal[
    "verified", "altered", "misattributed", "stitched", "fabricated", "unverified"
]
"""Every quotation is in exactly one state; see ``QuoteCheck``."""

MIN_QUOTE_WORDS = 3
"""Shorter stretches in quotation marks are scare quotes, names and words as words."""


class Place(NamedTuple):
    """A stretch of a source, by offsets in its original text."""

    source_id: str
    span: Span


class QuoteCheck(Model):
    """One quotation and what became of it.

    Args:
        quote: The words as written, without their marks and without citation markers.
        span: Their offsets in the answer; ``None`` when the statements came already split.
        kind: The family of its marks, or ``block_quote``.
        statement: The index of the first statement that holds it.
        cited: The ids cited there, in order, fabricated ones included.
        status: ``verified``: verbatim in a cited source, or in any when none is cited.
            ``misattributed``: verbatim in another source. ``stitched``: every part verbatim, but
            out of order, from several places, or joined without an ellipsis. ``altered``: nearly
            the words of a source. ``fabricated``: nowhere. ``unverified``: only fabricated ids are
            cited, or there is no source to look in.
        found_in: The source that holds it, or nearly does; ``None`` when its parts are from
            several.
        source_span: Offsets in that source's original text, from the first part to the last.
        places: Where each part stands: source id and offsets.
        ellipsis: Whether it leaves something out under an ellipsis.
        longest_match_share: The longest run of characters that the folded quotation shares with a
            source it was to be in, over its length; 1 when verified. In a quotation with
            omissions the parts' runs are added up.
        changes: For an altered quotation, pairs of its words and the source's.
        warnings: What to look at although the words are verbatim: a dropped negation.
    """

    quote: str
    span: Span | None
    kind: str
    statement: int
    cited: tuple[str, ...]
    status: QuoteStatus
    found_in: str | None = None
    source_span: Span | None = None
    places: tuple[Place, ...] = ()
    ellipsis: bool = False
    longest_match_share: float = 0.0
    changes: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def source_spans(self) -> tuple[Span, ...]:
        """The offsets of the parts in the source found."""
        return tuple(place.span for place in self.places if place.source_id == self.found_in)


class SourceInfo(Model):
    """A source as a result names it.

    Args:
        id: The id that cites it.
        title: Its title.
        text: Its text, if the run keeps sources.
    """

    id: str
    title: str | None = None
    text: str | None = None


def _typed(side: Literal["details", "summary"]) -> Any:
    """Read the details of extensions as the models that they were written from."""

    def read(value: Any) -> Any:
        if not isinstance(value, dict) or all(isinstance(one, Model) for one in value.values()):
            return value
        from citemeter.evaluation.extensions.registry import read_details

        return {name: read_details(name, side, one) for name, one in value.items()}

    return BeforeValidator(read)


Details = Annotated[dict[str, SerializeAsAny[Model]], _typed("details")]
Summaries = Annotated[dict[str, SerializeAsAny[Model]], _typed("summary")]


class ResponseResult(Model):
    """Everything found out about one response.

    ``result["citation_recall"]`` is a metric's value.

    Args:
        id: The record's id, or its position when it has none.
        index: The record's position in the input, from 0.
        question: What was asked.
        answer: The answer judged.
        metadata: What the record says beside it.
        sources: The sources' ids and titles, and on request their texts.
        scores: Each metric's score: its value, what it is made of, and why it is undefined.
        counts: The named counts that the scores are made of.
        statements: Every statement with its state, verdicts and citations; empty without a judge.
        quotes: Every quotation with its status.
        invalid_citations: Every citation whose id names no source.
        abstained: Whether the answer declines to answer.
        parsing: How the answer was cut.
        details: What extensions found, by name, such as ``details["repair"].answer``.
    """

    id: str
    index: int
    question: str | None = None
    answer: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    sources: tuple[SourceInfo, ...] = ()
    scores: dict[str, Score]
    counts: dict[str, int]
    statements: tuple[StatementResult, ...] = ()
    quotes: tuple[QuoteCheck, ...] = ()
    invalid_citations: tuple[InvalidCitation, ...] = ()
    abstained: bool | None = None
    parsing: ParseInfo | None = None
    details: Details = Field(default_factory=dict)

    def __getitem__(self, metric: str) -> float | None:
        try:
            return self.scores[metric].value
        except KeyError:
            raise KeyError(f"{metric!r}: this result has {', '.join(self.scores)}") from None


class RecordError(Model):
    """A record that could not be scored; the others are.

    Args:
        index: Its position in the input, from 0.
        record: What it is called: its id, or file and line.
        message: What is wrong and how to fix it.
    """

    index: int
    record: str
    message: str


class MetricSummary(Model):
    """One metric over the data set.

    Args:
        name: The metric.
        macro: The mean of the per-response values, over the responses where it is defined.
        micro: The ratio of the pooled counts of the same responses.
        scored: How many responses have a value.
        undefined: How many have none, by the metric's definition.
        failed: How many have none because the judge failed.
        bounds: If there are any of these, the lowest and the highest value that ``macro`` could
            have if the judge had given its verdicts on them.
        reasons: The number of responses for each reason.
        lower_is_better: Whether 0 is the best value.
        values: How many responses have each value: what ``macro`` is the mean of.
        possible: How many of the ``failed`` responses have each pair of bounds.
        withheld: The numerator and denominator of the ``failed`` responses, which are not in
            ``micro``.
    """

    name: str
    macro: float | None
    micro: float | None
    scored: int
    undefined: int
    failed: int
    bounds: Bounds | None = None
    reasons: dict[str, int] = Field(default_factory=dict)
    lower_is_better: bool = False
    values: dict[float, int] = Field(default_factory=dict)
    possible: tuple[tuple[Bounds, int], ...] = ()
    withheld: tuple[int, int] = (0, 0)


class Signature(Model):
    """How a report was made: equal signature and input, equal report.

    Every choice of ``citemeter.evaluation.settings.Settings`` is an attribute.

    Args:
        version: citemeter's.
        protocol: The rule set.
        judge: What decided entailment.
        seed: What random numbers began with, if any were drawn.
        changed: The choices that differ from the defaults; they are shown first.

    >>> signature = Signature(
    ...     version="0.1.0", protocol="alce", judge=JudgeIdentity(name="lexical"),
    ...     style="auto", attach="next", changed=("attach",),
    ... )
    >>> str(signature), signature.style
    ('citemeter:0.1.0|protocol:alce|judge:lexical|attach:next|style:auto', 'auto')
    """

    model_config = ConfigDict(extra="allow")

    version: str
    protocol: str
    judge: JudgeIdentity | None
    seed: int | None = None
    changed: tuple[str, ...] = ()

    @property
    def choices(self) -> dict[str, str | int | float | None]:
        """The settings, those that differ from the defaults first."""
        rest = self.model_extra or {}
        return {name: rest[name] for name in (*self.changed, *rest) if name in rest}

    def __str__(self) -> str:
        parts = {"citemeter": self.version, "protocol": self.protocol, "judge": self.judge}
        if self.seed is not None:
            parts["seed"] = str(self.seed)
        shown = [*parts.items(), *self.choices.items()]
        return "|".join(f"{key}:{'none' if value is None else str(value)}" for key, value in shown)


class Report(Model):
    """The scores of a data set, and everything behind them.

    ``report["citation_recall"]`` is the macro mean. ``Report.model_validate_json`` reads what
    ``model_dump_json`` writes, without loss.

    Args:
        signature: How it was made.
        metrics: The summary of each metric.
        counts: Every named count, summed over the responses.
        record_counts: How many ``records`` there were, how many were ``scored`` and how many
            ``failed``.
        pair_counts: How many verdicts were ``needed``, how many distinct pairs were ``judged``, on
            how many the judge ``failed``, and how many premises were too long for it and therefore
            ``chunked`` or ``truncated``.
        usage: What the judge used up or saved in this run, such as tokens or pairs found in a
            cache. It may differ between two runs with the same signature; nothing else may.
        details: What extensions say of the data set beside their metrics, by name: confusion
            tables, counts of errors.
        results: One result a scored response; empty when they were not kept.
        errors: The records that could not be scored; the first thousand, when results are not
            kept. ``record_counts`` has their number.
        schema_version: Of the report's form as JSON.
    """

    signature: Signature
    metrics: dict[str, MetricSummary]
    counts: dict[str, int]
    record_counts: dict[str, int]
    pair_counts: dict[str, int]
    usage: dict[str, float] = Field(default_factory=dict)
    details: Summaries = Field(default_factory=dict)
    results: tuple[ResponseResult, ...] = ()
    errors: tuple[RecordError, ...] = ()
    schema_version: int = SCHEMA_VERSION

    @model_validator(mode="before")
    @classmethod
    def _of_any_version(cls, value: Any) -> Any:
        """Upgrade what an earlier version wrote; refuse what a later one did."""
        if not isinstance(value, dict):
            return value
        version = value.get("schema_version", 1)
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise InputError(
                f"the report has schema version {version}, this citemeter knows {SCHEMA_VERSION}.",
                fix="pip install -U citemeter",
            )
        if version == 1 and "record_counts" not in value:
            from citemeter.upgrades import upgrade_report

            return upgrade_report(value)
        return value

    def __getitem__(self, metric: str) -> float | None:
        try:
            return self.metrics[metric].macro
        except KeyError:
            raise KeyError(f"{metric!r}: this report has {', '.join(self.metrics)}") from None

    def __repr__(self) -> str:
        known = [(name, mean) for name, mean in self.macro.items() if mean is not None]
        records, judge = self.record_counts, self.signature.judge
        return "\n".join(
            (
                f"<Report: {records['scored']} responses scored, {records['failed']} not readable; "
                f"judge {judge.name if judge else 'none'}, protocol {self.signature.protocol}",
                " " + ", ".join(f"{name} {mean:.3f}" for name, mean in known[:6]),
                f" {self.counts.get('statements', 0)} statements, "
                f"{self.counts.get('occurrences', 0)} citations, "
                f"{self.pair_counts['judged']} pairs judged, {self.pair_counts['failed']} failed>",
            )
        )

    __str__ = __repr__

    @property
    def macro(self) -> dict[str, float | None]:
        """Each metric's mean over responses."""
        return {name: summary.macro for name, summary in self.metrics.items()}

    @property
    def micro(self) -> dict[str, float | None]:
        """Each metric over the pooled counts."""
        return {name: summary.micro for name, summary in self.metrics.items()}

    def merge(self, *others: Report) -> Report:
        """Return the report on this one's records and the others', as one run would give it.

        Metrics, counts and details are exact, in any order and grouping. Results and errors follow
        one another, their positions counted on. ``pair_counts`` and ``usage`` add up the work done:
        a pair that two runs judged was judged twice.

        Args:
            others: Reports with the same signature.

        Raises:
            InputError: If the signatures differ; the message says in what.
        """
        from citemeter.evaluation.merging import merge_reports

        return merge_reports((self, *others))

    def to_frame(self) -> DataFrame:
        """Return a pandas data frame with one row a response: its scores and counts.

        An undefined score is NaN there, a count that a response does not have is 0.

        Raises:
            ImportError: If pandas is not installed.
        """
        from citemeter.report.frames import response_frame

        return response_frame(self.results)

    def statements_frame(self) -> DataFrame:
        """Return a pandas data frame with one row a statement: its state and the joint verdict."""
        from citemeter.report.frames import statements_frame

        return statements_frame(self.results)

    def citations_frame(self) -> DataFrame:
        """Return a pandas data frame with one row a citation: its state and the two verdicts."""
        from citemeter.report.frames import citations_frame

        return citations_frame(self.results)


def source_infos(response: Response, texts: bool) -> tuple[SourceInfo, ...]:
    """Return a response's sources as a result names them.

    Args:
        response: The response.
        texts: Whether to keep their texts.
    """
    return tuple(
        [
            SourceInfo.trusted(
                {"id": source.id, "title": source.title, "text": source.text if texts else None}
            )
            for source in response.sources
        ]
    )
