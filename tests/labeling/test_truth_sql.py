"""The truth that the database computes is the truth of the domain, case by case."""

from itertools import product

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from labeling.domain.sampling import Split
from labeling.domain.truth import LabelFact, RulingFact, settle
from labeling.domain.verdicts import HumanVerdict
from labeling.models import Candidate, CriteriaSet, Label, Ruling
from labeling.services.settled import settled_by_split
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_ruling,
    make_user,
    make_version,
)

type Said = tuple[str, bool] | None  # verdict and blind, or nothing
LABELS: list[Said] = [None, *product(["pass", "fail"], [True, False])]
RULINGS: list[Said] = [None, *product(["pass", "fail", "unresolved"], [True, False])]
CASES = list(product(LABELS, LABELS, LABELS, RULINGS))


def expected(case: tuple[Said, ...], split: Split) -> str | None:
    *labels, ruling = case
    facts = [LabelFact(i, HumanVerdict(said[0]), said[1]) for i, said in enumerate(labels) if said]
    ruled = None
    if ruling:
        verdict = None if ruling[0] == "unresolved" else HumanVerdict(ruling[0])
        ruled = RulingFact(verdict, ruling[1])
    return settle(facts, ruled, split)


def write(criteria_set: CriteriaSet, people: list[User], split: Split) -> list[Candidate]:
    """One candidate per case, in the order of `CASES`."""
    candidates = Candidate.objects.bulk_create(
        Candidate(criteria_set=criteria_set, content_hash=f"{number:064}", request_hash="", split=split)
        for number in range(len(CASES))
    )
    said: list[Label] = []
    ruled: list[Ruling] = []
    version = live(criteria_set)
    for candidate, (*labels, ruling) in zip(candidates, CASES, strict=True):
        row = {"candidate": candidate, "version": version, "source": "import"}
        for labeler, label in zip(people, labels, strict=True):
            if label:
                said.append(Label(labeler=labeler, verdict=label[0], blind=label[1], **row))
        if ruling:
            ruled.append(Ruling(verdict=ruling[0], blind=ruling[1], **row))
    Label.objects.bulk_create(said)
    Ruling.objects.bulk_create(ruled)
    return candidates


@pytest.mark.django_db
@pytest.mark.parametrize("split", Split)
def test_every_case_of_three_labelers_and_a_ruling(split: Split) -> None:
    criteria_set = make_criteria_set()
    candidates = write(criteria_set, [make_user() for _ in range(3)], split)

    truths = dict(Candidate.objects.with_truth(live(criteria_set)).values_list("pk", "truth"))

    wrong = [
        (case, truths[candidate.pk], expected(case, split))
        for candidate, case in zip(candidates, CASES, strict=True)
        if truths[candidate.pk] != expected(case, split)
    ]
    assert wrong == []
    settled = Candidate.objects.golden(live(criteria_set)).count()
    assert +settled_by_split(live(criteria_set)) == {split: settled}


@pytest.mark.django_db
def test_what_was_superseded_or_withdrawn_or_said_of_another_version_counts_for_nothing() -> None:
    criteria_set = make_criteria_set()
    candidate, ada, bo, cy = make_candidate(criteria_set), make_user(), make_user(), make_user()
    make_label(candidate, ada, "pass")
    Label.objects.filter(pk=make_label(candidate, bo, "fail").pk).update(superseded_at=timezone.now())
    Label.objects.filter(pk=make_label(candidate, cy, "fail").pk).update(withdrawn_at=timezone.now())
    Ruling.objects.filter(pk=make_ruling(candidate, "fail").pk).update(superseded_at=timezone.now())
    other = make_version(criteria_set)

    assert Candidate.objects.with_truth(live(criteria_set)).get().truth == "pass"
    assert Candidate.objects.with_truth(other).get().truth is None
    assert Candidate.objects.unlabelled(other).get() == candidate


@pytest.mark.django_db
def test_golden_rows_are_the_settled_ones() -> None:
    criteria_set, ada, bo = make_criteria_set(), make_user(), make_user()
    settled, tied, _ = (make_candidate(criteria_set) for _ in range(3))
    make_label(settled, ada, "fail")
    make_label(tied, ada, "fail")
    make_label(tied, bo, "pass")

    assert list(Candidate.objects.golden(live(criteria_set))) == [settled]
