"""Where figures come from: the machine, the day, the versions."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.faults.servers import binary

_PACKAGES = ("Django", "litellm", "aiohttp", "celery", "granian", "psycopg", "scikit-learn")


def origin() -> str:
    """A sentence or two for the head of the figures."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on one machine: {len(os.sched_getaffinity(0))} cores "
        f"({_model()}), {memory:.0f} GB, {platform.system()} {platform.release()}.\n"
        f"Python {platform.python_version()}, {packages}, "
        f"PostgreSQL {_word('postgres', 2)}, Redis {_word('redis-server', 2).removeprefix('v=')}."
    )


def _model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "unknown processor")


def _word(program: str, number: int) -> str:
    """That word of what the program says of its version."""
    said = subprocess.run([binary(program), "--version"], check=True, text=True, capture_output=True).stdout
    return said.split()[number]
