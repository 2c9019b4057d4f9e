"""From an answer to statements with their citations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from citemeter.errors import InputError, callable_name
from citemeter.models import ParseInfo, Response, Skipped, Span
from citemeter.text.markdown.blocks import split_blocks
from citemeter.text.markdown.inline import blank_stops, verbatim_zones
from citemeter.text.markdown.reference_lists import definitions
from citemeter.text.markers import (
    DEFAULT_STYLES,
    STYLES,
    Marker,
    SourceIndex,
    find_markers,
    index_of,
    unfinished,
)
from citemeter.text.phrases.citation_worthiness import WORTHINESS_RULES
from citemeter.text.phrases.refusals import RefusalRule, outcome_of
from citemeter.text.sentences.segmenters import Segmenter, SpanSegmenter, segmenter_named
from citemeter.text.statements import Assembler

__all__ = ["MarkerFinder", "ParseOptions", "Style", "parse", "parse_response"]

MarkerFinder = Callable[[str], Iterable[tuple[int, int, Sequence[str]]]]
"""A style of one's own: from a text to ``(start, end, ids)`` of its markers."""

Style = str | re.Pattern[str] | MarkerFinder

_ALL_STYLES = (*STYLES, "regex", "callable")
_NO_STATEMENTS = frozenset(("code", "reasoning", "reference_list"))
_SKIPPED = frozenset(("heading", "table_header")) | _NO_STATEMENTS


@dataclass(frozen=True)
class ParseOptions:
    """How to read answers; the same options can read any number of them.

    Args:
        style: ``"auto"``, the name of a marker style (see ``citemeter.text.markers.STYLES``),
            several joined by ``+``, a compiled pattern whose group ``id`` (or first group) holds
            the ids, a callable ``(text) -> [(start, end, ids)]``, or a tuple of these.
        segmenter: A name in ``SEGMENTERS``, or a callable from a text to its sentences.
        attach: Whether a marker after a full stop goes to the ``previous`` sentence, as people
            mean it, or to the ``next``, as the published ALCE script reads it.
        numbering: ``None`` when the numbers in markers are source ids; 1 or 0 when they count the
            list of sources from one or from zero.
        worthiness: A name in ``WORTHINESS_RULES``, or a callable that returns why a statement
            needs no citation, or ``None`` when it needs one.
        streaming: Whether the answer may end in the middle of a marker, which is then held back.
        refusal_rule: What decides whether an answer declines to answer, called with its statements
            as written; ``None`` for what the record says, or else the package's own rule.
    """

    style: Style | tuple[Style, ...] = "auto"
    segmenter: str | Segmenter = "citemeter"
    attach: Literal["previous", "next"] = "previous"
    numbering: Literal[0, 1] | None = None
    worthiness: str | Callable[[str], str | None] = "default"
    streaming: bool = False
    refusal_rule: RefusalRule | None = None

    def __post_init__(self) -> None:
        """Check the options, so that a wrong name is an error before any answer is read."""
        if isinstance(self.style, list):
            object.__setattr__(self, "style", tuple(self.style))
        if self.attach not in ("previous", "next"):
            raise InputError(
                f"attach is 'previous' or 'next', not {self.attach!r}.", fix="use one of the two."
            )
        if self.numbering is not None and (
            isinstance(self.numbering, bool) or self.numbering not in (0, 1)
        ):
            raise InputError(
                f"numbering is None, 0 or 1, not {self.numbering!r}.",
                fix="use 1 when [1] is the first source, 0 when [0] is, None when they are ids.",
            )
        if self.refusal_rule is not None and not callable(self.refusal_rule):
            raise InputError(
                f"{type(self.refusal_rule).__name__} is no refusal rule.",
                fix="give a callable from an answer to True or False, or None.",
            )
        self.plan  # noqa: B018 - raises if a name is unknown

    @cached_property
    def plan(self) -> _Plan:
        """The functions and sets that the options stand for."""
        return _Plan(self)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class _Plan:
    """The functions and sets that a ``ParseOptions`` stands for."""

    def __init__(self, options: ParseOptions) -> None:
        names: set[str] = set()
        labels: list[str] = []
        self.custom: list[Any] = []
        for entry in options.style if isinstance(options.style, tuple) else (options.style,):
            if isinstance(entry, str):
                labels.append(entry)
                names.update(entry.split("+"))
            elif isinstance(entry, re.Pattern):
                labels.append(f"regex:{entry.pattern}")
                self.custom.append(entry)
            elif callable(entry):
                labels.append(f"callable:{callable_name(entry)}")
                self.custom.append(entry)
            else:
                raise InputError(
                    f"{type(entry).__name__} is no marker style.",
                    fix="give a name, a compiled pattern or a callable.",
                )
        unknown = names - STYLES.keys() - {"auto"}
        if unknown:
            raise InputError(
                f"unknown marker style {min(unknown)!r}.",
                fix=f"use auto or one of {', '.join(STYLES)}, joined by +.",
            )
        self.label = "+".join(labels)
        # Styles that the caller named alone are there for sure: "[2020]" is a number like others.
        self.forced = bool(names) and "auto" not in names
        self.styles = frozenset(names - {"auto"} | (DEFAULT_STYLES if "auto" in names else set()))
        self.segment: SpanSegmenter
        self.segmenter_name, self.segment = segmenter_named(options.segmenter)
        self.worthiness_name, self.exemption = _worthiness(options.worthiness)

    def find_markers(
        self, text: str, index: SourceIndex, zones: Sequence[tuple[int, int]] = ()
    ) -> list[Marker]:
        """Return a text's markers of the styles looked for; none inside the zones."""
        return find_markers(text, index, self.styles, zones, self.custom, self.forced)


