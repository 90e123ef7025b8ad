"""The labeling page over plain HTTP: what it shows, what it refuses, and what it never shows."""

import re
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Criterion, Draft, Exposure, Label, Repeat, Skip, Slot
from labeling.services.guidelines import Example, save_guidelines
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

URL = "/sets/summaries/label/"
HTMX = {"HX-Request": "true"}


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("summaries")


@pytest.fixture
def labeler(criteria_set: CriteriaSet, client: Client) -> User:
    """A labeler of the set, logged in with `client`."""
    user = make_user("lena", labels=criteria_set)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user


@pytest.fixture
def row(criteria_set: CriteriaSet, labeler: User) -> Candidate:
    return make_candidate(criteria_set, "The first output.", slots=1)


def fields(row: Candidate, **more: Any) -> dict[str, Any]:
    """What the form of `row` sends, with the button pressed in `more`."""
    return {"candidate": row.pk, "version": live(row.criteria_set).pk, "shown": "1700000000.5", **more}


def text(response: HttpResponseBase) -> str:
    assert isinstance(response, HttpResponse)
    return response.content.decode()


def test_get_shows_the_next_row_and_leases_it(client: Client, row: Candidate, labeler: User) -> None:
    html = text(client.get(URL))

    assert "The first output." in html
    assert "Say hello." in html
    assert "The output meets the criteria." in html
    assert Slot.objects.get().labeler == labeler


def test_a_verdict_without_javascript_redirects_to_the_next_row(client: Client, row: Candidate) -> None:
    second = make_candidate(row.criteria_set, "The second output.", slots=1)

    response = client.post(URL, fields(row, verdict="pass", comment="Fine"), follow=True)

    assert response.redirect_chain == [(URL, 302)]
    assert second.output in text(response)
    assert Label.objects.get().comment == "Fine"


def test_a_verdict_by_htmx_answers_with_the_next_row_alone(client: Client, row: Candidate) -> None:
    make_candidate(row.criteria_set, "The second output.", slots=1)

    html = text(client.post(URL, fields(row, verdict="fail", **{"mark-1": "0"}), headers=HTMX))

    assert html.strip().startswith('<div id="row"')
    assert "The second output." in html
    assert Label.objects.get().marks.get().score == 0


def test_the_second_submission_is_told_and_changes_nothing(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="pass"))

    html = text(client.post(URL, fields(row, verdict="fail", comment="Oh")))

    assert "You already labelled this row: pass. Undo to change it." in html
    assert Label.objects.get().verdict == "pass"


def test_the_second_submission_can_be_made_a_correction(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="pass"))

    client.post(URL, fields(row, change="fail", comment="Oh"))

    assert [label.verdict for label in Label.objects.current()] == ["fail"]
    assert Label.objects.count() == 2


def test_undo_shows_the_row_again_with_what_was_typed(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="fail", comment="A remark", **{"mark-1": "0"}))
    act = f"label-{Label.objects.get().pk}"

    html = text(client.post(URL, {"undo": act, "version": live(row.criteria_set).pk}, headers=HTMX))

    assert "A remark" in html
    assert "You had said" in html
    assert re.search(r'name="mark-1" value="0"[^>]* checked', html)


def test_skipping_frees_the_row_with_its_reason(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, reason="needs_expert", comment="Law"))

    assert (Skip.objects.get().reason, Skip.objects.get().comment) == ("needs_expert", "Law")
    assert Slot.objects.get().labeler is None


def test_another_reason_must_be_written_down(client: Client, row: Candidate) -> None:
    response = client.post(URL, fields(row, reason="other"), headers=HTMX)

    assert response.status_code == 422
    assert "Write your reason into the comment" in text(response)
    assert not Skip.objects.exists()


def test_a_mark_off_the_scale_is_said_beside_the_same_row(client: Client, row: Candidate) -> None:
    response = client.post(URL, fields(row, verdict="pass", comment="kept", **{"mark-1": "9"}), headers=HTMX)

    assert response.status_code == 422
    assert "The first output." in text(response)
    assert "kept" in text(response)
    assert not Label.objects.exists()


