"""Kappa over time: what the drawing and its table say is what the certificates say."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Calibration, Certificate, JudgeVersion
from judging.services.replays import count_replay
from judging.services.standing import Standing
from judging.views.kappa_history import KappaOverTime, kappa_over_time
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_panel
from tests.judging.golden import NOON, certified, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def calibrated(judge: JudgeVersion, criteria_set: CriteriaSet, day: int, **cells: int) -> Certificate:
    """The certificate of a run that ended so many days after noon of 1 March."""
    certificate = certified(make_run(judge, criteria_set, **cells))  # type: ignore[arg-type]
    when = NOON + timedelta(days=day)
    Certificate.objects.filter(pk=certificate.pk).update(created_at=when)
    return certificate


def second_version(judge: JudgeVersion) -> JudgeVersion:
    return JudgeVersion.objects.create(
        judge=judge.judge, number=2, kind="model", model="openai/x", family="x", fingerprint="2" * 64
    )


def chart_of(judge: JudgeVersion, criteria_set: CriteriaSet) -> KappaOverTime:
    chart = kappa_over_time(Standing(judge, live(criteria_set), None, timezone.now()))
    assert chart is not None
    return chart


def test_a_judge_that_was_never_calibrated_has_no_chart(criteria_set: CriteriaSet) -> None:
    assert kappa_over_time(Standing(make_judge(), live(criteria_set), None, timezone.now())) is None


def test_every_calibration_is_a_mark_with_its_numbers(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    calibrated(judge, criteria_set, 0, a=14, b=4, c=3, d=9)
    best = calibrated(judge, criteria_set, 20, a=30, b=2, c=2, d=30)

    first, last = chart_of(judge, criteria_set).points

    assert (first.state, first.n, last.state, last.n) == ("uncertified", 30, "certified", 64)
    assert last.value == best.shown_kappa == "0.875"
    assert last.interval == f"{best.interval_low:.2f} to {best.interval_high:.2f}"
    assert last.kappa == pytest.approx(100 * (1 - 0.875))
    assert (first.x, last.x) == (4, 96)


def test_an_undefined_kappa_is_a_gap_with_words(criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    calibrated(judge, criteria_set, 0, a=14, b=4, c=3, d=9)
    calibrated(judge, make_criteria_set("others"), 3, a=9)
    Certificate.objects.filter(criteria_version__criteria_set__slug="others").update(
        criteria_version=live(criteria_set), superseded_at=NOON
    )
    calibrated(judge, criteria_set, 9, a=30, b=2, c=2, d=30)

    chart = chart_of(judge, criteria_set)

    assert [point.kappa is None for point in chart.points] == [False, True, False]
    assert chart.points[1].value == "undefined"
    assert chart.lines == []  # nothing is drawn across the gap


def test_new_versions_are_marked_where_they_begin(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    later = second_version(judge)
    calibrated(judge, criteria_set, 0, a=14, b=4, c=3, d=9)
    calibrated(later, criteria_set, 10, a=30, b=2, c=2, d=30)
    calibrated(judge, criteria_set, 20, a=30, b=2, c=2, d=30)

    chart = chart_of(later, criteria_set)

    changes = [(mark.words, mark.x) for mark in chart.changes]
    assert changes == [("judge @2", 27.0)]  # midway from the first mark to the second
    assert [point.is_here for point in chart.points] == [False, True, False]
    assert len(chart.lines) == 1  # from version 1 to version 1, past version 2


def test_the_bar_is_the_one_of_its_day(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    calibrated(judge, criteria_set, 0, a=14, b=4, c=3, d=9)
    criteria_set.bar = Decimal("0.8")
    criteria_set.save()
    calibrated(judge, criteria_set, 10, a=30, b=2, c=2, d=30)

    chart = chart_of(judge, criteria_set)

    assert [point.bar for point in chart.points] == ["0.65", "0.8"]
    assert chart.bar_path == "M0 35H96V20H100"


def test_calibrations_too_close_in_time_stand_in_their_order(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    for day in (0, 0, 40):
        calibrated(judge, criteria_set, day, a=14, b=4, c=3, d=9)

    chart = chart_of(judge, criteria_set)

    assert not chart.by_time
    assert [point.x for point in chart.points] == [16.67, 50.0, 83.33]


def test_the_newest_forty_are_two_queries_however_many(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    for day in range(42):
        calibrated(judge, criteria_set, day, a=2, d=2)

    with CaptureQueriesContext(connection) as captured:
        chart = chart_of(judge, criteria_set)

    assert len(captured) == 2
    assert (len(chart.points), chart.cut) == (40, True)
    assert chart.points[-1].when == NOON + timedelta(days=41)


def replayed(judge: JudgeVersion, criteria_set: CriteriaSet, day: int, **cells: int) -> Calibration:
    """The judge's count of a replay that ended so many days after noon of 1 March."""
    run = make_run(judge, criteria_set, kind="replay", **cells)  # type: ignore[arg-type]
    counted = count_replay(run=run, known={})[0]
    Calibration.objects.filter(run=run).update(created_at=NOON + timedelta(days=day))
    return counted