def _worthiness(
    rule: str | Callable[[str], str | None],
) -> tuple[str, Callable[[str], str | None]]:
    if isinstance(rule, str):
        found = WORTHINESS_RULES.get(rule)
        if found is None:
            raise InputError(
                f"unknown worthiness rule {rule!r}.",
                fix=f"use one of {', '.join(sorted(WORTHINESS_RULES))}, or a callable.",
            )
        return rule, found
    if not callable(rule):
        raise InputError(
            f"{type(rule).__name__} is no worthiness rule.", fix="give a name or a callable."
        )
    name = f"callable:{callable_name(rule)}"

    def checked(text: str) -> str | None:
        label = rule(text)
        if label is None or isinstance(label, str):
            return label
        raise InputError(
            f"worthiness rule {name!r} returned {type(label).__name__}.",
            fix="return why the statement needs no citation, or None when it needs one.",
        )

    return name, checked


def parse(
    answer: str,
    sources: Any = (),
    *,
    id: str | None = None,  # noqa: A002 - the record's own word for it
    question: str | None = None,
    gold_source_ids: Any = None,
    answerable: bool | None = None,
    metadata: dict[str, Any] | None = None,
    style: Style | tuple[Style, ...] = "auto",
    segmenter: str | Segmenter = "citemeter",
    attach: Literal["previous", "next"] = "previous",
    numbering: Literal[0, 1] | None = None,
    worthiness: str | Callable[[str], str | None] = "default",
    streaming: bool = False,
    refusal_rule: RefusalRule | None = None,
) -> Response:
    """Cut an answer into statements with the citations that belong to them.

    Args:
        answer: The answer as the assistant wrote it.
        sources: What it could cite: ``Source`` objects, dicts, a mapping ``{id: text}``, or plain
            texts, whose ids are then ``"1"``, ``"2"``, ...
        id: The response's name in reports.
        question: What was asked.
        gold_source_ids: The ids that ought to be cited.
        answerable: Whether the sources can answer the question.
        metadata: Anything else.
        style: See ``ParseOptions``, as for the other options.
        segmenter: The sentence splitter.
        attach: Where a marker after a full stop goes.
        numbering: Whether numbers are ids, or count the sources.
        worthiness: Which statements need a citation.
        streaming: Whether the answer may be unfinished.
        refusal_rule: What decides whether the answer declines to answer.

    Returns:
        The response with its statements, and in ``parsing`` what was decided and left out.

    Raises:
        InputError: If the record or an option cannot be used.

    >>> response = parse("It opened in May. [1] It is free [2, 9].", {"1": "…", "2": "…"})
    >>> [(s.text, list(s.source_ids)) for s in response.statements]
    [('It opened in May.', ['1']), ('It is free.', ['2', '9'])]
    >>> response.parsing.style
    'numeric'
    """
    response = Response.from_record(
        {
            "id": id,
            "question": question,
            "answer": answer,
            "sources": sources,
            "gold_source_ids": gold_source_ids,
            "answerable": answerable,
            "metadata": metadata or {},
        }
    )
    options = ParseOptions(style, segmenter, attach, numbering, worthiness, streaming, refusal_rule)
    return parse_response(response, options)


