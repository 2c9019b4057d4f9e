"""The extensions that ship, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from citemeter.errors import InputError
from citemeter.evaluation.extensions.abstention import AbstentionExtension
from citemeter.evaluation.extensions.attribution import AttributionExtension
from citemeter.evaluation.extensions.base import Extension
from citemeter.evaluation.extensions.contract import ContractExtension
from citemeter.evaluation.extensions.description import DescriptionExtension
from citemeter.evaluation.extensions.grounding import GroundingExtension
from citemeter.evaluation.extensions.repair import RepairExtension
from citemeter.models import Model

if TYPE_CHECKING:
    from citemeter.evaluation.settings import Settings

__all__ = ["EXTENSIONS", "extensions_of", "read_details"]

EXTENSIONS: Mapping[str, type[Extension]] = {
    extension.name: extension
    for extension in (
        AbstentionExtension,
        GroundingExtension,
        AttributionExtension,
        ContractExtension,
        RepairExtension,
        DescriptionExtension,
    )
}
"""In report order."""


def extensions_of(settings: Settings, judged: bool) -> list[Extension]:
    """Return the extensions that a run may come to, in report order.

    Args:
        settings: The settings of the run.
        judged: Whether there is a judge.

    Raises:
        InputError: If one is asked for that needs a judge, and there is none.
    """
    found: list[Extension] = [
        AbstentionExtension(),
        GroundingExtension(settings.claim_support),
        AttributionExtension(),
    ]
    if settings.contract is not None:
        found.append(ContractExtension(settings.contract, settings.parsing))
    if settings.repair:
        found.append(RepairExtension(settings.parsing, settings.rules.premise))
    if settings.describe:
        found.append(DescriptionExtension())
    own = {extension.name for extension in settings.extensions}
    found = [extension for extension in found if extension.name not in own]
    found += settings.extensions
    for option, asked in (
        *((extension.name, extension.needs_judge) for extension in found),
        ("claim_support='judge'", settings.claim_support == "judge"),
    ):
        if asked and not judged:
            raise InputError(f"{option} needs a judge, and there is none.", fix="give one.")
    return found


def read_details(name: str, side: Literal["details", "summary"], value: Any) -> Any:
    """Return details as they stand in JSON as the model they were written from.

    Args:
        name: The extension's name; those of an extension that is not known stay as they are.
        side: Whether they are of one response, or the summary of a data set.
        value: The details.
    """
    if isinstance(value, Model):
        return value
    if name == "parser":
        from citemeter.grounding import ParserLinkage

        return ParserLinkage.model_validate(value)
    extension = EXTENSIONS.get(name)
    if extension is None:
        return PlainDetails.model_validate(value)
    model = extension.details_model() if side == "details" else extension.summary_model()
    return PlainDetails.model_validate(value) if model is None else model.model_validate(value)


class PlainDetails(Model, extra="allow"):
    """Details of an extension that is not known here."""
