"""The page of conflicts: decided in a form, told what came of it."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Verdict
from labeling.forms.rulings import RulingForm
from labeling.models import AuditEvent, Candidate, Exposure, Ruling, Skip, Slot
from labeling.services.exposures import record_exposure
from labeling.services.labels import correct_label
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_ruling,
    make_user,
)
from tests.judging.golden import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(client: Client) -> Candidate:
    """A row in conflict; the client is its lead's."""
    candidate = make_candidate(make_criteria_set("notes"))
    for name, verdict in (("ada", "pass"), ("bo", "fail")):
        make_label(candidate, make_user(name, labels=candidate.criteria_set), verdict)
    client.force_login(make_user("lead", lead_of=candidate.criteria_set))
    return candidate


def test_a_conflict_is_listed_with_both_sides_and_noted(client: Client, row: Candidate) -> None:
    text = client.get("/sets/notes/rulings/").text

    assert "ada" in text
    assert "bo" in text
    assert Exposure.objects.get().what == "labels"


def test_a_ruling_takes_the_row_off_the_list(client: Client, row: Candidate) -> None:
    answer = client.post(
        f"/sets/notes/rulings/{row.pk}/", {"verdict": "fail", "reason": "No owner.", "seen": ""}, follow=True
    )

    assert f"Row {row.pk} is ruled fail" in answer.text
    assert "No conflicts" in answer.text


def test_a_lead_who_saw_a_verdict_is_told_that_it_settles_nothing(client: Client, row: Candidate) -> None:
    lead = row.criteria_set.memberships.get(role="lead").user
    record_exposure(
        user=lead, version=live(row.criteria_set), candidate_ids=[row.pk], what=Exposure.What.VERDICTS
    )
    assert "ask another lead to rule" in client.get("/sets/notes/rulings/").text

    answer = client.post(
        f"/sets/notes/rulings/{row.pk}/", {"verdict": "pass", "reason": "Fine."}, follow=True
    )

    assert "stays contested" in answer.text
    assert f"Row {row.pk}" in client.get("/sets/notes/rulings/").text


def test_a_ruling_without_a_reason_comes_back_with_the_form(client: Client, row: Candidate) -> None:
    answer = client.post(f"/sets/notes/rulings/{row.pk}/", {"verdict": "pass", "reason": " "})

    assert answer.status_code == 422
    assert f"{RulingForm.base_fields['reason'].error_messages['required']}</li>" in answer.text
    assert '<button class="pass chosen"' in answer.text
    assert not Ruling.objects.exists()


def test_overruling_names_the_ruling_that_was_read(client: Client, row: Candidate) -> None:
    address = f"/sets/notes/rulings/{row.pk}/"
    client.post(address, {"verdict": "fail", "reason": "No owner."})
    standing = Ruling.objects.get()

    unread = client.post(address, {"verdict": "pass", "reason": "It has."})
    read = client.post(address, {"verdict": "pass", "reason": "It has.", "seen": standing.pk})

    assert (unread.status_code, read.status_code) == (422, 302)
    assert "meanwhile" in unread.text
    assert Ruling.objects.current().get().verdict == "pass"


def passed_on(row: Candidate) -> Candidate:
    """Another row of the set, which two people skipped."""
    other = make_candidate(row.criteria_set)
    Slot.objects.create(candidate=other, version=live(row.criteria_set), number=1, state="lead")
    for name, comment in (("cy", "Is this in scope?"), ("di", "")):
        Skip.objects.create(
            candidate=other,
            version=live(row.criteria_set),
            labeler=make_user(name, labels=row.criteria_set),
            reason="needs_expert",
            comment=comment,
        )
    return other


def test_rows_that_were_passed_on_are_listed_with_who_and_why(client: Client, row: Candidate) -> None:
    other = passed_on(row)

    page = client.get("/sets/notes/rulings/?show=passed").text

    assert f'id="row-{other.pk}"' in page
    assert f'id="row-{row.pk}"' not in page
    assert "Is this in scope?" in page
    assert not Exposure.objects.exists()  # nobody decided anything, so nothing of it was shown


@pytest.mark.parametrize(("show", "conflict", "passed"), [("", 1, 1), ("conflicts", 1, 0), ("x", 1, 1)])
def test_lists_and_their_counts(
    client: Client, row: Candidate, show: str, conflict: int, passed: int
) -> None:
    other = passed_on(row)

    page = client.get(f"/sets/notes/rulings/?show={show}").text

    assert (f'id="row-{row.pk}"' in page, f'id="row-{other.pk}"' in page) == (conflict, passed)
    assert 'Rulings <span class="badge plain">2</span>' in page


