import asyncio
import os
import threading
from collections.abc import Iterator

import pytest

from judging.loop import LoopThread, run_in_loop, stop_loop


@pytest.fixture(autouse=True)
def _stopped() -> Iterator[None]:
    yield
    stop_loop()


async def where() -> int:
    return threading.get_ident()


def test_all_work_runs_in_one_thread_that_is_not_ours() -> None:
    threads = {run_in_loop(where()).result(5) for _ in range(3)}

    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_stopping_cancels_what_still_runs() -> None:
    endless = run_in_loop(asyncio.sleep(3600))
    stop_loop()

    assert endless.cancelled()
    assert run_in_loop(where()).result(5)


def test_a_loop_of_another_process_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    # What a forked child inherits: the object with its parent's pid, and no thread behind it.
    inherited = LoopThread()
    inherited.pid = os.getpid() + 1
    monkeypatch.setattr("judging.loop._current", inherited)

    assert run_in_loop(where()).result(5) != inherited.submit(where()).result(5)
    inherited.stop()
