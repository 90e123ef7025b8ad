"""The example in the database, and its scripted jurors asked through litellm."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from demo.example import LOGINS, NotOurs, load_example, pending_calibrations
from demo.processes import Processes, answers, free_port
from judging.models import JudgeVersion, Verdict
from judging.services.engine import work_on
from judging.services.runs import start_run
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Label, Membership, Submission
from tests.factories import live, make_version
from tests.faults.servers import wait_for
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The demo's provider, running, and named by the variables that its judges know."""
    port = free_port()
    with Processes({}, tmp_path) as processes:
        processes.start("provider", "-m", "demo.provider", "--port", str(port))
        monkeypatch.setenv("VERA_JUROR_DEMO_URL", f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("VERA_JUROR_DEMO_KEY", "none")
        wait_for(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 30, "the provider")
        yield


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
    criteria_set = CriteriaSet.objects.get(slug="meeting-summaries")
    judge = JudgeVersion.objects.get(judge__slug="review-panel")
    assert (judge.judge.slug, criteria_set.slug) in pending_calibrations()
    certified(make_run(judge, criteria_set, a=1))

    make_version(criteria_set, live=True)

    assert (judge.judge.slug, criteria_set.slug) not in pending_calibrations()
