"""Instructions, contracts made of them, and checking an answer against one."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from citemeter.contract.answer import CheckedAnswer
from citemeter.contract.rule import EMPTY, Finding, Outcome, Rule, shortened
from citemeter.errors import InputError, callable_name
from citemeter.metrics.base import RecordLike
from citemeter.models import Model, Response
from citemeter.text.parse import ParseOptions
from citemeter.validation import shown_id

__all__ = [
    "Check",
    "Contract",
    "ContractLike",
    "ContractResult",
    "Instruction",
    "InstructionResult",
    "check_contract",
]

Check: TypeAlias = Rule | Callable[[Any], "bool | Outcome | None"]
"""A ready-made rule, or a callable from an answer to whether it follows the instruction; ``None``
where the instruction does not apply."""


@dataclass(frozen=True)
class Instruction:
    """One instruction of a prompt, and what checks it.

    Args:
        id: Its name in results.
        check: A rule of this package, or any callable that returns true, false, or ``None`` where
            the instruction does not apply.
        description: The instruction's words in the prompt, for readers.
        when: Metadata fields and the values under which the instruction holds; a list allows any
            of its values. It does not apply where a field is missing.
        unless: Metadata fields and the values under which it does not hold. It does apply where
            a field is missing.
        reads: What a callable is given: the answer's ``text``, or the ``response``, parsed. By
            default the response if its parameter is annotated so, else the text.

    >>> short = Instruction("I1", lambda text: len(text.split()) <= 3)
    >>> check_contract("It opened in May.", [short]).prompt_pass
    False
    """

    id: str
    check: Check = field(hash=False)
    description: str | None = None
    when: Mapping[str, Any] = field(default_factory=dict, hash=False)
    unless: Mapping[str, Any] = field(default_factory=dict, hash=False)
    reads: Literal["text", "response"] | None = None

    def __post_init__(self) -> None:
        """Check the parts.

        Raises:
            InputError: If one of them is unusable.
        """
        if not isinstance(self.id, str) or not self.id.strip():
            raise InputError(f"{self.id!r} is no instruction id.", fix="give each a name.")
        if not callable(self.check):
            raise InputError(
                f"instruction {self.id!r}: {type(self.check).__name__} is no check.",
                fix="give a rule such as max_words(150), or a callable.",
            )
        for name in ("when", "unless"):
            value = getattr(self, name)
            if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
                raise InputError(
                    f"instruction {self.id!r}: {name} is {value!r}.",
                    fix="give metadata fields and values, such as {detail: false}.",
                )
        if self.reads not in (None, "text", "response"):
            raise InputError(
                f"instruction {self.id!r}: reads is {self.reads!r}.",
                fix="use text, response, or leave it out.",
            )

    @property
    def rule(self) -> str | None:
        """The name of its rule, if it is one of this package's."""
        return self.check.name if isinstance(self.check, Rule) else None

    def excused(self, metadata: Mapping[str, Any]) -> str | None:
        """Return why the instruction does not hold for an answer with this metadata, if so.

        >>> brief = Instruction("I1", bool, when={"detail": False})
        >>> brief.excused({"detail": False}), brief.excused({"detail": True}), brief.excused({})
        (None, 'detail is True', "metadata has no 'detail'")
        """
        for name, wanted in self.when.items():
            if name not in metadata:
                return f"metadata has no {name!r}"
            if not _meets(metadata[name], wanted):
                return f"{name} is {shortened(metadata[name])}"
        for name, unwanted in self.unless.items():
            if name in metadata and _meets(metadata[name], unwanted):
                return f"{name} is {shortened(metadata[name])}"
        return None

    def outcome(self, answer: CheckedAnswer) -> Outcome:
        """Check one answer, conditions aside.

        Raises:
            InputError: If the check fails to work, or returns anything but true, false or ``None``.
        """
        if isinstance(self.check, Rule):
            return self.check(answer)
        if not answer.shown.strip():
            return Outcome.failed(EMPTY)
        argument = answer.response if self._wants_response() else answer.text
        try:
            said = self.check(argument)
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"instruction {self.id!r}: its check failed ({type(error).__name__}: {error}).",
                record=shown_id(answer.given.id),
                fix="fix the check, or let it return None for answers it does not apply to.",
            ) from error
        if isinstance(said, Outcome):
            return said
        if said is None:
            return Outcome.not_applicable("its check says so")
        if type(said).__name__ not in ("bool", "bool_"):  # NumPy has a truth value of its own
            raise InputError(
                f"instruction {self.id!r}: its check returned {type(said).__name__}.",
                record=shown_id(answer.given.id),
                fix="return True, False, or None where the instruction does not apply.",
            )
        return Outcome(passed=True) if said else Outcome.failed("its check says no")

    def _wants_response(self) -> bool:
        if self.reads is not None:
            return self.reads == "response"
        try:
            first = next(iter(inspect.signature(self.check).parameters.values()), None)
        except (TypeError, ValueError):  # built-in callables have none
            return False
        kind = None if first is None else first.annotation
        return kind is Response or (
            isinstance(kind, str) and kind.rpartition(".")[2] == Response.__name__
        )


