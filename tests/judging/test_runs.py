"""Starting a run: what it writes, what it will take, and when it cannot be."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from judging import tasks
from judging.models import Certificate, Judge, JudgeVersion, Run
from judging.services.engine import work_on
from judging.services.estimates import estimate
from judging.services.progress import progress
from judging.services.runs import CannotRun, cancel_run, resume_run, start_run
from judging.services.workers import mark_seen, workers_seen
from labeling.models import AuditEvent, CriteriaSet
from tests.factories import live, make_candidate, make_label, make_user
from tests.judging.running import judged, juror, outcomes, panel, rows, scoring, scripted

pytestmark = pytest.mark.django_db


def golden(certify: int, tune: int = 0) -> CriteriaSet:
    """A criteria set with labelled rows of either split and one row without a label."""
    criteria_set, labeler = rows(1), make_user()
    for split, number in (("certify", certify), ("tune", tune)):
        for place in range(number):
            make_label(make_candidate(criteria_set, split=split), labeler, "fail" if place % 2 else "pass")
    return criteria_set


def test_a_panels_run_is_one_verdict_per_row_and_one_per_juror() -> None:
    judge = panel("pass", "fail", "pass")

    run = scoring(judge, rows(4), actor=make_user("lead"))

    assert outcomes(run) == {"panel pending": 4, "juror pending": 12}
    assert run.verdicts.filter(panel_verdict__judge_version=judge, kind="juror").count() == 12
    assert str(run.created_by) == "lead"
    assert AuditEvent.objects.get(action="run_started").details == {"run": run.pk}


@pytest.mark.parametrize(
    ("scope", "unlabelled", "number"),
    [("certify", False, 3), ("tune", False, 2), ("all", False, 5), ("certify", True, 4), ("all", True, 6)],
)
def test_a_run_covers_the_rows_it_was_asked_for(scope: str, unlabelled: bool, number: int) -> None:
    criteria_set = golden(3, tune=2)

    run = start_run(
        judge_version=juror(),
        criteria_version=live(criteria_set),
        scope=scope,  # type: ignore[arg-type]
        include_unlabelled=unlabelled,
    )

    assert outcomes(run) == {"juror pending": number}


def test_a_calibration_ends_with_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = start_run(judge_version=panel("pass", "pass"), criteria_version=live(golden(6)))
        work_on(run.pk)

    certificate = Certificate.objects.get(calibration__run=run)
    assert (certificate.status, certificate.n) == ("uncertified", 6)


def test_the_estimate_counts_calls_and_dollars() -> None:
    jurors = [juror(price={"input": 1, "output": 10}) for _ in range(2)]
    free, dear = panel("pass", "pass"), panel()
    for position, member in enumerate(jurors):
        dear.seats.create(juror=member, position=position)
    criteria_set = rows(5)

    priced = estimate(
        judge_version=dear, criteria_version=live(criteria_set), scope="all", include_unlabelled=True
    )
    unknown = estimate(judge_version=free, criteria_version=live(criteria_set))

    assert (priced.rows, priced.calls) == (5, 10)
    assert priced.cost is not None
    # What both are told with every row is counted, not guessed; the reply is 60 tokens at $10.
    assert priced.cost == Decimal(priced.tokens_in + 10 * priced.tokens_out) / 1_000_000
    assert priced.tokens_out == 2 * 5 * 60
    assert (unknown.rows, unknown.calls, unknown.cost) == (0, 0, None)


def test_a_run_without_rows_or_jurors_says_what_to_do() -> None:
    criteria_set = rows(2)
    empty = JudgeVersion.objects.create(judge=Judge.objects.create(slug="empty"), number=1, kind="panel")

    with pytest.raises(CannotRun, match="no golden rows of the certify split yet"):
        start_run(judge_version=juror(), criteria_version=live(criteria_set))
    with pytest.raises(CannotRun, match="The panel empty@1 has no jurors"):
        scoring(empty, criteria_set)
    with pytest.raises(CannotRun, match="A budget must be above zero"):
        scoring(juror(), criteria_set, max_calls=0)
    assert not Run.objects.exists()


def test_only_a_paused_run_is_resumed_and_only_an_unfinished_one_cancelled() -> None:
    run = scoring(juror(), rows(1))

    with pytest.raises(CannotRun, match="Only a paused run can be resumed; this one is running"):
        resume_run(run=run)
    cancel_run(run=run)
    with pytest.raises(CannotRun, match="This run is cancelled already"):
        cancel_run(run=run)


def test_a_cancelled_calibration_leaves_its_judge_uncertified_for_an_incomplete_run() -> None:
    run = start_run(judge_version=juror(), criteria_version=live(golden(2)))

    cancel_run(run=run)

    [certificate] = Certificate.objects.all()
    assert "run_incomplete" in [reason["code"] for reason in certificate.reasons]


@pytest.mark.parametrize(("of_set", "of_panel"), [("human", "majority"), ("majority", "human")])
def test_splits_go_to_people_where_the_set_or_the_panel_says_so(of_set: str, of_panel: str) -> None:
    criteria_set = rows(1)
    CriteriaSet.objects.update(on_split=of_set)
    criteria_set.refresh_from_db()

    assert scoring(panel("pass", on_split=of_panel), criteria_set).on_split == "human"
    assert scoring(panel("pass"), criteria_set).on_split == of_set


def test_progress_counts_rows_skips_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted(monkeypatch):
        run = judged(panel("pass", "pass", "refusal"), 4, max_calls=9)

    figures = progress(run)
    assert (figures.done, figures.total, figures.percent) == (3, 4, 75)
    assert (figures.passed, figures.skipped, figures.juror_skips) == (3, {}, {"refused": 3})
    assert (figures.calls, figures.cost, figures.unpriced) == (9, None, 9)


def test_progress_asks_two_queries_whatever_the_size(django_assert_max_num_queries: object) -> None:
    run = scoring(panel("pass", "pass"), rows(3))

    with django_assert_max_num_queries(2):  # type: ignore[operator]
        assert progress(run).seconds_left is None


def test_a_broker_that_is_down_does_not_fail_who_starts_a_run(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr(tasks.judge_run, "delay", refuse)

    tasks.start_work(7)

    assert "the workers find run 7 by themselves" in caplog.text


def test_workers_are_counted_by_their_sign_of_life() -> None:
    for name in ("host:1", "host:2", "host:1"):
        mark_seen(name=name)

    now = timezone.now()
    assert workers_seen(now) == 2
    assert workers_seen(now + timedelta(seconds=31)) == 0
