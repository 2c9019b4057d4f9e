"""Contracts over a data set: instruction-level and prompt-level accuracy, strict and loose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from pydantic import Field

from citemeter.contract.instructions import (
    ContractLike,
    ContractResult,
    InstructionResult,
    check_contract,
)
from citemeter.intake import Intake, check_several
from citemeter.metrics.base import Counts, CountsSummary, Ratio, RecordLike
from citemeter.models import Model, Response
from citemeter.results import Score
from citemeter.statistics.aggregate import Aggregator
from citemeter.text.parse import ParseOptions

__all__ = [
    "CONTRACT_RATIOS",
    "INSTRUCTION_LEVEL_ACC",
    "INSTRUCTION_LEVEL_LOOSE_ACC",
    "NOT_APPLICABLE_RATE",
    "PROMPT_LEVEL_ACC",
    "PROMPT_LEVEL_LOOSE_ACC",
    "ContractReport",
    "InstructionSummary",
    "contract_report",
    "count_contract",
    "instruction_level_accuracy",
    "instruction_level_accuracy_loose",
    "prompt_level_accuracy",
    "prompt_level_accuracy_loose",
    "score_contract",
]

_EMPTY = "no instruction applies"
_strict = partial(Ratio, empty=_EMPTY, needs="contracts", missing="no contract is given")
_loose = partial(
    Ratio, empty=_EMPTY, needs="contracts_tried_loosely", missing="the variants were not looked at"
)

INSTRUCTION_LEVEL_ACC = _strict("instruction_level_acc", "instructions_followed", "instructions")
"""Of the instructions that apply, the share followed. The data set's value is the micro mean."""

PROMPT_LEVEL_ACC = _strict("prompt_level_acc", "prompts_followed", "prompts")
"""Of the answers, the share that follows every instruction that applies."""

INSTRUCTION_LEVEL_LOOSE_ACC = _loose(
    "instruction_level_loose_acc", "instructions_followed_loosely", "instructions_tried_loosely"
)
"""``instruction_level_acc`` where any of the eight variants may follow the instruction."""

PROMPT_LEVEL_LOOSE_ACC = _loose(
    "prompt_level_loose_acc", "prompts_followed_loosely", "prompts_tried_loosely"
)
"""``prompt_level_acc`` where any of the eight variants may follow each instruction."""

NOT_APPLICABLE_RATE = _strict(
    "instruction_na_rate", "instructions_not_applicable", "instruction_checks", lower_is_better=True
)
"""Of all checks, the share of instructions that did not apply: what the data set does not test."""

CONTRACT_RATIOS = (
    INSTRUCTION_LEVEL_ACC,
    PROMPT_LEVEL_ACC,
    INSTRUCTION_LEVEL_LOOSE_ACC,
    PROMPT_LEVEL_LOOSE_ACC,
    NOT_APPLICABLE_RATE,
)
"""The metrics of a contract, in report order."""


class InstructionSummary(Model):
    """One instruction over a data set.

    Args:
        id: The instruction.
        rule: The name of its rule; ``None`` if a callable checks it.
        checked: How many answers it was held against.
        applicable: To how many it applied.
        passed: How many followed it.
        passed_loose: How many did in any variant.
        pass_rate: ``passed / applicable``; ``None`` if it never applied.
        pass_rate_loose: ``passed_loose / applicable``; ``None`` also if not looked at.
        na_rate: The share of answers to which it did not apply. Where that is 1 the data set
            does not test it.
    """

    id: str
    rule: str | None
    checked: int
    applicable: int
    passed: int
    passed_loose: int | None
    pass_rate: float | None
    pass_rate_loose: float | None
    na_rate: float


class FollowedCounts(Model):
    """To how many answers an instruction applies, and how many follow it."""

    applies: int
    followed: int
    followed_loosely: int


