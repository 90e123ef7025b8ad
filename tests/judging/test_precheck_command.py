"""The `precheck` command: its words, its JSON, its exit codes, and that it needs no database."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

ROOT = Path(__file__).resolve().parents[2]
FAILED = '{"success": false, "result": null}'
NAMES = (
    "empty_output, unmarked_failure, error_leak, schema_violation, error_page, stop_notice, "
    "unfinished_reasoning, raw_object"
)


def test_a_kill_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        call_command("precheck", candidate=FAILED, criteria="complete the action and return a result")

    lines = capsys.readouterr().out.splitlines()
    assert exit_.value.code == 1
    assert lines[0] == "Layer 1: KILL"
    assert lines[1].startswith("  killed by unmarked_failure: ")
    assert len(lines) == 2


def test_an_abstention_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("precheck", candidate="The team ships Friday.", criteria="summarise the meeting")

    assert capsys.readouterr().out == (
        f"Layer 1: ABSTAIN\n  nothing fired ({NAMES}) — fall through to the panel\n"
    )


def test_a_kill_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        call_command("precheck", candidate="done", meta='{"success": false}', json=True)

    report = json.loads(capsys.readouterr().out)
    assert list(report) == ["verdict", "check", "reason", "checks_run"]
    assert (report["verdict"], report["check"]) == ("KILL", "unmarked_failure")
    assert report["checks_run"] == ["empty_output", "unmarked_failure"]


def test_an_abstention_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("precheck", candidate="Lima", json=True)

    assert json.loads(capsys.readouterr().out) == {
        "verdict": "ABSTAIN", "check": None, "reason": None, "checks_run": NAMES.split(", "),
    }  # fmt: skip


def test_the_request_is_taken_into_account(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "precheck", candidate="None", request="How many moons has Mercury?", criteria="return a value"
    )

    assert capsys.readouterr().out.startswith("Layer 1: ABSTAIN")


def test_the_candidate_comes_from_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\ufeff \n".encode())))

    with pytest.raises(SystemExit) as exit_:
        call_command("precheck", candidate="-")

    assert exit_.value.code == 1


def test_bytes_that_are_not_utf_8_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))

    with pytest.raises(CommandError, match=r"not UTF-8 \(byte 3\)") as error:
        call_command("precheck", candidate="-")

    assert error.value.returncode == 2


@pytest.mark.parametrize(
    "meta", ["{", "[]", "null", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000 + "]" * 100_000]
)
def test_meta_that_is_no_json_object_is_refused(meta: str) -> None:
    with pytest.raises(CommandError, match=r"^--meta .*\.$") as error:
        call_command("precheck", candidate="Lima", meta=meta)

    assert error.value.returncode == 2


def test_without_a_candidate_the_use_is_wrong() -> None:
    assert _shell().returncode == 2


def test_from_the_shell_with_a_database_nobody_serves() -> None:
    killed = _shell("--candidate", "", DATABASE_URL="postgres://nobody@127.0.0.1:1/none")

    assert (killed.returncode, killed.stderr) == (1, "")
    assert killed.stdout == "Layer 1: KILL\n  killed by empty_output: the output is empty\n"


def _shell(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "precheck", *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
