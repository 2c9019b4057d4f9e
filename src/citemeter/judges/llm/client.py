"""A client of an OpenAI-compatible endpoint, and calls to it: limited, repeated, counted."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from citemeter.errors import JudgeError
from citemeter.judges.llm.errors import APIFailure, FailureScope, classify_error
from citemeter.judges.llm.loop import in_thread
from citemeter.judges.llm.prompt import SCHEMA, Messages

FORMATS: dict[str, dict[str, Any] | None] = {
    "schema": {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
    },
    "object": {"type": "json_object"},
    "plain": None,
}
"""What is asked for as ``response_format``, from the strictest to none."""

BACKOFF = 1.0  # seconds that the first wait lasts at most; each later one up to twice as long
LONGEST_BACKOFF = 60.0
SUSPECTS = 3  # answers "forbidden" in a row that stop a run
UNANSWERED = 25  # pairs in a row without an answer that stop a run, or three for each slot
_REFUSALS = frozenset([400, 415, 422, 501])  # how servers refuse a response_format
_KEYLESS = "no-key"  # what a server that asks for no key is sent as one


class Connection(NamedTuple):
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


def connect(openai: Any, client: Any, base_url: str | None, api_key: str | None) -> Connection:
    """Return the client that the judge calls with: the one passed, or a new one.

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
        return Connection(client.with_options(max_retries=0), False, secrets)
    # Connections belong to the event loop they were opened on, and the client may be in use on
    # another one. So it gets connections for here; where it was given a transport of its own, that
    # is kept, and no connection of ours is left in it.
    if type(getattr(client, "_client", None)).__name__ == "AsyncHttpxClientWrapper":
        fresh = openai.DefaultAsyncHttpxClient()
        return Connection(client.with_options(max_retries=0, http_client=fresh), True, secrets)
    options = {"extra_headers": {"Connection": "close"}}
    return Connection(client.with_options(max_retries=0), False, secrets, options)


def _new(openai: Any, base_url: str | None, api_key: str | None) -> Connection:
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
    return Connection(client, True, _secrets(client.api_key, url or ""))


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise JudgeError(
            f"base_url is {public_url(url)!r}: write it in full, such as http://localhost:8000/v1"
        )


def _secrets(key: Any, url: str) -> tuple[str, ...]:
    words = [key if isinstance(key, str) else "", urlsplit(url).password or ""]
    return tuple([word for word in words if len(word) > 3 and word != _KEYLESS])


