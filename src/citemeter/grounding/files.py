"""Cases and answers from YAML and JSON files, and the two joined by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from citemeter.errors import InputError
from citemeter.files import load_yaml, read_objects
from citemeter.grounding.models import GroundedAnswer, GroundingCase
from citemeter.grounding.reading import read_answer, read_case
from citemeter.models import Model
from citemeter.results import RecordError

__all__ = ["JoinedCases", "join_cases", "read_answers", "read_cases"]

_YAML = (".yaml", ".yml")


class JoinedCases(Model):
    """Cases and answers that belong together.

    Args:
        pairs: Each case with its answer, in the cases' order.
        without_answer: The ids of the cases that no answer has.
        without_case: The ids of the answers that no case has.
    """

    pairs: tuple[tuple[GroundingCase, GroundedAnswer], ...]
    without_answer: tuple[str, ...] = ()
    without_case: tuple[str, ...] = ()


def _objects(path: str | Path) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    """Yield the objects of a file with their places: a list, ``{"cases": [...]}``, or one."""
    if Path(path).suffix.lower() not in _YAML:
        for place, record in read_objects([path]):
            if isinstance(record, InputError):
                yield place, record
            else:
                yield from _listed(record, place, place)
        return
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"cannot open {path}: {error.strerror or error}.", fix="check the path."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no UTF-8 ({error}).", fix="save it as UTF-8.") from None
    try:
        document = load_yaml(text, str(path))
    except InputError as error:
        yield str(path), error
        return
    if document is not None:
        yield from _listed(document, str(path), f"{path}#1")


def _listed(
    document: Any, name: str, single: str
) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    if isinstance(document, Mapping):
        if not isinstance(document.get("cases"), list):
            yield single, document
            return
        document = document["cases"]
    records = document if isinstance(document, list) else [document]
    for number, record in enumerate(records, start=1):
        place = f"{name}#{number}"
        if isinstance(record, Mapping):
            yield place, record
        else:
            yield (
                place,
                InputError(
                    f"expected an object, got {type(record).__name__}.",
                    record=place,
                    fix="give one object a case.",
                ),
            )


def read_cases(paths: Iterable[str | Path]) -> Iterator[GroundingCase | RecordError]:
    """Read what is expected of answers from files, one bad case not losing the others.

    Args:
        paths: Files ending in ``.yaml``, ``.yml``, ``.json`` or ``.jsonl``: a list of cases, an
            object with such a list in ``cases``, or a single case.

    Yields:
        The cases, and a ``RecordError`` for each that does not validate.

    Raises:
        InputError: If a file cannot be opened, or its format is not known.
        ImportError: If a file is YAML and PyYAML is not installed.
    """
    for index, (place, record) in enumerate(_all_objects(paths)):
        try:
            if isinstance(record, InputError):
                raise record.at(place)
            yield read_case(record, place)
        except InputError as error:
            yield RecordError(index=index, record=error.record or place, message=str(error))


def read_answers(paths: Iterable[str | Path]) -> Iterator[GroundedAnswer | RecordError]:
    """Read answers from files; see ``read_answer`` for their fields and ``read_cases`` for files.

    Args:
        paths: The files.

    Yields:
        The answers, and a ``RecordError`` for each that does not validate.

    Raises:
        InputError: If a file cannot be opened, or its format is not known.
    """
    for index, (place, record) in enumerate(_all_objects(paths)):
        try:
            if isinstance(record, InputError):
                raise record.at(place)
            yield read_answer(record, place)
        except InputError as error:
            yield RecordError(index=index, record=error.record or place, message=str(error))


def _all_objects(
    paths: Iterable[str | Path],
) -> Iterator[tuple[str, Mapping[str, Any] | InputError]]:
    for path in paths:
        yield from _objects(path)


def join_cases(cases: Iterable[GroundingCase], answers: Iterable[GroundedAnswer]) -> JoinedCases:
    """Bring cases and answers together by id; what is left over is named.

    Args:
        cases: What is expected.
        answers: The answers.

    Raises:
        InputError: If one has no id, or two have the same.

    >>> cases = [GroundingCase(id="1"), GroundingCase(id="2")]
    >>> joined = join_cases(cases, [GroundedAnswer(id="2")])
    >>> len(joined.pairs), joined.without_answer
    (1, ('1',))
    """
    expected = _by_id(cases, "case")
    given = _by_id(answers, "answer")
    return JoinedCases(
        pairs=tuple((case, given[name]) for name, case in expected.items() if name in given),
        without_answer=tuple(name for name in expected if name not in given),
        without_case=tuple(name for name in given if name not in expected),
    )


def _by_id(items: Iterable[Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, item in enumerate(items):
        if item.id is None:
            raise InputError(
                f"{kind} number {number} has no id.", fix="give cases and answers the same ids."
            )
        if item.id in found:
            raise InputError(
                f"two {kind}s have this id.", record=item.id, fix="give each an id of its own."
            )
        found[item.id] = item
    return found