def test_a_row_is_put_back_with_a_note_for_the_next_lead(client: Client, row: Candidate) -> None:
    other = passed_on(row)

    answer = client.post(
        f"/sets/notes/rulings/{other.pk}/back/?version=1&show=passed",
        {"note": "Experts are members now."},
        follow=True,
    )

    assert "is back in the queue" in answer.text
    assert Slot.objects.get(candidate=other).state == "open"
    assert AuditEvent.objects.get(action="row_put_back").details["note"] == "Experts are members now."
    Slot.objects.filter(candidate=other).update(state="lead")
    assert "Experts are members now." in client.get("/sets/notes/rulings/").text


def test_a_row_that_is_not_passed_on_cannot_be_put_back(client: Client, row: Candidate) -> None:
    answer = client.post(f"/sets/notes/rulings/{row.pk}/back/", follow=True)

    assert "no longer passed on" in answer.text


def test_a_ruling_on_a_row_passed_on_takes_it_off_the_list(client: Client, row: Candidate) -> None:
    other = passed_on(row)

    client.post(f"/sets/notes/rulings/{other.pk}/", {"verdict": "pass", "reason": "It is.", "seen": ""})

    assert not Slot.objects.filter(candidate=other).exists()
    assert f'id="row-{other.pk}"' not in client.get("/sets/notes/rulings/").text


def test_after_a_ruling_the_list_comes_back_at_the_row_that_followed(client: Client, row: Candidate) -> None:
    answer = client.post(
        f"/sets/notes/rulings/{row.pk}/?version=1&show=conflicts",
        {"verdict": "fail", "reason": "No owner.", "following": "77"},
    )

    assert answer.headers["Location"] == "/sets/notes/rulings/?version=1&show=conflicts#row-77"


def test_rulings_made_are_listed_and_can_be_ruled_on_again(client: Client, row: Candidate) -> None:
    for verdict, reason in (("fail", "No owner."), ("pass", "It names one.")):
        seen = Ruling.objects.current().values_list("pk", flat=True).first() or ""
        client.post(f"/sets/notes/rulings/{row.pk}/", {"verdict": verdict, "reason": reason, "seen": seen})
    imported = make_ruling(make_candidate(row.criteria_set))

    mine = client.get(
        f"/sets/notes/rulings/?show=ruled&by={Ruling.objects.get(verdict='fail').ruled_by_id}"
    ).text
    files = client.get("/sets/notes/rulings/?show=ruled&by=files").text

    assert "It names one." in mine
    assert "Rulings that were superseded" in mine
    assert f'id="row-{imported.candidate_id}"' not in mine
    assert f'id="row-{imported.candidate_id}"' in files
    assert f'id="row-{row.pk}"' not in files


def test_labels_that_were_corrected_are_history(client: Client, row: Candidate) -> None:
    label = row.labels.get(verdict="pass")
    correct_label(label=label, verdict="pass", marks={}, comment="Still.", now=timezone.now())

    page = client.get("/sets/notes/rulings/").text

    assert "Labels that were corrected" in page


def test_no_verdict_of_a_judge_is_on_the_page(client: Client, row: Candidate) -> None:
    run = make_run(make_judge("strict"), row.criteria_set, a=1)
    Verdict.objects.filter(run=run).update(candidate=row, outcome="pass", feedback="Names its owner plainly.")

    page = client.get("/sets/notes/rulings/").text

    assert f'id="row-{row.pk}"' in page
    assert "strict" not in page
    assert "plainly" not in page


def test_the_lists_ask_as_often_for_ten_rows_as_for_two(client: Client, row: Candidate) -> None:
    def queries(show: str) -> int:
        client.get(f"/sets/notes/rulings/?show={show}")  # a first look also notes what it shows
        with CaptureQueriesContext(connection) as asked:
            client.get(f"/sets/notes/rulings/?show={show}")
        return len(asked)

    make_ruling(make_candidate(row.criteria_set))
    passed_on(row)
    few = [queries(show) for show in ("", "ruled")]
    for _ in range(6):
        make_ruling(make_candidate(row.criteria_set))
        conflict = make_candidate(row.criteria_set)
        make_label(conflict, make_user(), "pass")
        make_label(conflict, make_user(), "fail")

    assert [queries(show) for show in ("", "ruled")] == few
