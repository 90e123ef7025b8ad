"""The page of draws: what would be drawn and what that means, and nothing of any single row."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import JudgeVersion
from judging.services.drawing import draw_by_verdict
from labeling.models import Candidate, CriteriaSet, Draw
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_label, make_user
from tests.judging.auditing import make_scoring

pytestmark = pytest.mark.django_db

URL = "/sets/replies/draws/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    judge = make_judge("strict")
    make_scoring(judge, criteria_set, ["pass"] * 60 + ["fail"] * 6 + ["skipped"] * 20)
    return judge


@pytest.fixture
def lead(criteria_set: CriteriaSet, client: Client) -> User:
    lead = make_user("lena", lead_of=criteria_set)
    client.force_login(lead)
    return lead


def by_verdict(judge: JudgeVersion) -> dict[str, str | int]:
    return {"strategy": "stratified", "judge": judge.pk, "most": 20}


def text_of(response: object) -> str:
    return " ".join(response.content.decode().split())  # type: ignore[attr-defined]


def test_a_lead_sees_what_a_draw_would_take(client: Client, judge: JudgeVersion, lead: User) -> None:
    shown = text_of(client.get(URL, by_verdict(judge)))

    assert "20 of 86 rows, by what strict@1 said" in shown
    assert "strict@1 passes 90.9% of the rows" in shown
    assert "The 20 rows of this draw count like 17 drawn evenly" in shown
    assert "The other 66 rows leave the queue until you draw them" in shown
    assert "20 rows have no verdict of strict@1" in shown
    assert not Draw.objects.exists()


def test_where_most_rows_have_no_verdict_the_judge_comes_first(client: Client, lead: User) -> None:
    judge = make_judge("strict")
    make_scoring(judge, lead.memberships.get().criteria_set, ["fail"] * 2 + ["skipped"] * 43)

    shown = text_of(client.get(URL, by_verdict(judge)))

    assert "43 of these 45 rows have no verdict of strict@1" in shown
    assert "half to three quarters" not in shown
    assert shown.index(">Let strict@1 judge them first</a>") < shown.index("Draw 20 rows all the same")
    assert shown.count('class="button primary"') + shown.count('class="primary"') == 1


def test_drawing_leads_back_to_the_list(client: Client, judge: JudgeVersion, lead: User) -> None:
    sent = by_verdict(judge)

    response = client.post(URL, sent, follow=True)

    make_label(Candidate.objects.filter(draws__isnull=False)[0], lead)
    shown = text_of(client.get(URL))
    assert response.redirect_chain == [(URL, 302)]
    assert "20 rows drawn." in text_of(response)
    assert "1 of 20" in shown
    assert "Judged pass: 11 rows, each stands for 5.5 once all are settled</li>" in shown


def test_what_cannot_be_drawn_is_said(client: Client, judge: JudgeVersion, lead: User) -> None:
    few = client.post(URL, {"strategy": "random", "most": 9})
    nobody = client.post(URL, {"strategy": "stratified", "most": 20})
    single = client.post(URL, {"strategy": "disagreement", "judge": judge.pk, "most": 20})
    client.post(URL, by_verdict(judge))
    unfair = client.post(URL, {"strategy": "random", "most": 20})

    assert {each.status_code for each in (few, nobody, single, unfair)} == {422}
    assert "Draw at least 10 rows." in text_of(few)
    assert "Choose a judge, by whose verdicts" in text_of(nobody)
    assert nobody.content.count(b'aria-invalid="true"') == 1
    assert "Choose a panel" in text_of(single)
    assert "no fair sample" in text_of(unfair)


def test_a_double_click_draws_once(client: Client, judge: JudgeVersion, lead: User) -> None:
    sent = {"strategy": "random", "most": 20, "seen": 0}

    statuses = [client.post(URL, sent).status_code for _ in range(2)]

    assert (statuses, Draw.objects.count()) == ([302, 422], 1)


def test_no_row_is_on_the_page(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    client.post(URL, by_verdict(judge))

    shown = text_of(client.get(URL, by_verdict(judge)))

    assert "Live row" not in shown
    assert "/golden/" not in shown.replace("/sets/replies/golden/", "")
    assert not [pk for pk in Candidate.objects.values_list("pk", flat=True) if f"/{pk}/" in shown]


def test_the_page_is_for_leads(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))
    labeler = client.get(URL)
    client.force_login(make_user(lead_of=make_criteria_set("other")))
    stranger = client.get(URL)

    assert (labeler.status_code, stranger.status_code) == (403, 404)
    client.force_login(make_user(labels=criteria_set))
    assert URL not in text_of(client.get("/sets/replies/golden/"))


def test_the_label_page_is_the_same_for_drawn_rows(client: Client, criteria_set: CriteriaSet) -> None:
    first = make_candidate(criteria_set, "The one row.", slots=1)
    client.force_login(make_user(labels=criteria_set))
    before = client.get("/sets/replies/label/").content.decode()
    first.slots.update(priority=10, place=7)
    draw = Draw.objects.create(version=live(criteria_set), strategy="stratified", judge="strict@1")
    draw.rows.create(candidate=first, probability=0.25, stratum="fail")

    after = client.get("/sets/replies/label/").content.decode()

    assert "The one row." in after
    assert [len(each) for each in (before, after)] == [len(before)] * 2
    assert "0.25" not in after
    assert "stratified" not in after


def test_questions_do_not_grow_with_rows(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    draw_by_verdict(
        version=live(criteria_set), judge=judge, most=10, seed="s", now=timezone.now(), actor=lead
    )
    asked = []
    for rows in (10, 20):
        make_scoring(judge, criteria_set, ["pass"] * rows)
        with CaptureQueriesContext(connection) as queries:
            client.get(URL, by_verdict(judge))
        asked.append(len(queries))

    assert asked[0] == asked[1]
