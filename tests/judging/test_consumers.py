"""The page of consumers: who reads what, who has proved that it stops, and who never asked."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import ApiToken, Drill, GateReader, JudgeVersion
from judging.services.consumers import Tally, readers_on, tally, with_drills
from judging.services.tokens import create_token, revoke_tokens
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def lead(criteria_set: CriteriaSet, client: Client) -> User:
    made = make_user(lead_of=criteria_set)
    client.force_login(made)
    return made


def reader(name: str, judge: JudgeVersion, criteria_set: CriteriaSet, *, hours: int = 1) -> GateReader:
    """A token of that name that asked so many hours ago."""
    token, _ = create_token(name=name, scopes=["gate"], criteria_sets=[criteria_set])
    at = timezone.now() - timedelta(hours=hours)
    return GateReader.objects.create(
        token=token, judge=judge.judge, criteria_set=criteria_set, first_at=at, last_at=at
    )


def drill(of: GateReader, answer: str = "expired", *, stopped: bool | None = None) -> Drill:
    now = timezone.now()
    return Drill.objects.create(
        token=of.token,
        judge=of.judge,
        criteria_set=of.criteria_set,
        answer=answer,
        asked_at=now,
        stopped=stopped,
        reported_at=None if stopped is None else now,
    )


def test_it_says_who_reads_what_the_last_to_ask_first(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    for hours, name in enumerate(("deploy", "nightly"), start=1):
        reader(name, judge, criteria_set, hours=hours)

    page = text(client.get("/consumers/"))

    assert page.index("<strong>deploy</strong>") < page.index("<strong>nightly</strong>")
    assert page.count('<a href="/dashboard/strict/replies/">strict on replies</a>') == 2
    assert "2 tokens have never rehearsed a no." in page
    assert page.count("never rehearsed</span>") == 8


def test_the_newest_drill_of_each_answer_counts(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    consumer = reader("deploy", judge, criteria_set)
    drill(consumer, stopped=False)
    drill(consumer, stopped=True)
    drill(consumer, "suspended", stopped=False)
    drill(consumer, "unavailable")

    [found] = with_drills([consumer])

    assert [each.result for each in found.rehearsals] == ["never", "stopped", "went_on", "unreported"]


def test_the_tally_is_over_all_pages(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    mended, broken, silent, _ = (reader(each, judge, criteria_set) for each in "abcd")
    drill(mended, stopped=False)
    drill(mended, stopped=True)
    drill(broken, stopped=True)
    drill(broken, "suspended", stopped=False)
    drill(silent)

    found = tally(readers_on(CriteriaSet.objects.all(), timezone.now()))

    assert found == Tally(gates=1, tokens=4, undrilled=1, unreported=1, went_on=1)


def test_a_token_that_asks_about_five_judges_is_one_that_asks(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    first = reader("deploy", judge, criteria_set)
    others = [make_judge(f"other-{number}").judge for number in range(4)]
    GateReader.objects.bulk_create(
        GateReader(
            token=first.token,
            judge=other,
            criteria_set=criteria_set,
            first_at=first.first_at,
            last_at=first.first_at,
        )
        for other in others
    )

    before = text(client.get("/consumers/"))
    drill(first, stopped=True)
    after = text(client.get("/consumers/"))

    assert "5 gates on criteria sets that you lead are asked by 1 token." in before
    assert "1 token has never rehearsed a no." in before
    assert "never rehearsed a no." not in after


def test_what_went_wrong_stands_above_all(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    drill(reader("deploy", judge, criteria_set), stopped=False)

    assert "<strong>1 token did not stop</strong>" in text(client.get("/consumers/"))


def test_when_all_stopped_it_says_so(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    drill(reader("deploy", judge, criteria_set), stopped=True)

    page = text(client.get("/consumers/"))

    assert "Every token has rehearsed a no and reported that it stopped." in page


def test_tokens_that_never_asked_are_named(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    reader("asks", judge, criteria_set)
    create_token(name="quiet", scopes=["gate"], criteria_sets=[criteria_set])
    create_token(name="everywhere", scopes=["admin"])
    create_token(name="exports", scopes=["export"], criteria_sets=[criteria_set])
    create_token(name="elsewhere", scopes=["gate"], criteria_sets=[make_criteria_set("other")])

    silent = text(client.get("/consumers/")).partition("May ask, and never did")[2].partition("</ul>")[0]

    assert [name for name in ("everywhere", "quiet") if name in silent] == ["everywhere", "quiet"]
    assert not any(name in silent for name in (">asks", "exports", "elsewhere"))


def test_who_may_no_longer_read_is_no_consumer(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    reader("revoked", judge, criteria_set)
    moved = reader("moved", judge, criteria_set)
    kept = reader("kept", judge, criteria_set)
    revoke_tokens(name="revoked")
    moved.token.criteria_sets.clear()

    assert list(readers_on(CriteriaSet.objects.all(), timezone.now())) == [kept]


def test_a_lead_sees_the_consumers_of_own_sets_only(client: Client, lead: User, judge: JudgeVersion) -> None:
    reader("secret-pipeline", judge, make_criteria_set("secret-plans"))

    page = text(client.get("/consumers/"))

    assert "secret" not in page
    assert "Nothing has asked for a certification on a criteria set of yours yet." in page
    assert "create_token ci --scope gate --criteria-set replies" in page


def test_strangers_find_nothing_and_labelers_are_refused(client: Client, criteria_set: CriteriaSet) -> None:
    for user, status in ((make_user(), 404), (make_user(labels=criteria_set), 403)):
        client.force_login(user)
        assert client.get("/consumers/").status_code == status


def test_it_costs_the_same_however_many_there_are(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    def queries(readers: int) -> int:
        for number in range(readers):
            drill(reader(f"token-{number}", judge, criteria_set))
        with CaptureQueriesContext(connection) as captured:
            client.get("/consumers/")
        return len(captured)

    assert queries(2) == queries(8)


def test_the_list_pages(client: Client, lead: User, criteria_set: CriteriaSet) -> None:
    token = ApiToken.objects.create(name="one", digest="1", scopes=["gate"], every_criteria_set=True)
    now = timezone.now()
    judges = [make_judge().judge for _ in range(26)]
    GateReader.objects.bulk_create(
        GateReader(token=token, judge=each, criteria_set=criteria_set, first_at=now, last_at=now)
        for each in judges
    )

    assert "Page 1 of 2" in text(client.get("/consumers/"))
    assert "Page 2 of 2" in text(client.get("/consumers/?page=2"))


def test_leads_are_led_here(client: Client, lead: User, judge: JudgeVersion) -> None:
    assert 'href="/consumers/#drill"' in client.get("/dashboard/strict/replies/").text
