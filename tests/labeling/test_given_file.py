"""What a command does with a file that is none, and with arguments that are no text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from labeling.formats.given_file import LARGEST_TEXT
from tests.factories import make_criteria_set

pytestmark = pytest.mark.django_db

COMMANDS = ["load_criteria", "load_judges", "import_golden"]


def refusal(command: str, path: Path) -> str:
    """What `command` says of the file; it must be wrong use."""
    make_criteria_set("s")
    options = {"criteria_set": "s"} if command == "import_golden" else {}
    with pytest.raises(CommandError) as refused:
        call_command(command, str(path), **options)
    assert refused.value.returncode == 2
    return str(refused.value)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_keeps_nobody_waiting(command: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "is a pipe or a device" in refusal(command, tmp_path / "pipe")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_device_without_end_is_not_read(command: str) -> None:
    assert "is a pipe or a device" in refusal(command, Path("/dev/zero"))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_no_file(command: str, tmp_path: Path) -> None:
    assert "Is a directory" in refusal(command, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_link_to_itself_is_no_file(command: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    assert "cannot be read: Too many levels of symbolic links." in refusal(command, tmp_path / "loop")


@pytest.mark.parametrize("command", ["load_criteria", "load_judges"])
def test_a_text_without_measure_is_refused(command: str, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_bytes(b"#" * (LARGEST_TEXT + 1))

    assert "is larger than 16 MB" in refusal(command, tmp_path / "long.toml")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (f"a = {'9' * 5000}", "a number too long to be read"),
        ("a = 1e-999999999", "a number too long to be read"),
        ("a = 2020-13-45", "not TOML"),
        (f"a = {'[' * 100_000}", "nested too deeply"),
    ],
)
@pytest.mark.parametrize("command", ["load_criteria", "load_judges"])
@pytest.mark.timeout(20)
def test_toml_that_cannot_be_computed_with(command: str, line: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(line, encoding="utf-8")

    assert sentence in refusal(command, tmp_path / "x.toml")


def test_an_argument_that_is_no_text_is_wrong_use() -> None:
    command: list[str | bytes] = [sys.executable, "manage.py", "gate", b"\xff\xfe", "s"]

    ended = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True)

    assert ended.returncode == 2
    assert ended.stderr == "'\\udcff\\udcfe' is not UTF-8. Write the command in UTF-8.\n"
