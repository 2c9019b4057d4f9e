"""Kinds of fields that say where a citation points, and how they are checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from typing import Annotated, Any

from pydantic import BeforeValidator

from citemeter.errors import InputError

__all__ = ["FourNumbers", "Page", "PageSpan", "four_numbers", "items"]

_LIMIT = 1e9
"""No page is that large; beyond it areas lose all precision."""


def items(value: Any) -> Any:
    """Refuse what pydantic would read as a sequence by accident.

    Raises:
        InputError: If it is neither ``None`` nor a list.
    """
    if value is not None and not isinstance(value, (list, tuple)):
        raise InputError(f"expected a list, got {type(value).__name__}.", fix="put it in [ ].")
    return value


def _page(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            f"expected a page number, got {type(value).__name__}.", fix="give a whole number."
        )
    if not 1 <= value < 10**9:
        raise InputError(
            "there is no such page: pages count from 1.", fix="add 1 if yours count from 0."
        )
    return value


def _page_span(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise InputError("it is no pair of pages.", fix="write [first page, last page].")
    first, last = map(_page, value)
    if first > last:
        raise InputError(
            f"the first page {first} comes after the last page {last}.", fix="swap them."
        )
    return (first, last)


def four_numbers(value: object) -> tuple[float, float, float, float]:
    """Return a list of four finite numbers as a tuple.

    Raises:
        InputError: If it is none.
    """
    fix = "write [x0, y0, x1, y1] in finite numbers, or leave the box out if there is none."
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise InputError(f"expected four numbers, got {type(value).__name__}.", fix=fix)
    if len(value) != 4:
        raise InputError(f"expected four numbers, got {len(value)}.", fix=fix)
    numbers = []
    for item in value:
        if isinstance(item, bool) or not isinstance(item, Real):
            raise InputError(
                f"expected four numbers, got {type(item).__name__} among them.", fix=fix
            )
        try:
            number = float(item)
        except OverflowError:
            number = inf
        if not isfinite(number):
            raise InputError(f"a coordinate is {number}.", fix=fix)
        if abs(number) > _LIMIT:
            raise InputError(f"a coordinate is {number:g}, on no page.", fix=fix)
        numbers.append(number)
    a, b, c, d = numbers
    return a, b, c, d


Page = Annotated[int, BeforeValidator(_page)]
"""A page's number, counted from 1; ``True`` is none."""

PageSpan = Annotated[tuple[int, int] | None, BeforeValidator(_page_span)]
"""First and last page, both included; a single number is one page."""

FourNumbers = Annotated[tuple[float, float, float, float], BeforeValidator(four_numbers)]
"""A box as written; whether it is one shows when the format of the boxes is known."""


def sorted_fields(
    value: Mapping[Any, Any], known: Collection[str], aliases: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of another system's object that are known here, and the others.

    Args:
        value: The object.
        known: The names known here.
        aliases: Other names for them.

    Raises:
        InputError: If a field's name is nearly a known one, or a field is given under two names.

    >>> sorted_fields({"id": "a", "lang": "en"}, ["chunk_id", "text"], {"id": "chunk_id"})
    ({'chunk_id': 'a'}, {'lang': 'en'})
    """
    taken: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, item in value.items():
        ours = aliases.get(name, name)
        if ours not in known:
            _refuse_slip(str(name), known)
            rest[str(name)] = item
        elif ours in taken:
            raise InputError("it is given under two names.", field=ours, fix="keep one of them.")
        else:
            taken[ours] = item
    return taken, rest


def _refuse_slip(name: str, known: Collection[str]) -> None:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1, cutoff=0.9)
    if near:
        raise InputError("unknown field.", field=name, fix=f"rename it to '{near[0]}'.")
