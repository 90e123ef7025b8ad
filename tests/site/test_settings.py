"""What is documented is tested: every setting is described, its example works, a wrong one is a sentence."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

ROOT: Path = settings.BASE_DIR
# In the example for the compose file, and for judges' keys, which workers read by the names that judges give.
NOT_SETTINGS = {"POSTGRES_PASSWORD", "OPENAI_API_KEY", "VERA_JUROR_HOUSE_KEY", "VERA_JUROR_HOUSE_URL"}
# What a container has no use for: it has no folder of its own, and neither debugs nor shows the demo.
NOT_IN_CONTAINERS = {
    "VERA_VAR",
    "VERA_DEBUG",
    "VERA_DEMO",
    "VERA_JUROR_HOUSE_KEY",
    "VERA_JUROR_HOUSE_URL",
    "VERA_WEBHOOK_HOSTS",
}
SHOW = "import json, os; from vera_site import settings; print(json.dumps(dict(os.environ)))"


def start(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Python in the house with just these variables: none of a test's surroundings reach it."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=variables.pop("cwd", ROOT),
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def examples() -> dict[str, str]:
    """The variables of the example with their values."""
    text = (ROOT / ".env.example").read_text()
    return dict(re.findall(r"^# ([A-Z_]+)=(.*)$", text, re.MULTILINE))


def test_every_setting_is_in_the_example_and_the_other_way_round() -> None:
    source = (ROOT / "vera_site" / "settings.py").read_text()
    read = set(re.findall(r'(?:text|words|flag|whole|per_cent)\("([A-Z_]+)"', source))

    assert len(read) > 12
    assert examples().keys() - NOT_SETTINGS == read


def test_containers_get_every_setting_that_means_something_to_them() -> None:
    compose = (ROOT / "docker-compose.yml").read_text()

    assert [name for name in examples().keys() - NOT_IN_CONTAINERS if f" {name}:" not in compose] == []


def test_a_line_of_the_example_means_what_it_says_once_it_is_uncommented(tmp_path: Path) -> None:
    text = (ROOT / ".env.example").read_text()
    (tmp_path / "vera_site").mkdir()
    for name in ("__init__.py", "celery.py", "settings.py"):
        (tmp_path / "vera_site" / name).write_text((ROOT / "vera_site" / name).read_text())
    (tmp_path / ".env").write_text(re.sub(r"^# ([A-Z_]+=)", r"\1", text, flags=re.MULTILINE))

    found = start("-c", SHOW, cwd=str(tmp_path), PYTHONPATH=str(tmp_path), VERA_SECRET_KEY="long enough")

    told = examples() | {"VERA_SECRET_KEY": "long enough"}
    assert told.items() <= json.loads(found.stdout).items()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("VERA_PRODUCTION", "maybe", "neither on nor off"),
        ("VERA_PRODUCTION", "1", "VERA_SECRET_KEY is not set"),
        ("VERA_CALL_TIMEOUT", "soon", "must be a whole number"),
        ("VERA_FALSE_KILL_LIMIT", "a few", "must be a number of per cent"),
        ("VERA_FALSE_KILL_LIMIT", "101", "must be a number of per cent"),
        ("VERA_WORKER_PROCESSES", "0", "at least 1"),
        ("VERA_REUSE_HOURS", "99999999", "too large: at most 876000"),
        ("VERA_CALL_TIMEOUT", "9" * 30, "too large"),
        ("VERA_SIGNING_KEY", "c2hvcnQ=", "must hold 32 bytes in base64"),
        ("VERA_TRUSTED_KEYS", "not base64", "VERA_TRUSTED_KEYS must hold 32 bytes in base64"),
        ("VERA_SIGNED_HOURS", "0", "at least 1"),
        ("VERA_LOG_LEVEL", "LOUD", "Use DEBUG, INFO, WARNING or ERROR"),
        ("DATABASE_URL", "vera", "must name a PostgreSQL database"),
        ("DATABASE_URL", "postgres://vera:pa/ss@host/vera", "must name a PostgreSQL database"),
        ("DATABASE_URL", "postgres://", "must name a PostgreSQL database"),
        ("REDIS_URL", "localhost:6379", "must look like redis://"),
        ("REDIS_URL", "redis://host:port/0", "must look like redis://"),
        ("VERA_VAR", "/dev/null", "Vera cannot write to /dev/null"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_one_sentence(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    ended = start("manage.py", "check", **({"VERA_VAR": str(tmp_path)} | {name: value}))

    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert said in ended.stderr


def test_production_names_its_hosts(tmp_path: Path) -> None:
    ended = start("manage.py", "check", VERA_VAR=str(tmp_path), VERA_PRODUCTION="1", VERA_SECRET_KEY="long")

    assert "VERA_HOSTS is not set" in ended.stderr


def test_a_variable_set_to_nothing_counts_as_not_set(tmp_path: Path) -> None:
    nothing = dict.fromkeys(examples(), "")

    ended = start("manage.py", "check", **nothing | {"VERA_VAR": str(tmp_path)})

    assert (ended.returncode, ended.stderr) == (0, "")
