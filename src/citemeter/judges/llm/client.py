"""Calls to an OpenAI-compatible endpoint: limited in number, repeated after trouble, counted."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from citemeter.judges.llm.errors import Extent, Trouble, diagnose
from citemeter.judges.llm.loop import in_thread
from citemeter.judges.llm.prompt import SCHEMA, Messages

__all__ = ["FORMATS", "CallError", "Endpoint", "Run"]

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

    def failed(self, trouble: Trouble, answers_before: int) -> None:
        """Note that a pair is given up, and stop the run if there is no hope for the others."""
        # Servers in trouble fail in many ways; a refusal is the same one only in the same words.
        kind = "trouble" if trouble.again else trouble.message
        self._in_a_row = self._in_a_row + 1 if kind == self._last else 1
        self._last = kind
        if (
            trouble.extent is Extent.RUN
            or (trouble.extent is Extent.UNREACHED and self.answers == answers_before)
            or self._in_a_row >= (SUSPECTS if trouble.extent is Extent.SUSPECT else self._limit)
        ):
            self.message = self.message or trouble.message
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


class Endpoint:
    """An endpoint and what one judge has asked of it.

    Args:
        openai: The ``openai`` module.
        client: One of its clients, blocking or not, that does not retry by itself.
        request: What each call sends besides messages and ``response_format``.
        formats: Which of ``FORMATS`` may be asked for, the first that the server takes.
        concurrency: Calls that are in flight at most.
        timeout: Seconds that a call may take.
        max_retries: How often a call is repeated.
        longest_wait: Seconds that a server may ask to wait.
        secrets: What no message may show.
    """

    def __init__(
        self,
        openai: Any,
        client: Any,
        *,
        request: Mapping[str, Any],
        formats: tuple[str, ...],
        concurrency: int,
        timeout: float,
        max_retries: int,
        longest_wait: float,
        secrets: tuple[str, ...],
    ) -> None:
        self._openai = openai
        self._client = client
        self._asynchronous = isinstance(client, openai.AsyncOpenAI)
        self._request = dict(request)
        self._formats = formats
        self._settled = len(formats) == 1
        self._slots = asyncio.Semaphore(concurrency)
        self._unanswered = max(UNANSWERED, 3 * concurrency)
        self._timeout = timeout
        self._max_retries = max_retries
        self._longest_wait = longest_wait
        self._secrets = secrets
        self._pause_until = 0.0
        self.counts: Counter[str] = Counter()
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self.random: Callable[[], float] = random.random

    def run(self) -> Run:
        """Begin a run; on the loop's thread only."""
        return Run(self.sleep, self._unanswered)

    async def complete(self, messages: Messages, run: Run) -> Any:
        """Return the chat completion for a conversation.

        While no call has succeeded, a refusal may be meant for ``response_format``: then the next
        weaker one is tried. The one that succeeds is kept for good.

        Raises:
            CallError: If there is none.
        """
        trouble: Trouble | None = None
        answers = run.answers
        for name in self._formats:
            if name not in self._formats:
                continue  # another call has found out in the meantime
            outcome = await self._persist(messages, name, run)
            if not isinstance(outcome, Trouble):
                if not self._settled:
                    self._formats, self._settled = (name,), True
                run.answered()
                return outcome
            trouble = outcome
            if outcome.format_refused and name != "plain":
                if self._formats == (name,):
                    message = f"{outcome.message} (pass structured='auto' or False)"
                    trouble = outcome._replace(message=message, extent=Extent.RUN)
                elif not self._settled:
                    self._formats = tuple([other for other in self._formats if other != name])
            elif outcome.status not in _REFUSALS or outcome.extent is Extent.RUN:
                break
        assert trouble is not None
        run.failed(trouble, answers)
        raise CallError(trouble.message)

    async def _persist(self, messages: Messages, name: str, run: Run) -> Any:
        """Call until there is an answer or no hope of one, which is a ``Trouble``."""
        attempt = 0
        while True:
            run.check()
            pause = self._pause_until - asyncio.get_running_loop().time()
            if pause > 0 and attempt == 0:
                await run.sleep(pause)
            sent = self._request
            try:
                async with self._slots:
                    run.check()
                    return await self._call(sent, messages, FORMATS[name])
            except CallError:
                raise
            except Exception as error:  # noqa: BLE001 - whatever a call raises is a failed verdict
                trouble = self._diagnosed(error)
            if trouble.newer_name and "max_tokens" in sent:
                self._request = {**sent, "max_completion_tokens": sent["max_tokens"]}
                del self._request["max_tokens"]
                continue
            if not trouble.again:
                return trouble
            if trouble.wait is not None and trouble.wait > self._longest_wait:
                wait = f"the server asks to wait {trouble.wait:.0f} s"
                return trouble._replace(message=f"{trouble.message} ({wait})", extent=Extent.RUN)
            if attempt >= self._max_retries:
                tries = f" (tried {attempt + 1} times)" if attempt else ""
                return trouble._replace(message=trouble.message + tries)
            await self._back_off(trouble, attempt, run)
            attempt += 1
            self.counts["retries"] += 1

    async def _back_off(self, trouble: Trouble, attempt: int, run: Run) -> None:
        """Wait before another attempt: full jitter, on top of what the server asks for."""
        delay = self.random() * min(LONGEST_BACKOFF, BACKOFF * 2.0 ** min(attempt, 30))
        if trouble.wait is not None:
            # What it asks of one call it asks of all. Jitter keeps them from coming back at once.
            delay = trouble.wait + min(delay, BACKOFF)
            until = asyncio.get_running_loop().time() + trouble.wait
            self._pause_until = max(self._pause_until, until)
        await run.sleep(delay)

    async def _call(
        self,
        request: Mapping[str, Any],
        messages: Messages,
        response_format: Mapping[str, Any] | None,
    ) -> Any:
        self.counts["calls"] += 1
        request = {**request, "messages": messages, "timeout": self._timeout}
        if response_format is not None:
            request = {**request, "response_format": response_format}
        create = self._client.chat.completions.create
        # The client's own timeout is one for each read: a server that trickles never exceeds it.
        async with asyncio.timeout(self._timeout):
            if self._asynchronous:
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

    def _diagnosed(self, error: Exception) -> Trouble:
        trouble = diagnose(error, self._openai, self._timeout)
        message = trouble.message
        for secret in self._secrets:
            message = message.replace(secret, "[key]")
        return trouble._replace(message=message)


def _number(holder: Any, name: str) -> int | None:
    # Older versions of the package leave parts that they do not know as plain dictionaries.
    value = holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
    return value if isinstance(value, int) and value >= 0 else None
