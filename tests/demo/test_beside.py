"""What the demo shows beside its calibrations: made once, and as the story page promises it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from demo.beside import RECORDED, load_beside, start_beside
from demo.example import DRAFT, PANEL, STEPS, load_example, start_run_of
from judging.models import Calibration, OrderingResult, ReferenceSet, Run
from judging.services.engine import work_on
from labeling.models import Label


def violated(judge: str) -> int:
    """Sets that a judge (`slug@N`) put in the wrong order."""
    slug, _, number = judge.partition("@")
    return OrderingResult.objects.get(judge_version__judge__slug=slug, judge_version__number=number).violated


@pytest.mark.django_db(transaction=True)
def test_the_pages_beside_the_answer_have_something_to_show(provider: None, client: Client) -> None:
    load_example()
    work_on(start_run_of(STEPS[1]).pk)
    load_beside()

    for run in start_beside():
        work_on(run.pk)

    assert 0 < violated(PANEL) < violated(DRAFT) < ReferenceSet.objects.count()
    assert Calibration.objects.filter(run__kind=Run.Kind.REPLAY).exists()
    assert Calibration.objects.get(judge_version__judge__slug=RECORDED).table.n >= 30
    client.force_login(User.objects.get(username="lead"))
    rates = client.get("/dashboard/review-panel/meeting-summaries/pass-rates/").text
    assert "summariser-1" in rates
    assert "Nobody has marked" not in client.get("/dashboard/review-panel/meeting-summaries/criteria/").text


@pytest.mark.django_db
def test_made_again_it_changes_nothing_and_starts_nothing() -> None:
    load_example()
    load_beside()
    started = start_beside()

    load_beside()

    assert len(started) == 5
    assert start_beside() == []
    assert ReferenceSet.objects.count() == 5


@pytest.mark.django_db
def test_sets_of_which_people_say_otherwise_now_are_left_out() -> None:
    load_example()
    Label.objects.filter(candidate__submissions__external_id="meeting-128").update(verdict="fail")

    load_beside()

    assert ReferenceSet.objects.count() == 4
