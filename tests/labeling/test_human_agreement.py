"""People with people: which figure, of whom, and who is left out."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, score_interval
from labeling.domain.agreement.alpha import nominal_alpha
from labeling.models import CriteriaSet, Draw, DrawnRow, Label
from labeling.services.human_agreement import human_agreement, shared_rows
from labeling.services.human_pairs import pairs_of
from tests.factories import live, make_candidate, make_criteria_set, make_label
from tests.labeling.people import labelled, people

pytestmark = pytest.mark.django_db

P, F, NONE = "pass", "fail", ""


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


def test_two_people_have_cohens_kappa_with_its_score_interval(criteria_set: CriteriaSet) -> None:
    rows = [(P, P)] * 12 + [(P, F)] * 1 + [(F, P)] * 2 + [(F, F)] * 5

    labelled(criteria_set, people(2), *rows, (P, NONE), (NONE, F))
    found = human_agreement(live(criteria_set))

    assert found is not None
    assert found.value == pytest.approx(cohen_kappa_score(*zip(*rows, strict=True)))
    assert found.interval == score_interval(Table(12, 1, 2, 5))
    assert (found.rows, found.labelers, found.method) == (20, 2, "Cohen's kappa")


def test_more_people_with_gaps_have_alpha(criteria_set: CriteriaSet) -> None:
    rows = [(P, P, NONE), (P, NONE, F), (NONE, F, F), (F, F, F), (P, P, P), (F, NONE, P), (P, NONE, NONE)] * 4

    labelled(criteria_set, people(3), *rows)
    found = human_agreement(live(criteria_set))

    alpha = nominal_alpha([[word for word in row if word] for row in rows], seed=live(criteria_set).pk)
    assert found is not None
    assert (found.value, found.interval, found.rows) == (alpha.value, alpha.interval, alpha.n)
    assert (found.labelers, found.left_out, found.method) == (3, 0, "Krippendorff's alpha")


def test_who_only_ever_saw_rows_in_dispute_is_left_out(criteria_set: CriteriaSet) -> None:
    # The third is asked where two disagree, and sides now with one, now with the other.
    agreed, disputed = [(P, P, NONE)] * 10 + [(F, F, NONE)] * 8, [(P, F, P), (F, P, P), (P, F, F)]

    labelled(criteria_set, people(3), *agreed, *disputed)
    found = human_agreement(live(criteria_set))

    pairs = [row[:2] for row in (*agreed, *disputed)]
    assert found is not None
    assert found.value == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
    assert (found.labelers, found.left_out, found.rows) == (2, 1, 21)


def test_who_saw_almost_only_rows_in_dispute_is_left_out(criteria_set: CriteriaSet) -> None:
    # Of the third person's rows 9 of 11 are in dispute, more than 80 %; then 9 of 12.
    agreed, disputed = [(P, P, NONE)] * 20 + [(F, F, NONE)] * 12, [(P, F, P), (F, P, F), (P, F, F)] * 3
    three = people(3)

    labelled(criteria_set, three, *agreed, *disputed, (P, P, P), (F, F, F))
    found = human_agreement(live(criteria_set))
    of_two = cohen_kappa_score(*zip(*[row[:2] for row in (*agreed, *disputed, (P, P), (F, F))], strict=True))
    labelled(criteria_set, three, (P, P, P))
    after = human_agreement(live(criteria_set))

    assert found is not None
    assert found.left_out == 1
    assert found.value == pytest.approx(of_two)
    assert after is not None
    assert (after.left_out, after.labelers) == (0, 3)


def test_people_who_disagree_throughout_are_none_of_them_left_out(criteria_set: CriteriaSet) -> None:
    labelled(criteria_set, people(4), *[(P, P, F, F), (P, F, P, F), (P, F, F, P)] * 2)

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.labelers, found.left_out) == (4, 0)
    assert found.value < 0


def test_who_saw_some_rows_in_dispute_among_others_counts(criteria_set: CriteriaSet) -> None:
    labelled(criteria_set, people(3), (P, P, P), (F, F, NONE), (P, F, P), (F, F, F), (P, P, NONE))

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.labelers, found.left_out) == (3, 0)


def test_only_current_blind_labels_of_this_version_count(criteria_set: CriteriaSet) -> None:
    one, other = people(2)
    labelled(criteria_set, [one, other], *[(P, P), (F, F), (P, F)] * 2)
    labelled(make_criteria_set(), [one, other], (P, F), (F, P))
    before = human_agreement(live(criteria_set))

    seen = make_candidate(criteria_set)
    make_label(seen, one, P)
    make_label(seen, other, F, blind=False)
    gone = make_candidate(criteria_set)
    make_label(gone, one, F)
    withdrawn = make_label(gone, other, P)
    Label.objects.filter(pk=withdrawn.pk).update(withdrawn_at=withdrawn.created_at)

    assert before is not None
    assert human_agreement(live(criteria_set)) == before


def test_rows_drawn_because_jurors_disagree_are_left_out(criteria_set: CriteriaSet) -> None:
    two, three = people(2), people(3)
    labelled(criteria_set, two, *[(P, P)] * 6 + [(F, F)] * 5 + [(P, F)])
    before = human_agreement(live(criteria_set)), pairs_of(live(criteria_set))

    hard = Draw.objects.create(version=live(criteria_set), strategy="disagreement")
    for [label, *_] in labelled(criteria_set, two, *[(P, F), (F, P)] * 4):
        DrawnRow.objects.create(draw=hard, candidate=label.candidate)
    for [label, *_] in labelled(criteria_set, three, *[(P, F, P)] * 4):
        DrawnRow.objects.create(draw=hard, candidate=label.candidate)

    assert (human_agreement(live(criteria_set)), pairs_of(live(criteria_set))) == before


@pytest.mark.parametrize(
    "rows",
    [
        [(P, P)] * 29 + [(P, F)],
        [(P, P, P)] * 29 + [(P, F, P)],
        [(P, P)] * 2 + [(F, F)] * 2,
        [(P, P, P)] * 2 + [(F, F, F)] * 2,
    ],
)
def test_one_verdict_almost_throughout_or_four_rows_have_no_figure(
    criteria_set: CriteriaSet, rows: list[tuple[str, ...]]
) -> None:
    labelled(criteria_set, people(len(rows[0])), *rows)

    assert human_agreement(live(criteria_set)) is None
    assert shared_rows(live(criteria_set)) == len(rows)


@pytest.mark.parametrize(("more", "known"), [(0, False), (1, True)])
def test_an_interval_takes_twenty_rows(criteria_set: CriteriaSet, more: int, known: bool) -> None:
    labelled(criteria_set, people(2), *[(P, P)] * (10 + more) + [(F, F)] * 7 + [(P, F), (F, P)])

    found = human_agreement(live(criteria_set))

    assert found is not None
    assert (found.interval is not None) == known
    assert known or found.no_interval == "too few rows for an interval: 19 of 20"


@pytest.mark.parametrize("rows", [[], [(P, NONE), (NONE, F)], [(P, P), (P, P)]])
def test_where_there_is_nothing_to_compare_it_is_not_measured(
    criteria_set: CriteriaSet, rows: list[tuple[str, ...]]
) -> None:
    labelled(criteria_set, people(2), *rows)

    assert human_agreement(live(criteria_set)) is None


words = st.tuples(*[st.sampled_from([P, F, NONE])] * 4)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(words, min_size=4, max_size=12))
def test_alpha_from_counts_is_alpha_from_rows(rows: list[tuple[str, ...]]) -> None:
    criteria_set = make_criteria_set()
    labelled(criteria_set, people(4), *rows)

    found = human_agreement(live(criteria_set))

    if found is not None and found.left_out == 0 and found.labelers > 2:
        listed = [[word for word in row if word] for row in rows]
        assert found.value == pytest.approx(nominal_alpha(listed, seed=1).value)
