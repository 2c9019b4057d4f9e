"""``citemeter judge``: bare pairs, and how often the judge agrees with people's labels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from citemeter.cli.console import BAD_INPUT, judge_failures, lines_to, looks, say, show_errors
from citemeter.cli.options import AllowUnjudged, Files, JudgeOptions, OutputFormat, with_options
from citemeter.cli.progress import judging, resumable
from citemeter.errors import InputError
from citemeter.evaluation.pairs import Judging, LabelledPair, judge_pairs, read_pairs
from citemeter.files import count_objects
from citemeter.io import parse_fields
from citemeter.judges.asking import JudgeSession
from citemeter.report.judging import render_judging
from citemeter.results import RecordError
from citemeter.verdicts import Verdict


@with_options(chosen=JudgeOptions)
def judge(
    files: Files,
    chosen: JudgeOptions,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field",
            help="Another name for a column, as in premise=evidence.",
            metavar="OURS=THEIRS",
        ),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(help="The field with people's labels, to compare the judge with."),
    ] = None,
    fit_threshold: Annotated[
        bool,
        typer.Option(
            "--fit-threshold", help="Print the threshold that agrees best with the labels."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write pairs and verdicts as JSON Lines; - is standard output."),
    ] = None,
    output: Annotated[
        OutputFormat, typer.Option("--format", help="How to print the summary.")
    ] = OutputFormat.table,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first record that is no pair.")
    ] = False,
    allow_unjudged: AllowUnjudged = False,
) -> None:
    """Judge bare pairs of a premise and a hypothesis in FILES.

    Exit codes: 0 passed, 2 bad input, 3 the judge failed on some pairs, 130 interrupted.
    """
    if fit_threshold and gold is None:
        raise InputError("--fit-threshold needs labels.", fix="name their field with --gold.")
    loaded = chosen.load()
    if loaded is None:
        raise InputError("there is no judge to ask.", fix="leave out --judge none.")
    session = JudgeSession(loaded, limit=1 << 18)
    found = Judging(session, gold=gold is not None)
    errors: list[RecordError] = []

    def readable() -> Iterator[LabelledPair]:
        for item in read_pairs(files, parse_fields(field or []), gold):
            if not isinstance(item, RecordError):
                yield item
            elif strict:
                raise InputError(item.message)
            else:
                errors.append(item)

    with (
        resumable(loaded, chosen.cache),
        judging(session, count_objects(files)),
        lines_to(out) as file,
    ):
        for pair, verdict in judge_pairs(readable(), session):
            found.add(pair, verdict)
            if file is not None:
                row = _row(pair, verdict, labelled=gold is not None)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        summary = found.summary(fit_threshold=fit_threshold)
    show_errors(errors, len(errors))
    if str(out) != "-":
        if output is OutputFormat.json:
            typer.echo(summary.model_dump_json(indent=1))
        else:
            typer.echo(render_judging(summary, **looks()), nl=False)
    if not summary.pairs["needed"]:
        say("no record is a pair" if errors else "there is no pair")
        raise typer.Exit(BAD_INPUT)
    raise typer.Exit(judge_failures(summary.pairs, allow_unjudged))


def _row(pair: LabelledPair, verdict: Verdict, *, labelled: bool) -> dict[str, Any]:
    premise, hypothesis = pair.pair
    row: dict[str, Any] = {"id": pair.id, "premise": premise, "hypothesis": hypothesis}
    if labelled:
        row["gold"] = pair.gold
    return row | verdict.model_dump(exclude_none=True) | {"supported": verdict.supported}
