"""The command line: arguments and printing, nothing else."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from citemeter._version import __version__
from citemeter.cli import cache, judge, look, score
from citemeter.cli.console import BAD_INPUT, say
from citemeter.errors import CitemeterError

__all__ = ["app", "main"]

app = typer.Typer(
    name="citemeter",
    help="Measure whether the citations in answers hold.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


for _command in (score.score, look.explain, look.parse, judge.judge):
    app.command()(_command)
app.add_typer(cache.app)


def main() -> None:
    """Run the command line; citemeter's own errors end it with code 2 and their message."""
    try:
        app()
    except CitemeterError as error:
        say(str(error))
        sys.exit(BAD_INPUT)
