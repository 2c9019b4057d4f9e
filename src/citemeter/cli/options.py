"""Options that several commands share: each bundle is declared once and built into one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Protocol, get_type_hints

import typer

from citemeter.evaluation.settings import Group, Settings
from citemeter.io import FieldMap, parse_fields
from citemeter.judges import Judge, load_judge

__all__ = [
    "Extra",
    "FieldOptions",
    "Files",
    "JudgeOptions",
    "OutputFormat",
    "SettingsOptions",
    "with_options",
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


class Bundle(Protocol):
    """Options that belong together."""

    def parameters(self) -> list[inspect.Parameter]:
        """Return them as parameters that typer reads."""

    def build(self, values: Mapping[str, Any]) -> Any:
        """Return what a command is given in their place."""


def with_options(**bundles: Bundle) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of bundles; it takes what they build, under these names.

    Args:
        bundles: The bundles by the name of the command's parameter.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        options = {name: bundle.parameters() for name, bundle in bundles.items()}
        shared = [option for some in options.values() for option in some]
        hints = get_type_hints(command, include_extras=True)
        own = [
            parameter.replace(annotation=hints[parameter.name])
            for parameter in inspect.signature(command).parameters.values()
            if parameter.name not in bundles
        ]
        first = [p.replace(kind=p.KEYWORD_ONLY) for p in own if p.default is p.empty]
        rest = [p.replace(kind=p.KEYWORD_ONLY) for p in own if p.default is not p.empty]

        @wraps(command)
        def run(**values: Any) -> None:
            for name, bundle in bundles.items():
                taken = {option.name: values.pop(option.name) for option in options[name]}
                values[name] = bundle.build(taken)
            command(**values)

        parameters = [*first, *shared, *rest]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        return run

    return decorate


def _option(name: str, type_: Any, default: Any, text: str) -> inspect.Parameter:
    names = (f"--{name.replace('_', '-')}",) if type_ is bool else ()
    optional = type_ | None if default is None else type_
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[optional, typer.Option(*names, help=text)],
    )


class SettingsOptions:
    """The choices of ``Settings``, built into one.

    Args:
        groups: Which groups of choices the command takes.
    """

    def __init__(self, *groups: Group) -> None:
        self._choices: list[Field[Any]] = [
            choice for choice in Settings.choices(*groups) if choice.metadata["command_line"]
        ]

    def parameters(self) -> list[inspect.Parameter]:
        """Return an option a choice."""
        return [
            _option(c.name, c.metadata["command_line"], c.default, c.metadata["text"])
            for c in self._choices
        ]

    def build(self, values: Mapping[str, Any]) -> Settings:
        """Return the settings."""
        return Settings.of(values)


def _about(text: str, type_: Any) -> Mapping[str, Any]:
    return {"text": text, "type": type_}


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

    judge: str = field(
        default="embedded",
        metadata=_about(
            "What decides entailment: embedded, lexical, nli:MODEL, llm:MODEL@URL, recorded:FILE, "
            "toy:contains, toy:keyword=TEXT, package.module:attribute, or none.",
            str,
        ),
    )
    threshold: float | None = field(
        default=None, metadata=_about("The score from which a pair is supported.", float)
    )
    device: str | None = field(
        default=None, metadata=_about("Where an nli model runs: cpu, cuda, cuda:1, mps.", str)
    )
    batch_size: int | None = field(
        default=None,
        metadata=_about("Pairs an nli model reads at once; by default by a budget of tokens.", int),
    )
    concurrency: int | None = field(
        default=None,
        metadata=_about(
            "Calls to an llm endpoint under way at once; pairs that embedded reads at once.", int
        ),
    )
    long_premise: str | None = field(
        default=None,
        metadata=_about(
            "What an nli model does with a long premise: chunk, truncate or error.", str
        ),
    )
    window: int | None = field(
        default=None, metadata=_about("Tokens of a premise that an nli model reads at a time.", int)
    )
    cache: Path | None = field(
        default=None,
        metadata=_about("Keep verdicts in this file, so that no pair is judged twice.", Path),
    )

    def load(self) -> Judge | None:
        """Return the judge; ``none`` is none."""
        options = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "judge"}
        return None if self.judge == "none" else load_judge(self.judge, **options)

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options."""
        return [
            _option(f.name, f.metadata["type"], f.default, f.metadata["text"]) for f in fields(cls)
        ]

    @classmethod
    def build(cls, values: Mapping[str, Any]) -> JudgeOptions:
        """Return what was given."""
        return cls(**values)


class FieldOptions:
    """Other names for fields, built into a ``FieldMap``."""

    @staticmethod
    def parameters() -> list[inspect.Parameter]:
        """Return the options."""
        names = typer.Option(
            "--field",
            help="Another name for a field, as in answer=output, sources=docs or "
            "sources.text=body.",
            metavar="OURS=THEIRS",
        )
        extra = typer.Option(
            "--extra-fields", help="What becomes of fields citemeter does not know."
        )
        only = inspect.Parameter.KEYWORD_ONLY
        return [
            inspect.Parameter(
                "field", only, default=None, annotation=Annotated[list[str] | None, names]
            ),
            inspect.Parameter(
                "extra_fields", only, default=Extra.error, annotation=Annotated[Extra, extra]
            ),
        ]

    @staticmethod
    def build(values: Mapping[str, Any]) -> FieldMap:
        """Return the names of fields that the options give."""
        return FieldMap(parse_fields(values["field"] or []), values["extra_fields"].value)