def test_a_row_that_went_to_another_is_said_in_a_sentence(client: Client, row: Candidate) -> None:
    make_label(row, make_user())
    Slot.objects.update(state="done")

    html = text(client.post(URL, fields(row, verdict="pass", comment="Take this"), headers=HTMX))

    assert "went to somebody else" in html
    assert "Take this" in html
    assert Label.objects.count() == 1


def test_a_version_replaced_meanwhile_keeps_the_label(client: Client, row: Candidate) -> None:
    form, old = fields(row, verdict="pass"), live(row.criteria_set)
    client.get(URL)
    make_version(row.criteria_set, live=True)

    html = text(client.post(URL, form, headers=HTMX))

    assert Label.objects.get().version == old
    assert "kept under version 1" in html


def test_a_label_under_a_replaced_version_is_not_undone_out_of_sight(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="pass"))
    old = live(row.criteria_set)
    make_version(row.criteria_set, live=True)

    html = text(client.post(URL, {"undo": "", "version": old.pk}, headers=HTMX))

    assert "Not undone: version 1 of the criteria was replaced" in html
    assert Label.objects.current().exists()


def test_the_time_from_showing_to_deciding_is_kept(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="pass", shown=str(time.time() - 12)))

    seconds = Label.objects.get().seconds
    assert seconds is not None
    assert 12 <= seconds < 60


def test_idle_time_is_kept_apart(client: Client, row: Candidate) -> None:
    client.post(URL, fields(row, verdict="pass", shown=str(time.time() - 100), idle="60"))

    label = Label.objects.get()
    assert label.seconds is not None
    assert 40 <= label.seconds < 80
    assert label.idle_seconds == 60


@pytest.mark.parametrize(
    ("ago", "idle", "kept"),
    [(100, "1e9", (0, 100)), (100, "-5", (100, 0)), (100, "", (100, None)), (1e9, "5", (None, None))],
)
def test_times_that_cannot_be_are_clamped(
    client: Client, row: Candidate, ago: float, idle: str, kept: tuple[int | None, int | None]
) -> None:
    client.post(URL, fields(row, verdict="pass", shown=str(time.time() - ago), idle=idle))

    label = Label.objects.get()
    assert (label.seconds, label.idle_seconds) == tuple(
        pytest.approx(each, abs=20) if each else each for each in kept
    )


def test_a_row_is_kept_for_who_is_looking_at_it(client: Client, row: Candidate) -> None:
    client.get(URL)
    Slot.objects.update(lease_until="2020-01-01T00:00Z")

    response = client.post(f"{URL}hold/", fields(row))

    assert (response.status_code, response.content) == (204, b"")
    assert Slot.objects.filter(lease_until__gt=timezone.now()).exists()


def test_who_no_longer_has_the_row_is_told_so(client: Client, row: Candidate) -> None:
    client.get(URL)
    Slot.objects.update(labeler=make_user())

    response = client.post(f"{URL}hold/", fields(row))

    assert response.status_code == 409
    assert "This row is no longer yours" in text(response)


@pytest.mark.parametrize("address", [URL, f"{URL}draft/", f"{URL}hold/"])
def test_a_page_that_another_account_opened_decides_nothing(
    client: Client, row: Candidate, address: str
) -> None:
    client.get(URL)
    before = Slot.objects.get().lease_until

    response = client.post(address, fields(row, verdict="pass", labeler=make_user().pk))

    assert response.status_code == 409
    assert "opened by another account" in text(response)
    assert not Label.objects.exists()
    assert not Draft.objects.exists()
    assert Slot.objects.get().lease_until == before


def test_a_second_answer_looks_like_a_first_one(client: Client, row: Candidate, labeler: User) -> None:
    first = text(client.get(URL))
    Slot.objects.update(state="done")
    label = make_label(row, labeler)
    Label.objects.update(created_at="2020-01-01T00:00Z")
    Repeat.objects.create(label=label, due_at=timezone.now(), shown_at=timezone.now())

    again = text(client.get(URL))
    held = client.post(f"{URL}hold/", fields(row))
    client.post(URL, fields(row, verdict="fail"))
    twice = text(client.post(URL, fields(row, verdict="pass", comment="Oh")))

    assert without_undo(normal(again)) == without_undo(normal(first))
    assert held.status_code == 204
    assert "You already labelled this row: fail. Undo to change it." in twice
    assert "repeat" not in twice.lower()


