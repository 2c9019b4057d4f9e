"""Whether answers keep to the instructions of their prompt, where a contract is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citemeter.evaluation.extensions.base import Extension, Measured, changed
from citemeter.metrics.base import CountsSummary, Metric
from citemeter.models import Model, Response
from citemeter.text.parse import ParseOptions

if TYPE_CHECKING:
    from citemeter.contract import Contract

__all__ = ["ContractExtension"]


class ContractExtension(Extension):
    """Instructions followed, strictly and loosely; for every response.

    Args:
        contract: The instructions.
        parsing: How the variants of an answer are read, if not by the defaults.
        loose: Whether to look at the variants.
    """

    name = "contract"

    def __init__(
        self, contract: Contract, parsing: ParseOptions | None = None, *, loose: bool = True
    ) -> None:
        self._contract, self._parsing, self._loose = contract, parsing, loose
        self.options = changed(
            contract=(contract.label, None), parsing=(parsing, None), loose=(loose, True)
        )

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

        result = check_contract(response, self._contract, options=self._parsing, loose=self._loose)
        return Measured(count_contract(result) | count_instructions(result), result)

    @classmethod
    def models(cls) -> tuple[type[Model], type[CountsSummary]]:
        """Return one answer's instructions, and how often each is followed."""
        from citemeter.contract import ContractResult
        from citemeter.contract.report import InstructionCounts

        return ContractResult, InstructionCounts
