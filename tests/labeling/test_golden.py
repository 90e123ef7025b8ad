"""The golden set's pages, and who may see what others said."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.models import Candidate, CriteriaSet, Exposure
from labeling.services.human_pairs import pairs_of
from labeling.services.labels import skip_row
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
def rows() -> tuple[CriteriaSet, Candidate, Candidate]:
    """A set with one row that Ada passed and one that nobody labelled."""
    criteria_set = make_criteria_set("notes")
    passed, open_row = (
        make_candidate(criteria_set, "Ship Friday."),
        make_candidate(criteria_set, "Ship Monday."),
    )
    make_label(passed, make_user("ada", labels=criteria_set), "pass")
    return criteria_set, passed, open_row


def page(client: Client, user: User, address: str) -> str:
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return response.text


def listed(text: str) -> list[str]:
    return [word for word in ("Ship Friday.", "Ship Monday.") if word in text]


def test_a_labeler_sees_no_verdict_before_their_own(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, passed, _ = rows
    bo = make_user("bo", labels=criteria_set)

    before = page(client, bo, f"/sets/notes/golden/{passed.pk}/")
    make_label(passed, bo, "fail")
    after = page(client, bo, f"/sets/notes/golden/{passed.pk}/")

    assert "once you have labelled it yourself" in before
    assert "ada" not in before
    assert "ada" in after


def test_the_list_gives_a_labeler_nothing_away(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    bo = make_user("bo", labels=rows[0])

    text = page(client, bo, "/sets/notes/golden/")

    assert listed(text) == ["Ship Friday.", "Ship Monday."]
    assert "badge pass" not in text
    assert "<dt>Pass</dt>" not in text
    for truth in ("pass", "fail", "unresolved"):
        assert listed(page(client, bo, f"/sets/notes/golden/?truth={truth}")) == []


def test_a_lead_sees_labels_and_it_is_noted(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, passed, open_row = rows
    lead = make_user(lead_of=criteria_set)

    page(client, lead, f"/sets/notes/golden/{open_row.pk}/")
    assert not Exposure.objects.exists()
    assert "ada" in page(client, lead, f"/sets/notes/golden/{passed.pk}/")

    noted = Exposure.objects.get()
    assert (noted.user, noted.candidate, noted.what) == (lead, passed, "labels")


def test_a_lead_reads_why_a_row_was_passed_on(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, _, row = rows
    bob = make_user("bob", labels=criteria_set)
    skip_row(
        candidate=row,
        version=live(criteria_set),
        labeler=bob,
        reason="needs_expert",
        comment="Ask <b>legal</b>.",
        now=timezone.now(),
    )

    address = f"/sets/notes/golden/{row.pk}/"
    shown = page(client, make_user(lead_of=criteria_set), address)

    assert "bob: Somebody who knows the subject should decide" in shown
    assert "Ask &lt;b&gt;legal&lt;/b&gt;." in shown
    assert "Somebody who knows" not in page(client, bob, address)
    assert not Exposure.objects.exists()


def test_the_list_notes_what_it_shows_a_lead(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    lead = make_user(lead_of=rows[0])

    for _ in range(2):
        page(client, lead, "/sets/notes/golden/")

    assert [noted.candidate for noted in Exposure.objects.filter(user=lead)] == [rows[1]]


def test_ones_own_label_alone_is_no_exposure_and_anothers_is(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    ada = User.objects.get(username="ada")

    for address in (f"/sets/notes/golden/{rows[1].pk}/", "/sets/notes/golden/"):
        page(client, ada, address)
    assert not Exposure.objects.exists()

    make_label(rows[1], make_user(), "fail")
    page(client, ada, "/sets/notes/golden/")
    assert Exposure.objects.get().user == ada


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("truth=pass", ["Ship Friday."]),
        ("truth=none", ["Ship Monday."]),
        ("truth=fail", []),
        ("text=monday", ["Ship Monday."]),
        ("split=tune", []),
        ("split=certify&truth=pass&text=ship", ["Ship Friday."]),
        ("truth=nonsense", []),
        ("page=999", ["Ship Friday.", "Ship Monday."]),
    ],
)
def test_filters(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate], query: str, expected: list[str]
) -> None:
    assert listed(page(client, make_user(lead_of=rows[0]), f"/sets/notes/golden/?{query}")) == expected


def test_growth_counts_settled_certify_rows_only(client: Client) -> None:
    criteria_set = make_criteria_set("notes")
    for split in ("certify", "certify", "tune"):
        make_ruling(make_candidate(criteria_set, split=split), "pass")

    text = page(client, make_user(lead_of=criteria_set), "/sets/notes/golden/")

    assert "<strong>2 settled rows</strong> set aside to certify judges" in text
    assert "28 more settled rows and there are 30" in text


def test_another_version_has_labels_of_its_own(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, passed, _ = rows
    make_version(criteria_set)
    lead = make_user(lead_of=criteria_set)

    text = page(client, lead, f"/sets/notes/golden/{passed.pk}/?version=2")

    assert "which is not live" in text
    assert "Nobody has labelled this row under version 2" in text
    assert client.get("/sets/notes/golden/?version=9").status_code == 404


def test_an_output_is_shown_as_text(client: Client) -> None:
    criteria_set = make_criteria_set("notes")
    row = make_candidate(criteria_set, "<script>alert(1)</script> \u202eevil")
    lead = make_user(lead_of=criteria_set)

    for address in ("/sets/notes/golden/", f"/sets/notes/golden/{row.pk}/"):
        text = page(client, lead, address)
        assert "<script>alert" not in text
        assert "\u202e" not in text


def test_more_rows_ask_no_more_queries(client: Client) -> None:
    criteria_set = make_criteria_set("notes")
    lead, labeler = make_user(lead_of=criteria_set), make_user()
    client.force_login(lead)

    def queries_for(address: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        return len(captured)

    def add_ten() -> None:
        for _ in range(10):
            row = make_candidate(criteria_set)
            make_label(row, labeler, "pass")
            make_label(row, lead, "fail")

    add_ten()
    addresses = ["/sets/notes/golden/", "/sets/notes/rulings/"]
    for address in addresses:
        client.get(address)
    few = [queries_for(address) for address in addresses]
    add_ten()
    for address in addresses:
        client.get(address)  # a first look also notes what it shows

    assert [queries_for(address) for address in addresses] == few


def test_people_are_compared_on_the_rows_that_both_labelled_blind() -> None:
    criteria_set, ada, bo = make_criteria_set(), make_user("ada"), make_user("bo")
    said = ["pass pass"] * 20 + ["pass fail"] * 5 + ["fail pass"] * 10 + ["fail fail"] * 15
    for one, other in map(str.split, said):
        row = make_candidate(criteria_set)
        make_label(row, ada, one)
        make_label(row, bo, other)
    make_label(make_candidate(criteria_set), ada)
    unblind = make_candidate(criteria_set)
    make_label(unblind, ada)
    make_label(unblind, bo, blind=False)

    [pair] = pairs_of(live(criteria_set))

    assert (pair.one, pair.other, pair.rows, pair.agreement) == ("ada", "bo", 50, 0.7)
    assert pair.kappa is not None
    assert pair.kappa.value == pytest.approx(0.4)  # p_o = .7, p_e = .5 × .6 + .5 × .4 = .5


def test_people_who_use_one_verdict_throughout_have_no_kappa() -> None:
    row = make_candidate(make_criteria_set())
    make_label(row, make_user())
    make_label(row, make_user())

    assert pairs_of(live(row.criteria_set))[0].kappa is None


def hide(criteria_set: CriteriaSet) -> None:
    criteria_set.shows_labels = False
    criteria_set.save()


def test_where_labels_are_not_shown_a_labeler_never_sees_those_of_others(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, passed, _ = rows
    hide(criteria_set)
    bo = make_user("bo", labels=criteria_set)
    make_label(passed, bo, "fail")
    make_ruling(passed, "pass")

    one = page(client, bo, f"/sets/notes/golden/{passed.pk}/")
    many = page(client, bo, "/sets/notes/golden/")

    assert "ada" not in one + many
    assert "badge pass" not in one + many
    assert "Unresolved" not in many
    assert "Settled" not in many
    assert "badge fail" in one
    assert not Exposure.objects.exists()


@pytest.mark.parametrize(("truth", "expected"), [("pass", []), ("fail", ["Ship Friday."])])
def test_where_labels_are_not_shown_one_looks_for_ones_own_verdict(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate], truth: str, expected: list[str]
) -> None:
    criteria_set, passed, _ = rows
    hide(criteria_set)
    bo = make_user("bo", labels=criteria_set)
    make_label(passed, bo, "fail")
    make_ruling(passed, "pass")

    assert listed(page(client, bo, f"/sets/notes/golden/?truth={truth}")) == expected
    assert listed(page(client, bo, "/sets/notes/golden/?truth=unresolved")) == []


def test_to_ask_for_rows_without_a_verdict_tells_a_labeler_of_no_label(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    bo = make_user("bo", labels=rows[0])

    assert listed(page(client, bo, "/sets/notes/golden/?truth=none")) == ["Ship Friday.", "Ship Monday."]


def test_a_lead_reads_the_whole_history_of_a_row(
    client: Client, rows: tuple[CriteriaSet, Candidate, Candidate]
) -> None:
    criteria_set, passed, _ = rows
    passed.labels.update(withdrawn_at=timezone.now(), comment="Too long.")
    make_ruling(passed, "fail")
    address = f"/sets/notes/golden/{passed.pk}/"

    shown = page(client, make_user("lena", lead_of=criteria_set), address)

    assert "History of this row (2)" in shown
    assert "taken back" in shown
    assert "Too long." in shown
    assert "History of this row" not in page(client, User.objects.get(username="ada"), address)
