"""A new version's labels: asked for again, or carried over on purpose."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import AuditEvent, Candidate, CriteriaSet, CriteriaVersion, Criterion, Label, Mark, Slot
from labeling.services import truth
from labeling.services.relabeling import Carried, ask_for_labels, carry_labels
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_ruling,
    make_user,
    make_version,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    """Version 1 has a labelled, a ruled and an open row; version 2 is a draft."""
    made = make_criteria_set("notes")
    ada = make_user("ada", labels=made)
    labelled, ruled, _ = (make_candidate(made) for _ in range(3))
    label = make_label(labelled, ada, "fail")
    Mark.objects.create(label=label, criterion=live(made).criteria.get(), score=0)
    make_ruling(ruled, "pass")
    make_version(made)
    return made


def draft(criteria_set: CriteriaSet) -> CriteriaVersion:
    return criteria_set.versions.get(number=2)


def carry(criteria_set: CriteriaSet, actor: User) -> Carried:
    return carry_labels(source=live(criteria_set), target=draft(criteria_set), actor=actor)


def test_carrying_makes_the_same_golden_set_and_says_where_it_came_from(criteria_set: CriteriaSet) -> None:
    lead = make_user(lead_of=criteria_set)

    assert carry(criteria_set, lead) == Carried(1, 1)

    truths = Candidate.objects.with_truth(draft(criteria_set)).values_list("truth", flat=True)
    assert list(truths) == ["fail", "pass", None]
    copy = Label.objects.get(version=draft(criteria_set))
    assert (copy.source, copy.carried_by, copy.labeler.username) == ("carried", lead, "ada")
    assert copy.carried_from == Label.objects.get(version=live(criteria_set))
    assert AuditEvent.objects.get(action="labels_carried").actor == lead


def test_carrying_twice_adds_nothing(criteria_set: CriteriaSet) -> None:
    lead = make_user()
    carry(criteria_set, lead)

    assert carry(criteria_set, lead) == Carried(0, 0)


def test_what_was_said_under_the_new_version_stands(criteria_set: CriteriaSet) -> None:
    label = Label.objects.get()
    Label.objects.create(
        candidate=label.candidate,
        version=draft(criteria_set),
        labeler=label.labeler,
        verdict="pass",
        source="browser",
    )

    assert carry(criteria_set, make_user()).labels == 0
    assert Label.objects.get(version=draft(criteria_set)).verdict == "pass"


def test_a_mark_goes_along_only_where_its_criterion_kept_its_scale(criteria_set: CriteriaSet) -> None:
    carry(criteria_set, make_user())
    assert Mark.objects.get(label__version=draft(criteria_set)).score == 0

    third = make_version(criteria_set)
    Criterion.objects.filter(version=third).update(scale_max=5)
    carry_labels(source=live(criteria_set), target=third, actor=make_user())
    assert not Mark.objects.filter(label__version=third).exists()


def test_asking_opens_slots_for_rows_without_a_verdict_only(criteria_set: CriteriaSet) -> None:
    lead = make_user()

    assert ask_for_labels(version=live(criteria_set), actor=lead) == 1
    assert ask_for_labels(version=draft(criteria_set), actor=lead) == 3
    assert Slot.objects.filter(version=draft(criteria_set)).count() == 3


def test_carrying_closes_what_was_asked_for_in_vain(criteria_set: CriteriaSet) -> None:
    ask_for_labels(version=draft(criteria_set), actor=make_user())

    carry(criteria_set, make_user())

    assert Slot.objects.get(version=draft(criteria_set)).candidate == criteria_set.candidates.last()


def test_another_sets_labels_are_not_carried(criteria_set: CriteriaSet) -> None:
    other = make_criteria_set()

    with pytest.raises(ValueError, match="one criteria set"):
        carry_labels(source=live(other), target=live(criteria_set), actor=make_user())


def test_both_acts_are_on_the_page(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(lead_of=criteria_set))
    assert "what was said under version 1 (2)" in client.get("/sets/notes/criteria/").text

    carried = client.post("/sets/notes/criteria/2/carry/", {"source": 1}, follow=True)
    asked = client.post("/sets/notes/criteria/2/ask/", follow=True)
    wrong = client.post("/sets/notes/criteria/2/carry/", {"source": 2}, follow=True)

    assert "1 label(s) and 1 ruling(s)" in carried.text
    assert "1 row(s) without a label under version 2" in asked.text
    assert "Choose the version" in wrong.text


def test_who_cares_about_truth_is_told_what_was_carried(
    criteria_set: CriteriaSet, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[CriteriaVersion, set[int]]] = []
    monkeypatch.setattr(truth, "listeners", [lambda version, ids: told.append((version, set(ids)))])

    with django_capture_on_commit_callbacks(execute=True):
        carry(criteria_set, make_user(lead_of=criteria_set))

    labelled, ruled, _ = Candidate.objects.all()
    assert told == [(draft(criteria_set), {labelled.pk, ruled.pk})]
