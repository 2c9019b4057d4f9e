"""What comes out: the state of every statement and citation, scores and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from citemeter.models import Model, ParseInfo, Span, Statement
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
    "StatementResult",
    "StatementState",
]


class Score(Model):
    """A metric's value for one response, with the counts it is made of.

    Args:
        name: The metric.
        value: ``numerator / denominator``, or ``None`` when undefined.
        numerator: What counts in its favour.
        denominator: What was counted.
        reason: Why the value is undefined, or that a ``zero_division`` stands in for it.
    """

    name: str
    value: float | None
    numerator: float
    denominator: float
    reason: str | None = None

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

- ``precise``: it supports its statement alone, or the rest do not without it.
- ``irrelevant``: it does not support alone, and the rest do without it.
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


class ResponseResult(Model):
    """Everything found out about one response.

    Args:
        id: The record's id, or its position when it has none.
        index: The record's position in the input, from 0.
        question: What was asked.
        answer: The answer judged.
        scores: Each metric's value, ``None`` where undefined.
        undefined: Why, for each metric that is.
        bounds: For each metric that is undefined because the judge failed, the lowest and the
            highest value that the missing verdicts could give it.
        counts: The named counts that the scores are made of.
        statements: Every statement with its state, verdicts and citations.
        quotes: Every quotation with its status.
        invalid_citations: Every citation whose id names no source.
        abstained: Whether the answer declines to answer.
        parsing: How the answer was cut.
        details: What the parts found that only some records ask for, by part, as plain data.
    """

    id: str
    index: int
    question: str | None = None
    answer: str | None = None
    scores: dict[str, float | None]
    undefined: dict[str, str]
    bounds: dict[str, Bounds] = Field(default_factory=dict)
    counts: dict[str, int]
    statements: tuple[StatementResult, ...] = ()
    quotes: tuple[QuoteCheck, ...] = ()
    invalid_citations: tuple[InvalidCitation, ...] = ()
    abstained: bool | None = None
    parsing: ParseInfo | None = None
    details: dict[str, Any] = Field(default_factory=dict)


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


class Signature(Model):
    """How a report was made: equal signature and input, equal report.

    >>> signature = Signature(version="0.1.0", protocol="alce", judge=JudgeIdentity(name="lexical"))
    >>> str(signature)[:46]
    'citemeter:0.1.0|protocol:alce|judge:lexical|se'
    """

    version: str
    protocol: str
    judge: JudgeIdentity | None
    segmenter: str = "citemeter"
    style: str = "auto"
    attach: str = "previous"
    numbering: int | None = None
    worthiness: str = "default"
    recall_over: str = "all"
    duplicates: str = "set"
    at_most_citations: int | None = None
    zero_division: float | None = None
    refusals: str = "count"
    refusal_rule: str = "default"
    claim_support: str = "tokens"
    contract: str | None = None
    seed: int | None = None

    def __str__(self) -> str:
        parts = [f"citemeter:{self.version}"]
        for key, value in self:
            if key != "version":
                parts.append(f"{key}:{'none' if value is None else value}")
        return "|".join(parts)


class Report(Model):
    """The scores of a data set, and everything behind them.

    ``report["citation_recall"]`` is the macro mean. ``Report.model_validate_json`` reads what
    ``model_dump_json`` writes, without loss.

    Args:
        signature: How it was made.
        metrics: The summary of each metric.
        counts: Every named count, summed over the responses.
        responses: How many records there were, by what became of them.
        pairs: How many verdicts were ``needed``, how many distinct pairs were ``judged``, on how
            many the judge ``failed``, and how many premises were too long for it and therefore
            ``chunked`` or ``truncated``.
        usage: What the judge used up or saved in this run, such as tokens or pairs found in a
            cache. It may differ between two runs with the same signature; nothing else may.
        details: What the parts say of the data set beside their metrics, by part: confusion
            tables, counts of errors.
        results: One result a scored response; empty when they were not kept.
        errors: The records that could not be scored; the first thousand, when results are not
            kept. ``responses`` has their number.
    """

    signature: Signature
    metrics: dict[str, MetricSummary]
    counts: dict[str, int]
    responses: dict[str, int]
    pairs: dict[str, int]
    usage: dict[str, float] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)
    results: tuple[ResponseResult, ...] = ()
    errors: tuple[RecordError, ...] = ()

    def __getitem__(self, metric: str) -> float | None:
        try:
            return self.metrics[metric].macro
        except KeyError:
            raise KeyError(f"{metric!r}: this report has {', '.join(self.metrics)}") from None

    @property
    def macro(self) -> dict[str, float | None]:
        """Each metric's mean over responses."""
        return {name: summary.macro for name, summary in self.metrics.items()}

    @property
    def micro(self) -> dict[str, float | None]:
        """Each metric over the pooled counts."""
        return {name: summary.micro for name, summary in self.metrics.items()}

    def to_frame(self) -> DataFrame:
        """Return a pandas data frame with one row a response: its scores and counts.

        Raises:
            ImportError: If pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'citemeter[frames]'") from error
        return DataFrame(
            [{"id": r.id, **r.scores, **r.counts, "abstained": r.abstained} for r in self.results]
        )
