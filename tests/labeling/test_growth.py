"""The growth of the golden set: what is drawn is what people said, and what it needs next is true."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.domain.agreement import Table, score_interval
from labeling.models import CriteriaSet, Label, Ruling
from labeling.views.golden import counts_of
from labeling.views.growth import MEANINGS, first_settled, growth_of, needed_next
from tests.factories import live, make_candidate, make_criteria_set, make_label, make_ruling, make_user

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("notes")


def ruled(criteria_set: CriteriaSet, *said: tuple[int, str], split: str = "certify") -> None:
    """Rows with a ruling: (days after 1 March, verdict)."""
    for day, verdict in said:
        ruling = make_ruling(make_candidate(criteria_set, split=split), verdict)
        Ruling.objects.filter(pk=ruling.pk).update(created_at=NOON + timedelta(days=day))


def labelled(criteria_set: CriteriaSet, *said: tuple[int, str], **more: Any) -> None:
    """One row with labels by so many people."""
    row = make_candidate(criteria_set)
    for day, verdict in said:
        label = make_label(row, make_user(), verdict, **more)
        Label.objects.filter(pk=label.pk).update(created_at=NOON + timedelta(days=day))


def days(found: Iterable[tuple[datetime, str]]) -> list[tuple[int, str]]:
    return [((moment - NOON).days, word) for moment, word in found]


def test_rulings_and_labels_settle_rows_in_the_order_of_time(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, (3, "pass"), (1, "fail"))
    labelled(criteria_set, (2, "pass"), (5, "pass"))

    assert days(first_settled(live(criteria_set), 300)) == [(1, "fail"), (2, "pass"), (3, "pass")]


def test_what_settles_nothing_is_not_counted(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, (1, "pass"), split="tune")
    ruled(criteria_set, (1, "unresolved"))
    labelled(criteria_set, (1, "pass"), (2, "fail"))
    labelled(criteria_set, (1, "pass"), blind=False)

    assert first_settled(live(criteria_set), 300) == []


def test_a_ruling_outweighs_the_labels_of_its_row(criteria_set: CriteriaSet) -> None:
    labelled(criteria_set, (1, "pass"))
    row = criteria_set.candidates.get()
    ruling = make_ruling(row, "fail")
    Ruling.objects.filter(pk=ruling.pk).update(created_at=NOON + timedelta(days=4))

    assert days(first_settled(live(criteria_set), 300)) == [(4, "fail")]


def test_it_counts_what_the_page_counts(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, *((day, "pass") for day in range(4)), (9, "unresolved"))
    for day in range(3):
        labelled(criteria_set, (day, "fail"), (day, "fail"), (day, "pass"))
    counts = counts_of(live(criteria_set))

    growth = growth_of(live(criteria_set), counts["certify"])

    last = growth.stages[-1]
    assert (last.rows, last.passes, last.fails) == (7, 4, 3)
    assert (counts["certify"], counts["certify_pass"], counts["certify_fail"]) == (7, 4, 3)


def test_each_day_is_a_mark_and_the_drawing_reaches_to_the_next_milestone(
    criteria_set: CriteriaSet,
) -> None:
    ruled(criteria_set, (0, "pass"), (0, "fail"), (6, "pass"))

    growth = growth_of(live(criteria_set), 3)

    assert [(stage.rows, stage.passes, stage.y) for stage in growth.stages] == [(2, 1, 93.33), (3, 2, 90)]
    assert [mark.from_top for mark in growth.milestones] == [0, None, None]
    assert [tick.text for tick in growth.y_axis.ticks] == ["0", "10", "20", "30"]


def test_a_milestone_says_when_it_was_reached(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, *((day, "pass") for day in range(31)))

    first, second, _ = growth_of(live(criteria_set), 31).milestones

    assert (first.when, second.when) == (NOON + timedelta(days=29), None)
    assert first.from_top == pytest.approx(70)


def test_many_days_are_ten_marks_at_most_the_last_among_them(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, *((day, "pass") for day in range(37)))

    stages = growth_of(live(criteria_set), 37).stages

    assert len(stages) == 10
    assert (stages[-1].rows, stages[-1].passes) == (37, 37)


def test_nothing_settled_draws_nothing(criteria_set: CriteriaSet) -> None:
    growth = growth_of(live(criteria_set), 0)

    assert (growth.x_axis, growth.stages, growth.path) == (None, [], "")


def test_days_are_the_readers(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, (0, "pass"))
    Ruling.objects.update(created_at=NOON.replace(hour=23))
    ruled(criteria_set, (1, "pass"))

    with timezone.override("Asia/Tokyo"):
        assert len(growth_of(live(criteria_set), 2).stages) == 1  # 2 March in the morning and in the evening
    assert len(growth_of(live(criteria_set), 2).stages) == 2


def test_more_rows_are_no_more_queries_and_no_more_rows_read(criteria_set: CriteriaSet) -> None:
    ruled(criteria_set, *((day, "pass") for day in range(12)))

    with CaptureQueriesContext(connection) as captured:
        found = first_settled(live(criteria_set), 5)

    assert days(found) == [(day, "pass") for day in range(5)]
    assert len(captured) == 3
    assert sum("LIMIT 5" in query["sql"] for query in captured) == 2


@pytest.mark.parametrize(
    ("passes", "fails", "said"),
    [
        (5, 4, "21 more settled rows and there are 30, the fewest by which a judge can be certified"),
        (29, 0, "1 more settled row and there are 30"),
        (30, 4, "a certificate needs 5 of each verdict: 1 more row that people fail."),
        (20, 20, "a kappa of 0.80 means at 100 rows 0.65 to 0.89 and at 300 rows 0.72 to 0.86."),
        (90, 20, "a kappa of 0.80 means at 300 rows 0.72 to 0.86."),
        (200, 200, "The last mark is passed"),
    ],
)
def test_one_sentence_says_what_is_needed_next(
    criteria_set: CriteriaSet, passes: int, fails: int, said: str
) -> None:
    counts = {"certify": passes + fails, "certify_pass": passes, "certify_fail": fails}

    assert said in needed_next(criteria_set, counts, leads=True)


def test_labelers_are_not_told_how_rows_were_decided(criteria_set: CriteriaSet) -> None:
    counts = {"certify": 34, "certify_pass": 30, "certify_fail": 4}

    assert "more rows of the rarer verdict" in needed_next(criteria_set, counts, leads=False)


@pytest.mark.parametrize(
    ("rows", "table"), [(30, (12, 1, 2, 15)), (100, (45, 5, 5, 45)), (300, (135, 15, 15, 135))]
)
def test_milestones_promise_what_the_interval_gives(rows: int, table: tuple[int, int, int, int]) -> None:
    low, high = score_interval(Table(*table))  # kappa is 0.80 in each

    assert sum(table) == rows
    assert f"{low:.2f} to {high:.2f}" in MEANINGS[rows]
