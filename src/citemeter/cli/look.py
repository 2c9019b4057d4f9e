"""``citemeter explain`` and ``citemeter parse``: one response, looked at closely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from citemeter.cli.console import looks, read_text
from citemeter.cli.options import Files, JudgeOptions, field_options, settings_options, with_options
from citemeter.cli.progress import resumable
from citemeter.errors import InputError
from citemeter.evaluation.engine import Run
from citemeter.evaluation.settings import Settings
from citemeter.io import FieldMap, PlacedRecord, read_records
from citemeter.models import Response
from citemeter.report.terminal import render_parse, render_response
from citemeter.results import RecordError, Report, ResponseResult
from citemeter.text.parse import parse_response
from citemeter.validation import input_error


@with_options(chosen=JudgeOptions, settings=settings_options(), fields=field_options)
def explain(
    files: Files,
    chosen: JudgeOptions,
    settings: Settings,
    fields: FieldMap,
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
) -> None:
    """Print one response: each statement's state, each citation's verdict and why.

    FILES are records, or a report that `score --out` wrote. Without --id or --index, the first
    response is shown.
    """
    result = _from_report(files, id, index)
    if result is None:
        judge = chosen.load()
        run = Run(settings, judge)
        record = _pick(read_records(files, fields), id, index)
        with resumable(judge, chosen.cache):
            [result] = run.score([record], strict=True)
    typer.echo(render_response(result, **looks()), nl=False)


@with_options(settings=settings_options("parsing"), fields=field_options)
def parse(
    file: Annotated[
        str, typer.Argument(help="Records, or an answer as .txt or .md; - is standard input.")
    ],
    settings: Settings,
    fields: FieldMap,
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
    source_ids: Annotated[
        str | None, typer.Option(help="The known ids of a bare answer, separated by commas.")
    ] = None,
    streaming: Annotated[
        bool, typer.Option("--streaming", help="Hold back an unfinished marker at the end.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the parsed record.")] = False,
) -> None:
    """Show how an answer is cut into statements and citations."""
    if source_ids is not None or Path(file).suffix.lower() in (".txt", ".md"):
        ids = [source_id for source_id in (source_ids or "").split(",") if source_id]
        response = Response.from_record(
            {"answer": read_text(file), "sources": dict.fromkeys(ids, "")}
        )
    else:
        record = _pick(read_records([file], fields), id, index)
        response = Response.from_record(record, record.place)
    if response.answer is not None:
        response = parse_response(response, replace(settings.parsing, streaming=streaming))
    if as_json:
        typer.echo(response.model_dump_json(indent=1))
    else:
        typer.echo(render_parse(response, **looks()), nl=False)


def _pick(
    records: Iterator[PlacedRecord | RecordError], wanted: str | None, index: int | None
) -> PlacedRecord:
    """Return the record asked for; the first one by default."""
    for position, record in enumerate(records):
        here = wanted is None and position == (index or 0)
        if isinstance(record, RecordError):
            if here:
                raise InputError(record.message)
        elif here or (wanted is not None and str(record.get("id")) == wanted):
            return record
    asked = f"id {wanted!r}" if wanted is not None else f"position {index or 0}"
    raise InputError(f"no record has {asked}.", fix="look the ids up in the file.")


def _from_report(files: list[str], wanted: str | None, index: int | None) -> ResponseResult | None:
    """Return a response of a report written earlier, or ``None`` if the file is none."""
    if len(files) != 1 or Path(files[0]).suffix != ".json":
        return None
    text = read_text(files[0])
    if '"signature"' not in text[:200]:
        return None
    try:
        report = Report.model_validate_json(text)
    except ValidationError as error:
        raise input_error(error, Report, files[0]) from None
    for position, result in enumerate(report.results):
        if result.id == wanted or (wanted is None and position == (index or 0)):
            return result
    raise InputError("the report has no such response.", fix="check --id or --index.")