def test_a_replay_is_a_mark_of_its_own_kind_that_decided_nothing(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    calibrated(judge, criteria_set, 0, a=30, b=2, c=2, d=30)
    replayed(judge, criteria_set, 1, a=28, b=4, c=4, d=28)
    replayed(make_panel([judge], "others"), criteria_set, 2, a=9, d=9)  # a juror's part in it is not drawn

    chart = chart_of(judge, criteria_set)

    assert [point.state for point in chart.points] == ["certified", "replay"]
    last = chart.points[-1]
    assert (last.value, last.n, last.bar, last.says) == ("0.750", 64, "0.65", "golden replay")
    assert last.kappa == pytest.approx(25)
    assert (chart.replays, len(chart.lines)) == (1, 1)


def test_a_judge_that_was_only_replayed_has_a_chart(criteria_set: CriteriaSet) -> None:
    judge = make_judge()
    replayed(judge, criteria_set, 0, a=5)

    chart = chart_of(judge, criteria_set)

    assert [(point.value, point.bar) for point in chart.points] == [("undefined", "0.65")]


def test_a_replay_has_its_sign_its_legend_and_its_row(criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    certificate = calibrated(judge, criteria_set, 0, a=30, b=2, c=2, d=30)
    replayed(judge, criteria_set, 1, a=28, b=4, c=4, d=28)
    standing = Standing(judge, live(criteria_set), certificate, timezone.now())

    shown = render_to_string(
        "judging/kappa_over_time.html", {"standing": standing, "kappa_history": kappa_over_time(standing)}
    )

    assert shown.count('class="diamond"') == 1
    assert "</svg> golden replay</li>" in shown
    assert "golden replay: decided nothing" in shown
    assert "a golden replay ended" in shown
    assert "64 rows, golden replay, judge @1 on criteria @1" in re.sub(r"\s+", " ", shown)


def test_the_page_says_every_number_as_text_and_leads_to_the_versions(criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    certificate = calibrated(judge, criteria_set, 0, a=30, b=2, c=2, d=30)
    standing = Standing(judge, live(criteria_set), certificate, timezone.now())

    shown = render_to_string(
        "judging/kappa_over_time.html", {"standing": standing, "kappa_history": kappa_over_time(standing)}
    )

    text = re.sub(r"\s+", " ", shown)
    interval = f"{certificate.interval_low:.2f} to {certificate.interval_high:.2f}"
    said = f"kappa 0.875, 95% interval {interval}, bar 0.65, 64 rows, certified, judge @1 on criteria @1"
    assert said in text
    assert 'href="/dashboard/strict/replies/?judge_version=1&amp;version=1"' in text
    assert '<td class="num" data-label="Kappa">0.875</td>' in text
    assert "style=" not in text
    assert "None" not in text