class ContractReport(Model):
    """A contract over a data set.

    Args:
        instruction_level_acc: Instructions followed, of those that apply, over all answers.
        prompt_level_acc: Answers that follow every instruction that applies.
        instruction_level_loose_acc: The first, where any of eight variants may do it.
        prompt_level_loose_acc: The second likewise.
        instruction_na_rate: The share of checks that did not apply.
        counts: What these are made of.
        per_instruction: Each instruction, by id.
        never_applicable: The ids of the instructions that no answer tested.
        undefined: Why a value is ``None``, by its name.
    """

    instruction_level_acc: float | None
    prompt_level_acc: float | None
    instruction_level_loose_acc: float | None
    prompt_level_loose_acc: float | None
    instruction_na_rate: float | None
    counts: dict[str, int]
    per_instruction: dict[str, InstructionSummary]
    never_applicable: tuple[str, ...] = ()
    undefined: dict[str, str] = Field(default_factory=dict)

    def ifeval(self) -> dict[str, float | None]:
        """Return the four accuracies under the names that IFEval's results are published with."""
        return {
            "prompt_level_strict_acc": self.prompt_level_acc,
            "inst_level_strict_acc": self.instruction_level_acc,
            "prompt_level_loose_acc": self.prompt_level_loose_acc,
            "inst_level_loose_acc": self.instruction_level_loose_acc,
        }


def count_contract(result: ContractResult) -> dict[str, int]:
    """Count one answer's instructions: those that apply, those followed, those that do not apply.

    >>> from citemeter.contract import Instruction, no_emoji, no_citation_in_refusals
    >>> contract = [Instruction("a", no_emoji()), Instruction("b", no_citation_in_refusals())]
    >>> counts = count_contract(check_contract("In May [1].", contract))
    >>> counts["instructions"], counts["instructions_followed"], counts["instruction_checks"]
    (1, 1, 2)
    """
    strict = [passed for passed in result.per_instruction.values() if passed is not None]
    loose = [passed for passed in result.per_instruction_loose.values() if passed is not None]
    checks = len(result.per_instruction)
    counts = {
        "contracts": 1,
        "instruction_checks": checks,
        "instructions": len(strict),
        "instructions_followed": sum(strict),
        "instructions_not_applicable": checks - len(strict),
        "prompts": int(result.prompt_pass is not None),
        "prompts_followed": int(result.prompt_pass is True),
    }
    if result.tried_loosely:
        counts.update(
            contracts_tried_loosely=1,
            instructions_tried_loosely=len(loose),
            instructions_followed_loosely=sum(loose),
            prompts_tried_loosely=int(result.prompt_pass_loose is not None),
            prompts_followed_loosely=int(result.prompt_pass_loose is True),
        )
    return counts


def count_instructions(result: ContractResult) -> dict[str, int]:
    """Count one answer's instructions each by itself: whether it applies, whether it is followed.

    Args:
        result: The answer's result.
    """
    counts: dict[str, int] = {}
    for name, passed in result.per_instruction.items():
        counts[f"{_COUNTED}{name}:applies"] = int(passed is not None)
        counts[f"{_COUNTED}{name}:followed"] = int(passed is True)
        loosely = passed is not None and bool(result.per_instruction_loose.get(name))
        counts[f"{_COUNTED}{name}:followed_loosely"] = int(loosely)
    return counts


_COUNTED = "instruction:"


def _total(results: Iterable[ContractResult]) -> dict[str, int]:
    totals = Aggregator(())
    for result in results:
        totals.add(count_contract(result))
    return totals.counts


def instruction_level_accuracy(results: Iterable[ContractResult], *, loose: bool = False) -> Score:
    r"""Return the share of instructions followed, over all answers.

    .. math:: \frac{\sum_p |\{i \in I_p : i \text{ followed}\}|}{\sum_p |I_p|}

    with :math:`I_p` the instructions that apply to the answer to prompt :math:`p`.

    Args:
        results: Each answer's result.
        loose: Whether any of the eight variants may follow an instruction.

    Returns:
        A score in [0, 1], higher is better.

    Undefined when:
        No instruction applies to any answer.

    >>> from citemeter.contract import Instruction, max_words, must_include
    >>> contract = [Instruction("a", max_words(3)), Instruction("b", must_include("May"))]
    >>> results = [check_contract(text, contract) for text in ("In May.", "It opened in June.")]
    >>> instruction_level_accuracy(results).value, prompt_level_accuracy(results).value
    (0.5, 0.5)

    Reference: Zhou et al. (2023), https://arxiv.org/abs/2311.07911.
    """
    ratio = INSTRUCTION_LEVEL_LOOSE_ACC if loose else INSTRUCTION_LEVEL_ACC
    return ratio.score(_total(results))