def _meets(value: object, wanted: object) -> bool:
    if _same(value, wanted):
        return True
    return isinstance(wanted, (list, tuple)) and any(_same(value, one) for one in wanted)


def _same(value: object, wanted: object) -> bool:
    # 1 is no truth value.
    return isinstance(value, bool) == isinstance(wanted, bool) and bool(value == wanted)


@dataclass(frozen=True)
class Contract:
    """The instructions that a prompt gives, in order; each has an id of its own.

    Args:
        instructions: The instructions.
    """

    instructions: tuple[Instruction, ...]

    def __post_init__(self) -> None:
        """Check the instructions.

        Raises:
            InputError: If there are none, one is none, or two have the same id.
        """
        object.__setattr__(self, "instructions", tuple(self.instructions))
        if not self.instructions:
            raise InputError("the contract is empty.", fix="give one instruction or more.")
        seen: set[str] = set()
        for instruction in self.instructions:
            if not isinstance(instruction, Instruction):
                raise InputError(
                    f"{type(instruction).__name__} is no instruction.",
                    fix="give Instruction(id, check), or read the contract with read_contract.",
                )
            if instruction.id in seen:
                raise InputError(
                    f"two instructions are called {instruction.id!r}.",
                    fix="give each an id of its own.",
                )
            seen.add(instruction.id)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __len__(self) -> int:
        return len(self.instructions)

    @property
    def label(self) -> str:
        """The number of instructions and a hash of them, for a signature."""
        config = json.dumps(self.as_config(), sort_keys=True)
        digest = sha256(config.encode("utf-8", "replace")).hexdigest()[:12]
        return f"{len(self.instructions)}-sha256-{digest}"

    def as_config(self) -> list[dict[str, Any]]:
        """Return the contract as a contract file holds it; a callable is only named.

        >>> from citemeter.contract import max_words
        >>> Contract((Instruction("I1", max_words(150)),)).as_config()
        [{'id': 'I1', 'rule': 'max_words', 'n': 150}]
        """
        entries = []
        for instruction in self.instructions:
            check = instruction.check
            entry: dict[str, Any] = {"id": instruction.id}
            if isinstance(check, Rule):
                entry.update(rule=check.name, **check.parameters)
            else:
                entry["check"] = f"callable:{callable_name(check)}"
            if instruction.description is not None:
                entry["description"] = instruction.description
            if instruction.when:
                entry["when"] = dict(instruction.when)
            if instruction.unless:
                entry["unless"] = dict(instruction.unless)
            entries.append(entry)
        return entries


ContractLike: TypeAlias = Contract | Sequence[Instruction]
"""A contract, or its instructions."""


