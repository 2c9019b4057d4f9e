"""Published rule sets over the same parsed answers."""

from __future__ import annotations

from citemeter.errors import InputError
from citemeter.protocols.alce import ALCE
from citemeter.protocols.alce_script import ALCE_SCRIPT
from citemeter.protocols.base import Protocol

__all__ = ["ALCE", "ALCE_SCRIPT", "PROTOCOLS", "Protocol", "get_protocol"]

PROTOCOLS: dict[str, Protocol] = {protocol.name: protocol for protocol in (ALCE, ALCE_SCRIPT)}
"""The rule sets by name."""


def get_protocol(name: str) -> Protocol:
    """Return the protocol of that name.

    Raises:
        InputError: If there is none.

    >>> get_protocol("alce").name
    'alce'
    """
    try:
        return PROTOCOLS[name]
    except (KeyError, TypeError):
        raise InputError(
            f"there is no protocol {name!r}.", fix=f"use one of {', '.join(PROTOCOLS)}."
        ) from None
