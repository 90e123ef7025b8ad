"""Where the published data and checked vectors lie: beside the repository, never inside it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(os.environ.get("VERA_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def shared_path(name: str) -> Path:
    """Path of a shared file such as `design/vectors.json`; skips the test where the file is absent."""
    path = _ROOT / name
    if not path.exists():
        pytest.skip(f"{name} is not there: set VERA_SHARED to the folder of shared material.")
    return path


def shared_rows(name: str) -> list[dict[str, Any]]:
    """Rows of a shared JSON Lines file; skips the test where the file is absent."""
    with shared_path(name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def vectors(kind: str) -> list[dict[str, Any]]:
    """The checked vectors of one kind; skips the test where the file is absent."""
    found = json.loads(shared_path("design/vectors.json").read_text(encoding="utf-8"))["vectors"]
    return [vector for vector in found if vector["kind"] == kind]
