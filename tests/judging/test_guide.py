"""The guide: six steps, what is there in numbers, and one thing to do next; for leads and administrators."""

import re
from collections.abc import Callable
from datetime import time
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import JudgeVersion, Run, WorkerSeen
from judging.services.judges import add_model_version
from judging.services.schedules import SchedulePlan, add_schedule
from labeling.models import CriteriaSet
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_panel,
    make_ruling,
    make_user,
)
from tests.judging.golden import certified, make_run
from tests.judging.recorded import load_file, write_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def as_lead(criteria_set: CriteriaSet, client: Client) -> Client:
    client.force_login(make_user("lead", lead_of=criteria_set))
    return client


@pytest.fixture
def admin() -> User:
    return User.objects.create_superuser("root", password="secret")


def page(client: Client, address: str = "/sets/replies/guide/") -> str:
    return re.sub(r"\s+", " ", client.get(address).content.decode())


def states(text: str) -> str:
    """The states of the steps by their first letters, such as "ddnlll"."""
    return "".join(state[0] for state in re.findall(r'<li class="step (\w+)"', text))


def actions(text: str) -> list[str]:
    """What the primary buttons say."""
    return re.findall(r'class="button primary"[^>]*>([^<]+)<', text)


def label(criteria_set: CriteriaSet, passed: int, failed: int) -> None:
    for verdict in ["pass"] * passed + ["fail"] * failed:
        make_ruling(make_candidate(criteria_set), verdict)


def test_an_administrator_without_any_set_is_led_to_the_first_one(client: Client, admin: User) -> None:
    client.force_login(admin)

    text = page(client, "/guide/")

    assert states(text) == "nlllll"
    assert actions(text) == ["Make a criteria set"]
    assert "manage.py createsuperuser" in text
    assert "Open the guide" in page(client, "/")


def test_the_login_page_tells_how_the_first_account_is_made(client: Client) -> None:
    assert "manage.py createsuperuser" in page(client, "/accounts/login/")

    make_user()
    assert "createsuperuser" not in page(client, "/accounts/login/")


