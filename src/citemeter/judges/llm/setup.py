"""What an LLM judge is built from: the ``openai`` package, a client, and arguments checked."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from citemeter.errors import JudgeError

__all__ = [
    "Found",
    "check_numbers",
    "checked_extra",
    "checked_prices",
    "client_for",
    "find_openai",
    "shown",
]

_KEYLESS = "no-key"  # what a server that asks for no key is sent as one

_BOUNDS: dict[str, tuple[float, float]] = {
    "threshold": (0.5e-9, 1.0),
    "concurrency": (1, math.inf),
    "timeout": (1e-3, 1e9),
    "max_retries": (0, math.inf),
    "reasks": (0, math.inf),
    "longest_wait": (0.0, math.inf),
    "max_tokens": (1, math.inf),
    "temperature": (0.0, math.inf),
    "seed": (-math.inf, math.inf),
}
_WHOLE = frozenset(["concurrency", "max_retries", "reasks", "max_tokens", "seed"])
_OWN = frozenset(
    ["messages", "model", "stream", "n", "temperature", "seed", "max_tokens", "response_format"]
)


class Found(NamedTuple):
    """A client to call with.

    Args:
        client: A client of the ``openai`` package that does not retry by itself.
        own: Whether it is the judge's to close.
        secrets: What no message may show.
        options: What each call passes besides.
    """

    client: Any
    own: bool
    secrets: tuple[str, ...]
    options: Mapping[str, Any] = MappingProxyType({})


def find_openai() -> Any:
    """Return the ``openai`` module.

    Raises:
        JudgeError: If it is not installed, or too old.
    """
    install = "pip install 'citemeter[llm]'"
    try:
        openai = import_module("openai")
    except ImportError as error:
        raise JudgeError(f"the LLM judge needs the openai package: {install} ({error})") from error
    if not hasattr(openai, "AsyncOpenAI"):
        raise JudgeError(f"this openai package is too old for the LLM judge: {install}")
    return openai


def client_for(openai: Any, client: Any, base_url: str | None, api_key: str | None) -> Found:
    """Return the client that the judge calls with.

    Raises:
        JudgeError: If it is no client of the ``openai`` package, or none can be made.
    """
    if client is None:
        return _new(openai, base_url, api_key)
    if base_url is not None or api_key is not None:
        raise JudgeError("pass either a client or base_url and api_key: the client has its own")
    if not isinstance(client, (openai.OpenAI, openai.AsyncOpenAI)):
        raise JudgeError(f"client is {type(client).__name__}: use openai.OpenAI or AsyncOpenAI")
    secrets = _secrets(getattr(client, "api_key", None), str(client.base_url))
    if isinstance(client, openai.OpenAI):
        return Found(client.with_options(max_retries=0), False, secrets)
    # Connections belong to the event loop they were opened on, and the client may be in use on
    # another one. So it gets connections for here; where it was given a transport of its own, that
    # is kept, and no connection of ours is left in it.
    if type(getattr(client, "_client", None)).__name__ == "AsyncHttpxClientWrapper":
        fresh = openai.DefaultAsyncHttpxClient()
        return Found(client.with_options(max_retries=0, http_client=fresh), True, secrets)
    options = {"extra_headers": {"Connection": "close"}}
    return Found(client.with_options(max_retries=0), False, secrets, options)


def _new(openai: Any, base_url: str | None, api_key: str | None) -> Found:
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    if url is not None:
        _check_url(url)
        # Servers on one's own machine ask for no key, but the package insists on one.
        api_key = api_key or os.environ.get("OPENAI_API_KEY") or _KEYLESS
    try:
        client = openai.AsyncOpenAI(base_url=url, api_key=api_key, max_retries=0)
    except openai.OpenAIError as error:
        raise JudgeError(
            "there is no key for the OpenAI API: set OPENAI_API_KEY, pass api_key, or name "
            f"another endpoint by base_url ({error})"
        ) from None
    return Found(client, True, _secrets(client.api_key, url or ""))


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise JudgeError(
            f"base_url is {shown(url)!r}: write it in full, such as http://localhost:8000/v1"
        )


def _secrets(key: Any, url: str) -> tuple[str, ...]:
    words = [key if isinstance(key, str) else "", urlsplit(url).password or ""]
    return tuple([word for word in words if len(word) > 3 and word != _KEYLESS])


def shown(url: str) -> str:
    """Return a URL without what may be secret: user, password, query and fragment.

    >>> shown("https://me:secret@llm.example:8443/v1/?key=secret")
    'https://llm.example:8443/v1'
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "", url
    rest = rest.split("?")[0].split("#")[0]
    host, slash, path = rest.partition("/")
    return (f"{scheme}{separator}" + host.rpartition("@")[2] + slash + path).rstrip("/")


def check_numbers(**numbers: float) -> None:
    """Refuse arguments that are no numbers, or none within their bounds.

    Raises:
        JudgeError: If one is; the message names it.
    """
    for name, value in numbers.items():
        low, high = _BOUNDS[name]
        whole = name in _WHOLE
        right = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not right or not low <= value <= high:
            kind = "a whole number" if whole else "a number"
            least = "above 0" if 0 < low < 1 else f"from {low:g}"
            bounds = "" if low == -math.inf else f" {least}"
            bounds += "" if high == math.inf else f" to {high:g}"
            raise JudgeError(f"{name} is {value!r}: use {kind}{bounds}")


def checked_prices(prices: Sequence[float] | None) -> tuple[float, float, float] | None:
    """Return the prices of a million prompt, completion and cached prompt tokens.

    Raises:
        JudgeError: If they are not two or three numbers from 0.

    >>> checked_prices((2.5, 10))
    (2.5, 10.0, 2.5)
    """
    if prices is None:
        return None
    try:
        values = [float(price) for price in prices]
    except (TypeError, ValueError):
        values = []
    if len(values) not in (2, 3) or not all(0 <= value < math.inf for value in values):
        raise JudgeError(
            f"price_per_million is {prices!r}: use (prompt, completion), such as (2.5, 10.0)"
        )
    return values[0], values[1], values[-1] if len(values) == 3 else values[0]


def checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what else is sent, as plain JSON.

    Raises:
        JudgeError: If it is not JSON, or holds what the judge sets itself.
    """
    if not extra:
        return {}
    taken = sorted(_OWN & set(extra))
    if taken:
        raise JudgeError(f"extra_body has {', '.join(taken)}, which the judge sets itself")
    try:
        plain: dict[str, Any] = json.loads(json.dumps(dict(extra), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise JudgeError(f"extra_body cannot be sent as JSON: {error}") from None
    return plain
