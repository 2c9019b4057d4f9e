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

_CHOICES = {
    "grounding": "claim_support",
    "contract": "contract",
    "repair": "repair",
    "description": "describe",
}
"""The choice in the settings that each of them follows."""


def extensions_of(settings: Settings, judged: bool) -> list[Extension]:
    """Return the extensions that a run may come to, in report order.

    Args:
        settings: The settings of the run.
        judged: Whether there is a judge.

    Raises:
        InputError: If one is asked for twice, or needs a judge and there is none.
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
    own = [extension.name for extension in settings.extensions]
    for name, choice in _CHOICES.items():
        if name in own and choice in settings.changed:
            raise InputError(
                f"{choice} is given, and an extension {name!r} of your own too.",
                fix=f"leave out {choice}: the extension takes its place.",
            )
    if len(set(own)) < len(own):
        raise InputError(
            f"two extensions have one name: {', '.join(own)}.", fix="give each a name of its own."
        )
    names = list(EXTENSIONS)
    found = [extension for extension in found if extension.name not in own]
    found += settings.extensions
    found.sort(key=lambda e: names.index(e.name) if e.name in names else len(names))
    for extension in found:
        if extension.needs_judge and not judged:
            raise InputError(f"{extension.name} needs a judge, and there is none.", fix="give one.")
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
    models = EXTENSIONS[name].models() if name in EXTENSIONS else (None, None)
    return (models[side == "summary"] or PlainDetails).model_validate(value)


class PlainDetails(Model, extra="allow"):
    """Details of an extension that is not known here."""
