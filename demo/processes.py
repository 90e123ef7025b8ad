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
        with (self._log_folder / f"{name}.log").open("wb") as log, stopping_held_back():
            self._running[name] = subprocess.Popen(
                [sys.executable, *arguments],
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_listen_to_the_end,
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
        end_undisturbed()
        # The last one first: a worker whose provider went before it would take that for a failing provider.
        deadline = time.monotonic() + GRACE
        for process in reversed(self._running.values()):
            _signal_group(process, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            _signal_group(process, signal.SIGKILL)  # a pool process may outlive its parent
            process.wait()


def end_undisturbed() -> None:
    """From here on a second Ctrl-C changes nothing: it must not leave anything running."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def stopping_held_back() -> Iterator[None]:
    """Signals that end the demo arrive when this is left, not inside it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen_to_the_end() -> None:
    """In a new process: hear what its parent holds back, and a SIGTERM if the parent is killed outright."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    if sys.platform == "linux":
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
