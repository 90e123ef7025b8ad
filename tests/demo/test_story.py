"""The story page: its figures are those of the API, its order is the newcomer's, and only the demo has it."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from demo.example import (
    LENIENT,
    LOGINS,
    PANEL,
    STEPS,
    STORY,
    load_example,
    standing_of,
    start_run_of,
    start_scoring,
)
from demo.telling import guide
from judging.models import CalibrationRow, Run
from judging.services.engine import work_on
from judging.services.resource import resource
from labeling.models import Candidate, Exposure

STATIONS = [
    "What was killed for free",
    "What the panel said",
    "Where the panel disagreed with people",
    "Why one judge is refused",
]


@pytest.fixture
def lead(client: Client, settings: Settings) -> Client:
    """A lead of the demo, logged in, with the example loaded."""
    settings.VERA_DEMO = True
    load_example(parts=1)
    client.force_login(User.objects.get(username="lead"))
    return client


def calibrate() -> None:
    for step in STEPS[:3]:  # the panel on few rows, the panel on all, the lenient judge
        load_example(parts=step.parts)
        work_on(start_run_of(step).pk)


def score() -> Run:
    """The panel's run over the rows that nobody has labelled."""
    run = start_scoring()
    assert run is not None
    work_on(run.pk)
    return run


def figure(page: str, name: str) -> str:
    """What stands in the element with this id."""
    found = re.search(rf'id="{name}"[^>]*>([^<]+)<', page)
    assert found is not None, name
    return found[1].strip()


def api(judge: str) -> dict[str, Any]:
    return resource(standing_of(next(step for step in STEPS if step.judge == judge)))


@pytest.mark.django_db(transaction=True)
def test_every_figure_of_the_story_is_the_one_of_the_api_or_of_the_tables(
    provider: None, lead: Client
) -> None:
    calibrate()
    panel, lenient = api(PANEL), api(LENIENT)

    page = lead.get("/demo/").text

    assert figure(page, "kappa") == f"{panel['kappa']:.3f}"
    assert figure(page, "low") == f"{panel['lower_bound']:.3f}"
    assert figure(page, "panel-status") == panel["status"] == "certified"
    assert figure(page, "n") == str(panel["n"])
    assert figure(page, "first-n") == "12"
    assert figure(page, "first-status") == "uncertified"
    assert figure(page, "refused-kappa") == f"{lenient['kappa']:.3f}"
    assert figure(page, "refused-status") == lenient["status"] == "uncertified"
    assert all(reason["message"] in page for reason in lenient["reasons"])

    assert "no run has been over such rows" in page

    rows = CalibrationRow.objects.filter(calibration__run__judge_version__judge__slug="agreeable")
    lets_through = rows.filter(truth="fail", outcome="pass")
    assert figure(page, "refused-let-through") == str(lets_through.count())
    killed = rows.exclude(killed_by="")
    assert int(figure(page, "kills-asked")) > killed.count()  # tune rows are asked about, too
    assert figure(page, "rows") == str(Candidate.objects.filter(criteria_set__slug=STORY).count())
    unlabelled = Candidate.objects.filter(criteria_set__slug=STORY, labels=None).count()
    assert int(figure(page, "to-label")) == unlabelled + int(figure(page, "conflicts"))

    told = guide("http://vera", "token")
    assert f"kappa {panel['kappa']:.3f}, certified" in told
    assert "It disagreed with people on " + figure(page, "disagreements") in told

    shown = Exposure.objects.filter(what="verdicts", user__username="lead")
    assert shown.exists()
    assert not shown.exclude(candidate__split="tune").exists()


@pytest.mark.django_db(transaction=True)
def test_what_layer_1_kills_on_unlabelled_rows_was_sent_to_no_model(provider: None, lead: Client) -> None:
    calibrate()
    run = score()

    page = lead.get("/demo/").text

    spared = run.verdicts.filter(kind="panel", reason="killed", calls=0)
    assert figure(page, "never-sent") == str(spared.count()) != "0"
    assert figure(page, "spared-rows") == str(run.verdicts.filter(kind="panel").count())
    assert figure(page, "calls-saved") == str(3 * spared.count())
    assert f"{spared.count()} of them were never sent to a model" in guide("http://vera", "token")
    assert start_scoring() is None


@pytest.mark.django_db(transaction=True)
def test_the_notes_of_a_meeting_are_printed_once(provider: None, lead: Client) -> None:
    calibrate()

    page = lead.get("/demo/").text

    told = set(re.findall(r'id="notes-(\d+)"', page))
    notes = list(Candidate.objects.filter(pk__in=told).values_list("grounding", flat=True))
    assert len(notes) == len(set(notes)) > 0
    assert set(re.findall(r'href="#notes-(\d+)"', page)) <= told


@pytest.mark.django_db
def test_the_stations_stand_in_the_order_of_a_newcomer(lead: Client) -> None:
    page = lead.get("/demo/").text

    places = [page.index(station) for station in ["In short", "What is scripted", *STATIONS, "Your turn"]]

    assert places == sorted(places)
    assert page.count("Nothing to tell yet") == 4


@pytest.mark.django_db
def test_outside_the_demo_there_is_no_such_page(lead: Client, settings: Settings) -> None:
    assert lead.get("/demo/").status_code == 200

    settings.VERA_DEMO = False

    assert lead.get("/demo/").status_code == 404
    assert "Log in as" not in Client().get(reverse("login")).text


@pytest.mark.django_db
def test_a_labeler_is_not_shown_what_judges_said(lead: Client) -> None:
    lead.force_login(User.objects.get(username="labeler"))

    assert lead.get("/demo/").status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize("login", LOGINS, ids=lambda login: login.name)
def test_one_click_on_the_login_page_logs_in(lead: Client, login: Any) -> None:
    stranger = Client()
    form = stranger.get(reverse("login")).text.partition(f'value="{login.name}"')[2].partition("</form>")[0]
    password, start = re.findall(r'name="(?:password|next)" value="([^"]*)"', form)

    answer = stranger.post(
        reverse("login"), {"username": login.name, "password": password, "next": start}, follow=True
    )

    assert answer.status_code == 200
    assert answer.request["PATH_INFO"] == start
    assert start == ("/sets/meeting-summaries/label/" if login.name == "labeler" else "/demo/")
