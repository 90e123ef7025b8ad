"""Versions that were never calibrated say what changed since those before them were."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from judging.models import Judge, JudgeVersion
from judging.services.judges import promote_judge
from judging.services.standing import Standing, find_standing, told_what_changed
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_user, make_version
from tests.judging.dashboards import certify

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    """A judge that is certified on the live criteria."""
    made = make_judge("strict")
    certify(made, criteria_set, a=30, d=30)
    return made


def change(judge: JudgeVersion, *, live: bool = True) -> JudgeVersion:
    """The judge's next version."""
    number = judge.judge.versions.count() + 1
    kept = {"kind": "model", "model": f"openai/{number}", "family": "x", "template": judge.template}
    version = JudgeVersion.objects.create(
        judge=judge.judge, number=number, fingerprint=f"f{number:063}", **kept
    )
    if live:
        promote_judge(judge=judge.judge, version=version, actor=None)
    return version


def codes(judge: str = "strict", criteria: str = "replies") -> list[str]:
    found = find_standing(judge=judge, criteria=criteria, sets=None, now=timezone.now())
    return [str(reason.code) for reason in found.reasons]


def test_a_changed_judge_says_so(judge: JudgeVersion) -> None:
    change(judge)

    assert codes() == ["never_calibrated", "judge_changed"]


def test_changed_criteria_say_so(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_version(criteria_set, live=True)

    assert codes() == ["never_calibrated", "criteria_changed"]


def test_both_say_so(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    change(judge)
    make_version(criteria_set, live=True)

    assert codes() == ["never_calibrated", "judge_changed", "criteria_changed"]


def test_it_is_told_since_the_newest_calibration(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    certify(change(judge), criteria_set, a=3, d=3)
    make_version(criteria_set, live=True)

    assert codes() == ["never_calibrated", "criteria_changed"]


def test_who_was_rolled_back_did_not_change(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    other = make_judge("other")
    certify(change(other), criteria_set, a=3, d=3)
    promote_judge(judge=other.judge, version=other, actor=None)

    assert codes("other") == ["never_calibrated"]


def test_another_set_says_nothing_of_this_one(judge: JudgeVersion) -> None:
    make_criteria_set("elsewhere")
    change(judge)

    assert codes(criteria="elsewhere") == ["never_calibrated"]


def test_api_gate_page_and_command_say_it(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    change(judge)
    _, secret = create_token(name="ci", scopes=["gate"], criteria_sets=[criteria_set])
    token, browser, out = Client(headers={"Authorization": f"Bearer {secret}"}), Client(), StringIO()
    browser.force_login(make_user(lead_of=criteria_set))

    with pytest.raises(SystemExit):
        call_command("gate", "strict", "replies", stdout=out)

    for call in ("certifications", "gate"):
        reasons = token.get(f"/api/v1/{call}/strict/replies").json()["reasons"]
        assert [each["code"] for each in reasons] == ["never_calibrated", "judge_changed"]
    for page in ("/dashboard/", "/dashboard/strict/replies/"):
        assert "judge_changed" in browser.get(page).text
    assert "never_calibrated; judge_changed" in out.getvalue()


def test_it_costs_one_query_for_all_and_none_where_all_are_certified(
    judge: JudgeVersion, criteria_set: CriteriaSet, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = find_standing(judge="strict", criteria="replies", sets=None, now=timezone.now())
    drafts = [change(judge, live=False) for _ in range(4)]
    without = [Standing(each, live(criteria_set), None, timezone.now()) for each in drafts]

    with django_assert_num_queries(0):
        told_what_changed([found, found])
    with django_assert_num_queries(1):
        told = told_what_changed([found, *without])

    assert [bool(each.changed) for each in told] == [False, True, True, True, True]
    assert Judge.objects.get(slug="strict").live_version == judge
