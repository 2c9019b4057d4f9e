"""The LLM judge from scripts, notebooks and threads: how many calls, and how they are cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from llm_server import Answer, Endpoint, plain_environment, serving

from citemeter.errors import JudgeError
from citemeter.judges.llm.judge import LLMJudge
from support import ROOT

openai = pytest.importorskip("openai")

SLOW = Answer(stall=True)
AT_ONCE = 20.0
"""Seconds: what a busy machine may need, and far below what a stalled call takes."""


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_environment(monkeypatch)


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + AT_ONCE
    while left := [t for t in set(threading.enumerate()) - before if t.name == "citemeter-llm"]:
        assert time.monotonic() < deadline, left
        gc.collect()
        time.sleep(0.01)


def pairs(number: int) -> list[tuple[str, str]]:
    return [(f"passage {n}", "claim") for n in range(number)]


@contextlib.contextmanager
def judging(url: str, **options: Any) -> Iterator[LLMJudge]:
    judge = LLMJudge("tiny", base_url=url, **options)
    try:
        yield judge
    finally:
        judge.close()


@contextlib.contextmanager
def crowded(number: int) -> Iterator[Endpoint]:
    """Run an endpoint that answers no call before so many were in flight together."""
    with serving(Answer()) as endpoint:
        deadline = time.monotonic() + AT_ONCE

        def wait(_: dict[str, Any]) -> Answer:
            while endpoint.most < number and time.monotonic() < deadline:
                time.sleep(0.005)
            return Answer(delay=0.02)

        endpoint.behaviour = wait
        yield endpoint


def test_no_more_calls_at_once_than_allowed() -> None:
    with crowded(5) as endpoint, judging(endpoint.url, concurrency=5) as judge:
        assert len(judge.judge(pairs(40))) == 40
    assert endpoint.most == 5


@pytest.mark.parametrize("kind", ["OpenAI", "AsyncOpenAI"])
def test_the_limit_holds_over_all_threads(kind: str) -> None:
    with crowded(3) as endpoint:
        client = getattr(openai, kind)(base_url=endpoint.url, api_key="key")
        judge = LLMJudge("tiny", client=client, concurrency=3)
        found: dict[int, Any] = {}

        def work(number: int) -> None:
            mine = [(f"passage {number} {n}", "claim") for n in range(10)]
            found[number] = judge.judge(mine)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        judge.close()
        asyncio.run(client.close()) if kind == "AsyncOpenAI" else client.close()
    assert [len(found[number]) for number in range(4)] == [10] * 4
    assert all(verdict.supported for verdicts in found.values() for verdict in verdicts)
    assert endpoint.most == 3
    assert judge.usage()["calls"] == len(endpoint.requests) == 40


def test_judge_works_inside_a_running_loop() -> None:
    async def notebook(judge: LLMJudge) -> int:
        return len(judge.judge(pairs(5))) + len(judge.judge(pairs(3)))

    with serving(Answer()) as endpoint, judging(endpoint.url) as judge:
        assert asyncio.run(notebook(judge)) == 8
        assert asyncio.run(notebook(judge)) == 8


def test_the_asynchronous_api_leaves_the_callers_loop_free() -> None:
    async def main(judge: LLMJudge) -> tuple[list[Any], int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        verdicts = await judge.ajudge([*pairs(6), ("", "claim"), *pairs(2)])
        ticking.cancel()
        return verdicts, ticks

    with serving(Answer(delay=0.3)) as endpoint, judging(endpoint.url) as judge:
        verdicts, ticks = asyncio.run(main(judge))
        assert [verdict.supported for verdict in verdicts] == [True] * 6 + [False] + [True] * 2
        assert ticks >= 5
        assert len(endpoint.requests) == 6
        assert asyncio.run(judge.ajudge([])) == []
        assert len(judge.judge(pairs(2))) == 2  # and from outside of a loop


def test_several_asynchronous_runs_share_the_limit() -> None:
    async def main(judge: LLMJudge) -> list[list[Any]]:
        return await asyncio.gather(*(judge.ajudge([(f"p {n}", "c")] * 2) for n in range(12)))

    with crowded(4) as endpoint, judging(endpoint.url, concurrency=4) as judge:
        found = asyncio.run(main(judge))
    assert [len(verdicts) for verdicts in found] == [2] * 12
    assert endpoint.most == 4
    assert len(endpoint.requests) == 12


def settled(endpoint: Endpoint) -> int:
    """Return how many calls came, when those on their way have come and no other follows."""
    time.sleep(0.1)
    calls = len(endpoint.requests)
    time.sleep(0.15)
    assert len(endpoint.requests) == calls
    return calls


def first_fast(body: dict[str, Any]) -> Answer:
    return Answer() if "passage 0\n" in str(body["messages"][1]["content"]) else SLOW


def test_an_abandoned_stream_cancels_its_calls() -> None:
    with serving(first_fast) as endpoint, judging(endpoint.url, concurrency=3) as judge:
        start = time.perf_counter()
        for position, _verdict in judge.stream(pairs(50)):
            assert position == 0
            break
        assert time.perf_counter() - start < AT_ONCE
        assert settled(endpoint) <= 5
        endpoint.behaviour = lambda _: Answer()
        start = time.perf_counter()
        assert len(judge.judge(pairs(5))) == 5  # its slots are free again
        assert time.perf_counter() - start < AT_ONCE


def test_calls_do_not_run_far_ahead_of_who_takes_the_verdicts() -> None:
    with serving(Answer()) as endpoint, judging(endpoint.url, concurrency=2) as judge:
        stream = judge.stream(pairs(100))
        next(stream)
        time.sleep(0.4)
        assert len(endpoint.requests) <= 6
        assert len(list(stream)) == 99


@pytest.mark.parametrize("way", ["break", "cancel", "aclose"])
def test_an_abandoned_asynchronous_stream_cancels_its_calls(way: str) -> None:
    async def main(judge: LLMJudge) -> None:
        if way == "cancel":
            task = asyncio.create_task(judge.ajudge(pairs(50)))
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return
        stream = judge.astream(pairs(50))
        async for position, _verdict in stream:
            assert position == 0
            break
        if way == "aclose":
            await stream.aclose()  # type: ignore[attr-defined]

    with serving(first_fast) as endpoint, judging(endpoint.url, concurrency=3) as judge:
        start = time.perf_counter()
        asyncio.run(main(judge))
        assert time.perf_counter() - start < AT_ONCE
        assert settled(endpoint) <= 5
        endpoint.behaviour = lambda _: Answer()
        start = time.perf_counter()
        assert len(judge.judge(pairs(5))) == 5
        assert time.perf_counter() - start < AT_ONCE


def test_an_error_in_the_consumer_cancels_the_calls() -> None:
    with serving(first_fast) as endpoint, judging(endpoint.url, concurrency=2) as judge:
        with pytest.raises(ZeroDivisionError):
            sum(1 // position for position, _ in judge.stream(pairs(50)))
        assert settled(endpoint) <= 4


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a POSIX timer")
def test_ctrl_c_ends_a_waiting_run_at_once() -> None:
    with serving(SLOW) as endpoint, judging(endpoint.url, concurrency=2) as judge:
        previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            start = time.perf_counter()
            with pytest.raises(KeyboardInterrupt):
                judge.judge(pairs(50))
            assert time.perf_counter() - start < AT_ONCE
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
        assert settled(endpoint) == 2


def test_closing_ends_what_runs_in_other_threads() -> None:
    with serving(SLOW) as endpoint:
        judge = LLMJudge("tiny", base_url=endpoint.url)
        caught: list[BaseException] = []

        def work() -> None:
            try:
                judge.judge(pairs(3))
            except JudgeError as error:
                caught.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        deadline = time.monotonic() + AT_ONCE
        while not endpoint.requests and time.monotonic() < deadline:
            time.sleep(0.01)
        judge.close()
        thread.join(5)
        assert not thread.is_alive()
    assert "closed before it had decided every pair" in str(caught[0])


def test_a_closed_judge_says_so() -> None:
    judge = LLMJudge("tiny", base_url="http://127.0.0.1:9/v1")
    judge.close()
    judge.close()
    with pytest.raises(JudgeError, match="the judge is closed: make another"):
        judge.judge(pairs(1))
    with pytest.raises(JudgeError, match="the judge is closed"):
        asyncio.run(judge.ajudge(pairs(1)))
    assert judge.identity.name == "llm"
    assert judge.usage()["calls"] == 0


def test_a_forgotten_judge_ends_its_thread() -> None:
    with serving(Answer()) as endpoint:
        judge = LLMJudge("tiny", base_url=endpoint.url)
        judge.judge(pairs(3))
        gone = weakref.ref(judge)
        del judge
        gc.collect()
        assert gone() is None
    # The fixture sees to it that the thread ends.


def test_a_judge_that_was_never_asked_starts_no_thread() -> None:
    before = threading.active_count()
    judge = LLMJudge("tiny", base_url="http://127.0.0.1:9/v1")
    assert threading.active_count() == before
    judge.close()


SCRIPT = """
import sys
from citemeter.judges.llm.judge import LLMJudge
judge = LLMJudge("tiny", base_url=sys.argv[1], concurrency=2)
print(judge("passage 0", "claim"), flush=True)
if sys.argv[2] == "stream":
    stream = judge.stream([(f"passage {n}", "claim") for n in range(9)])
    print(next(stream)[0], flush=True)
if sys.argv[2] == "wait":
    judge.judge([(f"passage {n}", "claim") for n in range(1, 9)])
"""


@pytest.mark.parametrize(
    "way",
    [pytest.param("done", marks=pytest.mark.slow), "stream", "wait"],
)
def test_a_program_ends_without_a_word_and_without_waiting(way: str) -> None:
    source = str(ROOT / "src")
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONWARNINGS": "error"}
    with serving(first_fast) as endpoint:
        program = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, endpoint.url, way],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            # What is started in the background may ignore interrupts, and its children with it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        if way == "wait":
            deadline = time.monotonic() + 60
            while len(endpoint.requests) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            program.send_signal(signal.SIGINT)
        printed, complaints = program.communicate(timeout=60)
    assert printed == ("True\n0\n" if way == "stream" else "True\n")
    if way == "wait":
        assert complaints.rstrip().endswith("KeyboardInterrupt")
        assert "Warning" not in complaints
        assert "asyncio" not in complaints
    else:
        assert not complaints
        assert program.returncode == 0
