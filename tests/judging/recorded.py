"""Recorded judges in tests: by the commands and the API that everybody has."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from judging.models import Run
from judging.services.engine import work_on
from judging.services.runs import start_run
from judging.services.standing import named_standing
from judging.services.tokens import create_token


def import_file(path: Path, slug: str) -> None:
    """Bring the file's rows in, into a criteria set that they make."""
    call_command("import_golden", str(path), "--criteria-set", slug, "--create", stdout=StringIO())


def load_file(path: Path, slug: str, *options: str) -> tuple[int, str]:
    """Bring judges' verdicts in; the exit code and what was said."""
    out = StringIO()
    try:
        call_command("load_recorded", str(path), "--criteria-set", slug, *options, stdout=out)
    except SystemExit as stopped:
        return int(stopped.code or 0), out.getvalue()
    except CommandError as problem:
        return problem.returncode, str(problem)
    return 0, out.getvalue()


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    """A file with these rows, one on each line."""
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


def calibrated(judge: str, criteria: str) -> Run:
    """The finished calibration of a judge, as a worker does it."""
    standing = named_standing(judge, criteria, timezone.now())
    run = start_run(judge_version=standing.judge_version, criteria_version=standing.criteria_version)
    work_on(run.pk)
    run.refresh_from_db()
    return run


def certification(judge: str, criteria: str) -> dict[str, Any]:
    """How the judge stands, read over the API."""
    return read_api(f"certifications/{judge}/{criteria}")


def read_api(path: str) -> dict[str, Any]:
    """What the API answers to somebody who may read everything."""
    _, secret = create_token(name="reader", scopes=["gate", "export"])
    client = Client(headers={"authorization": f"Bearer {secret}"})
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found
