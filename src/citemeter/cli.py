"""The command line: arguments and printing, nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from citemeter._version import __version__
from citemeter.errors import CitemeterError, InputError
from citemeter.evaluate import METRICS, STREAM_LIMIT, Evaluation, Scored
from citemeter.io import FieldMap, PlacedRecord, parse_fields, read_records
from citemeter.models import Response
from citemeter.report.terminal import render_parse, render_report, render_response
from citemeter.results import RecordError, Report, ResponseResult
from citemeter.text.parse import ParseOptions, parse_response

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["app", "main"]

PASSED, UNDER_THE_BAR, BAD_INPUT = 0, 1, 2
_SHOWN_ERRORS = 10

app = typer.Typer(
    name="citemeter",
    help="Measure whether the citations in answers hold.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class OutputFormat(StrEnum):
    """What ``score`` prints."""

    table = "table"
    json = "json"


class Extra(StrEnum):
    """What becomes of unknown fields."""

    error = "error"
    metadata = "metadata"
    drop = "drop"


Files = Annotated[
    list[str],
    typer.Argument(help="JSONL, JSON or CSV files; - is standard input.", metavar="FILE..."),
]
JudgeOption = Annotated[
    str,
    typer.Option(
        help="What decides entailment: lexical, toy:contains, toy:keyword=TEXT, "
        "package.module:attribute, or none."
    ),
]
ProtocolOption = Annotated[str, typer.Option(help="The rule set: alce or alce-script.")]
SegmenterOption = Annotated[str, typer.Option(help="What cuts sentences: nupunkt, punkt or line.")]
StyleOption = Annotated[
    str, typer.Option(help="Which markers are citations, such as numeric or numeric+url.")
]
AttachOption = Annotated[
    str, typer.Option(help="Where a marker after a full stop belongs: previous or next.")
]
NumberingOption = Annotated[
    int | None,
    typer.Option(help="0 or 1 if numbers count the sources; left out, numbers are ids."),
]
WorthinessOption = Annotated[
    str, typer.Option(help="The rule that says which statements need a citation.")
]
FieldOption = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        help="Another name for a field, as in answer=output, sources=docs or sources.text=body.",
        metavar="OURS=THEIRS",
    ),
]
ExtraOption = Annotated[
    Extra, typer.Option("--extra-fields", help="What becomes of fields citemeter does not know.")
]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


@app.command()
def score(
    files: Files,
    judge: JudgeOption = "lexical",
    protocol: ProtocolOption = "alce",
    segmenter: SegmenterOption = "nupunkt",
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
) -> None:
    """Score the citations of the answers in FILES.

    Exit codes: 0 passed, 1 under the bar of --fail-under, 2 bad input.
    """
    bars = _bars(fail_under or [])
    keep = out is not None or output is OutputFormat.json
    evaluation = Evaluation(
        None if judge == "none" else judge,
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
        remember=None if keep else STREAM_LIMIT,
    )
    unknown = sorted(set(bars) - set(evaluation.metrics))
    if unknown:
        raise InputError(
            f"--fail-under names {unknown[0]!r}, which this run does not compute.",
            mend=f"use one of {', '.join(evaluation.metrics)}.",
        )
    records = read_records(files, _field_map(field, extra_fields))
    results = _with_progress(evaluation.run(records, strict=strict))
    report = evaluation.report([scored.result() for scored in results if keep])
    if out is not None:
        _write(out, report.model_dump_json(indent=1))
    _show_errors(report)
    if output is OutputFormat.json:
        typer.echo(report.model_dump_json())
    else:
        typer.echo(render_report(report, **_looks()), nl=False)
    if not report.responses["scored"]:
        _say("no record could be scored" if report.errors else "there is no record")
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(_judge_bars(report, bars))


@app.command()
def explain(
    files: Files,
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
    judge: JudgeOption = "lexical",
    protocol: ProtocolOption = "alce",
    segmenter: SegmenterOption = "nupunkt",
    style: StyleOption = "auto",
    attach: AttachOption = "previous",
    numbering: NumberingOption = None,
    worthiness: WorthinessOption = "default",
    field: FieldOption = None,
    extra_fields: ExtraOption = Extra.error,
) -> None:
    """Print one response: each statement's state, each citation's verdict and why.

    FILES are records, or a report that `score --out` wrote. Without --id or --index, the first
    response is shown.
    """
    fields = _field_map(field, extra_fields)
    result = _from_report(files, id, index)
    if result is None:
        evaluation = Evaluation(
            None if judge == "none" else judge,
            protocol,
            style=style,
            segmenter=segmenter,
            attach=attach,  # type: ignore[arg-type]
            numbering=numbering,  # type: ignore[arg-type]
            worthiness=worthiness,
        )
        record = _pick(read_records(files, fields), id, index)
        result = next(evaluation.run([record], strict=True)).result()
    typer.echo(render_response(result, **_looks()), nl=False)


@app.command()
def parse(
    file: Annotated[
        str, typer.Argument(help="Records, or an answer as .txt or .md; - is standard input.")
    ],
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
    source_ids: Annotated[
        str | None, typer.Option(help="The known ids of a bare answer, separated by commas.")
    ] = None,
    segmenter: SegmenterOption = "nupunkt",
    style: StyleOption = "auto",
    attach: AttachOption = "previous",
    numbering: NumberingOption = None,
    worthiness: WorthinessOption = "default",
    streaming: Annotated[
        bool, typer.Option("--streaming", help="Hold back an unfinished marker at the end.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the parsed record.")] = False,
    field: FieldOption = None,
    extra_fields: ExtraOption = Extra.error,
) -> None:
    """Show how an answer is cut into statements and citations."""
    options = ParseOptions(
        segmenter=segmenter,
        style=style,
        attach=attach,  # type: ignore[arg-type]
        numbering=numbering,  # type: ignore[arg-type]
        worthiness=worthiness,
        streaming=streaming,
    )
    if source_ids is not None or Path(file).suffix.lower() in (".txt", ".md"):
        ids = [source_id for source_id in (source_ids or "").split(",") if source_id]
        response = Response.from_record(
            {"answer": _read_text(file), "sources": dict.fromkeys(ids, "")}
        )
    else:
        record = _pick(read_records([file], _field_map(field, extra_fields)), id, index)
        response = Response.from_record(record, record.place)
    if response.answer is not None:
        response = parse_response(response, options)
    if as_json:
        typer.echo(response.model_dump_json(indent=1))
    else:
        typer.echo(render_parse(response, **_looks()), nl=False)


def _field_map(options: list[str] | None, extra: Extra) -> FieldMap:
    return FieldMap(parse_fields(options or []), extra.value)


def _bars(options: list[str]) -> dict[str, float]:
    bars: dict[str, float] = {}
    for option in options:
        name, _, value = option.partition("=")
        try:
            if name not in METRICS or not isfinite(float(value)):
                raise ValueError(name)
            bars[name] = float(value)
        except ValueError:
            raise InputError(
                f"cannot read --fail-under {option!r}.",
                mend=f"write METRIC=NUMBER with a metric of {', '.join(METRICS)}.",
            ) from None
    return bars


def _judge_bars(report: Report, bars: dict[str, float]) -> int:
    code = PASSED
    for name, bar in bars.items():
        summary = report.metrics[name]
        value = summary.macro
        if value is None:
            _say(f"under the bar: {name} is undefined, {bar} was asked")
        elif value > bar if summary.lower_is_better else value < bar:
            side = "above" if summary.lower_is_better else "below"
            _say(f"under the bar: {name} is {value:.4f}, {side} {bar}")
        else:
            continue
        code = UNDER_THE_BAR
    return code


def _pick(
    records: Iterator[PlacedRecord | RecordError], wanted: str | None, index: int | None
) -> PlacedRecord:
    """Return the record asked for; the first one by default."""
    for position, record in enumerate(records):
        if isinstance(record, RecordError):
            if wanted is None and position == (index or 0):
                raise InputError(record.message)
            continue
        if (wanted is not None and str(record.get("id")) == wanted) or (
            wanted is None and position == (index or 0)
        ):
            return record
    asked = f"id {wanted!r}" if wanted is not None else f"position {index or 0}"
    raise InputError(f"no record has {asked}.", mend="look the ids up in the file.")


def _from_report(files: list[str], wanted: str | None, index: int | None) -> ResponseResult | None:
    """Return a response of a report written earlier, or ``None`` if the file is none."""
    if len(files) != 1 or Path(files[0]).suffix != ".json":
        return None
    text = _read_text(files[0])
    if '"signature"' not in text[:200]:
        return None
    report = Report.model_validate_json(text)
    for position, result in enumerate(report.results):
        if result.id == wanted or (wanted is None and position == (index or 0)):
            return result
    raise InputError("the report has no such response.", mend="check --id or --index.")


def _read_text(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {file}: {error}.", mend="check the path.") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}.", mend="check the path."
        ) from None


def _with_progress(results: Iterator[Scored]) -> Iterator[Scored]:
    """Count the results on a terminal's standard error; stay silent in a pipe."""
    if not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    progress: Progress
    with Progress(
        TextColumn("scoring"),
        BarColumn(),
        TextColumn("{task.completed} responses"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task("scoring", total=None)
        for result in results:
            progress.advance(task)
            yield result


def _show_errors(report: Report) -> None:
    for error in report.errors[:_SHOWN_ERRORS]:
        _say(error.message)
    more = report.responses["failed"] - _SHOWN_ERRORS
    if more > 0:
        _say(f"... and {more} more records like these; --out has them all")


def _looks() -> dict[str, Any]:
    from shutil import get_terminal_size

    return {"width": min(get_terminal_size((100, 24)).columns, 160), "color": sys.stdout.isatty()}


def _say(message: str) -> None:
    typer.echo(f"citemeter: {message}", err=True)


def main() -> None:
    """Run the command line; citemeter's own errors end it with code 2 and their message."""
    try:
        app()
    except CitemeterError as error:
        _say(str(error))
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
