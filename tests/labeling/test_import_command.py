"""`manage.py import_golden` and `export_golden`: words, JSON, exit codes."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.models import AuditEvent, Candidate, CriteriaSet, Label
from tests.factories import make_criteria_set, make_user, make_version

pytestmark = pytest.mark.django_db

ROWS = '{"candidate": "a", "criteria": "Be short.", "human": "PASS"}\n'
BAD = ROWS + '{"candidate": "b", "human": "MAYBE"}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text(ROWS)
    return path


def run(command: str, *arguments: Any, expect: int = 0) -> None:
    """Run the command; its exit code must be `expect`."""
    try:
        call_command(command, *map(str, arguments))
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except CommandError as error:
        code = error.returncode
    assert code == expect


def test_counts_in_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("import_golden", file, "--criteria-set", "notes", "--create")

    assert capsys.readouterr().out.splitlines()[:3] == [
        "Imported rows.jsonl into notes@1.",
        "  1 row read",
        "  1 new row",
    ]


def test_a_refused_row_is_named_and_exits_1(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BAD)
    run("import_golden", file, "--criteria-set", "notes", "--create", expect=1)

    said = capsys.readouterr().out
    assert "Nothing of rows.jsonl was kept" in said
    assert "line 2, human: 'MAYBE' is not a verdict" in said
    assert not CriteriaSet.objects.exists()


def test_keep_good_exits_0(file: Path) -> None:
    file.write_text(BAD)
    run("import_golden", file, "--criteria-set", "notes", "--create", "--keep-good")

    assert Candidate.objects.get().output == "a"


def test_json_and_dry_run(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f"[{BAD.replace('}', '},', 1)}]")
    run("import_golden", file, "--criteria-set", "notes", "--create", "--dry-run", "--json", expect=1)

    said = json.loads(capsys.readouterr().out)
    assert (said["format"], said["version"], said["dry_run"], said["kept"]) == ("vera", 1, True, False)
    assert (said["counts"]["rows"], said["counts"]["refused"], said["counts"]["labels"]) == (2, 1, 1)
    assert [(row["line"], row["element"], row["field"]) for row in said["refused"]] == [(2, 2, "human")]


def test_options_reach_the_rows(file: Path) -> None:
    make_criteria_set("notes")
    make_user("ada")
    options = ["--split", "tune", "--labeler", "ada", "--format", "vera"]
    run("import_golden", file, "--criteria-set", "notes", *options)

    assert Candidate.objects.get().split == "tune"
    assert Label.objects.get().labeler.username == "ada"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--criteria-set", "nowhere"],
        ["--criteria-set", "notes", "--labeler", "nobody"],
        ["--criteria-set", "notes", "--format", "xml"],
        ["--criteria-set", "No slug", "--create"],
        [],
    ],
)
def test_wrong_use_exits_2(file: Path, arguments: list[str]) -> None:
    make_criteria_set("notes")
    with pytest.raises(CommandError) as error:
        call_command("import_golden", str(file), *arguments)

    assert error.value.returncode == 2 or arguments in ([], ["--criteria-set", "notes", "--format", "xml"])


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe{"])
def test_a_file_that_cannot_be_read_exits_2(file: Path, content: bytes | None) -> None:
    make_criteria_set("notes")
    file.unlink() if content is None else file.write_bytes(content)

    run("import_golden", file, "--criteria-set", "notes", expect=2)


def test_export_writes_a_whole_file_or_none(file: Path, tmp_path: Path) -> None:
    run("import_golden", file, "--criteria-set", "notes", "--create")
    target = tmp_path / "out" / "notes.jsonl"

    run("export_golden", "--criteria-set", "notes", "-o", target, expect=2)
    target.parent.mkdir()
    run("export_golden", "--criteria-set", "notes", "-o", target)

    assert json.loads(target.read_text())["candidate"] == "a"
    assert [path.name for path in target.parent.iterdir()] == ["notes.jsonl"]


def test_export_to_standard_output_in_each_format(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("import_golden", file, "--criteria-set", "notes", "--create")
    capsys.readouterr()
    run("export_golden", "--criteria-set", "notes", "--format", "vera")

    vera = '{"candidate": "a", "criteria": "Be short.", "human": "PASS", "split": "certify"}\n'
    assert capsys.readouterr().out == vera
    run("export_golden", "--criteria-set", "notes", "--format", "csv")
    assert capsys.readouterr().out.startswith("id,split,request,candidate,")
    assert AuditEvent.objects.filter(action="export").count() == 2


def test_export_of_another_version(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("import_golden", file, "--criteria-set", "notes", "--create")
    make_version(CriteriaSet.objects.get())
    capsys.readouterr()
    run("export_golden", "--criteria-set", "notes", "--version", 2)

    assert json.loads(capsys.readouterr().out)["human"] == []
    run("export_golden", "--criteria-set", "notes", "--version", 3, expect=2)
    run("export_golden", "--criteria-set", "nowhere", expect=2)
