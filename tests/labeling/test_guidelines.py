"""Guidelines: every state kept, examples that give nothing away, and two leads who write at once."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from labeling.models import Candidate, CriteriaSet, Exposure, Guidelines, Slot
from labeling.services.guidelines import (
    Example,
    GuidelinesChanged,
    GuidelinesRefused,
    current_guidelines,
    example_from,
    examples_of,
    save_guidelines,
)
from labeling.services.labels import was_blind
from labeling.services.members import set_member
from labeling.services.relabeling import ask_for_labels
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_label,
    make_user,
    make_version,
)

pytestmark = pytest.mark.django_db

TYPED = Example(request="Say hello.", output="Hello!", verdict="pass", why="It greets.")


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("notes")


@pytest.fixture
def lead(client: Client, criteria_set: CriteriaSet) -> User:
    """Who leads the set and is logged in."""
    made = make_user("lead", lead_of=criteria_set)
    client.force_login(made)
    return made


def settled(criteria_set: CriteriaSet, split: str = "tune") -> Candidate:
    row = make_candidate(criteria_set, split=split)
    make_label(row, make_user(), "fail")
    return row


def sent(*examples: dict[str, object], **more: object) -> dict[str, object]:
    data: dict[str, object] = {"text": "Be fair.", "seen": 0, "examples-INITIAL_FORMS": 0}
    data["examples-TOTAL_FORMS"] = len(examples)
    for place, example in enumerate(examples):
        data |= {f"examples-{place}-{name}": value for name, value in example.items()}
    return data | more


ONE: dict[str, object] = {"request": "", "output": "Hello!", "verdict": "pass", "why": "It greets."}
EDIT = "/sets/notes/guidelines/edit/"


def test_every_state_is_kept_and_the_newest_counts(criteria_set: CriteriaSet) -> None:
    actor = make_user()
    for text in ("First.", "Second.", "Second."):
        save_guidelines(criteria_set=criteria_set, text=text, examples=[TYPED], actor=actor)

    newest = current_guidelines(criteria_set)

    assert newest is not None
    assert (newest.text, newest.number, examples_of(newest)) == ("Second.", 2, [TYPED])
    assert Guidelines.objects.get(number=1).text == "First."


def test_a_settled_tune_row_becomes_an_example_with_its_reason(criteria_set: CriteriaSet) -> None:
    row = settled(criteria_set)
    row.labels.update(comment="It is rude.")

    assert example_from(row) == Example(row.request, row.output, "fail", "It is rude.", row.pk)


def test_rows_that_an_example_would_give_away_are_refused(criteria_set: CriteriaSet) -> None:
    certify, open_row, wanted = (
        settled(criteria_set, "certify"),
        make_candidate(criteria_set, split="tune"),
        settled(criteria_set),
    )
    Slot.objects.create(candidate=wanted, version=live(criteria_set), number=2)
    for _ in range(2):
        make_user(labels=criteria_set)

    for row, why in ((certify, "certifies judges"), (open_row, "not settled"), (wanted, "still wanted")):
        with pytest.raises(GuidelinesRefused, match=why):
            example_from(row)


def test_a_certify_row_is_refused_when_its_text_is_typed_too(criteria_set: CriteriaSet) -> None:
    row = settled(criteria_set, "certify")
    typed = Example(row.request, row.output, "fail", "It is rude.")

    with pytest.raises(GuidelinesRefused, match=r"Example 1: Row .* certifies judges"):
        save_guidelines(criteria_set=criteria_set, text="", examples=[typed], actor=make_user())

    assert not Guidelines.objects.exists()


def test_who_reads_an_example_labels_its_row_blind_no_more(criteria_set: CriteriaSet) -> None:
    ada, row = make_user(labels=criteria_set), settled(criteria_set)
    actor = make_user(lead_of=criteria_set)
    assert was_blind(candidate=row, labeler=ada)

    example = Example(row.request, row.output, "fail", "It is rude.", row.pk)
    save_guidelines(criteria_set=criteria_set, text="", examples=[example], actor=actor)
    later = make_user()
    set_member(criteria_set=criteria_set, user=later, role="labeler", actor=actor)

    assert not was_blind(candidate=row, labeler=ada)
    assert not was_blind(candidate=row, labeler=later)
    assert Exposure.objects.filter(candidate=row).count() == 3


def test_nobody_is_asked_about_an_example_under_a_new_version(criteria_set: CriteriaSet) -> None:
    row, other, lead = settled(criteria_set), settled(criteria_set), make_user()
    example = Example(row.request, row.output, "fail", "It is rude.", row.pk)
    save_guidelines(criteria_set=criteria_set, text="", examples=[example], actor=lead)

    ask_for_labels(version=make_version(criteria_set), actor=lead)

    assert Slot.objects.get().candidate == other


def test_the_second_of_two_leads_is_told_and_loses_nothing(client: Client, lead: User) -> None:
    client.post(EDIT, sent(ONE, text="Theirs."))

    late = client.post(EDIT, sent(ONE, text="Mine."))
    again = client.post(EDIT, sent(ONE, text="Mine.", seen=1), follow=True)

    assert late.status_code == 409
    assert "Somebody else saved the guidelines" in late.text
    assert "Mine.</textarea>" in late.text
    assert 'name="seen" value="1"' in late.text
    assert "edition 2" in again.text


def test_the_service_tells_that_they_changed(criteria_set: CriteriaSet) -> None:
    actor = make_user()
    save_guidelines(criteria_set=criteria_set, text="Theirs.", examples=[], actor=actor, seen=0)

    with pytest.raises(GuidelinesChanged):
        save_guidelines(criteria_set=criteria_set, text="Mine.", examples=[], actor=actor, seen=0)


def test_examples_are_added_moved_and_taken_out_without_a_script(client: Client, lead: User) -> None:
    two = ONE | {"output": "Go away."}

    added = client.post(EDIT, sent(ONE, act="add"))
    client.post(EDIT, sent(ONE, two, act="up-1"))
    moved = client.post(EDIT, sent(ONE, two, act="up-1")).text
    client.post(EDIT, sent(ONE, two | {"DELETE": "on"}))

    assert re.search(r'<textarea name="examples-1-request"[^>]*autofocus', added.text)
    assert "errorlist" not in added.text
    assert moved.index("Go away.") < moved.index("Hello!")
    saved = Guidelines.objects.get()
    assert [each.output for each in saved.examples.all()] == ["Hello!"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [({"why": ""}, "Say in a sentence why."), ({"verdict": ""}, "Choose pass or fail for this")],
)
def test_what_an_example_lacks_is_said_beside_it(
    client: Client, lead: User, wrong: dict[str, object], sentence: str
) -> None:
    answer = client.post(EDIT, sent(ONE | wrong))

    assert answer.status_code == 422
    assert sentence in answer.text
    assert not Guidelines.objects.exists()


def test_a_row_is_taken_from_its_page_or_refused_with_the_reason(
    client: Client, lead: User, criteria_set: CriteriaSet
) -> None:
    tune, certify = settled(criteria_set), settled(criteria_set, "certify")

    assert f"{EDIT}?row={tune.pk}" in client.get(f"/sets/notes/golden/{tune.pk}/").text
    assert tune.output in client.get(f"{EDIT}?row={tune.pk}").text
    assert "give its answer away" in client.get(f"{EDIT}?row={certify.pk}", follow=True).text


def test_an_earlier_state_is_restored_as_a_new_one(client: Client, lead: User) -> None:
    client.post(EDIT, sent(ONE, text="First."))
    client.post(EDIT, sent(text="Second.", seen=1))
    history = client.get("/sets/notes/guidelines/history/").text
    assert "<del>First</del><ins>Second</ins>" in history

    client.post("/sets/notes/guidelines/1/restore/")

    newest = Guidelines.objects.first()
    assert newest is not None
    assert (newest.number, newest.text, newest.examples.count()) == (3, "First.", 1)


def test_a_labeler_reads_text_and_never_markup(client: Client, lead: User, criteria_set: CriteriaSet) -> None:
    client.post(EDIT, sent(ONE, text="# Tone\n- <b>fair</b>\n- kind"))
    client.force_login(make_user(labels=criteria_set))

    page = client.get("/sets/notes/guidelines/").text

    assert "<h3>Tone</h3>" in page
    assert "<li>&lt;b&gt;fair&lt;/b&gt;</li>" in page
    assert client.get(EDIT).status_code == 403
