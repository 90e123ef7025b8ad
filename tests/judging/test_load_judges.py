"""`load_judges` and `export_judges`: judges as code."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import Judge, JudgeVersion
from judging.services.judges import add_model_version
from labeling.models import AuditEvent

pytestmark = pytest.mark.django_db

EXAMPLE = """
[[judge]]
slug = "panel"
kind = "panel"
members = ["a", "b"]

[[judge]]
slug = "a"
kind = "model"
model = "openai/a"
family = "one"
api_key_env = "VERA_JUROR_A_KEY"
params = { temperature = 0.2, stop = ["\\u00e9\\n"] }
price = { input = 0.15, output = 1 }

[[judge]]
slug = "b"
kind = "model"
model = "openai/b"
family = "two"
"""


def load(text: str, *options: str) -> str:
    path = Path("judges.toml")
    path.write_text(text, encoding="utf-8")
    out = StringIO()
    call_command("load_judges", str(path), *options, stdout=out)
    return out.getvalue()


def export(*slugs: str) -> str:
    out = StringIO()
    call_command("export_judges", *slugs, stdout=out)
    return out.getvalue()


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_loading_says_what_became_of_each_judge() -> None:
    assert load(EXAMPLE).splitlines() == [
        f"{slug}: created, version 1 is live" for slug in ("panel", "a", "b")
    ]

    again = load(EXAMPLE.replace("openai/b", "openai/b2"))

    assert again.splitlines() == [
        "panel: new version 2 (a draft; version 1 is live, until --promote or a lead on its page)",
        "a: unchanged, version 1 (live)",
        "b: new version 2 (a draft; version 1 is live, until --promote or a lead on its page)",
    ]


def test_promote_makes_what_was_loaded_live() -> None:
    load(EXAMPLE)

    loaded = json.loads(load(EXAMPLE.replace("openai/b", "openai/b2"), "--promote", "--json"))

    assert {entry["slug"]: entry["live_version"] for entry in loaded} == {"panel": 2, "a": 1, "b": 2}


def test_loading_an_export_changes_nothing() -> None:
    load(EXAMPLE)
    versions = list(JudgeVersion.objects.values())

    load(export())

    assert list(JudgeVersion.objects.values()) == versions


def test_an_export_names_the_version_that_a_panel_still_pins() -> None:
    load(EXAMPLE)
    add_model_version(slug="a", model="openai/newer", family="one")

    assert 'members = ["a@1", "b"]' in export()
    load(export())

    assert JudgeVersion.objects.filter(judge__slug="panel").count() == 1


def test_a_member_outside_the_file_is_pinned_at_its_live_version() -> None:
    load(EXAMPLE)
    add_model_version(slug="a", model="openai/newer", family="one")

    load('[[judge]]\nslug = "second"\nkind = "panel"\nmembers = ["a", "b"]')

    assert JudgeVersion.objects.get(judge__slug="second").members.get(judge__slug="a").number == 1


def test_the_examples_of_the_demo_load() -> None:
    demo = Path(__file__).resolve().parents[2] / "demo" / "judges.toml"

    call_command("load_judges", str(demo), stdout=StringIO())

    assert JudgeVersion.objects.filter(kind="panel").exists()


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (EXAMPLE.replace('family = "two"', 'famly = "two"'), "judge 3 (“b”): unknown key “famly”"),
        (EXAMPLE.replace('members = ["a", "b"]', 'members = ["a", "c"]'), "judge “panel”: its member “c”"),
        (EXAMPLE.replace('members = ["a", "b"]', 'members = ["a", "b@7"]'), "“b” has no such version"),
        (EXAMPLE.replace('members = ["a", "b"]', 'members = ["a", "panel"]'), "its member “panel”"),
        (EXAMPLE.replace('members = ["a", "b"]', "members = [1]"), "judge 1 (“panel”): “members” must be"),
        (EXAMPLE.replace(", output = 1", ""), "judge 2 (“a”), price"),
        (EXAMPLE.replace("VERA_JUROR_A_KEY", "DATABASE_URL"), "may not read the variable 'DATABASE_URL'"),
        (EXAMPLE.replace('slug = "b"', 'slug = "a"'), "two judges with the slug “a”"),
        (EXAMPLE.replace('kind = "panel"', 'kind = "jury"'), "“kind” must be “model” or “panel”"),
        (EXAMPLE.replace("temperature = 0.2", "temperature = 1979-05-27"), "“temperature” must be a number"),
        ("", "has no [[judge]]"),
        ("[[judge", "This is not TOML"),
        ("judge = [1]", "judge 1: this must be a table"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_loaded(broken: str, sentence: str) -> None:
    with pytest.raises(CommandError) as refusal:
        load(broken)

    assert sentence in str(refusal.value)
    assert refusal.value.returncode == 2
    assert not Judge.objects.exists()


def test_a_refused_file_is_recorded() -> None:
    with pytest.raises(CommandError):
        load(EXAMPLE.replace("VERA_JUROR_A_KEY", "DATABASE_URL"))

    assert "DATABASE_URL" in AuditEvent.objects.get(action="judge_refused").details["reason"]


def test_a_file_that_is_not_there_is_wrong_use() -> None:
    with pytest.raises(CommandError, match=r"gone\.toml cannot be read: No such file") as refusal:
        call_command("load_judges", "gone.toml")

    assert refusal.value.returncode == 2


def test_an_export_of_an_unknown_judge_is_wrong_use() -> None:
    with pytest.raises(CommandError, match="There is no judge gone") as refusal:
        export("gone")

    assert refusal.value.returncode == 2


def test_an_export_goes_to_a_file(tmp_path: Path) -> None:
    load(EXAMPLE)

    options: dict[str, Any] = {"output": str(tmp_path / "out.toml")}
    call_command("export_judges", "b", **options)

    assert (tmp_path / "out.toml").read_text().startswith('[[judge]]\nslug = "b"\n')


def test_a_panel_of_one_family_is_loaded_with_a_warning() -> None:
    kin = EXAMPLE.replace('"two"', '" One"')

    assert "warning" not in load(EXAMPLE)
    assert load(kin).splitlines()[1].startswith("  warning: a and b are of one family, one. Models of one")
    warned = {each["slug"]: len(each["warnings"]) for each in json.loads(load(kin, "--json"))}
    assert warned == {"panel": 1, "a": 0, "b": 0}
