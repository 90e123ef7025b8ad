"""The web process stays light: no model library, no statistics package, whatever the API is asked."""

import os
import subprocess
import sys
from pathlib import Path


def test_serving_the_api_loads_no_heavy_library(tmp_path: Path) -> None:
    embedded = {name: text for name, text in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}

    done = subprocess.run(
        [sys.executable, "-m", "tests.judging.light_process"],
        cwd=Path(__file__).resolve().parents[2],
        env=embedded | {"VERA_VAR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.stdout == "{'200 OK'} []\n", done.stderr
