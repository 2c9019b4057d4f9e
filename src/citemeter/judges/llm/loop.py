"""An event loop in a thread of its own, so that asynchronous calls can be made from anywhere.

A notebook already runs a loop, a script runs none, and a program may ask from several threads: the
calls run on this loop in each case, and their connections are shared.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from citemeter.errors import JudgeError

_T = TypeVar("_T")
_PATIENCE = 5.0  # seconds that closing waits for cancelled calls


class LoopThread:
    """Runs coroutines on an event loop in a daemon thread, which starts with the first one.

    Args:
        name: The thread's name.
        last: Called on the loop when it is closed, to let go of connections.
    """

    def __init__(self, name: str, last: Callable[[], Awaitable[None]] | None = None) -> None:
        self._name = name
        self._last = last
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self.closed = False

    def start(
        self, work: Coroutine[Any, Any, None], done: Callable[[], None]
    ) -> Callable[[], None]:
        """Start a coroutine and return a function that cancels it, from any thread.

        Args:
            work: What to run; it must not raise.
            done: Called on the loop's thread when it has ended, was cancelled or never began.

        Raises:
            JudgeError: If the loop is closed.
        """
        tasks: list[asyncio.Task[None]] = []

        def begin() -> None:
            task = asyncio.get_running_loop().create_task(work)
            task.add_done_callback(lambda _: done())
            tasks.append(task)

        def cancel() -> None:
            for task in tasks:
                task.cancel()

        with self._lock:
            if self.closed:
                work.close()
                raise JudgeError("the judge is closed: make another")
            self._started().call_soon_threadsafe(begin)
        return partial(self.call, cancel)  # on the loop's thread, and so after it has begun

    def call(self, what: Callable[[], None]) -> None:
        """Call something on the loop's thread; nothing happens once the loop is closed."""
        with self._lock:
            if self._loop is not None and not self.closed:
                self._loop.call_soon_threadsafe(what)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(self._loop, self._last), name=self._name, daemon=True
            )
            self._thread.start()
        return self._loop

    def close(self) -> None:
        """Cancel what runs, let go of the connections and end the thread."""
        with self._lock:
            if self.closed:
                return
            self.closed = True
            if self._loop is None or self._thread is None:
                return
            self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE)


def _run(loop: asyncio.AbstractEventLoop, last: Callable[[], Awaitable[None]] | None) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        # What was handed in just before the loop stopped has to begin to be cancelled.
        loop.run_until_complete(asyncio.sleep(0))
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=_PATIENCE))
        if last is not None:
            loop.run_until_complete(last())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()


async def in_thread(call: Callable[[], _T]) -> _T:
    """Run a blocking call in a thread of its own and return what it returns.

    A call that is no longer awaited ends by itself and is forgotten: a daemon thread, unlike one
    of a pool, does not hold up the end of the program.
    """
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised where the call is awaited
            future.set_exception(error)

    threading.Thread(target=work, name="citemeter-llm-call", daemon=True).start()
    return await asyncio.wrap_future(future)
