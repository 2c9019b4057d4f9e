"""What a failed call to an endpoint means: try again, give this pair up, or give the run up."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz
from enum import Enum
from typing import Any, NamedTuple

from citemeter.judges.llm.reply import shorten

_AGAIN = frozenset([408, 409, 425, 429])
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "structured output")
_PARAMETERS = ("temperature", "seed", "max_tokens", "max_completion_tokens")
_QUOTED = 300


class FailureScope(Enum):
    """Which pairs a failure concerns."""

    PAIR = "this pair"
    SUSPECT = "perhaps every pair"  # a gateway forbids one text, or all
    UNREACHED = "every pair, while nothing answers"
    RUN = "every pair"


class APIFailure(NamedTuple):
    """What went wrong with one call.

    Args:
        message: What happened, and what to do about it where that is known.
        again: Whether the same call may succeed later.
        scope: Which pairs it concerns.
        wait: Seconds that the server asks to wait, if it does.
        status: The HTTP status, if there was an answer.
        format_refused: The server says in words that it takes no such ``response_format``.
        newer_name: The server wants ``max_tokens`` under its newer name.
    """

    message: str
    again: bool = False
    scope: FailureScope = FailureScope.PAIR
    wait: float | None = None
    status: int | None = None
    format_refused: bool = False
    newer_name: bool = False


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or as a date.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "150"})
    (2.0, 0.15)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, now=50.0)
    10.0
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name) or "") * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        date = parsedate_tz(headers.get("retry-after") or "")
        return None if date is None else max(0.0, mktime_tz(date) - (now or time.time()))
    except (TypeError, ValueError, OverflowError):
        return None


def classify_error(error: BaseException, openai: Any, timeout: float) -> APIFailure:
    """Return what an error that a call raised means.

    Args:
        error: What was raised.
        openai: The ``openai`` module, whose errors are told apart.
        timeout: The seconds that a call may take, for the message.
    """
    if isinstance(error, (openai.APITimeoutError, TimeoutError)):
        return APIFailure(f"no answer within {timeout:g} s", again=True)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__ or error
        what = f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
        if type(cause).__name__ == "ConnectError":  # httpx's, under whichever name it is installed
            message = f"cannot connect to the endpoint ({what}): is it running, is base_url right?"
            return APIFailure(message, again=True, scope=FailureScope.UNREACHED)
        return APIFailure(f"the connection broke ({what})", again=True)
    if isinstance(error, openai.APIStatusError):
        return _classify_status(error)
    if isinstance(error, (json.JSONDecodeError, UnicodeDecodeError)):
        return APIFailure(f"the endpoint's answer is not JSON ({error})", again=True)
    return APIFailure(f"{type(error).__name__}: {error}")


def _classify_status(error: Any) -> APIFailure:
    status = int(error.status_code)
    headers = error.response.headers
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error")
    body = inner if isinstance(inner, dict) else body
    said = body.get("message") or body.get("detail") or inner or error.body
    words = said if isinstance(said, str) else str(error)
    message = f"HTTP {status}: {shorten(words, _QUOTED)[1:-1]}" if words else f"HTTP {status}"
    if status == 401:
        return _for_all(status, f"{message} (is the API key right? set OPENAI_API_KEY or api_key)")
    if status == 402 or body.get("code") == "insufficient_quota":
        return _for_all(status, f"{message} (the account has no credit left)")
    if status in (404, 405):
        return _for_all(status, f"{message} (is the model's name right, does base_url end in /v1?)")
    if status == 403:
        return APIFailure(message, scope=FailureScope.SUSPECT, status=status)
    told = str(headers.get("x-should-retry", "")).lower()
    again = told == "true" or (
        told != "false" and (status in _AGAIN or (status >= 500 and status != 501))
    )
    if again:
        return APIFailure(message, again=True, wait=retry_after(headers), status=status)
    parameter = str(body.get("param") or "")
    lower = f"{parameter} {words}".lower()
    if any(word in lower for word in _FORMAT_WORDS):
        return APIFailure(message, status=status, format_refused=True)
    if parameter == "max_tokens" and "max_completion_tokens" in lower:
        return APIFailure(message, status=status, newer_name=True)
    if parameter in _PARAMETERS:
        name = parameter.replace("max_completion_tokens", "max_tokens")
        return _for_all(status, f"{message} (pass another {name}, or {name}=None to leave it out)")
    return APIFailure(message, status=status)


def _for_all(status: int, message: str) -> APIFailure:
    return APIFailure(message, scope=FailureScope.RUN, status=status)
