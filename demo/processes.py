"""The processes of the demo: started together, ended together."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

GRACE = 15.0  # seconds all of them together get to end by themselves
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG = 1  # of Linux's prctl


class Processes:
    """A context that ends every process it started, whole process groups, however it is left."""

    def __init__(self, environment: dict[str, str], log_folder: Path) -> None:
        self._environment = environment
        self._log_folder = log_folder
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        self._log_folder.mkdir(parents=True, exist_ok=True)
        return self

    def start(self, name: str, *arguments: str) -> None:
        """Start `python …` in a process group of its own; its output goes to `<log folder>/<name>.log`."""
        # A Ctrl-C in here waits until the process is on the list: one that is not would be left running.
        with (self._log_folder / f"{name}.log").open("wb") as log, held_back():
            self._running[name] = subprocess.Popen(
                [sys.executable, *arguments],
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )

    def ended(self) -> str | None:
        """The name of a process that has ended although nobody asked it to."""
        return next((name for name, process in self._running.items() if process.poll() is not None), None)

    def log(self, name: str, lines: int = 15) -> str:
        """The last lines that a process wrote."""
        text = (self._log_folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        before = end_undisturbed()
        # The last one first: a worker whose provider went before it would take that for a failing provider.
        deadline = time.monotonic() + GRACE
        for process in reversed(self._running.values()):
            _signal_group(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            _signal_group(process, signal.SIGKILL)  # a pool process may outlive its parent
            process.wait()
        for number, handler in before.items():
            signal.signal(number, handler)


def end_undisturbed() -> dict[signal.Signals, Any]:
    """From here on a second Ctrl-C changes nothing: it must not leave anything running.

    Returns what had been done about each signal before.
    """
    return {number: signal.signal(number, signal.SIG_IGN) for number in STOPPING}


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Signals that end the demo are acted upon when this is left, not inside it.

    A mask would not do: the kernel hands a signal to any thread that lets it through, and Python's handler
    then runs in the main one all the same.
    """
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _end_with_parent() -> None:
    """In a new process: ask the kernel for a SIGTERM if the demo is killed and can end nothing itself."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def port_problem(port: int) -> str:
    """Why nothing can listen at `port` on loopback, in a sentence; "" where something can."""
    if not 0 < port < 65_536:
        return f"{port} is no port: ports are 1 to 65535."
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            return f"Port {port} is for the system's own services."
        except OSError:
            return f"Port {port} is in use."
    return ""


def free_port() -> int:
    """A port on loopback that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """Whether `url` answers with success."""
    try:
        with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310 - loopback, our own
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
