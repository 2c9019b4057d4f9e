"""Whether answers keep to the instructions of their prompt, where a contract is given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from citemeter.contract import CONTRACT_RATIOS, Contract, check_contract, count_contract
from citemeter.evaluation.extensions.base import Found, Part
from citemeter.metrics.base import Counts
from citemeter.models import Response
from citemeter.text.parse import ParseOptions

__all__ = ["ContractPart"]

_COUNTED = "instruction:"


class ContractPart(Part):
    """Instructions followed, strictly and loosely; for every response.

    Args:
        contract: The instructions.
        options: How the variants of an answer are read.
    """

    name = "contract"
    ratios = CONTRACT_RATIOS

    def __init__(self, contract: Contract, options: ParseOptions) -> None:
        self.contract = contract
        self._options = options

    @property
    def label(self) -> str:
        """The number of instructions and a hash of them, for the signature."""
        config = json.dumps(self.contract.as_config(), sort_keys=True)
        digest = sha256(config.encode("utf-8", "replace")).hexdigest()[:12]
        return f"{len(self.contract.instructions)}-sha256-{digest}"

    def applies(self, response: Response) -> bool:
        """Always."""
        return True

    def find(self, response: Response, cited: Sequence[str], prepared: Any) -> Found:
        """Check every instruction."""
        result = check_contract(response, self.contract, options=self._options)
        counts = count_contract(result)
        for name, passed in result.per_instruction.items():
            if passed is not None:
                counts[f"{_COUNTED}{name}:applies"] = 1
                counts[f"{_COUNTED}{name}:followed"] = int(passed)
                loose = result.per_instruction_loose.get(name)
                counts[f"{_COUNTED}{name}:followed_loosely"] = int(bool(loose))
        return Found(counts, result.model_dump(mode="json", exclude={"id"}))

    def summary(self, counts: Counts) -> dict[str, Any]:
        """Return how often each instruction applies and is followed."""
        return {
            instruction.id: {
                what: counts.get(f"{_COUNTED}{instruction.id}:{what}", 0)
                for what in ("applies", "followed", "followed_loosely")
            }
            for instruction in self.contract.instructions
        }
