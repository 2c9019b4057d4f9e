"""The LLM judge: a language model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import json
import math
import queue
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from citemeter.errors import JudgeError, writable
from citemeter.judges.base import Judge, Pair, in_order, passages_of
from citemeter.judges.llm.client import (
    FORMATS,
    CallError,
    Endpoint,
    Run,
    connect,
    find_openai,
    public_url,
)
from citemeter.judges.llm.loop import LoopThread, in_thread
from citemeter.judges.llm.prompt import Prompt, as_prompt, ask_again
from citemeter.judges.llm.reply import RULES, VERDICTS, UnreadableError, read_choice, read_reply
from citemeter.verdicts import JudgeIdentity, Verdict

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["LLMJudge"]

_POLL = 0.5  # seconds; a wait without end cannot be interrupted on every platform
_PATIENCE = 5.0  # seconds that an abandoned run is given to cancel its calls
_STRUCTURED = {"auto": tuple(FORMATS), "schema": ("schema",), "plain": ("plain",)}
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


class _Job(NamedTuple):
    """A distinct pair and where it stands."""

    premise: str
    hypothesis: str
    positions: list[int]


_Item: TypeAlias = tuple[list[int], Verdict] | Exception | None
"""What a run hands over: a verdict and its positions, an error, or the end."""


class _Going(NamedTuple):
    """A run on the loop's thread, from where its verdicts are taken."""

    inbox: queue.SimpleQueue[_Item]
    ended: threading.Event
    taken: Callable[[], None]
    cancel: Callable[[], None]

    def next(self) -> tuple[list[int], Verdict]:
        """Wait for the next verdict."""
        while True:
            with suppress(queue.Empty):
                item = self.inbox.get(timeout=_POLL)
                break
        if item is None:
            raise JudgeError("the judge was closed before it had decided every pair")
        if isinstance(item, Exception):
            raise item
        return item

    def stop(self) -> None:
        """Cancel what still runs, and wait for it."""
        self.cancel()
        self.ended.wait(_PATIENCE)


