"""What every model is built on: the base class, and texts and ids as they are accepted."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from citemeter.errors import writable

__all__ = ["Id", "Model", "Text", "shown_id"]

_set_dict = BaseModel.__dict__["__dict__"].__set__
_set_fields = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_new = object.__new__


class Model(BaseModel):
    """Base of all models: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def trusted(cls, values: dict[str, Any]) -> Self:
        """Build an instance from values this package computed itself, without validating them.

        ``values`` must hold every field, in field order and of the declared types; it becomes the
        instance's storage. Validation costs more than the whole analysis of a statement, so the
        pipeline's own objects skip it; a test asserts that they equal their validated selves.
        """
        instance = _new(cls)
        _set_dict(instance, values)
        _set_fields(instance, cls._all_fields())
        _set_extra(instance, None)
        _set_private(instance, None)
        return instance

    _fields_cache: ClassVar[dict[type, set[str]]] = {}

    @classmethod
    def _all_fields(cls) -> set[str]:
        fields = Model._fields_cache.get(cls)
        if fields is None:
            fields = Model._fields_cache[cls] = set(cls.model_fields)
        return fields


def _identifier(value: object) -> object:
    """Accept ids that JSON turned into integers; everything else must be a string."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # of thousands of digits it raises ValueError, as validators may
    return value


def _clean(value: str) -> str:
    """Refuse lone surrogates: such text has no UTF-8 form, so no report could be written."""
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"lone surrogate at offset {error.start}; decode the text as UTF-8, or replace it with "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        ) from None
    return value


Text = Annotated[str, AfterValidator(_clean)]
Id = Annotated[str, BeforeValidator(_identifier), AfterValidator(_clean)]


def shown_id(record_id: object) -> str | None:
    """Return a record's id as it is shown, if it is one."""
    if isinstance(record_id, int) and not isinstance(record_id, bool):
        return str(record_id) if abs(record_id) < 10**100 else None
    return writable(record_id) if isinstance(record_id, str) else None