class InstructionResult(Model):
    """What became of one instruction in one answer.

    Args:
        id: The instruction.
        rule: The name of its rule; ``None`` if a callable checks it.
        passed: Whether the answer follows it; ``None`` if it does not apply.
        loose: Whether any of the eight variants does; ``None`` also if that was not looked at.
        variant: The first variant that does.
        reason: Why it is broken, or does not apply.
        findings: Every place where it is broken.
    """

    id: str
    rule: str | None
    passed: bool | None
    loose: bool | None = None
    variant: str | None = None
    reason: str | None = None
    findings: tuple[Finding, ...] = ()


class ContractResult(Model):
    """What became of a contract in one answer.

    Args:
        id: The response's id.
        per_instruction: Whether the answer follows each instruction, by id; ``None`` where it
            does not apply.
        prompt_pass: Whether it follows all that apply; ``None`` if none does.
        per_instruction_loose: The same where any of the eight variants may do it; ``None``
            throughout if that was not looked at.
        prompt_pass_loose: Whether each instruction that applies is followed by any variant.
        tried_loosely: Whether the variants were looked at.
        instructions: The details.
    """

    id: str | None
    per_instruction: dict[str, bool | None]
    prompt_pass: bool | None
    per_instruction_loose: dict[str, bool | None]
    prompt_pass_loose: bool | None
    tried_loosely: bool
    instructions: tuple[InstructionResult, ...]


def check_contract(
    record: str | RecordLike,
    contract: ContractLike,
    *,
    options: ParseOptions | None = None,
    loose: bool = True,
) -> ContractResult:
    r"""Check one answer against a contract, strictly and loosely.

    A blank answer breaks every instruction that holds, but those about what an answer may do
    without, such as a quotation, do not apply to it. Loosely, an instruction is followed if any
    of the eight variants of the answer follows it, each read anew with the same sources; blank
    variants do not. Whether it applies is decided on the answer itself: a variant to which it
    would not apply does not count. Statements that came already split have no variants.

    Args:
        record: The answer's text, a response or a plain record.
        contract: The instructions.
        options: How answers are read.
        loose: Whether to look at the variants.

    Raises:
        InputError: If the record does not validate, or a check fails to work.

    >>> from citemeter.contract import max_words
    >>> result = check_contract("Sure, here it is:\nIt opened in May.", [
    ...     Instruction("I1", max_words(4))])
    >>> result.per_instruction, result.per_instruction_loose, result.instructions[0].variant
    ({'I1': False}, {'I1': True}, 'no_first_line')

    Reference: Zhou et al. (2023), https://arxiv.org/abs/2311.07911.
    """
    if not isinstance(contract, Contract):
        contract = Contract(tuple(contract))
    answer = CheckedAnswer.of(record, options)
    results = tuple([_result(one, answer, loose) for one in contract])
    strict = {result.id: result.passed for result in results}
    relaxed = {result.id: result.loose for result in results}
    return ContractResult(
        id=answer.given.id,
        per_instruction=strict,
        prompt_pass=_all(strict),
        per_instruction_loose=relaxed,
        prompt_pass_loose=_all(relaxed),
        tried_loosely=loose,
        instructions=results,
    )


def _all(passed: Mapping[str, bool | None]) -> bool | None:
    known = [value for value in passed.values() if value is not None]
    return all(known) if known else None


def _result(instruction: Instruction, answer: CheckedAnswer, loose: bool) -> InstructionResult:
    excuse = instruction.excused(answer.given.metadata)
    outcome = Outcome.not_applicable(excuse) if excuse else instruction.outcome(answer)
    variant = "original" if loose and outcome.passed else None
    if loose and outcome.passed is False:
        passing = (name for name, other in answer.variants if instruction.outcome(other).passed)
        variant = next(passing, None)
    return InstructionResult(
        id=instruction.id,
        rule=instruction.rule,
        passed=outcome.passed,
        loose=variant is not None if loose and outcome.passed is not None else None,
        variant=variant,
        reason=outcome.reason,
        findings=outcome.findings,
    )
