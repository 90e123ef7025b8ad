"""`calibrate` from end to end: judges from a file, a provider over HTTP, the task, the certificate."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from judging.models import Judge, JudgeVersion, Run
from judging.services.engine import work_on
from judging.services.judges import add_panel_version, promote_judge
from labeling.models import CriteriaSet
from tests.factories import make_candidate, make_criteria_set, make_ruling, make_version
from tests.scripted_judge import ScriptedJudge
from tests.shared import shared_path, shared_rows
from vera_site.celery import app

pytestmark = pytest.mark.django_db(transaction=True)

JUDGES = """
[[judge]]
slug = "one"
kind = "model"
model = "openai/one"
family = "a"
base_url_env = "VERA_JUROR_TEST_URL"

[[judge]]
slug = "two"
kind = "model"
model = "openai/two"
family = "b"
base_url_env = "VERA_JUROR_TEST_URL"

[[judge]]
slug = "panel"
kind = "panel"
members = ["one", "two"]
"""


@pytest.fixture
def _work_at_once() -> Iterator[None]:
    """Tasks run where they are sent from, so that no worker process is needed."""
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What the judges of `JUDGES` say: candidate → behaviour of the scripted judge, else pass."""
    verdicts: dict[str, str] = {}
    with ScriptedJudge(verdicts=verdicts) as judge:
        monkeypatch.setenv("VERA_JUROR_TEST_URL", judge.url)
        (tmp_path / "judges.toml").write_text(JUDGES)
        call_command("load_judges", str(tmp_path / "judges.toml"), stdout=StringIO())
        yield verdicts


def run_command(*arguments: str) -> tuple[int, str]:
    """Exit code and standard output."""
    out, code = StringIO(), 0
    try:
        call_command(*arguments, stdout=out, stderr=StringIO())
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    return code, out.getvalue()


def make_golden(verdicts: list[str]) -> tuple[CriteriaSet, list[str]]:
    """A criteria set with a ruled row for each verdict, and the rows' texts."""
    criteria_set = make_criteria_set("replies")
    texts = []
    for verdict in verdicts:
        candidate = make_candidate(criteria_set)
        make_ruling(candidate, verdict)
        texts.append(candidate.output)
    return criteria_set, texts


def draft_panel() -> None:
    """A second version of the panel, with its jurors in another order."""
    jurors = JudgeVersion.objects.filter(kind="model").order_by("-judge__slug")
    add_panel_version(slug="panel", members=list(jurors))


@pytest.mark.usefixtures("_work_at_once")
def test_a_panel_that_agrees_on_56_of_60_is_certified(provider: dict[str, str]) -> None:
    _, texts = make_golden(["pass"] * 30 + ["fail"] * 30)
    provider.update(dict.fromkeys(texts[28:58], "fail"))

    code, out = run_command("calibrate", "panel", "replies", "--wait")

    assert out.startswith("CERTIFIED  n=60  kappa=0.867 (bar 0.65, 95% lower bound 0.7")
    assert "agree=93%" in out
    assert code == 0
    assert run_command("gate", "panel", "replies") == (0, out)


@pytest.mark.usefixtures("_work_at_once")
def test_forty_rows_of_one_class_have_no_kappa(provider: dict[str, str]) -> None:
    make_golden(["pass"] * 40)

    code, out = run_command("calibrate", "panel", "replies", "--wait")

    assert code == 1
    assert out.startswith("UNCERTIFIED  n=40  kappa=undefined")
    assert "undefined_kappa" in out


@pytest.mark.published
@pytest.mark.usefixtures("_work_at_once")
def test_the_founding_rows_are_too_few(provider: dict[str, str]) -> None:
    rows = shared_rows("data/vera_seed_golden.jsonl")
    path = str(shared_path("data/vera_seed_golden.jsonl"))
    call_command("import_golden", path, "--criteria-set", "founding", "--create", stdout=StringIO())
    provider.update({row["candidate"]: "fail" for row in rows if row["human"] != "PASS"})

    code, out = run_command("calibrate", "panel", "founding", "--wait")

    assert code == 1
    assert out == (
        "UNCERTIFIED  n=8  kappa=1.000 (bar 0.65)  agree=100%  "
        "too_few_rows: 8 of 30; too_few_of_one_class: 4 of 5\n"
    )


