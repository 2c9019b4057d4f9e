"""An endpoint in trouble: what is called again, what is given up, and what each failure says."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import pytest
from llm_server import (
    NOT_SUPPORTED,
    SUPPORTED,
    Answer,
    Endpoint,
    plain_environment,
    serving,
    user_text,
)

from citemeter.judges.llm.judge import LLMJudge
from citemeter.verdicts import Verdict

openai = pytest.importorskip("openai")

PAIR = ("Cats purr.", "Cats purr.")
BUSY = Answer(status=429, error={"message": "slow down"})
BROKEN = Answer(status=500, error={"message": "oops"})


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_environment(monkeypatch)


def impatient(url: str, **options: Any) -> tuple[LLMJudge, list[float]]:
    """Return a judge that does not wait between calls, and the waits that it would have made."""
    judge = LLMJudge("tiny", base_url=url, **options)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0)

    judge._endpoint.sleep = sleep
    judge._endpoint.random = lambda: 1.0
    return judge, waits


def ask(
    behaviour: Any, pairs: int | list[tuple[str, str]] = 1, **options: Any
) -> tuple[list[Verdict], Endpoint, list[float], dict[str, float]]:
    given = [(f"passage {n}", "claim") for n in range(pairs)] if isinstance(pairs, int) else pairs
    with serving(behaviour) as endpoint:
        judge, waits = impatient(endpoint.url, **options)
        try:
            verdicts = judge.judge(given)
        finally:
            judge.close()
        assert len(verdicts) == len(given)
        return verdicts, endpoint, waits, judge.usage()


def test_a_server_error_is_tried_again_with_growing_waits() -> None:
    (verdict,), endpoint, waits, usage = ask([BROKEN, BROKEN, BROKEN, Answer()])
    assert verdict.supported is True
    assert waits == [1.0, 2.0, 4.0]
    assert usage["calls"] == len(endpoint.requests) == 4
    assert usage["retries"] == 3
    assert usage["prompt_tokens"] == 100
    assert endpoint.requests[0] == endpoint.requests[3]


def test_waits_are_jittered_and_bounded() -> None:
    with serving([BROKEN] * 9 + [Answer()]) as endpoint:
        judge, waits = impatient(endpoint.url, max_retries=9)
        judge._endpoint.random = lambda: 0.25
        assert judge("a", "b")
        judge.close()
    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


def test_retries_end() -> None:
    (verdict,), endpoint, _, usage = ask(BROKEN, max_retries=2)
    assert verdict.supported is None
    assert verdict.error == "HTTP 500: oops (tried 3 times)"
    assert len(endpoint.requests) == 3
    assert usage["retries"] == 2
    (verdict,), endpoint, _, _ = ask(BROKEN, max_retries=0)
    assert verdict.error == "HTTP 500: oops"
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_statuses_that_pass(status: int) -> None:
    (verdict,), _, waits, _ = ask([Answer(status=status, error="<html>busy</html>"), Answer()])
    assert verdict.supported is True
    assert len(waits) == 1


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "7"}, 7.0, 8.0),
        ({"retry-after": "0"}, 0.0, 1.0),
        ({"retry-after-ms": "2500", "retry-after": "9"}, 2.5, 3.5),
        ({"retry-after": "@"}, 26.0, 31.0),  # a date in half a minute
        ({"retry-after": "soon"}, 1.0, 1.0),
        ({"retry-after": "-3"}, 0.0, 1.0),
        ({"retry-after": "nan"}, 1.0, 1.0),
    ],
)
def test_retry_after_is_honoured(headers: dict[str, str], least: float, most: float) -> None:
    if headers.get("retry-after") == "@":
        headers = {"retry-after": formatdate(time.time() + 30, usegmt=True)}
    busy = Answer(status=429, error={"message": "slow down"}, headers=headers)
    (verdict,), _, waits, _ = ask([busy, Answer()])
    assert verdict.supported is True
    assert len(waits) == 1
    assert least <= waits[0] <= most


def test_retry_after_really_waits_and_holds_for_every_call() -> None:
    busy = Answer(status=429, error={"message": "slow down"}, headers={"retry-after": "0.2"})
    with serving([busy, Answer()]) as endpoint:
        judge = LLMJudge("tiny", base_url=endpoint.url, concurrency=1)
        judge._endpoint.random = lambda: 0.0
        assert judge("a", "b")
        judge.close()
        assert endpoint.times[1] - endpoint.times[0] >= 0.2
    with serving([busy, Answer(delay=0.05)]) as endpoint:
        judge = LLMJudge("tiny", base_url=endpoint.url, concurrency=2)
        judge._endpoint.random = lambda: 0.0
        assert all(v.supported for v in judge.judge([(f"p {n}", "c") for n in range(6)]))
        judge.close()
        later = [moment for moment in endpoint.times[2:] if moment - endpoint.times[0] < 0.19]
        assert not later  # but for the call that was already on its way


def test_a_wait_beyond_the_bound_ends_the_run() -> None:
    busy = Answer(status=429, error={"message": "daily limit"}, headers={"retry-after": "7200"})
    verdicts, endpoint, waits, _ = ask(busy, 50, concurrency=2)
    assert {verdict.error for verdict in verdicts} == {
        "HTTP 429: daily limit (the server asks to wait 7200 s)"
    }
    assert not waits
    assert len(endpoint.requests) <= 2


def test_the_servers_own_word_on_retries_is_kept() -> None:
    never = Answer(status=500, error={"message": "no"}, headers={"x-should-retry": "false"})
    (verdict,), endpoint, _, _ = ask([never, Answer()])
    assert verdict.error == "HTTP 500: no"
    assert len(endpoint.requests) == 1


def test_a_dropped_connection_is_tried_again() -> None:
    (verdict,), _, waits, usage = ask([Answer(drop=True), Answer()])
    assert verdict.supported is True
    assert len(waits) == usage["retries"] == 1
    (verdict,), _, _, _ = ask(Answer(drop=True), max_retries=1)
    assert "the connection broke" in (verdict.error or "")
    assert "tried 2 times" in (verdict.error or "")


@pytest.mark.parametrize("kind", [None, "OpenAI"])
def test_a_stall_ends_with_the_timeout_and_is_tried_again(kind: str | None) -> None:
    with serving([Answer(stall=True), Answer()]) as endpoint:
        client = kind and getattr(openai, kind)(base_url=endpoint.url, api_key="key")
        where = {"client": client} if client else {"base_url": endpoint.url}
        judge = LLMJudge("tiny", timeout=0.3, **where)
        judge._endpoint.random = lambda: 0.0
        start = time.monotonic()
        assert judge(*PAIR)
        assert endpoint.times[1] - start >= 0.3
        judge.close()
    with serving(Answer(stall=True)) as endpoint:
        judge, _ = impatient(endpoint.url, timeout=0.1, max_retries=1)
        verdict = judge.judge([PAIR])[0]
        judge.close()
    assert verdict.error == "no answer within 0.1 s (tried 2 times)"


def test_a_trickle_does_not_outlast_the_timeout() -> None:
    """Bytes that keep coming never exceed a timeout of reading, only one of the call."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(5)
    judge = LLMJudge(
        "tiny",
        base_url=f"http://127.0.0.1:{server.getsockname()[1]}/v1",
        timeout=0.4,
        max_retries=0,
    )
    decided = threading.Event()

    def trickle() -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n")
            while not decided.wait(0.05):
                connection.sendall(b" ")

    thread = threading.Thread(target=trickle)
    thread.start()
    verdict = judge.judge([PAIR])[0]
    decided.set()
    judge.close()
    thread.join()
    server.close()
    assert verdict.error == "no answer within 0.4 s"


