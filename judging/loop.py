"""One event loop in one thread per process, kept for its life: connections to providers outlive a task."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any


class LoopThread:
    """An event loop that runs in its own daemon thread until `stop`."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judging-loop", daemon=True)
        self._thread.start()

    def submit[T](self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start the coroutine in the loop; the future may be waited for in any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self) -> None:
        """Cancel what still runs, end the thread and close the loop."""
        self.submit(_cancel_others()).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_lock = threading.Lock()
_current: LoopThread | None = None


def run_in_loop[T](work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in this process's loop, which the first call starts.

    A forked child has none of its parent's threads, so it starts a loop of its own.
    """
    global _current
    with _lock:
        if _current is None or _current.pid != os.getpid():
            _current = LoopThread()
        return _current.submit(work)


def stop_loop() -> None:
    """End this process's loop, if it has one. The next `run_in_loop` starts another."""
    global _current
    with _lock:
        if _current is not None and _current.pid == os.getpid():
            _current.stop()
        _current = None
