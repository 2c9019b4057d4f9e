"""Kinds of fields that the models of cases and answers share, and how they are checked."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from citemeter.errors import InputError
from citemeter.grounding.boxes import four_numbers
from citemeter.models import Model

__all__ = ["Numbers", "Open", "Page", "PageSpan", "items"]


def check_page(value: Any) -> Any:
    """Refuse what is no page number; ``True`` is none, nor is 0."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            f"expected a page number, got {type(value).__name__}.", fix="give a whole number."
        )
    if not 1 <= value < 10**9:
        raise InputError(
            "there is no such page: pages count from 1.", fix="add 1 if yours count from 0."
        )
    return value


def items(value: Any) -> Any:
    """Refuse what pydantic would read as a sequence by accident."""
    if value is not None and not isinstance(value, (list, tuple)):
        raise InputError(f"expected a list, got {type(value).__name__}.", fix="put it in [ ].")
    return value


Page = Annotated[int, BeforeValidator(check_page)]
Numbers = Annotated[tuple[float, float, float, float], BeforeValidator(four_numbers)]
"""A box as written; whether it is one shows when the format of the boxes is known."""


class Open(Model):
    """A model of another system's object: fields not known here go into ``metadata``.

    A field whose name is nearly a known one is a slip and an error.
    """

    metadata: dict[str, Any] = Field(default_factory=dict)

    aliases: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _sort_fields(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        known = cls.model_fields
        taken: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for name, item in value.items():
            ours = cls.aliases.get(name, name)
            if ours in known:
                if ours in taken:
                    raise InputError(
                        "it is given under two names.", field=ours, fix="keep one of them."
                    )
                taken[ours] = item
                continue
            near = get_close_matches(str(name), known, n=1, cutoff=0.9)
            if near:
                raise InputError(
                    "unknown field.", field=str(name), fix=f"rename it to '{near[0]}'."
                )
            rest[str(name)] = item
        if rest:
            own = taken.get("metadata")
            taken["metadata"] = {**rest, **(own if isinstance(own, Mapping) else {})}
        return taken


def _span(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise InputError("it is no pair of pages.", fix="write [first page, last page].")
    first, last = (check_page(page) for page in value)
    if first > last:
        raise InputError(
            f"the first page {first} comes after the last page {last}.", fix="swap them."
        )
    return (first, last)


PageSpan = Annotated[tuple[int, int] | None, BeforeValidator(_span)]
