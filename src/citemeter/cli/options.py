"""The options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from citemeter.io import FieldMap, parse_fields
from citemeter.judges import Judge, load_judge

__all__ = [
    "AttachOption",
    "BatchSizeOption",
    "CacheOption",
    "ConcurrencyOption",
    "DeviceOption",
    "Extra",
    "ExtraOption",
    "FieldOption",
    "Files",
    "JudgeOption",
    "LongPremiseOption",
    "NumberingOption",
    "OutputFormat",
    "ProtocolOption",
    "SegmenterOption",
    "StyleOption",
    "ThresholdOption",
    "WindowOption",
    "WorthinessOption",
    "field_map",
    "judge_of",
]


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
        help="What decides entailment: embedded, lexical, nli:MODEL, llm:MODEL@URL, recorded:FILE, "
        "toy:contains, toy:keyword=TEXT, package.module:attribute, or none."
    ),
]
ThresholdOption = Annotated[
    float | None, typer.Option(help="The score from which a pair is supported.")
]
DeviceOption = Annotated[
    str | None, typer.Option(help="Where an nli model runs: cpu, cuda, cuda:1, mps.")
]
BatchSizeOption = Annotated[
    int | None,
    typer.Option(help="Pairs an nli model reads at once; by default by a budget of tokens."),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option(
        help="Calls to an llm endpoint under way at once; pairs that embedded reads at once."
    ),
]
LongPremiseOption = Annotated[
    str | None,
    typer.Option(help="What an nli model does with a long premise: chunk, truncate or error."),
]
WindowOption = Annotated[
    int | None, typer.Option(help="Tokens of a premise that an nli model reads at a time.")
]
CacheOption = Annotated[
    Path | None,
    typer.Option(help="Keep verdicts in this file, so that no pair is judged twice."),
]
ProtocolOption = Annotated[str, typer.Option(help="The rule set: alce or alce-script.")]
SegmenterOption = Annotated[
    str, typer.Option(help="What cuts sentences: citemeter, punkt or line.")
]
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


def field_map(options: list[str] | None, extra: Extra) -> FieldMap:
    """Return the names of fields that the options give."""
    return FieldMap(parse_fields(options or []), extra.value)


def judge_of(
    spec: str,
    *,
    threshold: float | None,
    device: str | None,
    batch_size: int | None,
    concurrency: int | None,
    long_premise: str | None,
    window: int | None,
    cache: Path | None,
) -> Judge | None:
    """Return the judge that the options describe; ``none`` is none."""
    if spec == "none":
        return None
    return load_judge(
        spec,
        threshold=threshold,
        device=device,
        batch_size=batch_size,
        concurrency=concurrency,
        long_premise=long_premise,
        window=window,
        cache=cache,
    )
