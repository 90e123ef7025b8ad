"""Layer 1 against people: counted with a calibration, kept right by recounts, measured without any model."""

import re
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from judging.models import Calibration, Run
from judging.services.certification import golden_set_changed
from judging.services.false_kills import kills_of, measure, newest_kills
from labeling.models import AuditEvent, Candidate, CriteriaSet, Exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_ruling,
    make_user,
    make_version,
)
from tests.judging.golden import certified, correct, make_run, make_verdict

pytestmark = pytest.mark.django_db

CRASH = "Traceback (most recent call last):\n  File 'a.py', line 1\nValueError: no"
URL = "/sets/replies/layer1/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lena", lead_of=criteria_set)


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def settle(criteria_set: CriteriaSet, output: str, verdict: str, split: str = "certify") -> Candidate:
    candidate = make_candidate(criteria_set, output, split=split)
    make_ruling(candidate, verdict)
    return candidate


def broken_run(
    criteria_set: CriteriaSet, *, good: int = 2, false_kills: int = 1, slug: str = "strict"
) -> Run:
    """A finished run over `good` sound rows, one that people fail, a crash they fail, and some they pass."""
    run = make_run(make_judge(slug), criteria_set, a=good, d=1)
    wanted = [("fail", f"{CRASH} {slug}"), *(("pass", f"{CRASH} {slug} {n}") for n in range(false_kills))]
    for truth, output in wanted:
        make_verdict(run, settle(criteria_set, output, truth), "fail")
    run.finished_at = timezone.now()
    run.save()
    return run


def check_of(calibration: Calibration) -> str:
    (name,) = [name for name in kills_of(calibration) if name]
    return name


def text(answer: object) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())  # type: ignore[attr-defined]


def test_a_calibration_counts_what_each_check_kills(criteria_set: CriteriaSet) -> None:
    calibration = certified(broken_run(criteria_set), timezone.now()).calibration
    calibration.refresh_from_db()

    assert calibration.layer1 == {"": [2, 1], check_of(calibration): [1, 1]}


def test_a_correction_moves_a_kill_from_one_side_to_the_other(criteria_set: CriteriaSet) -> None:
    calibration = certified(broken_run(criteria_set), timezone.now()).calibration
    check = check_of(calibration)
    row = calibration.rows.exclude(killed_by="").get(truth="pass").candidate
    correct(row, "fail")

    golden_set_changed(live(criteria_set), [row.pk])

    after = Calibration.objects.get(is_current=True)
    calibration.refresh_from_db()
    assert after.layer1 == {"": [2, 1], check: [0, 2]}
    assert calibration.layer1 == {"": [2, 1], check: [1, 1]}  # what was counted then stays


def test_what_was_not_counted_then_is_read_from_the_rows(criteria_set: CriteriaSet) -> None:
    calibration = certified(broken_run(criteria_set), timezone.now()).calibration
    counted, version = kills_of(calibration), live(criteria_set)
    Calibration.objects.update(layer1=None)
    row = calibration.rows.filter(killed_by="", truth="pass")[0].candidate
    correct(row, "fail")
    golden_set_changed(version, [row.pk])
    calibration.refresh_from_db()
    after = Calibration.objects.get(is_current=True)

    assert after.layer1 is None
    assert kills_of(calibration) == counted
    assert kills_of(after) == newest_kills([version.pk])[version.pk] == {**counted, "": [1, 2]}


def test_the_calibration_with_the_most_rows_speaks_for_its_version(criteria_set: CriteriaSet) -> None:
    certified(broken_run(criteria_set, good=5, slug="large"), timezone.now())
    certified(broken_run(criteria_set, good=1, slug="small"), timezone.now())
    version = live(criteria_set)

    assert newest_kills([version.pk])[version.pk][""] == [5, 1]
    assert newest_kills([make_version(criteria_set).pk]) == {}


def test_measuring_asks_nobody_and_covers_both_splits(criteria_set: CriteriaSet) -> None:
    settle(criteria_set, CRASH, "pass")
    settle(criteria_set, CRASH + " again", "pass", split="tune")
    settle(criteria_set, "Hello.", "fail")
    make_candidate(criteria_set, " ")  # nobody has settled it

    found = measure(version=live(criteria_set))

    assert (found.rows, found.total, found.last) == (3, 3, None)
    assert sorted(map(list, found.kills.values())) == [[0, 1], [2, 0]]
    assert [(each.truth, bool(each.reason)) for each in found.killed] == [("pass", True)] * 2


def test_measuring_goes_on_where_it_stopped(criteria_set: CriteriaSet) -> None:
    rows = [settle(criteria_set, f"Hello {number}.", "pass").pk for number in range(5)]
    version = live(criteria_set)

    first = measure(version=version, most=2)
    hasty = measure(version=version, after=rows[1], seconds=-1)
    rest = measure(version=version, after=rows[2])

    assert (first.rows, first.earlier, first.last) == (2, 0, rows[1])
    assert (hasty.rows, hasty.earlier, hasty.last) == (1, 2, rows[2])
    assert (rest.rows, rest.earlier, rest.last) == (2, 3, None)
    assert measure(version=version, after=rows[4]).last is None


