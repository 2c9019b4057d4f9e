"""Plain objects into models; what does not validate is said with record, field and fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from citemeter.errors import InputError, writable

M = TypeVar("M", bound=BaseModel)


def shown_id(record_id: object) -> str | None:
    """Return a record's id as it is shown, if it is one."""
    if isinstance(record_id, int) and not isinstance(record_id, bool):
        return str(record_id) if abs(record_id) < 10**100 else None
    return writable(record_id) if isinstance(record_id, str) else None


def record_name(record: object, name: str | None) -> str | None:
    """Return what to call a record in errors: its place, its id, or both.

    >>> record_name({"id": 7}, None), record_name({"id": 7}, "line 3"), record_name({}, "line 3")
    ('7', 'line 3 (id 7)', 'line 3')
    """
    label = shown_id(record.get("id")) if isinstance(record, Mapping) else None
    if not label:
        return name
    return label if name in (None, label) else f"{name} (id {label})"


def validated(
    model: type[M], value: object, record: str | None, prefix: str = "", *, example: str = ""
) -> M:
    """Validate a plain object; an instance of the model is returned as it is.

    Args:
        model: What the object is to be.
        value: The object.
        record: What to call the record in an error.
        prefix: The dotted name of the field that the object stands in, if it is in one.
        example: What to give in place of something that is no object at all.

    Raises:
        InputError: If it does not validate.
    """
    if isinstance(value, model):
        return value
    if not isinstance(value, Mapping):
        example = example or f"an object with {', '.join(model.model_fields)}"
        raise InputError(
            f"expected an object, got {type(value).__name__}.",
            record=record,
            field=prefix or None,
            fix=f"give {example}.",
        )
    try:
        return model.model_validate(dict(value))
    except ValidationError as error:
        raise input_error(error, model, record, prefix) from None


def input_error(
    error: ValidationError, model: type[BaseModel], record: str | None, prefix: str = ""
) -> InputError:
    """Word the first of pydantic's errors, with the number of the others.

    A validator that raises an ``InputError`` words its own problem and fix.

    Args:
        error: What pydantic raised.
        model: The model that did not validate.
        record: What to call the record.
        prefix: The dotted name of the field that it stands in, if it is in one.
    """
    first = error.errors(include_url=False)[0]
    location = [str(part) for part in first["loc"] if not str(part).startswith("function-")]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        problem, fix = cause.problem, cause.fix
        location += filter(None, [cause.field])
    else:
        problem, fix = _problem(first), _fix(first, model)
    more = error.error_count() - 1
    if more:
        fix = f"{fix} ({more} more problem{'s' if more > 1 else ''} in this record.)"
    field = ".".join(filter(None, [prefix, *location])) or None
    return InputError(problem, record=record, field=field, fix=fix)


def _problem(error: Any) -> str:
    kind, value = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return "unknown field."
    if kind == "missing":
        return "this field is missing."
    said: str = error["msg"].removeprefix("Value error, ").rstrip(".") + "."
    if value is None:
        return f"null is no value here; {said[0].lower()}{said[1:]}"
    return f"expected a string, got {type(value).__name__}." if kind == "string_type" else said


def _fix(error: Any, model: type[BaseModel]) -> str:
    kind = error["type"]
    if kind == "missing":
        return "add it."
    if kind == "extra_forbidden":
        owner = _owner(model, error["loc"][:-1])
        known = f"rename it (known fields: {', '.join(sorted(owner.model_fields))})"
        move = ", move it into metadata, or" if "metadata" in owner.model_fields else ", or"
        return f"{known}{move} leave it out."
    if kind == "string_type":
        # YAML reads No and 2024-05-01 as something else.
        scalar = not isinstance(error["input"], (Mapping, list, tuple, type(None)))
        return "put it in quotes." if scalar else "give a string."
    if kind == "too_short":
        return "give at least one, or leave the entry out."
    return "correct the value."


def _owner(model: type[BaseModel], location: Iterable[int | str]) -> type[BaseModel]:
    """Return the model that a nested field belongs to, as far as its names tell."""
    for part in location:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models(field.annotation), model)
    return model


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a field's type, such as that of ``tuple[Source, ...] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
