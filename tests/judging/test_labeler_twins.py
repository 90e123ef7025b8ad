"""Blindness as a whole: what others said and what judges said changes nothing that a labeler is sent."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Value, When
from django.test import Client
from django.utils import timezone

from judging.models import Run, Verdict
from labeling.models import CriteriaSet, Label
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_label, make_user
from tests.judging.golden import certified, make_run, make_verdict

pytestmark = pytest.mark.django_db

OTHER_SIDE = Case(When(verdict="pass", then=Value("fail")), default=Value("pass"))
OTHER_OUTCOME = Case(
    When(outcome="pass", then=Value("fail")), When(outcome="fail", then=Value("pass")), default=F("outcome")
)
# A secret of the session, the number of one's own newest label, and headers that tell the clock.
OF_THE_VISIT = re.compile(r'name="csrfmiddlewaretoken" value="\w+"|x-csrftoken[^}]*|value="(label|skip)-\d+"')
OF_THE_CLOCK = {"Expires", "Last-Modified", "Set-Cookie"}


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Rows in the queue that somebody else has labelled or nobody, all judged, by a certified judge."""
    criteria_set = make_criteria_set("replies", labels_per_row=2)
    judge, other = make_judge("strict"), make_user("lars", labels=criteria_set)
    certified(make_run(judge, criteria_set, a=14, b=2, c=1, d=14))
    run = Run.objects.create(judge_version=judge, criteria_version=live(criteria_set), kind="scoring")
    for number in range(9):
        row = make_candidate(criteria_set, slots=2, split="tune" if number % 3 == 0 else "certify")
        make_verdict(run, row, "pass" if number % 2 else "fail")
        if number < 5:
            make_label(row, other, "pass" if number % 2 else "fail")
            row.slots.filter(number=1).update(state="done", labeler=other)
    return criteria_set


@pytest.fixture
def labeler(criteria_set: CriteriaSet) -> User:
    return make_user("lena", labels=criteria_set)


def test_pages_and_order_are_the_same_whatever_others_and_judges_said(
    criteria_set: CriteriaSet, labeler: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", repeat(timezone.now()).__next__)
    with undone():
        seen = visits(labeler)

    Label.objects.update(verdict=OTHER_SIDE)
    Verdict.objects.update(outcome=OTHER_OUTCOME)
    with undone():
        seen_otherwise = visits(labeler)

    assert any("Nothing left for you here" in page for page in seen)
    assert seen == seen_otherwise


@contextmanager
def undone() -> Iterator[None]:
    """What is done within is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def visits(labeler: User) -> list[str]:
    """Every page of a labeler's day, with headers: the pages around, then the queue to its end."""
    client, seen = Client(), []
    client.force_login(labeler)
    for address in ("/", "/sets/replies/golden/", "/sets/replies/criteria/"):
        seen.append(said(client.get(address)))
    for _ in range(12):
        answer = client.get("/sets/replies/label/")
        seen.append(said(answer))
        if answer.context.get("candidate") is None:
            break
        row = {"candidate": answer.context["candidate"].pk, "version": answer.context["version"].pk}
        seen.append(said(client.post("/sets/replies/label/", row | {"verdict": "pass"})))
    return seen


def said(answer: Any) -> str:
    """Status, headers and body, without what every visit has of its own."""
    headers = sorted(item for item in answer.headers.items() if item[0] not in OF_THE_CLOCK)
    return OF_THE_VISIT.sub("", f"{answer.status_code}\n{headers}\n{answer.content.decode()}")