def public_url(url: str) -> str:
    """Return a URL without what may be secret: user, password, query and fragment.

    >>> public_url("https://me:secret@llm.example:8443/v1/?key=secret")
    'https://llm.example:8443/v1'
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "", url
    rest = rest.split("?")[0].split("#")[0]
    host, slash, path = rest.partition("/")
    return (f"{scheme}{separator}" + host.rpartition("@")[2] + slash + path).rstrip("/")


class CallError(Exception):
    """A pair has no answer, and will get none in this run."""


class Run:
    """One run over many pairs: it stops for all of them when no call can succeed.

    Args:
        sleep: What waits; a test may put its own.
        unanswered: Pairs in a row without an answer that stop the run.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]], unanswered: int) -> None:
        self.message: str | None = None
        self.answers = 0
        self._sleep = sleep
        self._limit = unanswered
        self._last: str | None = None
        self._in_a_row = 0
        self._stopped = asyncio.Event()

    def check(self) -> None:
        """Raise what stopped the run, if something did."""
        if self.message is not None:
            raise CallError(self.message)

    def answered(self) -> None:
        """Note that a call got an answer."""
        self.answers += 1
        self._in_a_row = 0

    def failed(self, failure: APIFailure, answers_before: int) -> None:
        """Note that a pair is given up, and stop the run if there is no hope for the others."""
        # Servers in failure fail in many ways; a refusal is the same one only in the same words.
        kind = "again" if failure.again else failure.message
        self._in_a_row = self._in_a_row + 1 if kind == self._last else 1
        self._last = kind
        scope = failure.scope
        if (
            scope is FailureScope.RUN
            or (scope is FailureScope.UNREACHED and self.answers == answers_before)
            or self._in_a_row >= (SUSPECTS if scope is FailureScope.SUSPECT else self._limit)
        ):
            self.message = self.message or failure.message
            self._stopped.set()

    async def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""
        waiting = asyncio.ensure_future(self._sleep(seconds))
        stopping = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((waiting, stopping), return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            stopping.cancel()
        self.check()


@dataclass(eq=False)
class Endpoint:
    """An endpoint and what one judge has asked of it.

    Args:
        openai: The ``openai`` module.
        connection: The client to call with.
        request: What each call sends besides messages and ``response_format``.
        formats: Which of ``FORMATS`` may be asked for, the first that the server takes.
        concurrency: Calls that are in flight at most.
        timeout: Seconds that a call may take.
        max_retries: How often a call is repeated.
        longest_wait: Seconds that a server may ask to wait.

    Attributes:
        counts: Calls, retries, repeated questions and tokens.
        sleep: What waits; a test may put its own, as for ``random``.
        random: What waits are varied by.
    """

    openai: Any
    connection: Connection
    request: Mapping[str, Any]
    formats: tuple[str, ...]
    concurrency: int
    timeout: float
    max_retries: int
    longest_wait: float
    counts: Counter[str] = field(default_factory=Counter)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    _pause_until: float = 0.0

    def __post_init__(self) -> None:
        self._settled = len(self.formats) == 1
        self._slots = asyncio.Semaphore(self.concurrency)

    def run(self) -> Run:
        """Begin a run; on the loop's thread only."""
        return Run(self.sleep, max(UNANSWERED, 3 * self.concurrency))

    async def complete(self, messages: Messages, run: Run) -> Any:
        """Return the chat completion for a conversation.

        While no call has succeeded, a refusal may be meant for ``response_format``: then the next
        weaker one is tried. The one that succeeds is kept for good.

        Raises:
            CallError: If there is none.
        """
        failure: APIFailure | None = None
        answers = run.answers
        for name in self.formats:
            if name not in self.formats:
                continue  # another call has found out in the meantime
            outcome = await self._persist(messages, name, run)
            if not isinstance(outcome, APIFailure):
                if not self._settled:
                    self.formats, self._settled = (name,), True
                run.answered()
                return outcome
            failure = outcome
            if outcome.format_refused and name != "plain":
                if self.formats == (name,):
                    message = f"{outcome.message} (pass structured='auto' or False)"
                    failure = outcome._replace(message=message, scope=FailureScope.RUN)
                elif not self._settled:
                    self.formats = tuple([other for other in self.formats if other != name])
            elif outcome.status not in _REFUSALS or outcome.scope is FailureScope.RUN:
                break
        assert failure is not None
        run.failed(failure, answers)
        raise CallError(failure.message)

    async def _persist(self, messages: Messages, name: str, run: Run) -> Any:
        """Call until there is an answer or no hope of one, which is a ``APIFailure``."""
        attempt = 0
        while True:
            run.check()
            pause = self._pause_until - asyncio.get_running_loop().time()
            if pause > 0 and attempt == 0:
                await run.sleep(pause)
            sent = self.request
            try:
                async with self._slots:
                    run.check()
                    return await self._call(sent, messages, FORMATS[name])
            except CallError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever a call raises is a failed verdict
                failure = self._classified(error)
            if failure.newer_name and "max_tokens" in sent:
                self.request = {**sent, "max_completion_tokens": sent["max_tokens"]}
                del self.request["max_tokens"]
                continue
            if not failure.again:
                return failure
            if failure.wait is not None and failure.wait > self.longest_wait:
                message = f"{failure.message} (the server asks to wait {failure.wait:.0f} s)"
                return failure._replace(message=message, scope=FailureScope.RUN)
            if attempt >= self.max_retries:
                tries = f" (tried {attempt + 1} times)" if attempt else ""
                return failure._replace(message=failure.message + tries)
            await self._back_off(failure, attempt, run)
            attempt += 1
            self.counts["retries"] += 1

    async def _back_off(self, failure: APIFailure, attempt: int, run: Run) -> None:
        """Wait before another attempt: full jitter, on top of what the server asks for."""
        delay = self.random() * min(LONGEST_BACKOFF, BACKOFF * 2.0 ** min(attempt, 30))
        if failure.wait is not None:
            # What it asks of one call it asks of all. Jitter keeps them from coming back at once.
            delay = failure.wait + min(delay, BACKOFF)
            until = asyncio.get_running_loop().time() + failure.wait
            self._pause_until = max(self._pause_until, until)
        await run.sleep(delay)

    async def _call(
        self,
        request: Mapping[str, Any],
        messages: Messages,
        response_format: Mapping[str, Any] | None,
    ) -> Any:
        self.counts["calls"] += 1
        request = {**request, "messages": messages, "timeout": self.timeout}
        if response_format is not None:
            request = {**request, "response_format": response_format}
        create = self.connection.client.chat.completions.create
        # The client's own timeout is one for each read: a server that trickles never exceeds it.
        async with asyncio.timeout(self.timeout):
            if isinstance(self.connection.client, self.openai.AsyncOpenAI):
                completion = await create(**request)
            else:
                completion = await in_thread(lambda: create(**request))
        self._count(getattr(completion, "usage", None))
        return completion

    def _count(self, usage: Any) -> None:
        prompt, reply = (_number(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        if prompt is None or reply is None:
            self.counts["calls_without_usage"] += 1
        self.counts["prompt_tokens"] += prompt or 0
        self.counts["completion_tokens"] += reply or 0
        for details, name in (
            ("prompt_tokens_details", "cached_tokens"),
            ("completion_tokens_details", "reasoning_tokens"),
        ):
            number = _number(getattr(usage, details, None), name)
            if number is not None:
                self.counts[name] += number

    def _classified(self, error: Exception) -> APIFailure:
        failure = classify_error(error, self.openai, self.timeout)
        message = failure.message
        for secret in self.connection.secrets:
            message = message.replace(secret, "[key]")
        return failure._replace(message=message)


def _number(holder: Any, name: str) -> int | None:
    # Older versions of the package leave parts that they do not know as plain dictionaries.
    value = holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
    return value if isinstance(value, int) and value >= 0 else None
