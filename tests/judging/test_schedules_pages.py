"""The pages of schedules: for the set's leads, each wrong field with its sentence, nothing hidden."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from judging.models import Calibration, JudgeVersion, Run, Schedule, WorkerSeen
from judging.services.replays import count_replay
from judging.services.schedules import add_schedule, change_schedule, fire_now
from labeling.models import CriteriaSet
from labeling.services.archiving import archive_set
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.golden import certified, make_run
from tests.judging.scheduling import make_schedule, plan_for, settle

pytestmark = pytest.mark.django_db

POSTS = ("switch", "run", "delete")


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Six golden rows."""
    made = make_criteria_set("replies")
    settle(made, 6)
    return made


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> User:
    """Logged in."""
    found = make_user("lena", lead_of=criteria_set)
    client.force_login(found, backend="django.contrib.auth.backends.ModelBackend")
    return found


def text_of(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def filled(judge: JudgeVersion, criteria_set: CriteriaSet, **differing: Any) -> dict[str, Any]:
    """The form as somebody fills it in."""
    usual = {
        "kind": "replay",
        "criteria_set": criteria_set.pk,
        "judge": judge.judge_id,
        "every": "day",
        "weekday": 0,
        "at": "03:00",
        "zone": "Europe/Berlin",
        "sample_rows": 200,
    }
    return usual | differing


def certify_lately(run: Run) -> None:
    """The certificate of a run that ended a day ago."""
    run.finished_at = timezone.now() - timedelta(days=1)
    run.save()
    assert certified(run, run.finished_at).status == "certified"


def test_strangers_and_labelers_see_none(
    client: Client, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    people = {404: make_user(lead_of=make_criteria_set("other")), 403: make_user(labels=criteria_set)}

    for status, person in people.items():
        client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(f"/schedules/{made.pk}/").status_code == status
        for post in POSTS:
            assert client.post(f"/schedules/{made.pk}/{post}/").status_code == status
    assert client.get("/schedules/").status_code == 403
    client.force_login(people[404], backend="django.contrib.auth.backends.ModelBackend")
    assert "strict" not in text_of(client, "/schedules/")
    assert client.post("/schedules/add/", filled(judge, criteria_set)).status_code == 422
    client.force_login(make_user(), backend="django.contrib.auth.backends.ModelBackend")
    assert client.get("/schedules/").status_code == client.get("/schedules/add/").status_code == 404


def test_an_empty_page_says_what_schedules_are_for_and_offers_the_usual_two(
    client: Client, lead: User, judge: JudgeVersion
) -> None:
    text = text_of(client, "/schedules/")

    assert "Nothing runs by itself yet." in text
    for kind, at in (("replay", "03:00"), ("sample", "04:00")):
        assert f'href="/schedules/add/?kind={kind}&amp;every=day&amp;at={at}"' in text


def test_without_a_live_judge_there_is_nothing_to_offer(client: Client, lead: User) -> None:
    text = text_of(client, "/schedules/")

    assert "It takes a judge and a criteria set" in text
    assert "/schedules/add/" not in text


def test_the_form_begins_with_the_readers_zone_and_what_the_address_says(client: Client, lead: User) -> None:
    client.cookies["zone"] = "Asia/Tokyo"

    text = text_of(client, "/schedules/add/?kind=sample&at=04:30")

    assert 'name="zone" value="Asia/Tokyo"' in text
    assert 'name="at" value="04:30"' in text
    assert '<option value="sample" selected>' in text
    assert '<option value="Europe/Berlin">' in text


def test_a_lead_adds_one_and_sees_it(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    answer = client.post("/schedules/add/", filled(judge, criteria_set), follow=True)

    made = Schedule.objects.get()
    assert (made.created_by, made.zone, made.next_at > timezone.now()) == (lead, "Europe/Berlin", True)
    text = re.sub(r"\s+", " ", answer.content.decode())
    assert "The schedule is there: every day at 03:00, Europe/Berlin." in text
    assert "6 rows and 6 calls each time." in text
    assert "No worker is seen, so nothing fires until one is started" in text
    assert f'<time datetime="{made.next_at.isoformat()}">' in text


def test_with_a_worker_seen_the_page_does_not_warn(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_schedule(judge, criteria_set)
    WorkerSeen.objects.create(name="one", seen_at=timezone.now())

    assert "No worker is seen" not in text_of(client, "/schedules/")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("kind", "audit", "Select a valid choice. audit is not one of the available choices."),
        ("criteria_set", "999999", "Select a valid choice. That choice is not one of the available choices."),
        ("criteria_set", "9" * 40, "Select a valid choice. That choice is not one of the available choices."),
        ("judge", "", "This field is required."),
        ("judge", "9" * 40, "Select a valid choice. That choice is not one of the available choices."),
        ("every", "minute", "Select a valid choice. minute is not one of the available choices."),
        ("weekday", "7", "Select a valid choice. 7 is not one of the available choices."),
        ("at", "25:00", "A time is written as hour and minute, such as 03:00."),
        ("at", "", "This field is required."),
        ("zone", "Europe/Atlantis", "There is no time zone “Europe/Atlantis”. Write it as a place"),
        ("zone", "../../etc/passwd", "There is no time zone “../../etc/passwd”."),
        ("zone", "x" * 61, "Ensure this value has at most 60 characters"),
        ("sample_rows", "0", "Ensure this value is greater than or equal to 1."),
        ("sample_rows", "99999", "Ensure this value is less than or equal to 10000."),
        ("max_calls", "-1", "Ensure this value is greater than or equal to 1."),
        ("max_calls", "9" * 30, "Ensure this value is less than or equal to 2000000000."),
        ("max_cost", "a lot", "Enter a number."),
        ("max_cost", "NaN", "Enter a number."),
    ],
)
def test_each_wrong_field_has_its_sentence(
    client: Client,
    lead: User,
    judge: JudgeVersion,
    criteria_set: CriteriaSet,
    field: str,
    value: str,
    sentence: str,
) -> None:
    answer = client.post("/schedules/add/", filled(judge, criteria_set) | {field: value})

    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert sentence in answer.context["form"].errors[field][0]
    assert not Schedule.objects.exists()


def test_the_estimate_follows_the_form(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    asked = filled(judge, criteria_set, kind="sample", sample_rows=30, every="week", weekday=2)

    answer = client.get("/schedules/add/", asked, headers={"HX-Request": "true"})

    text = re.sub(r"\s+", " ", answer.content.decode())
    assert "At most 30 rows and 30 calls each time. Fires every Wednesday at 03:00, Europe/Berlin." in text
    assert "<html" not in text


def test_a_lead_changes_one(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    assert "every day at 03:00, UTC" in text_of(client, f"/schedules/{made.pk}/")

    answer = client.post(
        f"/schedules/{made.pk}/", filled(judge, criteria_set, every="hour", at="00:20", max_calls=9)
    )

    assert (answer.status_code, answer["Location"]) == (302, "/schedules/")
    made.refresh_from_db()
    assert (made.every, made.next_at.minute, made.max_calls) == ("hour", 20, 9)
    refused = client.post(f"/schedules/{made.pk}/", filled(judge, criteria_set, zone="Nowhere"))
    assert refused.status_code == 422


def test_an_archived_set_gets_no_new_schedule_and_keeps_its_own(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    archive_set(criteria_set=criteria_set, actor=lead)

    added = client.post("/schedules/add/", filled(judge, criteria_set))
    changed = client.post(f"/schedules/{made.pk}/", filled(judge, criteria_set, every="hour"))

    assert (added.status_code, changed.status_code) == (422, 302)


def test_the_same_twice_is_warned_of_and_kept(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_schedule(judge, criteria_set)

    answer = client.post("/schedules/add/", filled(judge, criteria_set), follow=True)

    assert "Another schedule lets strict do the same on Replies, every day." in answer.content.decode()
    assert Schedule.objects.count() == 2


def test_switched_off_it_says_so_and_on_again(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)

    client.post(f"/schedules/{made.pk}/switch/")
    assert "Switch on" in text_of(client, "/schedules/")
    client.post(f"/schedules/{made.pk}/switch/", {"on": "1"})

    made.refresh_from_db()
    assert made.is_on
    assert "Switch off" in text_of(client, "/schedules/")


def test_run_it_now_starts_the_run_and_a_second_time_says_why_not(
    client: Client,
    lead: User,
    judge: JudgeVersion,
    criteria_set: CriteriaSet,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    made = make_schedule(judge, criteria_set)

    with django_capture_on_commit_callbacks() as sent:
        answer = client.post(f"/schedules/{made.pk}/run/")

    run = Run.objects.get()
    assert (answer["Location"], len(sent)) == (f"/runs/{run.pk}/", 1)
    page = text_of(client, f"/runs/{run.pk}/")
    assert f'from its <a href="/schedules/{made.pk}/">schedule</a>' in page
    again = client.post(f"/schedules/{made.pk}/run/", follow=True)
    assert "which this schedule started, is still running" in again.content.decode()
    assert Run.objects.count() == 1


def test_the_list_shows_the_last_run_with_its_result_and_the_problem(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)
    run = make_run(judge, criteria_set, a=14, b=4, c=3, d=9, kind="replay")
    Run.objects.filter(pk=run.pk).update(schedule=made)
    count_replay(run=run, known={})
    Schedule.objects.update(problem="There are no golden rows.")

    text = text_of(client, "/schedules/")

    assert f'<a href="/runs/{run.pk}/">Run {run.pk}</a>' in text
    assert "kappa 0.521, 30 rows" in text
    assert "The last firing started no run. There are no golden rows." in text


def test_a_schedule_that_served_another_set_tells_nothing_of_that_set(
    client: Client, lead: User, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    theirs = make_criteria_set("theirs")
    settle(theirs, 2)
    schedule = make_schedule(judge, theirs)
    run = fire_now(schedule=schedule, now=timezone.now())
    Schedule.objects.update(problem="The criteria set theirs has no live version.")

    change_schedule(schedule=schedule, plan=plan_for(judge, criteria_set), now=timezone.now())

    text = text_of(client, "/schedules/")
    assert f"Run {run.pk}" not in text
    assert "theirs" not in text
    assert Schedule.objects.get().fired_at is None


def test_a_sample_shows_how_its_rows_came_out(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set, kind="sample")
    run = make_run(judge, criteria_set, a=4, d=3, skipped_pass=1, kind="scoring")
    Run.objects.filter(pk=run.pk).update(schedule=made)

    assert "pass 4, fail 3, no verdict 1" in text_of(client, "/schedules/")


def test_deleted_it_is_gone(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    made = make_schedule(judge, criteria_set)

    answer = client.post(f"/schedules/{made.pk}/delete/", follow=True)

    assert "The schedule is deleted." in answer.content.decode()
    assert not Schedule.objects.exists()


def test_more_schedules_are_no_more_queries(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            text_of(client, "/schedules/")
        return len(captured)

    def more(number: int) -> None:
        for _ in range(number):
            made = add_schedule(plan=plan_for(judge, criteria_set), now=timezone.now())
            run = make_run(judge, criteria_set, a=1, kind="replay")
            Run.objects.filter(pk=run.pk).update(schedule=made)

    more(2)
    few = queries()
    more(10)

    assert queries() == few


def test_the_certification_page_shows_the_last_replay_beside_the_certificate(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify_lately(make_run(judge, criteria_set, a=30, b=2, c=2, d=30))
    address = "/dashboard/strict/replies/"
    text = text_of(client, address)
    assert "A replay asks this judge again" in text
    wanted = f"/schedules/add/?kind=replay&amp;every=day&amp;at=03%3A00&amp;judge={judge.judge_id}"
    assert wanted in text

    replay = make_run(judge, criteria_set, a=28, b=4, c=4, d=28, kind="replay")
    count_replay(run=replay, known={})
    make_schedule(judge, criteria_set)
    text = text_of(client, address)

    assert "kappa <strong>0.750</strong> on 64 rows, against 0.875 when it was measured" in text
    assert f'href="/runs/{replay.pk}/"' in text
    assert "its schedule</a>" in text
    assert Calibration.objects.filter(run=replay).exists()


def test_runs_and_guide_lead_to_schedules(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify_lately(make_run(judge, criteria_set, a=30, d=30))

    assert 'href="/schedules/"' in text_of(client, "/runs/")
    guide = text_of(client, "/sets/replies/guide/")
    assert f"judge={judge.judge_id}&amp;criteria_set={criteria_set.pk}" in guide
