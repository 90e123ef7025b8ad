"""Draws of the lead's choice: which rows, with what probability, and what they count for in certificates."""

from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from judging.models import JudgeVersion, Verdict
from judging.services.drawing import draw_by_verdict, draw_differing, preview_stratified
from judging.services.weighing import drawn_unequally
from labeling.models import Candidate, CriteriaSet, Draw, DrawnRow, Slot
from labeling.services.archiving import Archived
from labeling.services.draws import CannotDraw, draw_random
from labeling.services.queue import DRAWN, next_row, open_slots
from labeling.services.relabeling import ask_for_labels
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_user,
)
from tests.judging.auditing import make_scoring
from tests.judging.golden import make_verdict
from tests.labeling.importing import import_rows, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lena", lead_of=criteria_set)


def by_verdict(judge: JudgeVersion, criteria_set: CriteriaSet, most: int, lead: User) -> Draw:
    return draw_by_verdict(
        version=live(criteria_set), judge=judge, most=most, seed=f"s{most}", now=timezone.now(), actor=lead
    )


def at_random(criteria_set: CriteriaSet, most: int, lead: User) -> Draw:
    return draw_random(version=live(criteria_set), most=most, seed="s", now=timezone.now(), actor=lead)


def strata(draw: Draw) -> dict[str, tuple[int, float | None]]:
    rows = draw.rows.values_list("stratum", "probability")
    return {name: (number, chance) for (name, chance), number in Counter(rows).items()}


def queued(criteria_set: CriteriaSet) -> dict[int, int]:
    slots = Slot.objects.filter(version=live(criteria_set), state="open")
    return dict(slots.values_list("candidate_id", "priority"))


def label_all(draw: Draw, labeler: User) -> None:
    for row in draw.rows.select_related("candidate__criteria_set__live_version"):
        make_label(row.candidate, labeler)


def test_a_random_draw_is_equal_and_comes_first(criteria_set: CriteriaSet, lead: User) -> None:
    rows = [make_candidate(criteria_set, slots=1) for _ in range(20)]
    make_label(rows[0], lead)

    draw = at_random(criteria_set, 5, lead)

    drawn = set(draw.rows.values_list("candidate_id", flat=True))
    assert (draw.strategy, draw.is_equal, draw.frame, strata(draw)) == ("random", True, 19, {"": (5, 5 / 19)})
    assert {pk for pk, priority in queued(criteria_set).items() if priority == DRAWN} == drawn
    assert len(queued(criteria_set)) == 20


def test_enough_of_each_verdict_is_drawn_with_its_probability(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 60 + ["fail"] * 6 + ["skipped"] * 20)

    draw = by_verdict(judge, criteria_set, 20, lead)

    assert strata(draw) == {"pass": (11, 11 / 60), "fail": (4, 4 / 6), "none": (5, 5 / 20)}
    assert (draw.judge, draw.frame, draw.is_equal, draw.created_by) == ("strict@1", 86, False, lead)
    said = dict(Verdict.objects.values_list("candidate_id", "outcome"))
    assert all(row.stratum == said[row.candidate_id].replace("skipped", "none") for row in draw.rows.all())


def test_the_first_half_of_the_queue_has_half_of_each_stratum(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 60 + ["fail"] * 60)
    draw = by_verdict(judge, criteria_set, 40, lead)

    order = Slot.objects.queued(live(criteria_set)).values_list("candidate_id", flat=True)[:20]

    stratum = dict(draw.rows.values_list("candidate_id", "stratum"))
    assert abs([stratum[pk] for pk in order].count("pass") - 10) <= 1
    assert list(order) != sorted(order)
    assert next_row(version=live(criteria_set), labeler=lead, now=timezone.now()).pk == order[0]  # type: ignore[union-attr]


def test_rows_that_were_not_drawn_wait_outside_the_queue(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30 + ["fail"] * 10)
    held, begun = make_candidate(criteria_set, slots=1), make_candidate(criteria_set, slots=2)
    Slot.objects.filter(candidate=held).update(
        labeler=lead, lease_until=timezone.now() + timedelta(minutes=5)
    )
    make_label(begun, make_user(labels=criteria_set))
    open_slots(version=live(criteria_set), candidate_ids=list(Candidate.objects.values_list("pk", flat=True)))

    draw = by_verdict(judge, criteria_set, 12, lead)

    drawn = set(draw.rows.values_list("candidate_id", flat=True))
    assert queued(criteria_set).keys() == drawn | {held.pk, begun.pk}


def test_asking_for_labels_leaves_them_outside(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30)
    draw = by_verdict(judge, criteria_set, 10, lead)
    later = make_candidate(criteria_set)

    asked = ask_for_labels(version=live(criteria_set), actor=lead)

    drawn = set(draw.rows.values_list("candidate_id", flat=True))
    assert (asked, set(queued(criteria_set))) == (11, drawn | {later.pk})


