"""People with people on each criterion: which figure, of which rows."""

import pytest
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, score_interval
from labeling.domain.agreement.alpha import Kind, alpha_of, squared
from labeling.models import CriteriaSet, Criterion, Draw, DrawnRow, Label
from labeling.services.criterion_agreement import by_criterion
from tests.factories import live, make_criteria_set
from tests.labeling.people import graded, labelled, mark, people

pytestmark = pytest.mark.django_db

P, F = "pass", "fail"
SCORES = [(1, 1), (2, 1), (3, 3), (3, 4), (5, 5), (4, 5), (5, 2), (1, 2)]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def marked(criteria_set: CriteriaSet, criterion: Criterion, *rows: tuple[int, ...]) -> None:
    """Rows on which everybody says pass and then fail in turns, marked so by each; 0: not marked."""
    labelers = people(len(rows[0]))
    for number, row in enumerate(rows):
        [labels] = labelled(criteria_set, labelers, ((P, F)[number % 2],) * len(row))
        for label, score in zip(labels, row, strict=True):
            if score:
                mark(label, criterion, score)


def test_two_people_on_a_scale_have_quadratic_weighted_kappa(criteria_set: CriteriaSet) -> None:
    marked(criteria_set, graded(criteria_set), *SCORES * 3, (0, 4), (0, 0))

    found = by_criterion(live(criteria_set))[1]

    theirs = cohen_kappa_score(*zip(*SCORES, strict=True), weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert found.value == pytest.approx(theirs)
    assert (found.method, found.rows, found.without) == ("quadratic-weighted kappa", 24, 2)
    assert found.interval is not None
    assert found.interval.low < theirs < found.interval.high


def test_two_people_on_a_yes_or_no_have_cohens_kappa(criteria_set: CriteriaSet) -> None:
    [criterion] = live(criteria_set).criteria.all()
    Criterion.objects.filter(pk=criterion.pk).update(scale_min=1, scale_max=2)
    rows = [(2, 2)] * 13 + [(2, 1)] * 2 + [(1, 2)] + [(1, 1)] * 4

    marked(criteria_set, criterion, *rows)
    [found] = by_criterion(live(criteria_set))

    assert found.value == pytest.approx(cohen_kappa_score(*zip(*rows, strict=True)))
    assert (found.interval, found.method) == (score_interval(Table(13, 2, 1, 4)), "Cohen's kappa")


def test_more_people_have_alpha_of_squares_and_gaps_are_gaps(criteria_set: CriteriaSet) -> None:
    criterion = graded(criteria_set)
    rows = [(1, 1, 2), (5, 4, 0), (3, 0, 3), (2, 2, 2), (4, 5, 5), (1, 0, 0)]

    marked(criteria_set, criterion, *rows * 4)
    found = by_criterion(live(criteria_set))[1]

    kinds: dict[Kind, int] = {
        ((1, 2), (2, 1)): 4,
        ((5, 1), (4, 1)): 4,
        ((3, 2),): 4,
        ((2, 3),): 4,
        ((4, 1), (5, 2)): 4,
    }
    alpha = alpha_of(kinds, seed=criterion.pk, difference=squared)
    assert found.value == pytest.approx(alpha.value)
    assert found.interval == alpha.interval
    assert (found.rows, found.without) == (20, 4)


def test_only_blind_current_labels_count(criteria_set: CriteriaSet) -> None:
    criterion = graded(criteria_set)
    marked(criteria_set, criterion, *SCORES)
    before = by_criterion(live(criteria_set))
    ada, bo = [label.labeler for label in live(criteria_set).labels.all()[:2]]

    [[_, seen], [gone, _], [hard, _]] = labelled(criteria_set, [ada, bo], (P, P), (P, F), (P, F))
    draw = Draw.objects.create(version=live(criteria_set), strategy="disagreement")
    DrawnRow.objects.create(draw=draw, candidate=hard.candidate)
    for label in Label.objects.filter(candidate__in=[each.candidate for each in (seen, gone, hard)]):
        mark(label, criterion, 1)
    type(seen).objects.filter(pk=seen.pk).update(blind=False)
    type(gone).objects.filter(pk=gone.pk).update(withdrawn_at=gone.created_at)

    assert by_criterion(live(criteria_set)) == before


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(0, 0)] * 6, "No row has marks"),
        ([(1, 2)] * 4, "4 rows are too few"),
        ([(3, 3)] * 6, "one and the same mark"),
        ([(5, 5)] * 25 + [(5, 4)] * 5, "one and the same mark"),
        ([(5, 5, 5)] * 25 + [(5, 5, 4)], "or but for a row or two"),
    ],
)
def test_what_cannot_be_told_is_said_in_words(
    criteria_set: CriteriaSet, rows: list[tuple[int, ...]], words: str
) -> None:
    marked(criteria_set, graded(criteria_set), *rows)

    found = by_criterion(live(criteria_set))[1]

    assert found.value is None
    assert words in found.problem
