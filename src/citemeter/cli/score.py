"""``citemeter score``: a data set's metrics, its report, and a gate for CI."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from citemeter.cli.console import (
    BAD_INPUT,
    PASSED,
    UNDER_THE_BAR,
    judge_failures,
    looks,
    read_json,
    say,
    show_errors,
    write_text,
)
from citemeter.cli.options import (
    AllowUnjudged,
    Files,
    JudgeOptions,
    OutputFormat,
    field_options,
    settings_options,
    with_options,
)
from citemeter.cli.progress import resumable, scoring
from citemeter.errors import InputError
from citemeter.evaluation.engine import Run
from citemeter.evaluation.settings import Settings
from citemeter.files import count_objects
from citemeter.io import FieldMap, read_records
from citemeter.report.terminal import render_report
from citemeter.results import Report, ResponseResult


@with_options(chosen=JudgeOptions, settings=settings_options(), fields=field_options)
def score(
    files: Files,
    chosen: JudgeOptions,
    settings: Settings,
    fields: FieldMap,
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
    allow_unjudged: AllowUnjudged = False,
) -> None:
    """Score the citations of the answers in FILES.

    Exit codes: 0 passed, 1 under the bar of --fail-under, 2 bad input, 3 the judge failed on some
    pairs, 130 interrupted.
    """
    bars = _bars(fail_under or [])
    keep = out is not None or output is OutputFormat.json
    judge = chosen.load()
    run = Run(settings, judge, streaming=not keep)
    unknown = sorted(set(bars) - set(run.possible_metrics))
    if unknown:
        raise InputError(
            f"--fail-under names {unknown[0]!r}, which this run does not compute.",
            fix=f"use one of {', '.join(run.possible_metrics)}.",
        )
    records = read_records(files, fields)
    if cases:
        from citemeter.cli.cases import with_cases

        records = with_cases(records, cases)
    with resumable(judge, chosen.cache), scoring(run, count_objects(files)):
        kept: list[ResponseResult] = []
        grounded: list[ResponseResult] = []
        for result in run.score(records, strict=strict):
            if keep:
                kept.append(result)
            if "grounding" in result.details and (parser_report or pictures):
                grounded.append(result)
        report = run.report(kept)
    if parser_report or pictures:
        report = _report_on_regions(report, grounded, parser_report, pictures)
    if out is not None:
        write_text(out, report.model_dump_json(indent=1))
    show_errors(report.errors, report.record_counts["failed"], "; --out has them all")
    if output is OutputFormat.json:
        typer.echo(report.model_dump_json())
    else:
        typer.echo(render_report(report, **looks()), nl=False)
    if not report.record_counts["scored"]:
        say("no record could be scored" if report.errors else "there is no record")
        raise typer.Exit(BAD_INPUT)
    code = _judge_bars(report, bars)
    unjudged = judge_failures(report.pair_counts, allow_unjudged)
    raise typer.Exit(code or unjudged)


def _report_on_regions(
    report: Report,
    grounded: list[ResponseResult],
    parser_report: Path | None,
    pictures: Path | None,
) -> Report:
    """Write pictures of missed regions, and join a parser's report to the grounding errors."""
    from citemeter.grounding import link_parser_report, write_pictures

    found: list[Any] = [result.details["grounding"] for result in grounded]
    if pictures is not None:
        say(f"{len(write_pictures(found, pictures))} pictures written into {pictures}")
    if parser_report is None:
        return report
    linkage = link_parser_report(found, read_json(parser_report))
    return report.model_copy(update={"details": {**report.details, "parser": linkage}})


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