@pytest.mark.usefixtures("_work_at_once")
def test_json_is_the_certification_resource_with_the_run(provider: dict[str, str]) -> None:
    _, texts = make_golden(["pass"] * 3 + ["fail"] * 3)
    provider[texts[0]] = "prose"

    code, out = run_command("calibrate", "panel", "replies", "--wait", "--json")

    answer: dict[str, Any] = json.loads(out)
    assert code == 1
    assert (answer["judge"], answer["criteria"], answer["certified"], answer["n"]) == (
        "panel",
        "replies",
        False,
        5,
    )
    assert answer["run"] == {
        "id": Run.objects.get().pk,
        "state": "finished",
        "pause_reason": "",
        "rows": 6,
        "done": 6,
        "skipped": {"no_majority": 1},
        "calls": 14,  # prose was sent back once to each of two jurors
        "cost": None,
    }


def test_without_wait_it_starts_and_tells_how_the_judge_stands(provider: dict[str, str]) -> None:
    make_golden(["pass", "fail"])

    code, out = run_command("calibrate", "panel", "replies@1")

    assert code == 1
    assert out == "UNCERTIFIED  n=0  kappa=undefined (bar 0.65)  never_calibrated\n"
    assert Run.objects.get().state == "running"


def test_a_run_at_work_is_joined_not_doubled(provider: dict[str, str]) -> None:
    make_golden(["pass", "fail"])

    run_command("calibrate", "panel", "replies")
    run_command("calibrate", "panel", "replies")

    assert Run.objects.count() == 1


@pytest.mark.usefixtures("_work_at_once")
def test_a_paused_run_ends_the_waiting_with_the_reason(
    provider: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, texts = make_golden(["pass"] * 9)
    provider.update(dict.fromkeys(texts, "401"))
    err = StringIO()

    with pytest.raises(SystemExit):
        call_command("calibrate", "panel", "replies", "--wait", stdout=StringIO(), stderr=err)

    assert "paused (authentication)" in err.getvalue()
    assert "Set the right one and resume the run" in err.getvalue()


def test_no_worker_is_said_and_ctrl_c_leaves_the_run_at_work(
    provider: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_golden(["pass", "fail"])

    def press_ctrl_c(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", press_ctrl_c)
    with pytest.raises(CommandError, match="goes on without you") as stopped:
        call_command("calibrate", "panel", "replies", "--wait", stdout=StringIO(), stderr=StringIO())

    assert "No worker is seen" in capsys.readouterr().err
    assert stopped.value.returncode == 130
    assert Run.objects.get().state == "running"


def test_the_answer_is_about_the_version_that_ran_whatever_is_promoted_meanwhile(
    provider: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_golden(["pass", "fail"])
    panel = Judge.objects.get(slug="panel")

    def promote_and_work(seconds: float) -> None:
        jurors = JudgeVersion.objects.filter(kind="model").order_by("-pk")
        promote_judge(judge=panel, version=add_panel_version(slug="panel", members=list(jurors)), actor=None)
        work_on(Run.objects.get().pk)

    monkeypatch.setattr("time.sleep", promote_and_work)

    _, out = run_command("calibrate", "panel", "replies", "--wait")

    assert out.startswith("UNCERTIFIED  n=2  ")


@pytest.mark.parametrize(
    ("judge", "criteria", "sentence"),
    [
        ("nobody", "replies", "There is no judge “nobody”"),
        ("panel@9", "replies", "has no version 9"),
        ("panel", "nothing", "There is no criteria set “nothing”"),
        ("panel", "replies@x", "names no version"),
        ("panel", "replies", "no golden rows of the certify split yet"),
    ],
)
def test_wrong_names_are_wrong_use(
    provider: dict[str, str], judge: str, criteria: str, sentence: str
) -> None:
    make_criteria_set("replies")

    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("calibrate", judge, criteria, "--wait", stdout=StringIO(), stderr=StringIO())

    assert refusal.value.returncode == 2
    assert not Run.objects.exists()


def test_newer_drafts_than_the_live_versions_are_mentioned(provider: dict[str, str]) -> None:
    criteria_set, _ = make_golden(["pass", "fail"])
    make_version(criteria_set)
    draft_panel()
    err = StringIO()

    with pytest.raises(SystemExit):
        call_command("calibrate", "panel", "replies", stdout=StringIO(), stderr=err)

    assert "newer draft of the judge: panel@2. This run uses the live panel@1." in err.getvalue()
    assert "newer draft of the criteria: replies@2. This run uses the live replies@1." in err.getvalue()


def test_nothing_is_said_of_drafts_to_who_names_the_newest(provider: dict[str, str]) -> None:
    make_golden(["pass", "fail"])
    draft_panel()
    err = StringIO()

    with pytest.raises(SystemExit):
        call_command("calibrate", "panel@2", "replies", stdout=StringIO(), stderr=err)

    assert "newer draft" not in err.getvalue()
