"""``citemeter explain`` and ``citemeter parse``: one response, looked at closely."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from citemeter.cli.console import looks, read_text
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
    ProtocolOption,
    SegmenterOption,
    StyleOption,
    ThresholdOption,
    WindowOption,
    WorthinessOption,
    field_map,
    judge_of,
)
from citemeter.cli.progress import resumable
from citemeter.errors import InputError
from citemeter.evaluation.score import Evaluation
from citemeter.io import PlacedRecord, read_records
from citemeter.models import Response
from citemeter.report.terminal import render_parse, render_response
from citemeter.results import RecordError, Report, ResponseResult
from citemeter.text.parse import ParseOptions, parse_response

__all__ = ["explain", "parse"]


def explain(
    files: Files,
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
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
    field: FieldOption = None,
    extra_fields: ExtraOption = Extra.error,
) -> None:
    """Print one response: each statement's state, each citation's verdict and why.

    FILES are records, or a report that `score --out` wrote. Without --id or --index, the first
    response is shown.
    """
    fields = field_map(field, extra_fields)
    result = _from_report(files, id, index)
    if result is None:
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
            attach=attach,  # type: ignore[arg-type]
            numbering=numbering,  # type: ignore[arg-type]
            worthiness=worthiness,
        )
        record = _pick(read_records(files, fields), id, index)
        with resumable(loaded, cache):
            result = next(evaluation.run([record], strict=True)).result()
    typer.echo(render_response(result, **looks()), nl=False)


def parse(
    file: Annotated[
        str, typer.Argument(help="Records, or an answer as .txt or .md; - is standard input.")
    ],
    id: Annotated[str | None, typer.Option(help="The response's id.")] = None,  # noqa: A002
    index: Annotated[int | None, typer.Option(help="Or its position, from 0.")] = None,
    source_ids: Annotated[
        str | None, typer.Option(help="The known ids of a bare answer, separated by commas.")
    ] = None,
    segmenter: SegmenterOption = "citemeter",
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
            {"answer": read_text(file), "sources": dict.fromkeys(ids, "")}
        )
    else:
        record = _pick(read_records([file], field_map(field, extra_fields)), id, index)
        response = Response.from_record(record, record.place)
    if response.answer is not None:
        response = parse_response(response, options)
    if as_json:
        typer.echo(response.model_dump_json(indent=1))
    else:
        typer.echo(render_parse(response, **looks()), nl=False)


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
    raise InputError(f"no record has {asked}.", fix="look the ids up in the file.")


def _from_report(files: list[str], wanted: str | None, index: int | None) -> ResponseResult | None:
    """Return a response of a report written earlier, or ``None`` if the file is none."""
    if len(files) != 1 or Path(files[0]).suffix != ".json":
        return None
    text = read_text(files[0])
    if '"signature"' not in text[:200]:
        return None
    report = Report.model_validate_json(text)
    for position, result in enumerate(report.results):
        if result.id == wanted or (wanted is None and position == (index or 0)):
            return result
    raise InputError("the report has no such response.", fix="check --id or --index.")
