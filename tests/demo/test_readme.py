"""What the README names is there: make targets, commands, files and pictures."""

import re
import struct
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from demo.pictures import FOLDER, PICTURES, Picture, chromium
from tests.faults.servers import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_make_targets_exist() -> None:
    named = set(re.findall(r"\bmake ([a-z-]+)\b", TEXT)) - {"it"}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert {"demo", "test", "screenshots", "bench"} <= named
    assert named <= targets


def test_its_commands_exist_and_know_the_options_it_uses() -> None:
    calls = re.findall(r"manage\.py ([a-z_]+)([^`\n#]*)", TEXT)

    assert len(calls) >= 6
    for name, rest in calls:
        command = load_command_class(get_commands()[name], name)
        usage = command.create_parser("manage.py", name).format_help()
        assert all(option in usage for option in re.findall(r"--[a-z-]+", rest)), (name, rest)


def test_its_links_into_the_repository_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", TEXT)

    missing = [link for link in links if not (ROOT / link).exists()]

    assert not missing


def test_it_names_every_command_of_ours() -> None:
    ours = {name for name, app in get_commands().items() if app in ("judging", "labeling")}

    assert len(ours) > 15
    assert {name for name in ours if f"`{name}`" not in TEXT} == set()


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_page_of_the_docs_is_in_the_index_and_its_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))

    assert page.name == "README.md" or f"({page.name})" in (ROOT / "docs" / "README.md").read_text()
    assert [link for link in links if not (page.parent / link).exists()] == []


def size(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return width, height


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_picture_is_there_in_its_size_and_small(picture: Picture) -> None:
    path = FOLDER / f"{picture.name}.png"

    assert size(path) == (picture.width, picture.height)
    assert path.stat().st_size <= 200_000


def test_without_chromium_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("CHROMIUM", "")

    with pytest.raises(SystemExit, match="Pictures need Chromium: apt-get install chromium"):
        chromium()
