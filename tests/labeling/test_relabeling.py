"""A new version's labels: asked for again, or carried over on purpose."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.models import AuditEvent, Candidate, CriteriaSet, CriteriaVersion, Criterion, Label, Mark, Slot
from labeling.services import truth
from labeling.services.carrying import (
    Carried,
    CarryRefused,
    TakenBack,
    carry_labels,
    preview_carry,
    rows_to_carry,
    take_back,
)
from labeling.services.relabeling import ask_for_labels
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
    return carry_labels(
        source=live(criteria_set), target=draft(criteria_set), actor=actor, reason="Wording only."
    )


def test_carrying_makes_the_same_golden_set_and_says_where_it_came_from(criteria_set: CriteriaSet) -> None:
    lead = make_user(lead_of=criteria_set)

    assert carry(criteria_set, lead) == Carried(rows=2, labels=1, rulings=1, marks=1)

    truths = Candidate.objects.with_truth(draft(criteria_set)).values_list("truth", flat=True)
    assert list(truths) == ["fail", "pass", None]
    copy = Label.objects.get(version=draft(criteria_set))
    assert (copy.source, copy.carried_by, copy.labeler.username) == ("carried", lead, "ada")
    assert copy.carried_from == Label.objects.get(version=live(criteria_set))
    event = AuditEvent.objects.get(action="labels_carried")
    assert (event.actor, event.details["reason"]) == (lead, "Wording only.")


def test_carrying_twice_adds_nothing(criteria_set: CriteriaSet) -> None:
    lead = make_user()
    carry(criteria_set, lead)

    assert carry(criteria_set, lead) == Carried()
    assert AuditEvent.objects.count() == 1


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
    foreseen = preview_carry(source=live(criteria_set), target=third)
    carry_labels(source=live(criteria_set), target=third, actor=make_user(), reason="Finer marks.")
    assert foreseen.dropped == {"meets_criteria": 1}
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
        carry_labels(source=live(other), target=live(criteria_set), actor=make_user(), reason="Why not?")


def test_of_chosen_rows_only_these_are_carried(criteria_set: CriteriaSet) -> None:
    labelled, ruled, _ = Candidate.objects.all()
    source, target, why = live(criteria_set), draft(criteria_set), "Wording only."

    carry_labels(source=source, target=target, actor=make_user(), reason=why, candidate_ids=[ruled.pk])

    assert list(rows_to_carry(source, target)) == [labelled]
    assert not Label.objects.filter(version=draft(criteria_set)).exists()


def test_without_a_reason_nothing_is_carried(criteria_set: CriteriaSet) -> None:
    source, target = live(criteria_set), draft(criteria_set)

    with pytest.raises(CarryRefused, match="Say in a sentence"):
        carry_labels(source=source, target=target, actor=make_user(), reason=" ")

    assert rows_to_carry(source, target).count() == 2


def test_a_row_that_wants_two_labels_waits_for_one_more_after_one_was_carried(
    criteria_set: CriteriaSet,
) -> None:
    row = Label.objects.get().candidate
    for number in (1, 2):
        Slot.objects.create(candidate=row, version=draft(criteria_set), number=number)

    carry(criteria_set, make_user())

    assert [slot.number for slot in row.slots.filter(version=draft(criteria_set))] == [2]


def test_what_was_carried_can_be_taken_back(criteria_set: CriteriaSet) -> None:
    lead = make_user()
    carry(criteria_set, lead)

    taken = take_back(event=AuditEvent.objects.get(), actor=lead)

    assert taken == TakenBack(labels=1, rulings=1, kept=0)
    assert not Candidate.objects.golden(draft(criteria_set)).exists()
    assert Candidate.objects.golden(live(criteria_set)).count() == 2
    with pytest.raises(CarryRefused, match="Nothing of this is left"):
        take_back(event=AuditEvent.objects.get(action="labels_carried"), actor=lead)


def test_what_people_said_since_is_not_taken_back(criteria_set: CriteriaSet) -> None:
    lead = make_user()
    carry(criteria_set, lead)
    copy = Label.objects.get(version=draft(criteria_set))
    about = {"candidate": copy.candidate, "version": copy.version, "source": "browser"}
    Label.objects.create(**about, labeler=make_user(), verdict="pass")

    assert take_back(event=AuditEvent.objects.get(), actor=lead) == TakenBack(0, 1, kept=1)
    assert Label.objects.current().filter(pk=copy.pk).exists()


def test_who_cares_about_truth_is_told_what_was_carried(
    criteria_set: CriteriaSet, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[CriteriaVersion, set[int]]] = []
    monkeypatch.setattr(truth, "listeners", [lambda version, ids: told.append((version, set(ids)))])

    with django_capture_on_commit_callbacks(execute=True):
        carry(criteria_set, make_user(lead_of=criteria_set))

    labelled, ruled, _ = Candidate.objects.all()
    assert told == [(draft(criteria_set), {labelled.pk, ruled.pk})]


CARRY = "/sets/notes/criteria/2/carry/"


def test_the_page_shows_what_would_happen_before_it_happens(
    client: Client, criteria_set: CriteriaSet
) -> None:
    client.force_login(make_user(lead_of=criteria_set))
    about = {"source": 1, "which": "all", "reason": "wording"}

    foreseen = client.post(CARRY, about).text
    assert "1 label and 1 ruling of 2 rows will count" in foreseen
    assert not Label.objects.filter(version=draft(criteria_set)).exists()

    done = client.post(CARRY, about | {"confirmed": 1}, follow=True).text
    assert "1 label and 1 ruling of 2 rows now count under version 2" in done
    assert "Wording only: what the criteria ask for has not changed." in done


def test_ticked_rows_are_carried_for_a_reason_in_own_words(client: Client, criteria_set: CriteriaSet) -> None:
    lead, row = make_user(lead_of=criteria_set), Label.objects.get().candidate
    client.force_login(lead)
    about = {"source": 1, "which": "chosen", "rows": row.pk, "reason": "own", "words": "Only a typo."}

    assert client.post(CARRY, about | {"words": ""}).status_code == 422
    assert client.post(CARRY, about | {"rows": []}).status_code == 422
    client.post(CARRY, about | {"confirmed": 1})

    event = AuditEvent.objects.get(action="labels_carried")
    assert (event.details["reason"], event.details["rows"]) == ("Only a typo.", 1)


def test_a_row_says_what_was_said_of_it_under_another_version(
    client: Client, criteria_set: CriteriaSet
) -> None:
    lead, row = make_user(lead_of=criteria_set), Label.objects.get().candidate
    client.force_login(lead)
    address = f"/sets/notes/golden/{row.pk}/?version=2"

    assert f"{CARRY}?source=1&amp;row={row.pk}" in client.get(address).text
    carry(criteria_set, lead)
    after = client.get(address).text

    assert f"{CARRY}?source=1" not in after
    assert "carried over from version 1 by" in after


def test_more_rows_ask_no_more_queries(client: Client, criteria_set: CriteriaSet) -> None:
    lead, ada = make_user(lead_of=criteria_set), User.objects.get(username="ada")
    client.force_login(lead)

    def queries_after_ten_more() -> int:
        for _ in range(10):
            make_label(make_candidate(criteria_set), ada)
        client.get(CARRY)  # a first look also notes what it shows
        with CaptureQueriesContext(connection) as captured:
            client.get(CARRY)
        return len(captured)

    assert queries_after_ten_more() == queries_after_ten_more()


@pytest.mark.parametrize("number", [str(10**25), "9" * 5000, "²", "٣", "-1"])
def test_a_number_that_no_row_has_names_no_row(
    client: Client, criteria_set: CriteriaSet, number: str
) -> None:
    client.force_login(make_user(lead_of=criteria_set))
    about = {"source": 1, "which": "chosen", "reason": "wording"}

    named = client.get(CARRY, {"source": "1", "row": number})
    ticked = client.post(CARRY, about | {"rows": number})

    assert "Nothing that was said of this row" in named.text
    assert ticked.status_code == 422


def test_many_carryings_are_told_by_as_many_queries_as_one(client: Client, criteria_set: CriteriaSet) -> None:
    lead = make_user(lead_of=criteria_set)
    client.force_login(lead)

    def queries_after_a_carrying() -> int:
        carry(criteria_set, lead)
        make_label(make_candidate(criteria_set), lead)
        client.get(CARRY)
        with CaptureQueriesContext(connection) as captured:
            client.get(CARRY)
        return len(captured)

    assert queries_after_a_carrying() == queries_after_a_carrying() == queries_after_a_carrying()


def test_taking_back_is_on_the_page(client: Client, criteria_set: CriteriaSet) -> None:
    lead = make_user(lead_of=criteria_set)
    client.force_login(lead)
    carry(criteria_set, lead)
    event = AuditEvent.objects.get()

    first = client.post(f"/sets/notes/criteria/carried/{event.pk}/take-back/", follow=True).text
    second = client.post(f"/sets/notes/criteria/carried/{event.pk}/take-back/", follow=True).text

    assert "1 label and 1 ruling no longer count" in first
    assert "Nothing of it counts any more" in first
    assert "Nothing of this is left to take back" in second
