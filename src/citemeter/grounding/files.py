"""Cases and answers from YAML and JSON files, and the two joined by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from citemeter.errors import InputError
from citemeter.files import load_yaml, read_objects, read_text
from citemeter.grounding.models import GroundingCase
from citemeter.grounding.reading import read_answer, read_case
from citemeter.intake import read_each
from citemeter.models import Model, Response
from citemeter.results import RecordError

__all__ = ["JoinedCases", "join_cases", "read_answers", "read_cases"]

Joined = TypeVar("Joined", GroundingCase, Response)

_YAML = (".yaml", ".yml")


class JoinedCases(Model):
    """Cases and answers that belong together.

    Args:
        pairs: Each case with its answer, in the cases' order.
        without_answer: The ids of the cases that no answer has.
        without_case: The ids of the answers that no case has.
    """

    pairs: tuple[tuple[GroundingCase, Response], ...]
    without_answer: tuple[str, ...] = ()
    without_case: tuple[str, ...] = ()


def _objects(path: str | Path) -> Iterator[tuple[str, Any]]:
    """Yield the objects of a file with their places: a list, ``{"cases": [...]}``, or one."""
    if Path(path).suffix.lower() not in _YAML:
        for place, record in read_objects([path]):
            yield from _listed(record, place, place)
        return
    text = read_text(path)
    try:
        document = load_yaml(text, str(path))
    except InputError as error:
        yield str(path), error
        return
    if document is not None:
        yield from _listed(document, str(path), f"{path}#1")


def _listed(document: Any, name: str, single: str) -> Iterator[tuple[str, Any]]:
    records = document
    if isinstance(document, Mapping):
        records = document.get("cases")
    if isinstance(records, list):
        yield from ((f"{name}#{number}", one) for number, one in enumerate(records, start=1))
    else:
        yield single, document


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
    return read_each(chain.from_iterable(map(_objects, paths)), read_case)


def read_answers(paths: Iterable[str | Path]) -> Iterator[Response | RecordError]:
    """Read answers from files; see ``read_answer`` for their fields and ``read_cases`` for files.

    Args:
        paths: The files.

    Yields:
        The answers, and a ``RecordError`` for each that does not validate.

    Raises:
        InputError: If a file cannot be opened, or its format is not known.
    """
    return read_each(chain.from_iterable(map(_objects, paths)), read_answer)


def join_cases(cases: Iterable[GroundingCase], answers: Iterable[Response]) -> JoinedCases:
    """Bring cases and answers together by id; what is left over is named.

    Args:
        cases: What is expected.
        answers: The answers.

    Raises:
        InputError: If one has no id, or two have the same.

    >>> from citemeter import Response
    >>> cases = [GroundingCase(id="1"), GroundingCase(id="2")]
    >>> joined = join_cases(cases, [Response(statements=(), id="2")])
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


def _by_id(items: Iterable[Joined], kind: str) -> dict[str, Joined]:
    found: dict[str, Joined] = {}
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
