"""Which parts a run may come to, known before any of them is imported.

A part is built for the first record that has its fields: most runs need none, and should not wait
for what they do not use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from citemeter.errors import InputError, check_choice
from citemeter.evaluation.extensions.base import AbstentionPart, DescriptionPart, Part
from citemeter.models import EXPECTATIONS, Response, Source
from citemeter.text.parse import ParseOptions

if TYPE_CHECKING:
    from citemeter.contract import Contract

__all__ = ["Offer", "offers"]


class Offer(NamedTuple):
    """A part that may be needed.

    Args:
        name: The part's name.
        metrics: Its metrics' names, in report order.
        applies: Whether a response has what it needs.
        build: Makes it.
    """

    name: str
    metrics: tuple[str, ...]
    applies: Callable[[Response], bool]
    build: Callable[[], Part]


GROUNDING_METRICS = (
    "citation_page_precision",
    "citation_region_precision",
    "claim_citation_alignment",
    "citation_grounding",
)


def offers(
    *,
    judged: bool,
    parsing: ParseOptions,
    premise: Callable[[Source], str],
    claim_support: Literal["tokens", "judge"],
    contract: Contract | Sequence[Any] | str | Path | None,
    repair: bool,
    describe: bool,
) -> tuple[list[Offer], str | None]:
    """Return the parts that a run may come to, and what its contract is called.

    Args:
        judged: Whether there is a judge.
        parsing: How answers are read.
        premise: What the judge reads of a source.
        claim_support: Who says whether cited texts hold a claim.
        contract: The prompt's instructions, if they are to be checked.
        repair: Whether repairs are looked for.
        describe: Whether amounts and positions of citations are counted.

    Raises:
        InputError: If an option cannot be used.
    """
    check_choice("claim_support", claim_support, ("tokens", "judge"))
    if not judged and (repair or claim_support == "judge"):
        option = "repair" if repair else "claim_support='judge'"
        raise InputError(f"{option} needs a judge, and there is none.", fix="give one.")
    found = [
        _of(AbstentionPart()),
        Offer("grounding", GROUNDING_METRICS, _expects, lambda: _grounding(claim_support)),
        Offer(
            "attribution",
            ("attribution_micro_f1",),
            lambda response: _labelled(response, judged),
            _attribution,
        ),
    ]
    label = None
    if contract is not None:
        from citemeter.contract import read_contract
        from citemeter.evaluation.extensions.contract import ContractPart

        part = ContractPart(read_contract(contract), parsing)
        label = part.label
        found.append(_of(part))
    if repair:
        from citemeter.evaluation.extensions.repair import RepairPart

        found.append(_of(RepairPart(parsing, premise)))
    if describe:
        found.append(_of(DescriptionPart()))
    return found, label


def _of(part: Part) -> Offer:
    return Offer(part.name, part.metrics, part.applies, lambda: part)


def _expects(response: Response) -> bool:
    # Spelt out, since every response passes here.
    return (
        response.expected_citation_pages is not None
        or response.expected_citation_regions is not None
        or response.expected_claim_citations is not None
        or (bool(response.metadata) and not response.metadata.keys().isdisjoint(EXPECTATIONS))
    )


def _grounding(claim_support: Literal["tokens", "judge"]) -> Part:
    from citemeter.evaluation.extensions.grounding import GroundingPart

    return GroundingPart(claim_support)


def _labelled(response: Response, judged: bool) -> bool:
    return response.attribution_label is not None and (
        judged or "attribution_prediction" in response.model_fields_set
    )


def _attribution() -> Part:
    from citemeter.evaluation.extensions.attribution import AttributionPart

    return AttributionPart()
