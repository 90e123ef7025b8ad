"""A web server as `make run` and the container start it, on a port of its own."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.faults.servers import Group, answers_at, free_port, wait_for


class Web(NamedTuple):
    """Where it listens, and the process that its workers descend from."""

    port: int
    pid: int


@contextmanager
def serving(env: Mapping[str, str], log: Path, settings: str = "vera_site.settings") -> Iterator[Web]:
    """Granian with two workers and one thread in each, for the length of a block."""
    port = free_port()
    command = ["granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "2", "--workers-kill-timeout", "5", "--blocking-threads", "1"]
    chosen = dict(env) | {"DJANGO_SETTINGS_MODULE": settings}
    group = Group(sys.executable, "-m", *command, "vera_site.wsgi:application", env=chosen, log=log)
    try:
        wait_for(lambda: answers_at(port), 60, "the web server")
        yield Web(port, group.process.pid)
    finally:
        group.kill()