def parse_response(
    response: Response, options: ParseOptions, index: SourceIndex | None = None
) -> Response:
    """Parse a response's answer and keep everything else.

    Statements that came already split stay as they are; those of an earlier parse are replaced.

    Args:
        response: The response.
        options: How to read it.
        index: What its sources can be cited as, if that is at hand.

    Returns:
        The response with ``statements``, ``unattached``, ``abstained`` and ``parsing`` set.
    """
    answer = response.answer
    if answer is None or (response.statements is not None and response.parsing is None):
        return response
    plan = options.plan
    if index is None:
        index = index_of(response.sources, options.numbering)
    text = answer[: unfinished(answer)] if options.streaming else answer
    blocks = split_blocks(text)
    skipped = [_skip(b.kind, b.start, b.end) for b in blocks if b.kind in _SKIPPED]
    aliases: dict[str, str] = {}
    for block in blocks:
        if block.kind == "reference_list":
            aliases.update(definitions(text[block.start : block.end], index))
    inline = verbatim_zones(text)
    markers = plan.find_markers(text, index, without_markers(inline, skipped))
    stops_matter = inline and options.segmenter == "citemeter"
    assembler = Assembler(
        text,
        plan.segment,
        plan.exemption,
        segmentable=blank_stops(text, inline) if stops_matter else None,
        attach_next=options.attach == "next",
        known=index.ids,
        aliases=aliases,
    )
    low = 0
    for block in blocks:
        while low < len(markers) and markers[low].end <= block.start:
            low += 1
        if low and markers[low - 1].end > block.start:
            block = block._replace(start=min(markers[low - 1].end, block.end))
        # A marker between blocks, such as one before a list item's text, goes with what follows.
        high = low
        while high < len(markers) and markers[high].start < block.end:
            high += 1
        if block.kind not in _NO_STATEMENTS:
            assembler.add(block, markers[low:high])
        low = high
    assembler.finish()
    # Left over where there is no statement at all.
    skipped += [_skip("markers", marker.start, marker.end) for marker in assembler.pending]
    styles = {marker.style for marker in markers if marker.ids}
    raws = " ".join([statement.raw for statement in assembler.statements])
    abstained = response.abstained
    if abstained is None and plan.worthiness_name == "default" and assembler.claims_first:
        abstained = False
    outcome = outcome_of(raws, abstained, options.refusal_rule)
    return response.model_copy(
        update={
            "statements": tuple(assembler.statements),
            "unattached": tuple(assembler.unattached),
            "abstained": None if outcome == "empty" else outcome == "abstained",
            "parsing": ParseInfo.trusted(
                {
                    "style": "+".join([s for s in _ALL_STYLES if s in styles]) or "none",
                    "requested_style": plan.label,
                    "segmenter": plan.segmenter_name,
                    "attach": options.attach,
                    "numbering": options.numbering,
                    "worthiness": plan.worthiness_name,
                    "skipped": tuple(skipped),
                }
            ),
        }
    )


def _skip(kind: Any, start: int, end: int) -> Skipped:
    return Skipped.trusted({"kind": kind, "span": Span(start, end)})


def without_markers(
    inline: Iterable[tuple[int, int]], skipped: Iterable[Skipped]
) -> list[tuple[int, int]]:
    """Return the stretches of an answer that hold no markers, in order and apart.

    Args:
        inline: Its inline code and maths.
        skipped: What is no statement; of these, blocks of code, reasoning and lists of references.
    """
    whole = [part.span for part in skipped if part.kind in _NO_STATEMENTS]
    merged: list[tuple[int, int]] = []
    for start, end in sorted([*whole, *inline]):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
