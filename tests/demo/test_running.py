"""`manage.py demo` from an empty folder, as a stranger meets it, and that nothing of it stays behind."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from demo.processes import STOPPING, Processes, free_port, port_problem
from tests.faults.servers import ROOT, wait_for

pytestmark = [pytest.mark.faults, pytest.mark.xdist_group("demo")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo of these tests lives: the first one fills it, the next ones start from there."""
    return tmp_path_factory.mktemp("demo-of-a-stranger")


@contextmanager
def demo(folder: Path, port: int) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    """The demo on the embedded default; yields its process and the file of what it says."""
    said = folder / "said"
    plain = {"PATH": os.environ["PATH"], "VERA_VAR": str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", str(port)],
            cwd=ROOT,
            env=plain,
            stdout=out,
            stderr=out,
        )
    try:
        yield process, said
    finally:
        process.kill()
        process.wait()


def left_of(folder: Path) -> list[str]:
    """Programs that run with this folder as their VERA_VAR."""
    mine = f"VERA_VAR={folder}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mine in (place / "environ").read_bytes().split(b"\0"):
                found.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def gate(port: int, token: str, judge: str) -> int:
    """What `curl --fail` on the gate of a judge exits with."""
    address = f"http://127.0.0.1:{port}/api/v1/gate/{judge}/meeting-summaries"
    command = [
        "curl",
        "--fail",
        "--silent",
        "-o",
        os.devnull,
        "-H",
        f"Authorization: Bearer {token}",
        address,
    ]
    return subprocess.run(command, check=False, timeout=20).returncode


def test_the_example_runs_tells_its_gates_apart_and_leaves_nothing_behind(folder: Path) -> None:
    port = free_port()
    with demo(folder, port) as (process, said):
        wait_for(lambda: "Ctrl-C stops" in said.read_text() or process.poll() is not None, 180, "the guide")
        guide = said.read_text()
        token = re.findall(r"Bearer ([^']+)'", guide)[0]

        gates = [gate(port, token, judge) for judge in ("review-panel", "agreeable")]
        process.send_signal(signal.SIGINT)

        assert gates == [0, 22], guide
        assert process.wait(30) == 0
        assert "has ended" in said.read_text()
        assert left_of(folder) == []


def test_killed_outright_it_takes_its_programs_along(folder: Path) -> None:
    with demo(folder, free_port()) as (process, said):
        wait_for(lambda: "Ctrl-C stops" in said.read_text() or process.poll() is not None, 120, "the guide")
        assert len(left_of(folder)) >= 4, said.read_text()

        process.kill()

        process.wait()
        wait_for(lambda: left_of(folder) == [], 30, "the end of the demo's programs")


def test_a_second_ctrl_c_leaves_nothing_behind_either(folder: Path) -> None:
    with demo(folder, free_port()) as (process, said):
        wait_for(lambda: len(left_of(folder)) >= 3 or process.poll() is not None, 120, "its programs")

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process.send_signal(number)

        assert process.wait(30) == 0, said.read_text()
        assert left_of(folder) == []


class Interrupted(subprocess.Popen[bytes]):
    """A program during whose start somebody asks the demo to end."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        os.kill(os.getpid(), signal.SIGTERM)


class Asked(BaseException):
    pass


def test_asked_to_end_while_a_program_starts_it_ends_that_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(number: int, frame: object) -> None:
        raise Asked

    monkeypatch.setattr("demo.processes.subprocess.Popen", Interrupted)
    before = {number: signal.signal(number, asked) for number in STOPPING}
    try:
        with pytest.raises(Asked), Processes({"VERA_VAR": str(tmp_path)}, tmp_path) as processes:
            processes.start("sleeper", "-c", "import time; time.sleep(600)")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

    assert left_of(tmp_path) == []


def test_a_port_that_cannot_be_had_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with demo(tmp_path, port) as (process, said):
            assert process.wait(60) == 1

    assert re.fullmatch(
        rf".*Port {port} is in use. Choose another one: make demo PORT=\d+\n", said.read_text()
    )


@pytest.mark.parametrize("port", [0, -1, 65_536])
def test_a_number_that_is_no_port_is_said_to_be_none(port: int) -> None:
    assert port_problem(port) == f"{port} is no port: ports are 1 to 65535."
