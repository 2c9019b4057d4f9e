"""A prompt's instructions on citations, as a contract that answers can be checked against."""

from __future__ import annotations

from citemeter.contract.answer import LOOSE_VARIANTS, loose_variants
from citemeter.contract.citing import (
    every_claim_cited,
    ids_exist,
    max_citations_per_statement,
    max_quote_words,
    no_citation_in_refusals,
)
from citemeter.contract.config import RULES, read_contract
from citemeter.contract.instructions import (
    Contract,
    ContractResult,
    Instruction,
    InstructionResult,
    check_contract,
)
from citemeter.contract.report import (
    CONTRACT_RATIOS,
    ContractReport,
    InstructionSummary,
    contract_report,
    count_contract,
    instruction_level_accuracy,
    instruction_level_accuracy_loose,
    prompt_level_accuracy,
    prompt_level_accuracy_loose,
    score_contract,
)
from citemeter.contract.rule import Finding, Outcome, Rule
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

__all__ = [
    "CONTRACT_RATIOS",
    "LOOSE_VARIANTS",
    "RULES",
    "Contract",
    "ContractReport",
    "ContractResult",
    "Finding",
    "Instruction",
    "InstructionResult",
    "InstructionSummary",
    "Outcome",
    "Rule",
    "check_contract",
    "contract_report",
    "count_contract",
    "every_claim_cited",
    "has_section",
    "ids_exist",
    "instruction_level_accuracy",
    "instruction_level_accuracy_loose",
    "loose_variants",
    "marker_syntax",
    "max_citations_per_statement",
    "max_quote_words",
    "max_words",
    "min_bullets",
    "must_avoid",
    "must_include",
    "no_citation_in_refusals",
    "no_emoji",
    "prompt_level_accuracy",
    "prompt_level_accuracy_loose",
    "read_contract",
    "score_contract",
    "sources_section",
]
