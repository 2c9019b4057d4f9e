"""What every command shares: exit codes, messages, files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from citemeter.errors import InputError
from citemeter.results import RecordError

PASSED, UNDER_THE_BAR, BAD_INPUT, UNJUDGED, INTERRUPTED = 0, 1, 2, 3, 130

_SHOWN_ERRORS = 10


def say(message: str) -> None:
    """Print a message on standard error."""
    typer.echo(f"citemeter: {message}", err=True)


def show_errors(errors: Sequence[RecordError], count: int, hint: str = "") -> None:
    """Print what is wrong with the first records that could not be used, and how many more."""
    for error in errors[:_SHOWN_ERRORS]:
        say(error.message)
    if count > _SHOWN_ERRORS:
        say(f"... and {count - _SHOWN_ERRORS} more records like these{hint}")


def judge_failures(pairs: Mapping[str, int], allowed: bool) -> int:
    """Print on how many pairs the judge failed, unless that is allowed; return the exit code."""
    if allowed or not pairs["failed"]:
        return PASSED
    say(
        f"the judge failed on {pairs['failed']} of {pairs['judged']} pairs; "
        "--allow-unjudged accepts that"
    )
    return UNJUDGED


def looks() -> dict[str, Any]:
    """Return the width and whether to use colours, as the renderers take them."""
    from shutil import get_terminal_size

    return {"width": min(get_terminal_size((100, 24)).columns, 160), "color": sys.stdout.isatty()}


def read_text(file: str) -> str:
    """Read a file, or standard input for ``-``."""
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {file}: {error}.", fix="check the path.") from None


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    try:
        return json.loads(read_text(str(path)))
    except ValueError as error:
        raise InputError(f"{path} is no JSON ({error}).", fix="check the file.") from None


def write_text(path: Path, text: str) -> None:
    """Write a file."""
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}.", fix="check the path.") from None


@contextmanager
def lines_to(path: Path | None) -> Iterator[TextIO | None]:
    """Open a file to write lines into; ``-`` is standard output, ``None`` nothing."""
    if path is None:
        yield None
    elif str(path) == "-":
        yield sys.stdout
    else:
        try:
            file = path.open("w", encoding="utf-8", errors="surrogatepass")
        except OSError as error:
            raise InputError(
                f"cannot write {path}: {error.strerror}.", fix="check the path."
            ) from None
        with file:
            yield file
