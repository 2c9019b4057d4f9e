"""Whether answers keep to the instructions of their prompt, where a contract is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citemeter.evaluation.extensions.base import Extension, Measured
from citemeter.metrics.base import Counts, Metric
from citemeter.models import Model, Response
from citemeter.text.parse import ParseOptions

if TYPE_CHECKING:
    from citemeter.contract import Contract
    from citemeter.contract.report import InstructionCounts

__all__ = ["ContractExtension"]


class ContractExtension(Extension):
    """Instructions followed, strictly and loosely; for every response.

    Args:
        contract: The instructions.
        parsing: How the variants of an answer are read.
        loose: Whether to look at the variants.
    """

    name = "contract"

    def __init__(self, contract: Contract, parsing: ParseOptions, *, loose: bool = True) -> None:
        self.contract = contract
        self._parsing = parsing
        self._loose = loose

    @property
    def label(self) -> str:
        """The number of instructions and a hash of them, for the signature."""
        return self.contract.label

    @classmethod
    def metrics(cls) -> tuple[Metric, ...]:
        """Return the four accuracies, and the share of checks that do not apply."""
        from citemeter.contract.report import CONTRACT_RATIOS

        return CONTRACT_RATIOS

    def applies(self, response: Response, judged: bool) -> bool:
        """Always."""
        return True

    def measure(self, response: Response, place: str) -> Measured:
        """Check every instruction."""
        from citemeter.contract import check_contract, count_contract
        from citemeter.contract.report import count_instructions

        result = check_contract(response, self.contract, options=self._parsing, loose=self._loose)
        return Measured(count_contract(result) | count_instructions(result), result)

    @classmethod
    def summarize(cls, counts: Counts) -> InstructionCounts:
        """Return how often each instruction applies and is followed."""
        from citemeter.contract.report import InstructionCounts

        return InstructionCounts.of(counts)

    @classmethod
    def details_model(cls) -> type[Model]:
        """Return one answer's instructions."""
        from citemeter.contract import ContractResult

        return ContractResult

    @classmethod
    def summary_model(cls) -> type[Model]:
        """Return how often each instruction is followed."""
        from citemeter.contract.report import InstructionCounts

        return InstructionCounts
