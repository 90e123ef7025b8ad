"""The pages of criteria: read, write a new version, promote, settings, members."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.domain.criteria import CriteriaSpec, CriterionSpec
from labeling.models import AuditEvent, CriteriaSet, Membership, Slot
from labeling.services.criteria import add_version, spec_of
from tests.factories import live, make_candidate, make_criteria_set, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set(client: Client) -> CriteriaSet:
    """A set whose lead the client is."""
    made = make_criteria_set("notes")
    client.force_login(make_user("lead", lead_of=made))
    return made


def criterion(place: int, **changes: object) -> dict[str, object]:
    values = {
        "name": f"criterion {place}",
        "description": "Good.",
        "weight": 1,
        "scale_min": 0,
        "scale_max": 1,
        "required": "on",
        "minimum": 1,
        "strategy": "judge",
        "ORDER": place + 1,
    }
    return {f"criteria-{place}-{name}": value for name, value in (values | changes).items()}


def sent(*criteria: dict[str, object], **more: object) -> dict[str, object]:
    data: dict[str, object] = {"threshold": "0.7", "note": "Clearer."}
    data |= {"criteria-TOTAL_FORMS": len(criteria), "criteria-INITIAL_FORMS": 1}
    for each in criteria:
        data |= each
    return data | more


NEW = "/sets/notes/criteria/new/"


def test_a_new_version_is_saved_as_a_draft(client: Client, criteria_set: CriteriaSet) -> None:
    short = criterion(1, strategy="max_words", words=90, required="", minimum="")

    answer = client.post(NEW, sent(criterion(0), short), follow=True)

    assert "Version 2 is saved as a draft" in answer.text
    version = criteria_set.versions.get(number=2)
    assert spec_of(version).criteria[1].params == {"words": 90}
    assert version.note == "Clearer."
    criteria_set.refresh_from_db()
    assert live(criteria_set).number == 1


def test_saving_the_same_again_says_that_nothing_changed(client: Client, criteria_set: CriteriaSet) -> None:
    client.post(NEW, sent(criterion(0)))

    assert "Nothing changed" in client.post(NEW, sent(criterion(0)), follow=True).text
    assert criteria_set.versions.count() == 2


def test_order_and_removal_are_taken_from_the_form(client: Client, criteria_set: CriteriaSet) -> None:
    client.post(NEW, sent(criterion(0, ORDER=3), criterion(1, DELETE="on"), criterion(2, ORDER=1)))

    version = criteria_set.versions.get(number=2)
    assert [each.name for each in version.criteria.all()] == ["criterion 2", "criterion 0"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"minimum": 5}, "is outside its scale"),
        ({"minimum": ""}, "required but has no minimum"),
        ({"description": ""}, "This field is required"),
        ({"strategy": "max_words"}, "how many words"),
        ({"strategy": "includes", "texts": "\r\n"}, "Write at least one text"),
        ({"scale_max": 5000}, "go up to 1000"),
    ],
)
def test_a_mistake_comes_back_with_what_was_typed(
    client: Client, criteria_set: CriteriaSet, wrong: dict[str, object], sentence: str
) -> None:
    answer = client.post(NEW, sent(criterion(0, name="typed by me", **wrong)))

    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Nothing is saved yet" in answer.text
    assert "typed by me" in answer.text
    assert criteria_set.versions.count() == 1


def test_adding_a_criterion_keeps_what_was_typed_and_saves_nothing(
    client: Client, criteria_set: CriteriaSet
) -> None:
    answer = client.post(NEW, sent(criterion(0, name="typed by me"), act="add"))

    assert answer.status_code == 200
    assert "typed by me" in answer.text
    assert "criteria-1-name" in answer.text
    assert "errorlist" not in answer.text
    assert criteria_set.versions.count() == 1


def test_promoting_from_the_page(client: Client, criteria_set: CriteriaSet) -> None:
    spec = CriteriaSpec((CriterionSpec("kind", "Is kind.", minimum=1),))
    add_version(criteria_set=criteria_set, spec=spec)
    page = client.get("/sets/notes/criteria/").text
    assert '<ins class="kept">Is kind.</ins>' in page

    answer = client.post("/sets/notes/criteria/2/promote/", {"seen": 1}, follow=True)

    assert "Version 2 is live" in answer.text
    assert "Roll back to this version" in answer.text
    assert client.post("/sets/notes/criteria/7/promote/").status_code == 404


def settings(**changes: object) -> dict[str, object]:
    return {
        "name": "Notes",
        "description": "",
        "labels_per_row": 1,
        "double_share": 0,
        "double_rows": 30,
        "repeat_share": 0,
        "shows_labels": "on",
        "daily_goal": 50,
        "rows_goal": 300,
        "on_split": "majority",
        "on_skip": "report",
    } | changes


def test_settings_are_saved_and_recorded(client: Client, criteria_set: CriteriaSet) -> None:
    client.post("/sets/notes/settings/", settings(on_split="human"))

    criteria_set.refresh_from_db()
    assert criteria_set.on_split == "human"
    event = AuditEvent.objects.get(action="criteria_settings")
    changed = (event.details["before"], event.details["after"])
    assert changed == ({"on_split": "majority"}, {"on_split": "human"})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": ""}, "This field is required"),
        ({"labels_per_row": 1000}, "at most 20 people"),
    ],
)
def test_a_setting_out_of_range_is_refused_in_place(
    client: Client, criteria_set: CriteriaSet, wrong: dict[str, object], sentence: str
) -> None:
    answer = client.post("/sets/notes/settings/", settings(**wrong))

    assert answer.status_code == 422
    assert sentence in answer.text
    criteria_set.refresh_from_db()
    assert (criteria_set.name, criteria_set.labels_per_row) == ("Notes", 1)


def test_the_queue_follows_the_labels_per_row(client: Client, criteria_set: CriteriaSet) -> None:
    make_candidate(criteria_set, slots=1)

    client.post("/sets/notes/settings/", settings(labels_per_row=3))
    assert Slot.objects.count() == 3

    client.post("/sets/notes/settings/", settings(labels_per_row=2))
    assert Slot.objects.count() == 2


def test_closing_slots_spares_what_somebody_holds(client: Client, criteria_set: CriteriaSet) -> None:
    row = make_candidate(criteria_set, slots=3)
    CriteriaSet.objects.update(labels_per_row=3)
    row.slots.filter(number=2).update(labeler=make_user(), lease_until="2999-01-01T00:00Z")
    row.slots.filter(number=3).update(labeler=make_user(), state="done")

    client.post("/sets/notes/settings/", settings(labels_per_row=1))

    assert sorted(row.slots.values_list("number", flat=True)) == [2, 3]


def test_members_are_added_changed_and_removed(client: Client, criteria_set: CriteriaSet) -> None:
    ada = make_user("ada")

    client.post("/sets/notes/members/", {"user": "ada", "role": "labeler"})
    client.post("/sets/notes/members/", {"user": "ada", "role": "lead"})
    membership = Membership.objects.get(user=ada)
    assert membership.role == "lead"
    client.post(f"/sets/notes/members/{membership.pk}/remove/")

    assert not Membership.objects.filter(user=ada).exists()
    assert list(AuditEvent.objects.values_list("action", flat=True)) == [
        "member_removed",
        "member_set",
        "member_set",
    ]


def test_the_last_lead_stays(client: Client, criteria_set: CriteriaSet) -> None:
    lead = criteria_set.memberships.get()

    removed = client.post(f"/sets/notes/members/{lead.pk}/remove/", follow=True)
    demoted = client.post("/sets/notes/members/", {"user": "lead", "role": "labeler"})

    assert "is the only lead" in removed.text
    assert (demoted.status_code, Membership.objects.get().role) == (422, "lead")


def test_an_unknown_user_name_is_said_to_be_unknown(client: Client, criteria_set: CriteriaSet) -> None:
    answer = client.post("/sets/notes/members/", {"user": "nobody", "role": "labeler"})

    assert answer.status_code == 422
    assert "There is no user of that name" in answer.text


def test_an_administrator_makes_a_set_and_leads_it(client: Client) -> None:
    admin = User.objects.create_superuser("admin")
    client.force_login(admin)
    names = {"name": "Replies", "slug": "replies"}

    client.post("/sets/new/", sent(criterion(0)) | names)
    again = client.post("/sets/new/", sent(criterion(0)) | names)

    assert Membership.objects.get(user=admin).criteria_set.slug == "replies"
    assert again.status_code == 422
    assert "already exists" in again.text
