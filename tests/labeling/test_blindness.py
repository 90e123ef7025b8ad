"""Blind, provably: worlds that differ only in what others, judges and leads said of a row are one world to
whoever has not decided it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.utils import timezone

from judging.models import Run, Verdict
from judging.services.tokens import create_token
from labeling.models import Candidate, CriteriaSet, Exposure, Label, Mark, Repeat, Ruling, Skip
from labeling.services.queue import bring_forward
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_ruling,
    make_user,
)
from tests.judging.golden import certified, make_run, make_verdict
from tests.labeling.blind_walk import differing, said, walk

pytestmark = pytest.mark.django_db

OTHERS = ("lars", "mia", "nina")
# What the three of them, three jurors with their panel, and a lead say of every row: in the one world all
# agree; in the other the first label is another one, and so people differ where there are two of them.
WORLDS = {
    "agreed": (("pass", "pass", "pass"), ("pass", "pass", "pass", "pass"), "pass"),
    "contested": (("fail", "pass", "fail"), ("fail", "pass", "fail", "escalated"), "fail"),
}


@pytest.fixture(autouse=True)
def _one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it happens at one moment: no clock tells worlds apart."""
    monkeypatch.setattr(timezone, "now", repeat(timezone.now()).__next__)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Nine rows of which others said something or nobody did, judged by a panel, and two of Lena's own."""
    criteria_set = make_criteria_set("replies", labels_per_row=3)
    others = [make_user(name, labels=criteria_set) for name in OTHERS]
    lena = make_user("lena", labels=criteria_set)
    jurors = [make_judge(f"juror-{number}") for number in range(3)]
    panel = make_panel(jurors, "strict")
    certified(make_run(panel, criteria_set, a=14, b=2, c=1, d=14))
    run = Run.objects.create(
        judge_version=panel, criteria_version=live(criteria_set), kind="scoring", state="finished"
    )
    for number in range(9):
        row = make_candidate(criteria_set, slots=3, split="tune" if number % 3 == 0 else "certify")
        make_verdict(run, row, "pass")
        for place, other in enumerate(others[: number // 2], start=1):
            label = make_label(row, other)
            Mark.objects.create(label=label, criterion=label.version.criteria.get(), score=1)
            row.slots.filter(number=place).update(state="done", labeler=other)
    Skip.objects.create(candidate=row, version=live(criteria_set), labeler=others[2], reason="other")
    make_ruling(make_candidate(criteria_set))
    for _ in range(2):
        make_label(make_candidate(criteria_set), lena)
    return criteria_set


@pytest.fixture
def lena(criteria_set: CriteriaSet) -> User:
    return User.objects.get(username="lena")


def test_no_address_tells_a_labeler_what_was_said_of_rows_they_have_not_labelled(
    criteria_set: CriteriaSet, lena: User
) -> None:
    own = Label.objects.filter(labeler=lena).latest("pk")

    worlds = in_each_world(lambda: dict(walk(entered(lena), ends(criteria_set), own)))

    assert differing(*worlds) == []
    open_to_them = {place for place, page in worlds[0].items() if page.startswith("200")}
    assert {f"/sets/replies/{page}/" for page in ("label", "golden", "criteria", "guidelines")} < open_to_them


def test_nothing_in_a_labelers_day_tells_it_either(criteria_set: CriteriaSet, lena: User) -> None:
    worlds = in_each_world(lambda: numbered(day(entered(lena))))

    assert differing(*worlds) == []
    assert any("Nothing left for you here" in page for page in worlds[0].values())


def test_where_labels_are_not_shown_nothing_is_told_afterwards_either(
    criteria_set: CriteriaSet, lena: User
) -> None:
    CriteriaSet.objects.update(shows_labels=False)

    def afterwards() -> dict[str, str]:
        client = entered(lena)
        numbered(day(client))
        return dict(walk(client, ends(criteria_set), below="sets/replies/"))

    assert differing(*in_each_world(afterwards)) == []


def test_a_token_that_sends_candidates_reads_nothing(criteria_set: CriteriaSet) -> None:
    _, secret = create_token(name="pipeline", scopes=["submit"])
    client = Client(headers={"authorization": f"Bearer {secret}"})

    worlds = in_each_world(lambda: dict(walk(client, ends(criteria_set), below="api/")))

    assert differing(*worlds) == []
    assert any(page.startswith("403") for page in worlds[0].values())


def test_every_page_that_tells_a_lead_of_a_row_is_noted(criteria_set: CriteriaSet) -> None:
    lead = make_user("lead", lead_of=criteria_set)
    row = ends(criteria_set)[1]
    unnoted = set()

    def shown() -> dict[str, str]:
        client, seen = entered(lead), {}
        for place, page in walk(client, [row], queries=["version=1", "truth=unresolved"]):
            if not Exposure.objects.filter(user=lead, candidate=row).delete()[0]:
                unnoted.add(place)
            seen[place] = page
        return seen

    worlds = in_each_world(shown, [row])

    differ = {each.partition(": ")[0]: each for each in differing(*worlds)}
    telling = [place for place in differ if f"/{row.pk}/" in place + worlds[0][place]]
    assert len(telling) > 2
    assert [differ[place] for place in telling if place in unnoted] == []


def test_a_label_corrected_after_others_were_seen_is_not_blind(criteria_set: CriteriaSet, lena: User) -> None:
    row = ends(criteria_set)[1]
    label = make_label(row, lena)
    client = entered(lena)
    client.get(f"/sets/replies/golden/{row.pk}/")

    client.post(f"/sets/replies/label/history/{label.pk}/", {"verdict": "fail", "comment": ""})

    corrected = Label.objects.current().get(candidate=row, labeler=lena)
    assert (corrected.verdict, corrected.blind, label.blind) == ("fail", False, True)


def test_nothing_on_the_page_tells_a_row_that_is_asked_about_again(
    criteria_set: CriteriaSet, lena: User
) -> None:
    CriteriaSet.objects.update(repeat_share=1)
    old = Label.objects.filter(labeler=lena).earliest("pk").candidate
    Repeat.objects.create(label=old.labels.get(), due_at=timezone.now(), shown_at=timezone.now())
    client = entered(lena)

    again = client.get("/sets/replies/label/")
    row = {"candidate": old.pk, "version": again.context["version"].pk, "verdict": "pass"}
    first = client.post("/sets/replies/label/", row, headers={"HX-Request": "true"})
    next_one = first.context["candidate"]

    assert again.context["candidate"] == old
    assert next_one != old
    assert shape(again, old) == shape(client.get("/sets/replies/label/"), next_one)


def shape(answer: Any, row: Candidate) -> str:
    """The page without what is this row's own, what counts up, and the undo of the last act."""
    page = said(answer).replace(row.output, "OUTPUT").replace(f'"candidate" value="{row.pk}"', "ROW")
    page = re.sub(
        rf"/{row.pk}/|\d+</b>|row \d+ today|value=\"\d+\" aria-hidden|data-lease=\"[^\"]*\"", "", page
    )
    return re.sub(r'<form method="post" [^>]*>.*?</form>', "", page, flags=re.DOTALL)


@contextmanager
def undone() -> Iterator[None]:
    """What is done within is taken back, and nothing of it is remembered."""
    cache.clear()
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def in_each_world[T](look: Callable[[], T], rows: list[Candidate] | None = None) -> list[T]:
    """What `look` sees in each of the worlds, which are the same but for what was said of `rows`."""
    seen = []
    for world in WORLDS:
        with undone():
            become(world, rows or list(Candidate.objects.all()))
            seen.append(look())
    return seen


def become(world: str, rows: list[Candidate]) -> None:
    """Have others, judges and leads say of these rows what they say in that world; the run escalates."""
    people, jurors, ruled = WORLDS[world]
    for name, verdict in zip(OTHERS, people, strict=True):
        labels = Label.objects.filter(labeler__username=name, candidate__in=rows)
        labels.update(verdict=verdict, comment=f"others say {verdict}")
        Mark.objects.filter(label__in=labels).update(score=int(verdict == "pass"))
    verdicts = Verdict.objects.filter(candidate__in=rows, run__kind="scoring")
    for judge, outcome in zip(("juror-0", "juror-1", "juror-2", "strict"), jurors, strict=True):
        verdicts.filter(judge_version__judge__slug=judge).update(outcome=outcome)
    Ruling.objects.filter(candidate__in=rows, candidate__submissions=None).update(
        verdict=ruled, reason=f"others rule {ruled}"
    )
    Skip.objects.filter(candidate__in=rows).update(comment=f"others think {people[1]}")
    version = live(CriteriaSet.objects.get())
    tuning = Candidate.objects.filter(split="tune").values_list("pk", flat=True)
    bring_forward(version=version, candidate_ids=list(tuning))


def entered(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def ends(criteria_set: CriteriaSet) -> list[Candidate]:
    """Of the rows in the queue the one of which nobody has said anything, and the one with most labels."""
    waiting = criteria_set.candidates.filter(slots__isnull=False).distinct().order_by("pk")
    return [waiting[0], waiting[7]]


def numbered(pages: Iterator[str]) -> dict[str, str]:
    return {str(number): page for number, page in enumerate(pages)}


def day(client: Client) -> Iterator[str]:
    """Everything that a labeler is sent in a day of work, with all that can go wrong, to the queue's end."""
    page = "/sets/replies/label/"
    for number in range(15):
        answer = client.get(page)
        yield said(answer)
        if answer.context.get("candidate") is None:
            return
        row = {"candidate": answer.context["candidate"].pk, "version": answer.context["version"].pk}
        yield said(client.post(f"{page}hold/", row))
        yield said(client.post(f"{page}draft/", row | {"comment": "Half", "meets_criteria": "1"}))
        yield said(client.post(page, row | {"reason": "no such reason"}))
        yield said(client.post(page, row | {"verdict": "perhaps"}))
        act = {"reason": "needs_expert"} if number % 4 == 3 else {"verdict": "pass"}
        yield said(client.post(page, row | act, headers={"HX-Request": "true"}))
        if number % 3 == 0:
            yield said(client.post(page, row | {"undo": ""}))
            yield said(client.get(page))
            yield said(client.post(page, row | act))
            yield said(client.post(page, row | act))
        yield said(client.get("/"))
        yield said(client.get(f"{page}history/"))