def test_a_body_that_is_not_json_is_tried_again() -> None:
    (verdict,), _, _, usage = ask([Answer(raw='{"choices": ['), Answer()])
    assert verdict.supported is True
    assert usage["retries"] == 1
    (verdict,), _, _, _ = ask(Answer(raw="{"), max_retries=0)
    assert "the endpoint's answer is not JSON" in (verdict.error or "")


@pytest.mark.parametrize(
    ("raw", "content_type"),
    [
        ("<html>It works!</html>", "text/html"),
        ("{}", "application/json"),
        ('{"choices": []}', "application/json"),
        ('{"choices": [{}]}', "application/json"),
        ('{"choices": "x"}', "application/json"),
        ('{"error": {"message": "overloaded"}}', "application/json"),
        ("[]", "application/json"),
        ("null", "application/json"),
        ('"supported"', "application/json"),
    ],
)
def test_what_is_no_chat_completion_is_a_failure(raw: str, content_type: str) -> None:
    (verdict,), endpoint, _, _ = ask(Answer(raw=raw, content_type=content_type))
    assert verdict.supported is None
    assert verdict.error
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [401, 402, 404])
def test_what_no_call_can_get_around_ends_the_run(status: int) -> None:
    verdicts, endpoint, waits, _ = ask(
        Answer(status=status, error={"message": "never"}), 500, concurrency=4
    )
    assert len({verdict.error for verdict in verdicts}) == 1
    assert (verdicts[0].error or "").startswith(f"HTTP {status}: never (")
    assert all(verdict.supported is None for verdict in verdicts)
    assert len(endpoint.requests) <= 4
    assert not waits


