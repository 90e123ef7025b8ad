"""The example in the database, and its scripted jurors asked through litellm."""

import pytest
from django.contrib.auth.models import User

from demo.example import LOGINS, PANEL, STEPS, STORY, NotOurs, load_example, pending_steps
from demo.rows import rows_of
from judging.models import JudgeVersion, Verdict
from judging.services.engine import work_on
from judging.services.runs import start_run
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label, Membership, Submission
from tests.factories import live, make_version
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


def told_by(judge: str) -> dict[str, Verdict]:
    """What a judge says of every row of the meeting summaries, by the kind of case the row is."""
    criteria_set = CriteriaSet.objects.get(slug="meeting-summaries")
    run = start_run(
        judge_version=JudgeVersion.objects.get(judge__slug=judge),
        criteria_version=live(criteria_set),
        kind="scoring",
        scope="all",
        include_unlabelled=True,
    )
    work_on(run.pk)
    verdicts = {verdict.candidate_id: verdict for verdict in run.verdicts.filter(panel_verdict=None)}
    arrivals = Submission.objects.filter(candidate__in=verdicts)
    return {arrival.meta["kind"]: verdicts[arrival.candidate_id] for arrival in arrivals}


@pytest.mark.django_db(transaction=True)
def test_scripted_jurors_answer_through_litellm(provider: None) -> None:
    load_example()

    told = told_by("careful")

    assert {told["sound"].outcome, told["paraphrase"].outcome, told["wrong_owner"].outcome} == {"pass"}
    assert told["wrong_number"].outcome == "fail"
    assert (told["cut_off"].outcome, told["cut_off"].reason) == ("skipped", "truncated")


def counted() -> list[int]:
    kinds = (CriteriaVersion, Candidate, Label, JudgeVersion, Membership, User)
    return [kind.objects.count() for kind in kinds]


def test_loading_again_changes_nothing() -> None:
    load_example()
    first = counted()

    load_example()

    assert counted() == first
    assert all(first)


@pytest.mark.parametrize("name", [login.name for login in LOGINS])
def test_an_account_of_somebody_else_is_left_alone(name: str) -> None:
    User.objects.create_user(name, password="their own")

    with pytest.raises(NotOurs, match=f"account {name} .* VERA_VAR"):
        load_example()

    assert User.objects.get(username=name).check_password("their own")


def test_what_was_judged_once_is_left_to_people_whatever_they_promoted_since() -> None:
    load_example()
    criteria_set = CriteriaSet.objects.get(slug=STORY)
    panel = JudgeVersion.objects.get(judge__slug="review-panel", number=1)
    certified(make_run(panel, criteria_set, a=1))

    make_version(criteria_set, live=True)

    assert pending_steps() == STEPS[1:]


def test_rows_arrive_in_two_parts_so_that_the_first_are_too_few_to_certify() -> None:
    load_example(parts=1)
    first = Candidate.objects.filter(criteria_set__slug=STORY).count()

    load_example()

    assert 0 < first < CriteriaSet.objects.get(slug=STORY).min_rows
    assert Candidate.objects.filter(criteria_set__slug=STORY).count() == len(rows_of(STORY))


def test_the_draft_leaves_the_live_panel_alone() -> None:
    load_example()

    panel = JudgeVersion.objects.get(judge__slug="review-panel", number=1)

    assert panel.judge.live_version == panel
    assert panel.judge.versions.count() == 2
    assert str(panel) == PANEL