@pytest.mark.parametrize("address", ["/guide/", "/sets/replies/guide/"])
def test_strangers_find_nothing_and_labelers_are_refused(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    for user, status in ((make_user(), 404), (make_user(labels=criteria_set), 403)):
        client.force_login(user)
        assert client.get(address).status_code == status


def test_the_lead_of_one_set_comes_straight_to_its_guide(as_lead: Client) -> None:
    assert as_lead.get("/guide/").headers["Location"] == "/sets/replies/guide/"


def no_rows(criteria_set: CriteriaSet) -> None:
    """A set with its criteria alone."""


def few_rows(criteria_set: CriteriaSet) -> None:
    make_candidate(criteria_set, slots=1)


def unlabelled(criteria_set: CriteriaSet) -> None:
    for _ in range(30):
        make_candidate(criteria_set, slots=1)


def one_class(criteria_set: CriteriaSet) -> None:
    label(criteria_set, 30, 0)


def labelled(criteria_set: CriteriaSet) -> None:
    label(criteria_set, 20, 10)


def with_judge(criteria_set: CriteriaSet) -> None:
    label(criteria_set, 20, 10)
    make_panel([make_judge(), make_judge()], "both")


def with_run(criteria_set: CriteriaSet) -> None:
    with_judge(criteria_set)
    both = JudgeVersion.objects.get(judge__slug="both")
    Run.objects.create(judge_version=both, criteria_version=live(criteria_set))


def uncertified(criteria_set: CriteriaSet) -> None:
    finish_now(make_run(make_judge("weak"), criteria_set, a=8, b=8, c=8, d=8))


def expired(criteria_set: CriteriaSet) -> None:
    certified(make_run(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28))


def all_done(criteria_set: CriteriaSet) -> None:
    finish_now(make_run(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28))


def finish_now(run: Run) -> None:
    run.finished_at = timezone.now()
    run.save()
    certified(run, timezone.now())


@pytest.mark.parametrize(
    ("situation", "expected", "action"),
    [
        (no_rows, "dnllll", ["Import rows"]),
        (few_rows, "dnllll", ["Import more rows"]),
        (unlabelled, "ddnlll", ["Label 30 rows"]),
        (one_class, "ddnlll", ["Import more rows"]),
        (labelled, "dddnll", ["Add a model"]),
        (with_judge, "ddddnl", ["Calibrate both"]),
        (with_run, "ddddnl", ["Watch run"]),
        (uncertified, "dddddn", ["See what weak lacks"]),
        (expired, "dddddn", ["Calibrate strict again"]),
        (all_done, "dddddd", []),
    ],
)
def test_each_step_follows_from_what_is_there(
    as_lead: Client,
    criteria_set: CriteriaSet,
    situation: Callable[[CriteriaSet], None],
    expected: str,
    action: list[str],
) -> None:
    situation(criteria_set)

    text = page(as_lead)

    assert states(text) == expected
    assert [re.sub(r" \d+$", "", said) if "run" in said else said for said in actions(text)] == action


def test_the_labels_are_told_in_numbers(as_lead: Client, criteria_set: CriteriaSet) -> None:
    label(criteria_set, 3, 2)
    make_ruling(make_candidate(criteria_set, split="tune"), "pass")

    assert (
        "6 rows, 5 of them settled and there to certify: 3 pass, 2 fail; at least 30, with 5 of each class, "
        "are needed."
    ) in page(as_lead)


def test_a_judge_that_lacks_its_key_is_connected_first(
    as_lead: Client, criteria_set: CriteriaSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    labelled(criteria_set)
    add_model_version(slug="gpt", model="openai/gpt", family="openai", api_key_env="VERA_JUROR_GONE_KEY")

    text = page(as_lead)
    assert (states(text), actions(text)) == ("dddnll", ["Connect gpt"])
    assert "export VERA_JUROR_GONE_KEY=" in text

    WorkerSeen.objects.create(name="a:1", seen_at=timezone.now(), variables=["VERA_JUROR_GONE_KEY"])
    assert actions(page(as_lead)) == ["Calibrate gpt"]


def test_a_certified_judge_is_what_a_pipeline_asks_about(as_lead: Client, criteria_set: CriteriaSet) -> None:
    all_done(criteria_set)

    text = page(as_lead)

    assert "strict is certified: kappa 0.87 on 60 rows, where the bar is 0.65." in text
    assert "/api/v1/gate/strict/replies" in text


def test_a_recorded_judge_is_named_where_it_speaks_and_never_tried(
    as_lead: Client, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    row = {"id": "q1", "candidate": "Yes.", "verdict": "pass"}
    rows = write_rows(tmp_path / "rows.jsonl", {"id": "q1", "candidate": "Yes.", "human": "PASS"})
    for slug in (criteria_set.slug, make_criteria_set("other").slug):
        call_command("import_golden", str(rows), criteria_set=slug, stdout=StringIO())
    load_file(write_rows(tmp_path / "verdicts", row), "other", "--judge", "zen")
    assert "No judge yet." in page(as_lead)

    load_file(write_rows(tmp_path / "verdicts", row), "replies", "--judge", "told")

    text = page(as_lead)
    assert "0 models and 0 panels, and 2 recorded judges. What told says is in a file." in text
    assert "Try told" not in text


def test_a_replay_is_proposed_until_one_is_planned(as_lead: Client, criteria_set: CriteriaSet) -> None:
    all_done(criteria_set)
    assert "Replay the golden set every night" in page(as_lead)

    judge = JudgeVersion.objects.get(judge__slug="strict").judge
    plan = SchedulePlan(
        criteria_set=criteria_set, judge=judge, kind="replay", every="day", at=time(3), zone="UTC"
    )
    made = add_schedule(plan=plan, now=timezone.now())

    text = page(as_lead)
    assert "Replay the golden set every night" not in text
    assert "The next one starts" in text
    assert f"/schedules/{made.pk}/" in as_lead.get("/sets/replies/guide/").content.decode()


def test_the_first_page_names_the_next_step_to_a_lead_and_the_rows_to_a_labeler(
    as_lead: Client, criteria_set: CriteriaSet
) -> None:
    unlabelled(criteria_set)
    assert "Next: Label 30 rows" in page(as_lead, "/")

    with_judge(criteria_set)
    assert "Next: Calibrate both" in page(as_lead, "/")

    as_lead.force_login(make_user(labels=criteria_set))
    text = page(as_lead, "/")
    assert actions(text) == ["Label 30 rows"]
    assert "/guide/" not in text


def test_more_sets_ask_no_more_queries(client: Client, admin: User) -> None:
    client.force_login(admin)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get("/guide/")
        return len(captured)

    def busy_sets() -> None:
        for _ in range(3):
            certified(make_run(make_judge(), make_criteria_set(), a=8, b=2, c=2, d=8), timezone.now())

    busy_sets()
    few = queries()
    busy_sets()

    assert queries() == few