def test_the_same_file_again_leaves_them_outside(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    rows = [said(f"Row {number}.") for number in range(20)]
    import_rows("replies", *rows)
    run = make_scoring(judge, criteria_set, [])
    for candidate in Candidate.objects.all():
        make_verdict(run, candidate, "pass")
    draw = by_verdict(judge, criteria_set, 10, lead)

    again = import_rows("replies", *rows, said("New."))

    new = Candidate.objects.get(output="New.")
    assert again.counts["queued"] == 11
    assert set(queued(criteria_set)) == {new.pk, *draw.rows.values_list("candidate_id", flat=True)}


def test_going_on_makes_one_sample_of_all_rows(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 60 + ["fail"] * 20)
    first = by_verdict(judge, criteria_set, 20, lead)
    label_all(first, lead)

    second = by_verdict(judge, criteria_set, 10, lead)

    of_first = set(first.rows.values_list("candidate_id", flat=True))
    assert strata(first) == {"pass": (15, 0.25), "fail": (5, 0.25)}
    assert (sum(rows for rows, _ in strata(second).values()), second.frame) == (30, 80)
    assert {name: chance for name, (_, chance) in strata(second).items()} == {
        name: rows / {"pass": 60, "fail": 20}[name] for name, (rows, _) in strata(second).items()
    }
    assert of_first < set(second.rows.values_list("candidate_id", flat=True))
    # Drawing alone changes no weight; once all are settled, rows weigh by the probability of the draw.
    assert set(drawn_unequally(criteria_set.pk, of_first).values()) == {(0.25, "pass"), (0.25, "fail")}
    of_second = second.rows.values_list("candidate_id", "probability", "stratum")
    assert drawn_unequally(criteria_set.pk, [pk for pk, *_ in of_second]) == {
        pk: (chance, name) for pk, chance, name in of_second
    }


def test_later_rows_are_strata_of_their_own_and_earlier_verdicts_stay(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30 + ["fail"] * 10)
    by_verdict(judge, criteria_set, 10, lead)
    again = make_scoring(judge, criteria_set, [])
    for candidate in Candidate.objects.all():
        make_verdict(again, candidate, "fail")
    mild = make_judge("mild")
    make_scoring(mild, criteria_set, ["pass"] * 20 + ["fail"] * 20)

    draw = by_verdict(mild, criteria_set, 20, lead)

    sizes = {name: round(rows / chance) for name, (rows, chance) in strata(draw).items() if chance}
    assert sizes == {"pass": 30, "fail": 10, "pass 2": 20, "fail 2": 20}
    assert draw.frame == 80


def test_labels_beside_the_draw_are_told_and_counted_on_going_on(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30 + ["fail"] * 10)
    draw = by_verdict(judge, criteria_set, 12, lead)
    drawn = draw.rows.values("candidate")
    for candidate in Candidate.objects.exclude(pk__in=drawn)[:3]:
        make_label(candidate, lead)

    preview = preview_stratified(live(criteria_set), judge, 10, timezone.now())

    assert (preview.beside, preview.left, preview.taken) == (3, 25, 10)
    assert by_verdict(judge, criteria_set, 25, lead).frame == 37


def test_what_a_draw_by_verdict_left_is_no_random_sample(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30 + ["fail"] * 10)
    by_verdict(judge, criteria_set, 12, lead)

    with pytest.raises(CannotDraw, match="no fair sample"):
        at_random(criteria_set, 5, lead)


def test_rows_of_a_random_draw_are_drawn_no_second_time(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User
) -> None:
    make_scoring(judge, criteria_set, ["pass"] * 30 + ["fail"] * 10)
    random = at_random(criteria_set, 10, lead)

    draw = by_verdict(judge, criteria_set, 30, lead)

    assert draw.frame == 30
    assert not set(random.rows.values_list("candidate")) & set(draw.rows.values_list("candidate"))
    with pytest.raises(CannotDraw, match="no such row left"):
        by_verdict(judge, criteria_set, 10, lead)


def test_rows_on_which_jurors_differ_are_for_tuning_and_weigh_nothing(
    criteria_set: CriteriaSet, lead: User
) -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "panel")
    run = make_scoring(panel, criteria_set, ["pass"] * 8)
    Candidate.objects.filter(pk__in=Candidate.objects.order_by("pk")[:6].values("pk")).update(split="tune")
    for number, above in enumerate(run.verdicts.order_by("pk")):
        for juror, outcome in zip(panel.jurors(), ("pass", "fail" if number % 2 else "pass"), strict=True):
            Verdict.objects.create(
                run=run,
                candidate=above.candidate,
                judge_version=juror,
                kind="juror",
                panel_verdict=above,
                candidate_hash=above.candidate_hash,
                outcome=outcome,
                score=outcome == "pass",
                filled_at=timezone.now(),
            )

    draw = draw_differing(version=live(criteria_set), panel=panel, most=2, now=timezone.now(), actor=lead)

    drawn = Candidate.objects.filter(draws__draw=draw)
    assert (draw.frame, drawn.count(), strata(draw)) == (3, 2, {"": (2, None)})
    assert {row.split for row in drawn} == {"tune"}
    assert drawn_unequally(criteria_set.pk, [row.pk for row in drawn]) == {}
    assert DrawnRow.objects.unequal([row.pk for row in drawn]) == {}


def test_an_archived_set_is_not_drawn_from(criteria_set: CriteriaSet, lead: User) -> None:
    make_candidate(criteria_set)
    CriteriaSet.objects.update(archived_at=timezone.now())

    with pytest.raises(Archived):
        at_random(criteria_set, 5, lead)
