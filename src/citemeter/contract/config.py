"""Contracts from files and plain data."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from citemeter.contract.citing import (
    every_claim_cited,
    ids_exist,
    max_citations_per_statement,
    max_quote_words,
    no_citation_in_refusals,
)
from citemeter.contract.instructions import Contract, Instruction
from citemeter.contract.rule import Rule
from citemeter.contract.sections import sources_section
from citemeter.contract.syntax import marker_syntax
from citemeter.contract.wording import (
    has_section,
    max_words,
    min_bullets,
    must_avoid,
    must_include,
    no_emoji,
)
from citemeter.errors import InputError
from citemeter.files import load_yaml, read_text

__all__ = ["RULES", "read_contract"]

_KEYS = ("id", "rule", "description", "when", "unless")


def _marker_syntax(syntax: str | None = None, pattern: str | None = None, flags: int = 0) -> Rule:
    if (syntax is None) == (pattern is None):
        raise InputError(
            "rule 'marker_syntax': give either 'syntax' or 'pattern'.",
            fix='syntax is a template such as "[doc:<id>]" or a style, pattern an expression.',
        )
    if pattern is None:
        return marker_syntax(str(syntax))
    if isinstance(flags, bool) or not isinstance(flags, int):
        raise InputError(f"rule 'marker_syntax': flags is {flags!r}.", fix="leave it out.")
    try:
        return marker_syntax(re.compile(pattern, flags))
    except (re.error, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(
            f"rule 'marker_syntax': the pattern is none ({error}).",
            fix=r"give a regular expression, such as '\[doc:(?P<id>[^\]]+)\]'.",
        ) from None


def _listed(make: Callable[..., Rule]) -> Callable[..., Rule]:
    def made(terms: list[str] | str) -> Rule:
        if isinstance(terms, str):
            terms = [terms]
        if not isinstance(terms, (list, tuple)):
            raise InputError(
                f"rule {make.__name__!r}: terms is {terms!r}.", fix="give a list of strings."
            )
        return make(*terms)

    return made


RULES: Mapping[str, Callable[..., Rule]] = {
    "every_claim_cited": every_claim_cited,
    "marker_syntax": _marker_syntax,
    "ids_exist": ids_exist,
    "max_citations_per_statement": max_citations_per_statement,
    "sources_section": sources_section,
    "no_citation_in_refusals": lambda: no_citation_in_refusals(),
    "max_quote_words": max_quote_words,
    "max_words": max_words,
    "must_include": _listed(must_include),
    "must_avoid": _listed(must_avoid),
    "min_bullets": min_bullets,
    "has_section": has_section,
    "no_emoji": no_emoji,
}
"""Every rule that a contract file can name, with what makes it of its parameters."""


def read_contract(source: Any) -> Contract:
    """Return the contract that a file or plain data describes.

    A list of instructions, or an object with such a list in ``instructions``. Each is an object
    with a ``rule``, that rule's parameters and, if wanted, ``id`` (by default the rule's name),
    ``description``, ``when`` and ``unless``. ``Instruction`` objects may stand among them.

    Args:
        source: A path ending in ``.yaml``, ``.yml`` or ``.json``, the data itself, or a contract.

    Raises:
        InputError: If the contract cannot be used; the message names the instruction, the rule
            and how to fix it.
        ImportError: If the file is YAML and PyYAML is not installed.

    >>> contract = read_contract([{"id": "I1", "rule": "max_words", "n": 150}])
    >>> contract.instructions[0].check
    Rule(name='max_words', parameters={'n': 150})
    >>> read_contract([{"id": "I1", "rule": "max_words", "words": 150}])
    Traceback (most recent call last):
    ...
    citemeter.errors.InputError: instruction 'I1', rule 'max_words': unknown parameter 'words'.
    Fix: it takes n.
    """
    if isinstance(source, Contract):
        return source
    if isinstance(source, (str, Path)):
        name = str(source)
        source = _load(Path(source))
    else:
        name = "the contract"
    if isinstance(source, Mapping):
        if set(source) != {"instructions"}:
            others = ", ".join(sorted(str(key) for key in source if key != "instructions")) or "{}"
            raise InputError(
                f"{name}: expected 'instructions' alone, got {others[:120]}.",
                fix="give a list of instructions, or an object with that list in 'instructions'.",
            )
        source = source["instructions"]
    if isinstance(source, (str, bytes)) or not isinstance(source, Sequence):
        raise InputError(
            f"{name}: expected a list of instructions, got {type(source).__name__}.",
            fix="write each instruction as an object with 'id', 'rule' and its parameters.",
        )
    instructions = [
        entry if isinstance(entry, Instruction) else _instruction(entry, number, name)
        for number, entry in enumerate(source, start=1)
    ]
    return Contract(tuple(instructions))


def _load(path: Path) -> Any:
    kind = path.suffix.lower()
    if kind not in (".yaml", ".yml", ".json"):
        raise InputError(
            f"{path}: the format of a contract is told by its name.",
            fix="name the file .yaml, .yml or .json.",
        )
    text = read_text(path)
    if kind != ".json":
        return load_yaml(text, str(path))
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{path}: malformed JSON ({detail}).", fix="write valid JSON.") from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _instruction(entry: Any, number: int, name: str) -> Instruction:
    if not isinstance(entry, Mapping):
        raise InputError(
            f"{name}, number {number}: expected an object, got {type(entry).__name__}.",
            fix="write the instruction as an object with 'id', 'rule' and its parameters.",
        )
    rule = entry.get("rule")
    given = entry.get("id", rule)
    label = f"instruction {given!r}" if isinstance(given, str) else f"{name}, number {number}"
    if rule is None:
        raise InputError(f"{label}: 'rule' is missing.", fix=f"give one of {', '.join(RULES)}.")
    make = RULES.get(rule) if isinstance(rule, str) else None
    if make is None:
        raise InputError(
            f"{label}: unknown rule {str(rule)[:60]!r}.", fix=f"use one of {', '.join(RULES)}."
        )
    if isinstance(given, int) and not isinstance(given, bool):
        given = str(given)
    parameters = {key: value for key, value in entry.items() if key not in _KEYS}
    made = _made(f"{label}, rule {rule!r}", make, parameters)
    description = entry.get("description")
    if description is not None and not isinstance(description, str):
        raise InputError(
            f"{label}: description is {type(description).__name__}.", fix="give a string."
        )
    return Instruction(
        id=given,
        check=made,
        description=description,
        when={} if entry.get("when") is None else entry["when"],
        unless={} if entry.get("unless") is None else entry["unless"],
    )


def _made(label: str, make: Callable[..., Rule], parameters: Mapping[Any, Any]) -> Rule:
    known = inspect.signature(make).parameters
    takes = f"it takes {', '.join(known)}." if known else "it takes none."
    for key in parameters:
        if key not in known:
            raise InputError(f"{label}: unknown parameter {str(key)[:60]!r}.", fix=takes)
    for key, parameter in known.items():
        if parameter.default is parameter.empty and key not in parameters:
            raise InputError(f"{label}: parameter {key!r} is missing.", fix=takes)
    try:
        return make(**parameters)
    except InputError as error:
        problem = re.sub(r"^rule '\w+': ", "", error.problem)
        raise InputError(f"{label}: {problem}", fix=error.fix) from None