def without_undo(html: str) -> str:
    """The page without the form that takes the last act back."""
    html = re.sub(r"<form [^>]*>(?:(?!</form>).)*name=\"undo\".*?</form>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html)


def test_a_second_answer_is_changed_and_undone_like_a_first_one(
    client: Client, row: Candidate, labeler: User
) -> None:
    label = make_label(row, labeler)
    Repeat.objects.create(label=label, due_at=timezone.now(), shown_at=timezone.now())
    client.post(URL, fields(row, verdict="fail", comment="A remark"))
    client.post(URL, fields(row, change="pass", comment="Oh"))
    changed = Repeat.objects.answered().get()

    undo = re.search(r'name="undo" value="(\w+)"', text(client.get(URL)))
    assert undo
    html = text(client.post(URL, {"undo": undo[1], "version": label.version_id}, headers=HTMX))

    assert (changed.verdict, changed.comment) == ("pass", "Oh")
    assert Label.objects.get().verdict == "pass"
    assert "what counts is fail again" in html
    assert Repeat.objects.answered().get().comment == "A remark"


def test_guidelines_stand_open_for_the_first_rows(client: Client, row: Candidate, labeler: User) -> None:
    save_guidelines(
        criteria_set=row.criteria_set,
        text="Read the grounding first.",
        examples=[Example("", "Hello?", "fail", "It greets nobody.")],
        actor=make_user(),
    )
    details = r'<details id="guidelines"[^>]* open>'

    html = text(client.get(URL))
    for _ in range(3):
        make_label(make_candidate(row.criteria_set), labeler)

    assert re.search(details, html)
    assert "Read the grounding first." in html
    assert "It greets nobody." in html
    assert not re.search(details, text(client.get(URL)))


def test_an_archived_set_takes_no_labels_and_says_so(client: Client, row: Candidate) -> None:
    CriteriaSet.objects.update(archived_at=timezone.now())

    html = text(client.post(URL, fields(row, verdict="pass", comment="Fine so far")))

    assert "is archived and takes no more labels" in html
    assert "Fine so far" in html
    assert not Label.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"verdict": "maybe"},
        {},
        {"verdict": "pass", "candidate": "x"},
        {"verdict": "pass", "version": "0"},
        {"change": "fail"},
    ],
)
def test_a_form_that_names_nothing_is_refused(client: Client, row: Candidate, sent: dict[str, str]) -> None:
    assert client.post(URL, fields(row) | sent).status_code == 400
    assert not Label.objects.exists()


def test_a_row_of_another_set_is_refused(client: Client, row: Candidate) -> None:
    other = make_candidate(make_criteria_set("other"), slots=1)

    assert client.post(URL, fields(row, verdict="pass") | {"candidate": other.pk}).status_code == 400


def normal(html: str) -> str:
    """The page without what differs on every load: tokens and the time of showing."""
    html = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|"x-csrftoken": "\w+"', "", html)
    return re.sub(r'name="shown" value="[\d.]+"', "", html)


def test_the_page_is_the_same_whatever_others_said(client: Client, row: Candidate) -> None:
    before = text(client.get(URL))
    other = make_user("someone-else")
    make_label(row, other, "fail")
    Label.objects.update(comment="An opinion that would anchor")
    make_ruling(row, "fail")

    assert normal(text(client.get(URL))) == normal(before)


def test_who_was_shown_verdicts_labels_not_blind(client: Client, row: Candidate, labeler: User) -> None:
    Exposure.objects.create(user=labeler, candidate=row, version=live(row.criteria_set), what="verdicts")

    client.post(URL, fields(row, verdict="pass"))

    assert Label.objects.get().blind is False


def test_hostile_texts_are_text(client: Client, criteria_set: CriteriaSet, labeler: User) -> None:
    hostile = "<script>alert(1)</script><a href='javascript:alert(1)'>x</a>\u202e\x1b[31m"
    row = make_candidate(criteria_set, hostile, request=hostile, slots=1)
    Candidate.objects.filter(pk=row.pk).update(grounding=hostile, criteria_text=hostile)

    html = text(client.get(URL))

    assert "<script>alert" not in html
    assert "<a href='javascript" not in html
    assert html.count("U+202E RIGHT-TO-LEFT OVERRIDE") == 4
    assert "\u202e" not in html


