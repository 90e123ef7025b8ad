"""The pages that tell of a golden replay say the same of it: answer, History, Drift and the report."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judging.models import Certificate
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text
from tests.judging.living import replay

pytestmark = pytest.mark.django_db

ANSWER, HISTORY, DRIFT, REPORT = (
    f"/dashboard/strict/replies/{page}" for page in ("", "history/", "drift/", "report/")
)


@pytest.fixture
def certificate() -> Certificate:
    return certify(make_judge("strict"), make_criteria_set("replies"), a=38, b=2, c=2, d=38)


@pytest.fixture
def lead(client: Client, certificate: Certificate) -> User:
    user = make_user("lena", lead_of=certificate.criteria_version.criteria_set)
    client.force_login(user)
    return user


def test_steady_everywhere(client: Client, lead: User, certificate: Certificate) -> None:
    replay(certificate, wrong=1, right=1)

    answer, history, drift, report = pages(client)

    assert "What it says: passed." in answer
    assert "kappa 0.900: passed</li>" in history
    assert ">passed<" in drift
    assert "Nothing in the golden replays shows that it got worse." in answer
    assert "Nothing in the golden replays shows that it got worse." in history
    for page in (drift, report):
        assert "Nothing shows that it got worse since it was certified." in page
    assert not said("itself got worse", "watch this", among=(answer, history, drift, report))


@pytest.mark.parametrize("lost", [5, 8])
def test_one_worse_replay_is_watched_everywhere(
    client: Client, lead: User, certificate: Certificate, lost: int
) -> None:
    """One-sided 2⁻⁵ = .031 is passed yet watched; 2⁻⁸ = .004 is not passed, and suspends twice running."""
    replay(certificate, wrong=lost)

    answer, history, drift, report = pages(client)

    verdict = {5: "came out worse than the certified run (p = 0.031)", 8: "by more than chance (p = 0.004)"}[
        lost
    ]
    for page in (answer, history, drift):
        assert verdict in page
        assert "Watch this: one golden replay came out worse than the certified run." in page
    assert "Watch this: one golden replay came out worse than the certified run." in report
    assert not said("itself got worse", "shows that it got worse", among=(answer, history, drift, report))


def test_the_alarm_is_told_everywhere_until_the_suspension_is_lifted(
    client: Client, lead: User, certificate: Certificate
) -> None:
    for lost in (8, 8, 0):
        replay(certificate, wrong=lost)

    answer, history, drift, report = pages(client)

    assert (
        "Golden replays showed that the judge itself got worse. That stands until two in a row are passed."
        in answer
    )
    assert "both came out worse than the certified run by more than chance" in history
    for page in (drift, report):
        assert "No: the judge itself got worse since it was certified." in page
    assert not said("shows that it got worse", "watch this", among=(answer, history, drift, report))


def pages(client: Client) -> list[str]:
    return [text(client.get(url)) for url in (ANSWER, HISTORY, DRIFT, REPORT)]


def said(*words: str, among: tuple[str, ...]) -> bool:
    return any(each in page.lower() for each in words for page in among)
