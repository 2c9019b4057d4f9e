"""An OpenAI-compatible endpoint on loopback that does what a test tells it to."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

SUPPORTED = '{"reason": "It says so.", "verdict": "supported"}'
NOT_SUPPORTED = '{"reason": "It does not.", "verdict": "not_supported"}'


@dataclass
class Answer:
    """What the endpoint answers.

    Args:
        content: The message's content.
        status: The HTTP status; other than 200, ``error`` is the body.
        error: An error object, or text that is sent as it is.
        headers: More headers.
        finish: The finish reason.
        message: More of the message, such as a refusal.
        usage: Token counts; ``None`` leaves them out.
        raw: A body to send instead, with status 200.
        content_type: That body's type.
        stall: Whether to say nothing until the endpoint is closed.
        drop: Whether to close the connection without an answer.
        delay: Seconds to think.
    """

    content: Any = SUPPORTED
    status: int = 200
    error: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    finish: str | None = "stop"
    message: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    )
    raw: str | None = None
    content_type: str = "application/json"
    stall: bool = False
    drop: bool = False
    delay: float = 0.0

    def body(self) -> str:
        if self.raw is not None:
            return self.raw
        if self.status != 200:
            return self.error if isinstance(self.error, str) else json.dumps({"error": self.error})
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "tiny",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": self.finish,
                    "message": {"role": "assistant", "content": self.content, **self.message},
                }
            ],
        }
        if self.usage is not None:
            completion["usage"] = self.usage
        return json.dumps(completion)


Behaviour = Callable[[dict[str, Any]], Answer]
"""What to answer to a request's body; called from several threads."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with less, some of many calls at once connect a second later

    def handle_error(self, *_: Any) -> None:
        pass


class Endpoint:
    """A running endpoint and what it was asked.

    Attributes:
        url: The base URL.
        requests: The bodies, in the order in which they came.
        headers: Their headers.
        paths: Their paths.
        times: When they came, on the monotonic clock.
        most: How many were in flight at once, at most.
    """

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.times: list[float] = []
        self.most = self._now = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self.server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def _handler(endpoint: Any) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                endpoint.serve(self, body)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler

    def serve(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        with self._lock:
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in handler.headers.items()})
            self.paths.append(handler.path)
            self.times.append(time.monotonic())
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            answer = self.behaviour(body)
            if answer.delay:
                self.closing.wait(answer.delay)
            if answer.stall:
                self.closing.wait(120)  # far beyond what any test waits for
        finally:
            with self._lock:
                self._now -= 1
        if answer.stall or answer.drop:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        data = answer.body().encode()
        handler.send_response(answer.status)
        handler.send_header("content-type", answer.content_type)
        handler.send_header("content-length", str(len(data)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)
        handler.wfile.flush()

    def close(self) -> None:
        self.closing.set()
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()


@contextmanager
def serving(behaviour: Behaviour | Answer | list[Answer]) -> Iterator[Endpoint]:
    """Run an endpoint that always answers the same, or one answer after another, or by a rule.

    The last of several answers is repeated.
    """
    if isinstance(behaviour, list):
        left = list(behaviour)
        lock = threading.Lock()

        def rule(_: dict[str, Any]) -> Answer:
            with lock:
                return left.pop(0) if len(left) > 1 else left[0]

    elif isinstance(behaviour, Answer):
        answer = behaviour

        def rule(_: dict[str, Any]) -> Answer:
            return answer

    else:
        rule = behaviour
    endpoint = Endpoint(rule)
    try:
        yield endpoint
    finally:
        endpoint.close()


_context = cache(ssl.create_default_context)


def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's keys and proxies out, and read the certificates once for all clients."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(ssl, "create_default_context", lambda *_, **__: _context())


def user_text(body: dict[str, Any]) -> str:
    """Return what a request's user message says."""
    return next(m["content"] for m in body["messages"] if m["role"] == "user")