def test_the_page_counts_and_shows_rows_for_tuning_only(client: Client, criteria_set: CriteriaSet) -> None:
    hidden = settle(criteria_set, f"{CRASH} kept back", "pass")
    shown = settle(criteria_set, f"{CRASH} shown", "pass", split="tune")
    settle(criteria_set, "Hello.", "pass")

    page = text(client.get(URL))

    assert "all 3 settled rows" in page
    assert "would throw away 2 of 3 good outputs (66.7%" in page
    assert f'aria-label="Row {shown.pk}"' in page
    assert "kept back" not in page
    assert "1 of them certifies judges." in page
    assert set(Exposure.objects.values_list("candidate", flat=True)) == {shown.pk}
    assert f'aria-label="Row {hidden.pk}"' not in page


def test_rows_that_certify_are_shown_on_request_and_that_is_logged(
    client: Client, criteria_set: CriteriaSet
) -> None:
    row = settle(criteria_set, CRASH, "pass")

    answer = client.post(URL + "?version=1")
    page = text(client.get(URL))

    assert answer["Location"] == URL + "?version=1"
    assert f'aria-label="Row {row.pk}"' in page
    assert "people <span" in page
    assert AuditEvent.objects.get(action="certify_rows_opened").details == {"candidates": [row.pk]}
    assert sorted(Exposure.objects.values_list("what", flat=True)) == ["labels", "verdicts"]


def test_without_settled_rows_the_page_says_what_to_do(client: Client, criteria_set: CriteriaSet) -> None:
    make_candidate(criteria_set)

    page = text(client.get(URL))

    assert "People have settled no row yet" in page
    assert "Label some rows" in page
    assert "%" not in page.partition("<main")[2]
    assert client.get(URL, {"after": "x" * 99}).status_code == 200


def test_a_share_of_no_rows_is_said_in_words(client: Client, criteria_set: CriteriaSet) -> None:
    settle(criteria_set, "Hello.", "fail")

    page = text(client.get(URL))

    assert "undefined <small>people pass none of these rows</small>" in page
    assert "undefined <small>it kills none of these rows</small>" in page


def test_the_dashboard_names_a_check_above_the_limit(
    client: Client, criteria_set: CriteriaSet, settings: Settings
) -> None:
    certified(broken_run(criteria_set, good=38, false_kills=3), timezone.now())

    page = text(client.get("/dashboard/"))

    assert (
        "would throw away 3 of 41 good outputs (7.3%, 95% interval 1.5% to 20%), above the limit of 1%."
        in page
    )
    assert "The whole interval is above the limit: that is no bad luck." in page
    assert f'href="{URL}?version=1"' in page
    settings.VERA_FALSE_KILL_LIMIT = Decimal(5)
    assert "Its interval holds the limit, so this may be bad luck" in text(client.get("/dashboard/"))
    settings.VERA_FALSE_KILL_LIMIT = Decimal(8)
    assert "would throw away" not in text(client.get("/dashboard/"))


def test_the_detail_page_has_every_check(client: Client, criteria_set: CriteriaSet) -> None:
    certified(broken_run(criteria_set), timezone.now())

    page = text(client.get("/dashboard/strict/replies/"))

    assert "would throw away 1 of 3 good outputs" in page
    assert page.count('<th scope="row"><code>') == 1
    assert "All checks" in page
    assert re.search("These killed nothing: .*<code>empty_output</code>", page)


def test_twenty_sets_take_the_dashboard_as_many_queries_as_ten_and_no_verdicts(
    client: Client, lead: User
) -> None:
    judge = make_judge("everywhere")

    def more(sets: int) -> None:
        for _ in range(sets):
            criteria_set = make_criteria_set()
            criteria_set.memberships.create(user=lead, role="lead")
            certified(make_run(judge, criteria_set, a=1, d=1), timezone.now())
            Calibration.objects.filter(pk=Calibration.objects.latest("pk").pk).update(layer1=None)

    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/dashboard/").status_code == 200
        return [each["sql"] for each in captured]

    more(10)
    few = queries()
    more(10)

    assert len(queries()) == len(few)
    assert not any('FROM "judging_verdict"' in sql for sql in few)


def test_strangers_find_nothing_and_labelers_are_refused(client: Client, criteria_set: CriteriaSet) -> None:
    settle(criteria_set, CRASH, "pass")
    for user, status in ((make_user(), 404), (make_user(labels=criteria_set), 403)):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(URL).status_code == status
        assert client.post(URL).status_code == status
    assert not Exposure.objects.exists()