def test_a_candidate_of_ten_megabytes_is_sent_in_parts(
    client: Client, criteria_set: CriteriaSet, labeler: User
) -> None:
    row = make_candidate(criteria_set, "word " * 2_000_000 + "the end", slots=1)

    html = text(client.get(URL))
    rest = client.get(f"{URL}text/{row.pk}/output/?from=9900000", headers=HTMX)

    assert len(html) < 60_000
    assert f"/text/{row.pk}/output/?from=20000" in html
    assert text(rest).count("word") == 20_000
    assert "Load more" in text(rest)
    assert "the end" in text(client.get(f"{URL}text/{row.pk}/output/?from=10000000"))


@pytest.mark.parametrize("address", ["text/{}/content_hash/", "text/{}/output/?from=-1", "text/0/output/"])
def test_only_texts_of_the_set_are_sent(client: Client, row: Candidate, address: str) -> None:
    assert client.get(URL + address.format(row.pk)).status_code == 404


def test_an_empty_queue_says_what_to_do(client: Client, criteria_set: CriteriaSet, labeler: User) -> None:
    assert "been through every row" in text(client.get(URL))

    make_candidate(criteria_set, slots=1)
    Slot.objects.update(labeler=make_user(), lease_until="2999-01-01T00:00Z")

    assert "1 row is held by others" in text(client.get(URL))


def test_a_set_without_a_live_version_says_so(
    client: Client, criteria_set: CriteriaSet, labeler: User
) -> None:
    CriteriaSet.objects.update(live_version=None)

    assert "A lead must publish one" in text(client.get(URL))


def test_drafts_are_kept_and_shown_again(client: Client, row: Candidate) -> None:
    response = client.post(f"{URL}draft/", fields(row, comment="Half a thought", **{"mark-1": "1"}))

    assert response.status_code == 204
    assert Draft.objects.get().content == {"comment": "Half a thought", "marks": {"meets_criteria": 1}}
    assert "Half a thought" in text(client.get(URL))


def test_a_draft_that_cannot_be_kept_is_refused(client: Client, row: Candidate) -> None:
    assert client.post(f"{URL}draft/", fields(row, comment="x" * 10_001)).status_code == 422
    assert client.post(f"{URL}draft/", {"comment": "x"}).status_code == 422


def test_a_lost_session_is_401_to_a_script_and_the_login_page_to_a_person(
    client: Client, row: Candidate
) -> None:
    client.logout()

    assert client.post(URL, fields(row, verdict="pass"), headers=HTMX).status_code == 401
    assert client.get(URL).headers["Location"] == f"/accounts/login/?next={URL}"


def test_strangers_get_404(client: Client, row: Candidate) -> None:
    client.force_login(make_user(), backend="django.contrib.auth.backends.ModelBackend")

    for response in (
        client.get(URL),
        client.post(URL, fields(row, verdict="pass")),
        client.post(f"{URL}draft/", fields(row)),
        client.get(f"{URL}text/{row.pk}/output/"),
    ):
        assert response.status_code == 404
    assert not Label.objects.exists()


def test_a_post_without_its_token_changes_nothing(row: Candidate, labeler: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(labeler, backend="django.contrib.auth.backends.ModelBackend")

    assert strict.post(URL, fields(row, verdict="pass")).status_code == 403
    assert not Label.objects.exists()


def test_a_rule_is_shown_and_not_marked(client: Client, row: Candidate) -> None:
    Criterion.objects.create(
        version=live(row.criteria_set), position=2, name="json", description="Is JSON.", strategy="valid_json"
    )

    html = text(client.get(URL))

    assert "Scored by the rule <code>valid_json</code>" in html
    assert 'name="mark-2"' not in html


def queries(client: Client) -> int:
    with CaptureQueriesContext(
        connection,
    ) as context:
        client.get(URL)
    return len(context)


def test_more_rows_and_criteria_cost_no_more_queries(client: Client, row: Candidate) -> None:
    client.get(URL)
    few = queries(client)
    for number in range(2, 12):
        make_candidate(row.criteria_set, slots=1)
        Criterion.objects.create(
            version=live(row.criteria_set), position=number, name=f"c{number}", description="More."
        )

    assert queries(client) == few
