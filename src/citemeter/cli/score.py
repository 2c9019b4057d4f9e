"""``citemeter score``: a data set's metrics, its report, and a gate for CI."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated

import typer

from citemeter.cli.console import (
    BAD_INPUT,
    PASSED,
    UNDER_THE_BAR,
    UNJUDGED,
    looks,
    read_json,
    say,
    write_text,
)
from citemeter.cli.options import (
    AttachOption,
    BatchSizeOption,
    CacheOption,
    ConcurrencyOption,
    DeviceOption,
    Extra,
    ExtraOption,
    FieldOption,
    Files,
    JudgeOption,
    LongPremiseOption,
    NumberingOption,
    OutputFormat,
    ProtocolOption,
    SegmenterOption,
    StyleOption,
    ThresholdOption,
    WindowOption,
    WorthinessOption,
    field_map,
    judge_of,
)
from citemeter.cli.progress import resumable, scoring
from citemeter.errors import InputError
from citemeter.evaluation.score import STREAM_LIMIT, Evaluation, Scored
from citemeter.files import count_objects
from citemeter.io import read_records
from citemeter.report.terminal import render_report
from citemeter.results import Report, ResponseResult

__all__ = ["score"]

_SHOWN_ERRORS = 10


def score(
    files: Files,
    judge: JudgeOption = "embedded",
    threshold: ThresholdOption = None,
    device: DeviceOption = None,
    batch_size: BatchSizeOption = None,
    concurrency: ConcurrencyOption = None,
    long_premise: LongPremiseOption = None,
    window: WindowOption = None,
    cache: CacheOption = None,
    protocol: ProtocolOption = "alce",
    segmenter: SegmenterOption = "citemeter",
    style: StyleOption = "auto",
    attach: AttachOption = "previous",
    numbering: NumberingOption = None,
    worthiness: WorthinessOption = "default",
    recall_over: Annotated[
        str, typer.Option(help="Count all statements in recall, or worthy ones only.")
    ] = "all",
    duplicates: Annotated[
        str, typer.Option(help="Count a repeated id once (set) or by its occurrences.")
    ] = "set",
    at_most_citations: Annotated[
        int | None, typer.Option(help="Judge only the first so many citations of a statement.")
    ] = None,
    zero_division: Annotated[
        float | None, typer.Option(help="The value at 0/0; undefined by default.")
    ] = None,
    refusals: Annotated[
        str,
        typer.Option(help="Count uncited refusals in recall and coverage (count), or leave_out."),
    ] = "count",
    claim_support: Annotated[
        str, typer.Option(help="Who checks expected claims against cited texts: tokens or judge.")
    ] = "tokens",
    repair: Annotated[
        bool, typer.Option("--repair", help="Look for what would fix the answers' citations.")
    ] = False,
    describe: Annotated[
        bool, typer.Option("--describe", help="Print amounts and positions of citations too.")
    ] = False,
    contract: Annotated[
        Path | None,
        typer.Option(help="The prompt's instructions, as checks (YAML or JSON)."),
    ] = None,
    cases: Annotated[
        list[Path] | None,
        typer.Option(help="What citations should point at, by the records' ids (YAML or JSON)."),
    ] = None,
    parser_report: Annotated[
        Path | None,
        typer.Option(help="A document parser's report (JSON), to join with grounding errors."),
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Write a picture of each missed region into this folder.")
    ] = None,
    field: FieldOption = None,
    extra_fields: ExtraOption = Extra.error,
    out: Annotated[
        Path | None, typer.Option(help="Write the whole report to this JSON file.")
    ] = None,
    output: Annotated[
        OutputFormat, typer.Option("--format", help="What to print on standard output.")
    ] = OutputFormat.table,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 1 if a macro mean is below the bar (above it, where lower is better).",
            metavar="METRIC=VALUE",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first record that cannot be scored.")
    ] = False,
    allow_unjudged: Annotated[
        bool,
        typer.Option("--allow-unjudged", help="Do not exit with 3 where the judge failed."),
    ] = False,
) -> None:
    """Score the citations of the answers in FILES.

    Exit codes: 0 passed, 1 under the bar of --fail-under, 2 bad input, 3 the judge failed on some
    pairs, 130 interrupted.
    """
    bars = _bars(fail_under or [])
    keep = out is not None or output is OutputFormat.json
    loaded = judge_of(
        judge,
        threshold=threshold,
        device=device,
        batch_size=batch_size,
        concurrency=concurrency,
        long_premise=long_premise,
        window=window,
        cache=cache,
    )
    evaluation = Evaluation(
        loaded,
        protocol,
        style=style,
        segmenter=segmenter,
        attach=attach,  # type: ignore[arg-type]  # checked there
        numbering=numbering,  # type: ignore[arg-type]
        worthiness=worthiness,
        recall_over=recall_over,  # type: ignore[arg-type]
        duplicates=duplicates,  # type: ignore[arg-type]
        at_most_citations=at_most_citations,
        zero_division=zero_division,
        refusals=refusals,  # type: ignore[arg-type]
        claim_support=claim_support,  # type: ignore[arg-type]
        contract=contract,
        repair=repair,
        describe=describe,
        remember=None if keep else STREAM_LIMIT,
    )
    unknown = sorted(set(bars) - set(evaluation.possible_metrics))
    if unknown:
        raise InputError(
            f"--fail-under names {unknown[0]!r}, which this run does not compute.",
            fix=f"use one of {', '.join(evaluation.possible_metrics)}.",
        )
    records = read_records(files, field_map(field, extra_fields))
    if cases:
        from citemeter.cli.cases import with_cases

        records = with_cases(records, cases)
    with resumable(loaded, cache), scoring(evaluation, count_objects(files)):
        results = evaluation.run(records, strict=strict)
        kept: list[ResponseResult] = []
        grounded: list[Scored] = []
        for scored in results:
            if keep:
                kept.append(scored.result())
            if "grounding" in scored.details and (parser_report or pictures):
                grounded.append(scored)
        report = evaluation.report(kept)
    if parser_report or pictures:
        report = _report_on_regions(report, grounded, parser_report, pictures)
    if out is not None:
        write_text(out, report.model_dump_json(indent=1))
    _show_errors(report)
    if output is OutputFormat.json:
        typer.echo(report.model_dump_json())
    else:
        typer.echo(render_report(report, **looks()), nl=False)
    if not report.responses["scored"]:
        say("no record could be scored" if report.errors else "there is no record")
        raise typer.Exit(BAD_INPUT)
    code = _judge_bars(report, bars)
    if report.pairs["failed"] and not allow_unjudged:
        say(
            f"the judge failed on {report.pairs['failed']} of {report.pairs['judged']} pairs; "
            "--allow-unjudged accepts that"
        )
        code = code or UNJUDGED
    raise typer.Exit(code)


def _report_on_regions(
    report: Report, grounded: list[Scored], parser_report: Path | None, pictures: Path | None
) -> Report:
    """Write pictures of missed regions, and join a parser's report to the grounding errors."""
    from citemeter.evaluation.extensions.grounding import grounding_result
    from citemeter.grounding import link_parser_report, write_pictures

    results = [grounding_result(scored) for scored in grounded]
    if pictures is not None:
        say(f"{len(write_pictures(results, pictures))} pictures written into {pictures}")
    if parser_report is None:
        return report
    linkage = link_parser_report(results, read_json(parser_report))
    details = {**report.details, "parser": linkage.model_dump(mode="json")}
    return report.model_copy(update={"details": details})


def _bars(options: list[str]) -> dict[str, float]:
    bars: dict[str, float] = {}
    for option in options:
        name, _, value = option.partition("=")
        try:
            if not name or not isfinite(float(value)):
                raise ValueError(name)
            bars[name] = float(value)
        except ValueError:
            raise InputError(
                f"cannot read --fail-under {option!r}.",
                fix="write METRIC=NUMBER, such as citation_recall=0.8.",
            ) from None
    return bars


def _judge_bars(report: Report, bars: dict[str, float]) -> int:
    code = PASSED
    for name, bar in bars.items():
        summary = report.metrics.get(name)
        value = None if summary is None else summary.macro
        if summary is None or value is None:
            say(f"under the bar: {name} is undefined, {bar} was asked")
        elif value > bar if summary.lower_is_better else value < bar:
            side = "above" if summary.lower_is_better else "below"
            say(f"under the bar: {name} is {value:.4f}, {side} {bar}")
        else:
            continue
        code = UNDER_THE_BAR
    return code


def _show_errors(report: Report) -> None:
    for error in report.errors[:_SHOWN_ERRORS]:
        say(error.message)
    more = report.responses["failed"] - _SHOWN_ERRORS
    if more > 0:
        say(f"... and {more} more records like these; --out has them all")