def prompt_level_accuracy(results: Iterable[ContractResult], *, loose: bool = False) -> Score:
    r"""Return the share of answers that follow every instruction that applies to them.

    .. math:: \frac{|\{p : \text{every } i \in I_p \text{ is followed}\}|}{|\{p : I_p \ne
              \emptyset\}|}

    Args:
        results: Each answer's result.
        loose: Whether any of the eight variants may follow an instruction.

    Returns:
        A score in [0, 1], higher is better; never above the instruction-level accuracy where
        every answer has as many instructions.

    Undefined when:
        No instruction applies to any answer.

    Reference: Zhou et al. (2023), https://arxiv.org/abs/2311.07911.
    """
    ratio = PROMPT_LEVEL_LOOSE_ACC if loose else PROMPT_LEVEL_ACC
    return ratio.score(_total(results))


def instruction_level_accuracy_loose(results: Iterable[ContractResult]) -> Score:
    """Return ``instruction_level_accuracy(results, loose=True)``."""
    return instruction_level_accuracy(results, loose=True)


def prompt_level_accuracy_loose(results: Iterable[ContractResult]) -> Score:
    """Return ``prompt_level_accuracy(results, loose=True)``."""
    return prompt_level_accuracy(results, loose=True)


def contract_report(results: Iterable[ContractResult]) -> ContractReport:
    """Return the accuracies over a data set, each instruction's pass rate, and all counts.

    The answers may have different contracts; instructions are put together by id.

    Args:
        results: Each answer's result.
    """
    results = list(results)
    total = _total(results)
    values: dict[str, float | None] = {}
    undefined: dict[str, str] = {}
    for ratio in CONTRACT_RATIOS:
        values[ratio.name], reason = ratio.value(total)
        if values[ratio.name] is None:
            undefined[ratio.name] = (reason or "") if results else "no answer"
    summaries = {summary.id: summary for summary in _summaries(results)}
    return ContractReport(
        **values,
        counts=total,
        per_instruction=summaries,
        never_applicable=tuple(s.id for s in summaries.values() if not s.applicable),
        undefined=undefined,
    )


def _summaries(results: Sequence[ContractResult]) -> Iterator[InstructionSummary]:
    checks: defaultdict[str, list[InstructionResult]] = defaultdict(list)
    only_strict: set[str] = set()
    for result in results:
        for one in result.instructions:
            checks[one.id].append(one)
            if not result.tried_loosely:
                only_strict.add(one.id)
    for name, found in checks.items():
        applicable = sum(one.passed is not None for one in found)
        passed = sum(one.passed is True for one in found)
        loose = None if name in only_strict else sum(one.loose is True for one in found)
        yield InstructionSummary(
            id=name,
            rule=found[0].rule,
            checked=len(found),
            applicable=applicable,
            passed=passed,
            passed_loose=loose,
            pass_rate=passed / applicable if applicable else None,
            pass_rate_loose=None if loose is None or not applicable else loose / applicable,
            na_rate=(len(found) - applicable) / len(found),
        )


def score_contract(
    records: Iterable[str | RecordLike],
    contract: ContractLike,
    *,
    options: ParseOptions | None = None,
    loose: bool = True,
) -> ContractReport:
    """Check a data set against one contract; see ``check_contract`` and ``contract_report``.

    Args:
        records: The answers: texts, responses or plain records.
        contract: The instructions.
        options: How answers are read.
        loose: Whether to look at the variants.

    Raises:
        InputError: If a record does not validate, or a check fails to work.
    """
    check_several(records, "record")

    def checked(record: str | RecordLike, index: int, place: str) -> ContractResult:
        answer = record if isinstance(record, str) else Response.from_record(record, place)
        return check_contract(answer, contract, options=options, loose=loose)

    return contract_report(Intake().read(records, checked, strict=True))


class InstructionCounts(CountsSummary):
    """How often each instruction applies and is followed over a data set.

    Args:
        instructions: By the instruction's id.
    """

    instructions: dict[str, FollowedCounts]

    @classmethod
    def of(cls, counts: Counts) -> InstructionCounts:
        """Return them from summed counts, in the order of the contract."""
        start, end = _COUNTED, ":applies"
        names = [n for n in counts if n.startswith(start) and n.endswith(end)]
        ids = [name[len(start) : -len(end)] for name in names]
        return cls(
            instructions={
                i: FollowedCounts(
                    **{
                        what: counts.get(f"{_COUNTED}{i}:{what}", 0)
                        for what in FollowedCounts.model_fields
                    }
                )
                for i in ids
            }
        )
