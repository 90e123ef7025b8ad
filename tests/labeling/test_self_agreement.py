"""People with themselves: second answers beside first ones, and the ceiling of a one-person team."""

import pytest
from django.utils import timezone
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, score_interval
from labeling.models import CriteriaSet, Draw, DrawnRow
from labeling.services.human_agreement import human_agreement, people_with_people
from labeling.services.self_agreement import self_agreement
from tests.factories import live, make_criteria_set
from tests.labeling.people import labelled, people, repeated

pytestmark = pytest.mark.django_db

P, F = "pass", "fail"
ANSWERS = [(P, P)] * 11 + [(P, F)] * 2 + [(F, P)] + [(F, F)] * 6


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def answer_twice(criteria_set: CriteriaSet, answers: list[tuple[str, str]]) -> None:
    [ada] = people(1)
    for first, second in answers:
        [[label]] = labelled(criteria_set, [ada], (first,))
        repeated(label, second)


def test_it_is_kappa_of_first_answers_with_second_ones(criteria_set: CriteriaSet) -> None:
    answer_twice(criteria_set, ANSWERS)

    found = self_agreement(live(criteria_set)).pooled

    assert (found.same, found.rows) == (17, 20)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(cohen_kappa_score(*zip(*ANSWERS, strict=True)))
    assert found.kappa.interval == score_interval(Table(11, 2, 1, 6))


def test_each_labeler_is_told_apart(criteria_set: CriteriaSet) -> None:
    answer_twice(criteria_set, ANSWERS)
    answer_twice(criteria_set, [(P, F)] * 5)

    found = self_agreement(live(criteria_set))

    assert sorted((each.same, each.rows) for each in found.by_labeler.values()) == [(0, 5), (17, 20)]
    assert (found.pooled.same, found.pooled.rows) == (17, 25)


def test_a_lenient_and_a_strict_person_are_not_consistent_together(criteria_set: CriteriaSet) -> None:
    # Each is with themselves as chance would have it; in one table of both kappa would be .64.
    answer_twice(criteria_set, [(P, P)] * 16 + [(P, F)] * 4 + [(F, P)] * 4 + [(F, F)])
    answer_twice(criteria_set, [(P, P)] + [(P, F)] * 4 + [(F, P)] * 4 + [(F, F)] * 16)

    found = self_agreement(live(criteria_set))

    assert found.pooled.kappa is not None
    assert abs(found.pooled.kappa.value) < 0.05
    assert found.pooled.kappa.interval is not None
    assert found.pooled.kappa.interval.low < 0 < found.pooled.kappa.interval.high
    assert (found.pooled.rows, found.telling) == (50, 2)


def test_who_gave_one_verdict_throughout_is_no_part_of_the_ceiling(criteria_set: CriteriaSet) -> None:
    answer_twice(criteria_set, ANSWERS)
    answer_twice(criteria_set, [(P, P)] * 30)

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.rows, found.labelers, found.interval) == (20, 1, score_interval(Table(11, 2, 1, 6)))


def test_why_people_with_each_other_are_not_told_is_known(criteria_set: CriteriaSet) -> None:
    answer_twice(criteria_set, ANSWERS)
    labelled(criteria_set, people(2), *[(P, P)] * 40)

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.alone, found.shared) == (True, 40)


def test_what_does_not_count_is_left_out(criteria_set: CriteriaSet) -> None:
    [ada] = people(1)
    [[seen], [gone], [unblind], [undone], [hard]] = labelled(criteria_set, [ada], *[(P,)] * 5)
    repeated(hard, F)
    draw = Draw.objects.create(version=live(criteria_set), strategy="disagreement")
    DrawnRow.objects.create(draw=draw, candidate=hard.candidate)
    repeated(seen, F, blind=False)
    repeated(gone, F)
    repeated(unblind, F)
    type(gone).objects.filter(pk=gone.pk).update(superseded_at=timezone.now())
    type(gone).objects.filter(pk=unblind.pk).update(blind=False)
    again = repeated(undone, F)
    type(again).objects.filter(pk=again.pk).update(withdrawn_at=timezone.now())

    assert self_agreement(live(criteria_set)).pooled.rows == 0


def test_it_is_the_ceiling_of_a_person_who_labels_alone(criteria_set: CriteriaSet) -> None:
    answer_twice(criteria_set, ANSWERS)

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.alone, found.method, found.labelers) == (True, "self-agreement, Cohen's kappa", 1)
    assert found.rows == 20
    assert found.interval == score_interval(Table(11, 2, 1, 6))
    assert people_with_people(live(criteria_set)) is None


@pytest.mark.parametrize(("shared", "alone"), [(4, True), (5, False)])
def test_people_with_each_other_come_first_once_they_share_rows(
    criteria_set: CriteriaSet, shared: int, alone: bool
) -> None:
    answer_twice(criteria_set, ANSWERS)
    labelled(criteria_set, people(2), *[(P, P), (F, F), (P, F), (F, F), (P, P)][:shared])

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert found.alone == alone


@pytest.mark.parametrize("answers", [[(P, P), (F, F)] * 2, [(P, P)] * 12])
def test_a_few_repeats_or_one_verdict_throughout_are_no_ceiling(
    criteria_set: CriteriaSet, answers: list[tuple[str, str]]
) -> None:
    answer_twice(criteria_set, answers)

    assert human_agreement(live(criteria_set)) is None
