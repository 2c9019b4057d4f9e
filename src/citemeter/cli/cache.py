"""``citemeter cache``: what a cache of verdicts holds, and how to export or clear it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from citemeter.cli.console import lines_to, looks, say
from citemeter.errors import InputError
from citemeter.judges.cache import JudgeRow, VerdictStore
from citemeter.report.terminal import rendered

app = typer.Typer(
    name="cache",
    help="Look into a file of kept verdicts, export or clear it.",
    no_args_is_help=True,
)

CacheFile = Annotated[
    Path, typer.Argument(help="A file that --cache wrote.", metavar="FILE", show_default=False)
]
OfJudge = Annotated[
    str | None,
    typer.Option("--judge", help="Only of this judge: its line in stats, or the start of it."),
]


@app.command()
def stats(
    file: CacheFile,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print how many verdicts are kept of each judge."""
    with VerdictStore(file) as store:
        rows, size = store.stats(), store.size
    if as_json:
        typer.echo(json.dumps({"bytes": size, "judges": [row._asdict() for row in rows]}, indent=1))
        return
    typer.echo(_table(rows, **looks()), nl=False)
    pairs = sum(row.pairs for row in rows)
    typer.echo(f"{pairs} verdicts of {len(rows)} judges, {_size(size)} on disk")


@app.command()
def export(
    file: CacheFile,
    judge: OfJudge = None,
    out: Annotated[
        Path, typer.Option(help="Write here; - is standard output.", show_default=True)
    ] = Path("-"),
) -> None:
    """Write the verdicts with their texts as JSON Lines, which the judge recorded:FILE replays."""
    count = 0
    with VerdictStore(file) as store, lines_to(out) as lines:
        for record in store.export(_key(store, judge)):
            print(json.dumps(record), file=lines)
            count += 1
    say(f"{count} verdicts exported")


@app.command()
def clear(
    file: CacheFile,
    judge: OfJudge = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before deleting.")] = False,
) -> None:
    """Delete the verdicts of one judge, or all of them."""
    with VerdictStore(file) as store:
        key = _key(store, judge)
        count = store.count(key)
        if count and not yes:
            typer.confirm(f"delete {count} verdicts from {file}?", abort=True)
        say(f"{store.clear(key)} verdicts deleted")


def _key(store: VerdictStore, wanted: str | None) -> str | None:
    """Return the key of the one judge whose line begins as given.

    Raises:
        InputError: If none or several do.
    """
    if wanted is None:
        return None
    rows = store.stats()
    found = [row for row in rows if row.judge == wanted] or [
        row for row in rows if row.judge.startswith(wanted)
    ]
    if len(found) != 1:
        known = "; ".join(row.judge for row in rows) or "none"
        raise InputError(
            f"{len(found)} judges of this cache begin with {wanted!r}.",
            fix=f"give the start of exactly one of: {known}.",
        )
    return found[0].key


def _table(rows: list[JudgeRow], *, width: int, color: bool) -> str:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("judge", overflow="fold")
    for name in ("verdicts", "supported", "texts", "first used", "last used"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.judge,
            str(row.pairs),
            f"{row.supported / row.pairs:.1%}" if row.pairs else "–",
            _size(row.bytes),
            _day(row.first_used),
            _day(row.last_used),
        )
    return rendered(lambda console: console.print(table), width, color)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
