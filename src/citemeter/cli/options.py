"""Options that several commands share: each bundle is declared once and built into one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field, dataclass, fields
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from citemeter.evaluation.settings import Group, Settings
from citemeter.io import FieldMap, parse_fields
from citemeter.judges import Judge, load_judge


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


AllowUnjudged = Annotated[
    bool, typer.Option("--allow-unjudged", help="Do not exit with 3 where the judge failed.")
]


def with_options(
    **bundles: Callable[..., Any],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of bundles; it takes what they build, under these names.

    Args:
        bundles: Callables whose parameters are options, by the name of the command's parameter.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        options = {name: _options(bundle) for name, bundle in bundles.items()}
        shared = [option for some in options.values() for option in some]
        own = [option for option in _options(command) if option.name not in bundles]
        first = [option for option in own if option.default is option.empty]
        rest = [option for option in own if option.default is not option.empty]

        @wraps(command)
        def run(**values: Any) -> None:
            for name, bundle in bundles.items():
                taken = {option.name: values.pop(option.name) for option in options[name]}
                values[name] = bundle(**taken)
            command(**values)

        parameters = [*first, *shared, *rest]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _options(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    return [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in parameters]


def settings_options(*groups: Group) -> Callable[..., Settings]:
    """Return a bundle of the choices of ``Settings``, in the given groups or in all."""

    def build(**values: Any) -> Settings:
        return Settings.of(values)

    choices = [c for c in Settings.choices(*groups) if c.metadata["command_line"]]
    build.__signature__ = inspect.Signature(list(map(_option, choices)))  # type: ignore[attr-defined]
    return build


def _option(choice: Field[Any]) -> inspect.Parameter:
    kind = choice.metadata["command_line"]
    names = (f"--{choice.name.replace('_', '-')}",) if kind is bool else ()
    return inspect.Parameter(
        choice.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=choice.default,
        annotation=Annotated[
            kind | None if choice.default is None else kind,
            typer.Option(*names, help=choice.metadata["text"]),
        ],
    )


@dataclass(frozen=True)
class JudgeOptions:
    """A judge as the command line describes it; as a bundle, its options.

    Args:
        judge: What ``load_judge`` reads, or ``none``.
        threshold: See ``load_judge``, as for the others.
        device: Where a model runs.
        batch_size: Pairs read at once.
        concurrency: Calls at once.
        long_premise: What is done with a long premise.
        window: Tokens read at a time.
        cache: The file that keeps verdicts.
    """

    judge: Annotated[
        str,
        typer.Option(
            help="What decides entailment: embedded, lexical, nli:MODEL, llm:MODEL@URL, "
            "recorded:FILE, toy:contains, toy:keyword=TEXT, package.module:attribute, or none."
        ),
    ] = "embedded"
    threshold: Annotated[
        float | None, typer.Option(help="The score from which a pair is supported.")
    ] = None
    device: Annotated[
        str | None, typer.Option(help="Where an nli model runs: cpu, cuda, cuda:1, mps.")
    ] = None
    batch_size: Annotated[
        int | None,
        typer.Option(help="Pairs an nli model reads at once; by default by a budget of tokens."),
    ] = None
    concurrency: Annotated[
        int | None,
        typer.Option(
            help="Calls to an llm endpoint under way at once; pairs that embedded reads at once."
        ),
    ] = None
    long_premise: Annotated[
        str | None,
        typer.Option(help="What an nli model does with a long premise: chunk, truncate or error."),
    ] = None
    window: Annotated[
        int | None, typer.Option(help="Tokens of a premise that an nli model reads at a time.")
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(help="Keep verdicts in this file, so that no pair is judged twice."),
    ] = None

    def load(self) -> Judge | None:
        """Return the judge; ``none`` is none."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "judge"}
        return None if self.judge == "none" else load_judge(self.judge, **options)


def field_options(
    field: Annotated[
        list[str] | None,
        typer.Option(
            help="Another name for a field, as in answer=output, sources=docs or "
            "sources.text=body.",
            metavar="OURS=THEIRS",
        ),
    ] = None,
    extra_fields: Annotated[
        Extra, typer.Option(help="What becomes of fields citemeter does not know.")
    ] = Extra.error,
) -> FieldMap:
    """Other names for fields, as a bundle."""
    return FieldMap(parse_fields(field or []), extra_fields.value)
