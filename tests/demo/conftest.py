"""The demo's provider, and the example calibrated by it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.processes import Processes, answers, free_port
from tests.faults.servers import wait_for


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The demo's provider, running, and named by the variables that its judges know."""
    port = free_port()
    with Processes({}, tmp_path) as processes:
        processes.start("provider", "-m", "demo.provider", "--port", str(port))
        monkeypatch.setenv("VERA_JUROR_DEMO_URL", f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("VERA_JUROR_DEMO_KEY", "none")
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 30, "the provider")
        yield
