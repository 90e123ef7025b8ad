"""The processes of the demo: started together, ended together."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType

GRACE = 12.0  # seconds a process gets to end by itself


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
        with (self._log_folder / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, *arguments],
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
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
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not leave anything running
        for process in self._running.values():
            _signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for process in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            _signal_group(process, signal.SIGKILL)  # a pool process may outlive its parent
            process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def port_is_free(port: int) -> bool:
    """Whether something can listen at `port` on loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


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
