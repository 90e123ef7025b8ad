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


def test_of_several_criteria_only_what_was_changed_or_is_wrong_is_unfolded(
    client: Client, criteria_set: CriteriaSet
) -> None:
    client.post(NEW, sent(criterion(0), criterion(1)))
    edit = f"{NEW}?version=2"

    opened = client.get(edit).text
    refused = client.post(edit, sent(criterion(0), criterion(1, description=""))).text

    assert (opened.count("<details>"), opened.count("<details open>")) == (2, 0)
    assert (refused.count("<details>"), refused.count("<details open>")) == (1, 1)


def test_order_and_removal_are_taken_from_the_form(client: Client, criteria_set: CriteriaSet) -> None:
    client.post(NEW, sent(criterion(0, ORDER=3), criterion(1, DELETE="on"), criterion(2, ORDER=1)))

    version = criteria_set.versions.get(number=2)
    assert [each.name for each in version.criteria.all()] == ["criterion 2", "criterion 0"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"minimum": 5}, "is outside its scale"),
        ({"minimum": ""}, "required but has no minimum"),
        ({"description": ""}, "Say what good looks like."),
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
        ({"double_share": "1.5"}, "The share of rows that two people label is from 0 to 1"),
        ({"repeat_share": "-1"}, "asked once more is from 0 to 1"),
        ({"daily_goal": 10_001}, "The goal for a day is a whole number of rows from 0 to 10,000"),
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


def test_criteria_are_moved_and_taken_out_without_a_script(client: Client, criteria_set: CriteriaSet) -> None:
    two = criterion(0, name="first"), criterion(1, name="second")

    moved = client.post(NEW, sent(*two, act="down-0")).text
    gone = client.post(NEW, sent(*two, act="remove-0")).text

    assert moved.index('value="second"') < moved.index('value="first"')
    assert "Taken out when you save." in gone
    assert "errorlist" not in moved + gone
    assert criteria_set.versions.count() == 1


def test_a_preview_says_what_would_change_and_how_a_score_comes_about(
    client: Client, criteria_set: CriteriaSet
) -> None:
    kind = criterion(0, name="kind", description="Is kind.", weight=3)

    page = client.post(NEW, sent(kind, preview="1")).text
    part = client.post(NEW, sent(kind, preview="1"), headers={"HX-Request": "true"}).text
    unfinished = client.post(NEW, sent({}, preview="1", threshold=""), headers={"HX-Request": "true"})

    assert '<ins class="kept">Is kind.</ins>' in page
    assert "(3 × 100 %) ÷ 3 = 100 %" in page
    assert part.lstrip().startswith("<aside")
    assert unfinished.status_code == 204  # what was shown stays
    assert criteria_set.versions.count() == 1


def test_the_second_of_two_leads_is_told_of_the_newer_version(
    client: Client, criteria_set: CriteriaSet
) -> None:
    client.post(NEW, sent(criterion(0, name="theirs"), newest=1))

    late = client.post(NEW, sent(criterion(0, name="mine"), newest=1))
    again = client.post(NEW, sent(criterion(0, name="mine"), newest=2), follow=True)

    assert late.status_code == 409
    assert "lead saved version 2 while you wrote" in late.text
    assert 'value="mine"' in late.text
    assert 'name="newest" value="2"' in late.text
    assert "Version 3 is saved as a draft" in again.text


def test_any_two_versions_are_compared_word_by_word(client: Client, criteria_set: CriteriaSet) -> None:
    for text in ("Says what is true.", "Says what is known."):
        client.post(NEW, sent(criterion(0, description=text)))
    client.force_login(make_user(labels=criteria_set))

    page = client.get("/sets/notes/criteria/compare/?from=2&to=3").text

    assert "Says what is <del>true</del><ins>known</ins>." in page
    assert client.get("/sets/notes/criteria/compare/?from=9").status_code == 404


def test_a_rule_keeps_its_texts_as_they_are(client: Client, criteria_set: CriteriaSet) -> None:
    rule = CriterionSpec("says", "Says it.", minimum=1, strategy="includes", params={"text": [" a\nb ", "c"]})
    judged = CriterionSpec("kind", "Is kind.", minimum=1)
    version = add_version(criteria_set=criteria_set, spec=CriteriaSpec((judged, rule)))
    page = client.get(f"{NEW}?version={version.number}")
    form = page.context["formset"].forms[1]

    data = {
        f"criteria-1-{name}": form[name].value() for name in form.fields if form[name].value() is not None
    }
    client.post(NEW, sent(criterion(0, name="kind"), data | {"criteria-1-name": "says it"}))

    newest = criteria_set.versions.latest("number")
    assert spec_of(newest).criteria[1].params == {"text": [" a\nb ", "c"]}