class LLMJudge(Judge):
    r"""A language model behind an OpenAI-compatible endpoint, asked once for each distinct pair.

    .. math:: s = 1,\ \tfrac12,\ 0 \quad\text{for supported, partially supported, not supported}

    A reply from which no verdict can be read beyond doubt, a refusal, and a call that fails after
    its retries are failed verdicts, never a no. Calls run concurrently on an event loop of the
    judge's own, so it works in scripts, in notebooks and from several threads.

    Args:
        model: The model's name, as the endpoint knows it.
        client: A client of the ``openai`` package, blocking or not; the judge does not close it.
        base_url: The endpoint, such as ``http://localhost:8000/v1``; by default ``OPENAI_BASE_URL``
            or OpenAI's own.
        api_key: By default ``OPENAI_API_KEY``; a server named by ``base_url`` may need none.
        temperature: ``None`` leaves it to the endpoint; so do ``seed`` and ``max_tokens``.
        seed: What a server that knows seeds samples with.
        max_tokens: The longest reply, reasoning included.
        threshold: The score from which a pair is supported, in ``(0, 1]``; 1 by default.
        accept_partial: Whether partial support counts, which is a threshold of 0.5.
        structured: ``"auto"`` asks for JSON by schema, else for any JSON, else for nothing,
            whichever the endpoint takes; ``True`` insists on the schema, ``False`` on nothing.
        prompt: A question of one's own with ``{passages}`` and ``{claim}``, or a ``Prompt``.
        reasks: How often the model is asked again after a reply that cannot be read.
        concurrency: Calls in flight at most, over all threads.
        timeout: Seconds that one call may take.
        max_retries: How often a call is repeated after a timeout, a broken connection, or the
            statuses 408, 409, 425, 429 and 5xx.
        longest_wait: Seconds; a server that asks to wait longer ends the run.
        price_per_million: Price of a million prompt tokens and of a million completion tokens, and
            perhaps of a million cached prompt tokens; any currency.
        extra_body: Whatever else the endpoint is to be sent; it is part of the identity.

    Raises:
        JudgeError: If the ``openai`` package is missing, or an argument cannot be used.
    """

    def __init__(
        self,
        model: str,
        *,
        client: OpenAI | AsyncOpenAI | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.0,
        seed: int | None = 0,
        max_tokens: int | None = 2048,
        threshold: float | None = None,
        accept_partial: bool = False,
        structured: bool | str = "auto",
        prompt: str | Prompt | None = None,
        reasks: int = 1,
        concurrency: int = 8,
        timeout: float = 60.0,
        max_retries: int = 6,
        longest_wait: float = 120.0,
        price_per_million: Sequence[float] | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        openai = find_openai()
        if not isinstance(model, str) or not model.strip():
            raise JudgeError("the LLM judge has no model: pass the name the endpoint knows it by")
        mode = {"True": "schema", "False": "plain"}.get(str(structured), str(structured))
        if mode not in _STRUCTURED:
            raise JudgeError(f"structured is {structured!r}: use 'auto', True or False")
        if threshold is None:
            threshold = VERDICTS["partially_supported" if accept_partial else "supported"]
        options = {"temperature": temperature, "seed": seed, "max_tokens": max_tokens}
        request = {name: value for name, value in options.items() if value is not None}
        _check_numbers(
            threshold=threshold,
            concurrency=concurrency,
            timeout=timeout,
            max_retries=max_retries,
            reasks=reasks,
            longest_wait=longest_wait,
            **request,
        )
        if temperature is not None:
            request["temperature"] = float(temperature)  # 0 and 0.0 are one identity
        self._model = model
        self._threshold = threshold
        self._prompt = as_prompt(prompt)
        self._reasks = reasks
        self._concurrency = concurrency
        self._prices = _checked_prices(price_per_million)
        body = _checked_extra(extra_body)
        extra = {"extra_body": body} if body else {}
        connection = connect(openai, client, base_url, api_key)
        self._parameters: dict[str, Any] = {
            "base_url": public_url(str(connection.client.base_url)),
            **request,
            "structured": mode,
            "prompt": self._prompt.hash,
            "reasks": reasks,
            **extra,
        }
        self._endpoint = Endpoint(
            openai,
            connection,
            request={"model": model, **request, **extra, **connection.options},
            formats=_STRUCTURED[mode],
            concurrency=concurrency,
            timeout=timeout,
            max_retries=max_retries,
            longest_wait=longest_wait,
        )
        close = connection.client.close if connection.own else None
        self._loop = LoopThread("citemeter-llm", close)
        # Also when the judge is forgotten and when the program ends.
        self._finalizer = weakref.finalize(self, self._loop.close)

    @property
    def identity(self) -> JudgeIdentity:
        """Model, endpoint, prompt hash and whatever else changes a verdict; never a key."""
        return JudgeIdentity(
            name="llm",
            version=RULES,
            model=self._model,
            threshold=self._threshold,
            parameters=dict(self._parameters),
        )

    def __repr__(self) -> str:
        return f"<LLMJudge {self.identity}>"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order."""
        return in_order(self.stream(pairs), len(pairs))

    def stream(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Verdict]]:
        """Yield each pair's position and verdict as its call ends.

        Calls run a little ahead of what is taken. To stop taking cancels the calls in flight.
        """
        jobs, ready = _jobs(pairs)
        yield from ready
        if not jobs:
            return
        going = self._start(jobs)
        try:
            for _ in jobs:
                positions, verdict = going.next()
                for position in positions:
                    yield position, verdict
                going.taken()
        finally:
            going.stop()

    async def ajudge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict for each pair, in order, without blocking the caller's event loop."""
        return in_order([decided async for decided in self.astream(pairs)], len(pairs))

    async def astream(self, pairs: Sequence[Pair]) -> AsyncIterator[tuple[int, Verdict]]:
        """Yield each pair's position and verdict as its call ends, on the caller's event loop.

        Cancelling the caller, or closing the iterator, cancels the calls in flight.
        """
        jobs, ready = _jobs(pairs)
        for item in ready:
            yield item
        if not jobs:
            return
        going = self._start(jobs)
        try:
            for _ in jobs:
                positions, verdict = await in_thread(going.next)
                for position in positions:
                    yield position, verdict
                going.taken()
        finally:
            await in_thread(going.stop)

    def _start(self, jobs: list[_Job]) -> _Going:
        # Nothing here may hold the judge itself: a judge that is forgotten ends its run.
        endpoint, loop = self._endpoint, self._loop
        decide = partial(_decide, endpoint, self._prompt, self._reasks, self._threshold)
        workers = min(self._concurrency, len(jobs))
        ahead = asyncio.Semaphore(2 * self._concurrency)
        left = iter(jobs)
        inbox: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        ended = threading.Event()

        async def work(run: Run) -> None:
            for job in left:
                await ahead.acquire()
                inbox.put((job.positions, await decide(run, job)))

        async def everything() -> None:
            run = endpoint.run()
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(workers):
                        group.create_task(work(run))
            except Exception as error:  # noqa: BLE001 - raised again where the verdicts are taken
                inbox.put(error)

        def done() -> None:
            inbox.put(None)
            ended.set()

        cancel = loop.start(everything(), done)
        return _Going(inbox, ended, partial(loop.call, ahead.release), cancel)

    def usage(self) -> dict[str, float]:
        """Return the calls, retries, repeated questions and tokens so far, and what they cost.

        Tokens are those that the endpoint reports; ``calls_without_usage`` counts the answers for
        which it reports none.
        """
        counts = dict(self._endpoint.counts)
        names = ("calls", "retries", "reasks", "prompt_tokens", "completion_tokens")
        used: dict[str, float] = {name: counts.pop(name, 0) for name in names}
        used.update({name: count for name, count in sorted(counts.items()) if count})
        if self._prices is not None:
            prompt, completion, cached = self._prices
            from_cache = min(used.get("cached_tokens", 0), used["prompt_tokens"])
            used["cost"] = (
                (used["prompt_tokens"] - from_cache) * prompt
                + from_cache * cached
                + used["completion_tokens"] * completion
            ) / 1e6
        return used

    def close(self) -> None:
        """Cancel what runs and let go of the connections; a client that was passed stays open."""
        self._finalizer()


async def _decide(
    endpoint: Endpoint, prompt: Prompt, reasks: int, threshold: float, run: Run, job: _Job
) -> Verdict:
    """Ask for one verdict, and ask again where the reply cannot be read."""
    messages = prompt.messages(passages_of(job.premise), job.hypothesis)
    asked = 0
    while True:
        content = ""
        try:
            completion = await endpoint.complete(messages, run)
            content = read_choice(completion)
            label, reason = read_reply(content)
        except CallError as error:
            return Verdict.failed(str(error))
        except UnreadableError as error:
            if not error.again or asked >= reasks:
                return Verdict.failed(f"{error}{' (asked again in vain)' if asked else ''}")
            messages = ask_again(messages, content, error.why)
            asked += 1
            endpoint.counts["reasks"] += 1
        else:
            score = VERDICTS[label]
            return Verdict(
                supported=score >= threshold,
                score=score,
                label=label,
                reason=writable(reason) or None,
            )


def _jobs(pairs: Sequence[Pair]) -> tuple[list[_Job], list[tuple[int, Verdict]]]:
    """Return the distinct pairs to ask about, and the verdicts that need no asking."""
    jobs: dict[tuple[tuple[str, ...], str], _Job] = {}
    ready: list[tuple[int, Verdict]] = []
    for position, (premise, hypothesis) in enumerate(pairs):
        for text, what in ((premise, "passage"), (hypothesis, "claim")):
            if not text.strip():
                # A model asked about nothing answers from what it knows.
                reason = f"there is no {what}: it is empty"
                verdict = Verdict(supported=False, score=0.0, label="not_supported", reason=reason)
                ready.append((position, verdict))
                break
        else:
            key = (passages_of(premise), hypothesis)
            job = jobs.setdefault(key, _Job(premise, hypothesis, []))
            job.positions.append(position)
    return list(jobs.values()), ready


def _check_numbers(**numbers: float) -> None:
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


def _checked_prices(prices: Sequence[float] | None) -> tuple[float, float, float] | None:
    """Return the prices of a million prompt, completion and cached prompt tokens.

    Raises:
        JudgeError: If they are not two or three numbers from 0.

    >>> _checked_prices((2.5, 10))
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


def _checked_extra(extra: Mapping[str, Any] | None) -> dict[str, Any]:
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