def test_no_credit_ends_the_run_although_it_comes_as_429() -> None:
    broke = Answer(status=429, error={"message": "pay", "code": "insufficient_quota"})
    verdicts, endpoint, _, _ = ask(broke, 100, concurrency=2)
    assert {v.error for v in verdicts} == {"HTTP 429: pay (the account has no credit left)"}
    assert len(endpoint.requests) <= 2


def test_the_next_run_tries_anew() -> None:
    with serving([Answer(status=401, error={"message": "no"}), Answer()]) as endpoint:
        judge, _ = impatient(endpoint.url, concurrency=1)
        first = judge.judge([("a", "b"), ("c", "d")])
        second = judge.judge([("a", "b"), ("c", "d")])
        judge.close()
    assert [verdict.supported for verdict in first + second] == [None, None, True, True]


def test_one_forbidden_text_does_not_end_the_run_but_three_in_a_row_do() -> None:
    def gateway(body: dict[str, Any]) -> Answer:
        forbidden = "DROP TABLE" in user_text(body)
        return Answer(status=403, error={"message": "blocked"}) if forbidden else Answer()

    pairs = [("DROP TABLE" if n % 3 == 1 else "fine", f"claim {n}") for n in range(30)]
    verdicts, _, _, _ = ask(gateway, pairs, concurrency=1)
    assert [v.supported for v in verdicts[:3]] == [True, None, True]
    assert sum(v.supported is True for v in verdicts) == 20
    verdicts, endpoint, _, _ = ask(Answer(status=403, error={"message": "no"}), 30, concurrency=1)
    assert {v.error for v in verdicts} == {"HTTP 403: no"}
    assert len(endpoint.requests) == 3


def test_a_refused_connection_ends_the_run_after_the_retries_of_one_pair() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    judge, waits = impatient(f"http://127.0.0.1:{port}/v1", concurrency=2, max_retries=3)
    verdicts = judge.judge([(f"passage {n}", "claim") for n in range(1000)])
    judge.close()
    assert len({verdict.error for verdict in verdicts}) == 1
    assert "cannot connect to the endpoint" in (verdicts[0].error or "")
    assert "is base_url right" in (verdicts[0].error or "")
    assert judge.usage()["calls"] <= 8
    assert waits


def test_a_server_that_is_down_for_good_ends_the_run_after_a_while() -> None:
    verdicts, endpoint, _, _ = ask(BROKEN, 200, concurrency=2, max_retries=0)
    assert {verdict.error for verdict in verdicts} == {"HTTP 500: oops"}
    assert 25 <= len(endpoint.requests) <= 27


def test_pairs_that_are_too_long_do_not_end_the_run() -> None:
    def short(body: dict[str, Any]) -> Answer:
        length = len(user_text(body))
        if length > 2000:
            message = f"maximum context length is 2000, you requested {length}"
            return Answer(status=400, error={"message": message, "param": "messages"})
        return Answer()

    pairs = [("x" * (3000 + n), "claim") for n in range(40)] + [("short", "claim")]
    verdicts, _, _, usage = ask(short, pairs, concurrency=1)
    assert [v.supported for v in verdicts] == [None] * 40 + [True]
    assert "maximum context length" in (verdicts[0].error or "")
    assert usage["retries"] == 0


def test_a_refused_parameter_ends_the_run_and_names_the_mend() -> None:
    error = {"message": "temperature may only be 1", "param": "temperature", "code": "unsupported"}
    verdicts, endpoint, _, _ = ask(Answer(status=400, error=error), 50, concurrency=2)
    assert len(endpoint.requests) <= 2
    assert "or temperature=None to leave it out" in (verdicts[-1].error or "")


def test_max_tokens_is_sent_under_its_newer_name_where_that_is_asked_for() -> None:
    def newer(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Answer(status=400, error={"message": message, "param": "max_tokens"})
        return Answer()

    verdicts, endpoint, _, _ = ask(newer, 20, concurrency=4, max_tokens=77)
    assert all(verdict.supported for verdict in verdicts)
    assert 20 < len(endpoint.requests) <= 24
    assert endpoint.requests[-1]["max_completion_tokens"] == 77


def formats(endpoint: Endpoint) -> list[str | None]:
    return [body.get("response_format", {}).get("type") for body in endpoint.requests]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"message": "response_format json_schema is not supported"}, 400),
        ({"message": "Bad request"}, 400),
        ("bad request", 422),
        ({"message": "not implemented"}, 501),
    ],
)
@pytest.mark.parametrize("takes", ["json_object", None])
def test_a_refused_response_format_is_weakened_and_remembered(
    error: Any, status: int, takes: str | None
) -> None:
    allowed = [None] if takes is None else [None, takes]

    def server(body: dict[str, Any]) -> Answer:
        if body.get("response_format", {}).get("type") in allowed:
            return Answer()
        return Answer(status=status, error=error)

    verdicts, endpoint, _, _ = ask(server, 12, concurrency=1)
    assert all(verdict.supported for verdict in verdicts)
    tried = ["json_schema", "json_object", None]
    expected = tried[: tried.index(takes) + 1]
    assert formats(endpoint) == expected + [takes] * 11
    verdicts, endpoint, _, _ = ask(server, 40, concurrency=8)
    assert all(verdict.supported for verdict in verdicts)
    assert formats(endpoint).count("json_schema") <= 8  # the calls that set out before it was known
    assert formats(endpoint).count(takes) >= 40


