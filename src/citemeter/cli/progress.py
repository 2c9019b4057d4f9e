"""What is shown while a judge works, and what is left when it is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import typer

from citemeter.cli.console import INTERRUPTED, say
from citemeter.evaluation.engine import Run
from citemeter.judges.asking import JudgeSession
from citemeter.judges.base import Judge

if TYPE_CHECKING:
    from rich.progress import Progress

_OFTEN = 0.1  # seconds between two looks at the counts


@contextmanager
def resumable(judge: Judge | None, cache: Path | None) -> Iterator[None]:
    """Close the judge at the end; if interrupted, say what is kept and how to go on."""
    try:
        yield
        if cache is not None:
            say(_found(judge, cache))
    except KeyboardInterrupt:
        if cache is None:
            say("interrupted; nothing is kept: give --cache FILE to go on where it stops")
        else:
            say(
                f"interrupted; the verdicts given so far are in {cache}: run the same command "
                "again to go on from there"
            )
        raise typer.Exit(INTERRUPTED) from None
    finally:
        if judge is not None:
            judge.close()


def _found(judge: Judge | None, cache: Path) -> str:
    """Say how many verdicts came from the cache, and what it holds now."""
    from citemeter.judges.cache import CachedJudge

    if not isinstance(judge, CachedJudge) or judge.hit_rate is None:
        return f"the cache {cache} was not asked"
    asked = judge.hits + judge.misses
    return (
        f"of the cache {cache}, {judge.hits} of {asked} pairs were there ({judge.hit_rate:.1%}); "
        f"it holds {judge.size} verdicts of this judge"
    ).replace("%)", " %)")


@contextmanager
def scoring(run: Run, records: int | None) -> Iterator[None]:
    """Count pairs on a terminal while responses are scored; stay silent in a pipe.

    Args:
        run: The run; how many pairs it will need is estimated from those it needed so far.
        records: How many records there are, if known.
    """
    session = run.session
    if session is None:
        yield  # nothing is asked of a judge, so it does not take long
        return

    def expected() -> float | None:
        begun = run.begun
        return (session.judged + session.waiting) * max(1.0, records / begun) if records else None

    with _counting(session, expected):
        yield


@contextmanager
def judging(session: JudgeSession, pairs: int | None) -> Iterator[None]:
    """Count pairs on a terminal while bare pairs are judged; stay silent in a pipe."""
    with _counting(session, lambda: pairs):
        yield


@contextmanager
def _counting(session: JudgeSession, expected: Callable[[], float | None]) -> Iterator[None]:
    if not sys.stderr.isatty():
        yield
        return
    with _bar() as progress:
        task = progress.add_task("judging", total=None)
        looked = 0.0

        def look() -> None:
            nonlocal looked
            now = monotonic()
            if now - looked >= _OFTEN:
                looked = now
                progress.update(task, completed=session.judged, total=expected())

        session.on_verdict = look
        yield


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Pairs(ProgressColumn):
        """Pairs judged, about how many there are, and how many a second."""

        def render(self, task: Task) -> Text:
            of = "" if task.total is None else f" of about {task.total:,.0f}"
            rate = "" if not task.speed else f", {task.speed:,.1f}/s"
            return Text(f"{task.completed:,.0f}{of} pairs{rate}")

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        Pairs(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
