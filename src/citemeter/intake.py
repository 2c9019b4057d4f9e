"""The records of a run one after another; those that cannot be used are set aside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from citemeter.errors import InputError
from citemeter.models import Model
from citemeter.results import RecordError
from citemeter.validation import record_name

T = TypeVar("T")


class Intake:
    """Reads the records of one run, which may come in several portions.

    Args:
        most_errors: How many bad records are described; the others are only counted. ``None``
            describes all.

    Attributes:
        begun: How many records it has begun with.
        failed: How many of them could not be used.
        errors: What was wrong with them.
    """

    def __init__(self, most_errors: int | None = None) -> None:
        self.begun = self.failed = 0
        self.errors: list[RecordError] = []
        self._most_errors = most_errors

    def read(
        self, records: Iterable[Any], read: Callable[[Any, int, str], T], *, strict: bool = False
    ) -> Iterator[T]:
        """Yield what is read of each record that can be used, in order.

        Args:
            records: The records; a ``RecordError`` is one that could not even be read from its
                file.
            read: From a record, its position and what to call it in an error, to what is used of
                it. It raises ``InputError`` if the record cannot be used.
            strict: Raise at the first such record, instead of setting it aside.

        Raises:
            InputError: If ``strict`` is set and a record cannot be used.
        """
        for record in records:
            index, self.begun = self.begun, self.begun + 1
            try:
                if isinstance(record, RecordError):
                    raise InputError(record.message, record=record.record)
                yield read(record, index, getattr(record, "place", f"number {index}"))
            except InputError as error:
                if strict:
                    raise
                self.failed += 1
                if self._most_errors is None or len(self.errors) < self._most_errors:
                    self.errors.append(_described(index, record, error))


def read_each(
    placed: Iterable[tuple[str, Any]], read: Callable[[Any, str], T]
) -> Iterator[T | RecordError]:
    """Yield what is read of each object of files; one bad object does not lose the others.

    Args:
        placed: The objects with their places, or what is wrong with them; see ``read_objects``.
        read: From an object and its place to what is made of it.
    """
    for index, (place, record) in enumerate(placed):
        try:
            if isinstance(record, InputError):
                raise record
            yield read(record, place)
        except InputError as error:
            message = str(error.at(place))
            yield RecordError(index=index, record=error.record or place, message=message)


def check_several(records: object, what: str) -> None:
    """Refuse one record where several are expected.

    Args:
        records: What was given.
        what: What one of them is called.

    Raises:
        InputError: If it is one record, or no iterable.
    """
    if isinstance(records, (Mapping, Model, str, bytes)) or not isinstance(records, Iterable):
        raise InputError(
            f"expected a list of {what}s, got {type(records).__name__}.",
            fix=f"put the {what} in a list.",
        )


def _described(index: int, record: Any, error: InputError) -> RecordError:
    if isinstance(record, RecordError):
        return record.model_copy(update={"index": index})
    name = record_name(record, None) or str(index)
    return RecordError(index=index, record=name, message=str(error))