def test_a_pair_that_is_refused_in_any_format_does_not_weaken_it() -> None:
    def server(body: dict[str, Any]) -> Answer:
        too_long = "long" in user_text(body)
        return Answer(status=400, error={"message": "too much"}) if too_long else Answer()

    pairs = [("a long passage", "a"), ("short", "b"), ("another long passage", "c"), ("s", "d")]
    verdicts, endpoint, _, _ = ask(server, pairs, concurrency=1)
    assert [verdict.supported for verdict in verdicts] == [None, True, None, True]
    assert formats(endpoint) == ["json_schema", "json_object", None] + ["json_schema"] * 3


def test_structured_true_insists_and_false_asks_for_nothing() -> None:
    refusal = Answer(status=400, error={"message": "response_format: unknown"})
    verdicts, endpoint, _, _ = ask(refusal, 9, concurrency=1, structured=True)
    assert formats(endpoint) == ["json_schema"]
    assert "pass structured='auto' or False" in (verdicts[8].error or "")
    verdicts, endpoint, _, _ = ask(Answer(), 2, structured=False)
    assert formats(endpoint) == [None, None]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer("The claim is supported."), "no JSON object: 'The claim is supported.'"),
        (Answer(SUPPORTED[:-9]), "JSON is broken"),
        (Answer(f"{SUPPORTED}\n{NOT_SUPPORTED}"), "contradict each other"),
        (Answer('{"verdict": "supported"}'), "no 'reason'"),
        (Answer(""), "the reply is empty"),
        (Answer(None), "the reply is empty"),
    ],
)
def test_a_reply_that_cannot_be_read_is_asked_for_again(answer: Answer, error: str) -> None:
    (verdict,), endpoint, _, usage = ask([answer, Answer(NOT_SUPPORTED)])
    assert verdict.supported is False
    assert usage["reasks"] == 1
    assert usage["calls"] == 2
    last = endpoint.requests[1]["messages"][-1]
    assert last["role"] == "user"
    assert "could not be read" in last["content"]
    (verdict,), _, _, usage = ask(answer)
    assert verdict.supported is None
    assert error in (verdict.error or "")
    assert (verdict.error or "").endswith("(asked again in vain)")
    assert usage["calls"] == 2
    (verdict,), _, _, usage = ask(answer, reasks=0)
    assert verdict.supported is None
    assert usage["calls"] == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(None, message={"refusal": "I cannot judge this."}), "refused to judge: 'I cannot"),
        (Answer(SUPPORTED, finish="length"), "cut off"),
        (Answer(SUPPORTED, finish="content_filter"), "a content filter withheld"),
    ],
)
def test_a_refusal_or_a_cut_is_a_failure_at_once(answer: Answer, error: str) -> None:
    (verdict,), endpoint, _, _ = ask(answer)
    assert verdict.supported is None
    assert verdict.score is None
    assert error in (verdict.error or "")
    assert len(endpoint.requests) == 1


def test_odd_replies_are_written_as_text() -> None:
    (verdict,), _, _, _ = ask(Answer('{"reason": "caf\\udce9", "verdict": "supported"}'))
    assert verdict.reason == "caf?"
    verdict.model_dump_json()
    (verdict,), _, _, _ = ask(Answer("caf\udce9"), reasks=0)
    verdict.model_dump_json()


def test_failures_do_not_touch_the_verdicts_beside_them() -> None:
    def server(body: dict[str, Any]) -> Answer:
        number = int(user_text(body).split("passage ")[1].split("\n")[0])
        return [Answer(), BROKEN, Answer("prose"), Answer(drop=True)][number % 4]

    verdicts, _, _, _ = ask(server, 40, max_retries=1)
    assert [verdict.supported for verdict in verdicts] == [True, None, None, None] * 10
    assert all(verdict.error for verdict in verdicts if verdict.supported is None)
