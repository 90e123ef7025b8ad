"""Drafts promoted and rolled back: what happens to each gate, and no gate that closes for nothing."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from judging.models import Judge, JudgeVersion
from judging.services.judges import add_model_version, add_panel_version
from judging.services.promoting import changes_by_judge, promote_version
from labeling.models import AuditEvent, CriteriaSet, Membership
from labeling.services import criteria
from labeling.services.promotions import ClosesGates, PromotedMeanwhile, gate_changes
from tests.factories import make_candidate, make_criteria_set, make_judge, make_user, make_version
from tests.judging.dashboards import certify, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet, client: Client) -> User:
    """A lead, logged in."""
    made = make_user("lena", lead_of=criteria_set)
    client.force_login(made)
    return made


@pytest.fixture
def judge(criteria_set: CriteriaSet) -> JudgeVersion:
    """A judge whose gate is open."""
    made = make_judge("strict")
    certify(made, criteria_set, a=30, d=30)
    return made


@pytest.fixture
def draft(judge: JudgeVersion) -> JudgeVersion:
    return add_model_version(slug="strict", model="openai/newer", family="scripted")


def number_live(slug: str = "strict") -> int:
    live = Judge.objects.get(slug=slug).live_version
    assert live is not None
    return live.number


def test_a_draft_without_a_certificate_closes_no_gate_unasked(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    refused = client.post("/judges/strict/2/promote/", {"seen": 1})

    assert refused.status_code == 409
    assert "It closes: these versions are not certified." in text(refused)
    assert "<strong>strict on replies</strong>" in text(refused)
    assert number_live() == 1

    form = {"seen": 1, "closes": [criteria_set.pk]}
    done = client.post("/judges/strict/2/promote/", form, follow=True)

    assert "Version 2 is live. 1 gate closed." in text(done)
    assert number_live() == 2


def test_a_draft_that_was_measured_and_refused_is_told_why(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify(draft, criteria_set, a=20, b=10, c=10, d=20)

    page = text(client.get("/judges/strict/2/promote/"))

    assert "strict@2 on replies@1 was measured and is not certified: Kappa" in page
    assert "Mend that and calibrate again first" in page
    assert "Calibrate version 2 first" not in page


def test_a_draft_with_its_own_certificate_is_promoted_by_one_button(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify(draft, criteria_set, a=30, d=30)

    shown = text(client.get("/judges/strict/2/promote/"))
    done = client.post("/judges/strict/2/promote/", {"seen": 1}, follow=True)

    assert "strict@1 on replies@1" in shown
    assert "strict@2 on replies@1" in shown
    assert "It stays open." in shown
    assert "Version 2 is live." in text(done)


def test_the_judges_page_says_what_was_live_when_and_leads_back(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    promote_version(version=draft, actor=lead, confirmed=None)

    page = text(client.get("/judges/strict/"))
    assert "version 2 in place of version 1, by lena" in page
    assert '<a class="button" href="/judges/strict/1/promote/">Roll back to version 1</a>' in page

    back = client.post("/judges/strict/1/promote/", {"seen": 2}, follow=True)

    assert "Version 1 is live. 1 gate opened." in text(back)
    assert "Promote version 2 again" in text(back)
    numbers = AuditEvent.objects.filter(action="judge_promoted").values_list("details__after", flat=True)
    assert list(numbers) == [1, 2]


def test_a_closed_gate_leads_back_to_what_is_certified(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    promote_version(version=draft, actor=lead, confirmed=None)
    by_judge = text(client.get("/dashboard/strict/replies/"))
    promote_version(version=JudgeVersion.objects.get(number=1), actor=lead)
    make_version(criteria_set, live=True)

    by_criteria = text(client.get("/dashboard/strict/replies/"))

    assert '<a class="button" href="/judges/strict/1/promote/">Roll back to strict@1</a>' in by_judge
    assert "/criteria/1/promote/" not in by_judge
    assert (
        '<a class="button" href="/sets/replies/criteria/1/promote/">Roll back to replies@1</a>' in by_criteria
    )


def test_the_judge_of_a_longer_name_has_a_history_of_its_own(
    client: Client, lead: User, draft: JudgeVersion
) -> None:
    make_judge("strict-er")
    longer = add_model_version(slug="strict-er", model="openai/other", family="scripted")
    promote_version(version=longer, actor=lead)

    assert "What was live when" not in text(client.get("/judges/strict/"))


def test_who_was_slower_is_told_so(judge: JudgeVersion, draft: JudgeVersion, lead: User) -> None:
    third = add_model_version(slug="strict", model="openai/newest", family="scripted")
    promote_version(version=draft, actor=lead, confirmed=None, seen=1)

    with pytest.raises(PromotedMeanwhile, match="version 2 is live now"):
        promote_version(version=third, actor=lead, confirmed=None, seen=1)

    assert number_live() == 2


def test_a_confirmation_is_for_the_gates_it_names(
    judge: JudgeVersion, draft: JudgeVersion, criteria_set: CriteriaSet, lead: User
) -> None:
    elsewhere = make_criteria_set("elsewhere")
    certify(judge, elsewhere, a=30, d=30)
    Membership.objects.create(criteria_set=elsewhere, user=lead, role=Membership.Role.LEAD)

    with pytest.raises(ClosesGates) as refused:
        promote_version(version=draft, actor=lead, confirmed={criteria_set.pk})

    assert [each.criteria for each in refused.value.gates] == ["elsewhere"]


def test_sets_that_somebody_does_not_lead_are_counted_and_not_named(
    client: Client, lead: User, judge: JudgeVersion, draft: JudgeVersion
) -> None:
    certify(judge, make_criteria_set("secret-plans"), a=30, d=30)
    url = "/judges/strict/2/promote/"

    shown, refused = client.get(url), client.post(url, {"seen": 1})

    for page in (text(shown), text(refused)):
        assert "1 of them would close" in page
        assert "secret-plans" not in page
        assert "Ask an administrator" in page
        assert 'name="closes"' not in page


def test_nobody_closes_a_gate_of_a_set_that_somebody_else_leads(
    client: Client, lead: User, judge: JudgeVersion, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    elsewhere = make_criteria_set("secret-plans")
    certify(judge, elsewhere, a=30, d=30)
    form = {"seen": 1, "closes": [criteria_set.pk, elsewhere.pk]}

    refused = client.post("/judges/strict/2/promote/", form)

    assert (refused.status_code, number_live()) == (409, 1)
    assert "this closes what is open elsewhere" in text(refused)
    client.force_login(User.objects.create_superuser("root"))
    assert client.post("/judges/strict/2/promote/", form).status_code == 302
    assert number_live() == 2


@pytest.mark.parametrize("form", [{}, {"seen": "²"}, {"seen": "1" * 40}, {"seen": ["1", "2"]}, {"seen": "0"}])
def test_a_form_that_does_not_say_what_was_seen_changes_nothing(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet, form: dict[str, Any]
) -> None:
    refused = client.post("/judges/strict/2/promote/", form | {"closes": [criteria_set.pk]})

    assert (refused.status_code, number_live()) == (409, 1)


def test_criteria_that_close_gates_are_confirmed_by_judge(
    client: Client, lead: User, judge: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    make_version(criteria_set)

    refused = client.post("/sets/replies/criteria/2/promote/", {"seen": 1})
    assert refused.status_code == 409
    assert "strict@1 on replies@2" in text(refused)

    sent = {"seen": 1, "closes": [judge.judge_id]}
    done = client.post("/sets/replies/criteria/2/promote/", sent, follow=True)
    assert "Version 2 is live. 1 gate closed." in text(done)
    assert "version 2 in place of version 1, by lena" in text(done)

    back = client.post("/sets/replies/criteria/1/promote/", {"seen": 2}, follow=True)
    assert "Version 1 is live. 1 gate opened." in text(back)


def test_criteria_promoted_meanwhile_are_told_of(lead: User, criteria_set: CriteriaSet) -> None:
    second, third = make_version(criteria_set), make_version(criteria_set)
    criteria.promote_version(criteria_set=criteria_set, version=second, actor=lead, seen=1)

    with pytest.raises(PromotedMeanwhile):
        criteria.promote_version(criteria_set=criteria_set, version=third, actor=lead, seen=1)


def test_every_measured_gate_is_told_of_and_no_other(
    judge: JudgeVersion, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    certify(make_judge("weak"), criteria_set, a=3, d=3)
    make_judge("unmeasured")

    by_criteria = gate_changes(make_version(criteria_set))
    by_judge = changes_by_judge(draft)

    assert [(each.judge, each.certified) for each in by_criteria] == [
        ("strict", (True, False)),
        ("weak", (False, False)),
    ]
    assert [(each.criteria, each.closes, each.opens) for each in by_judge] == [("replies", True, False)]


def test_what_is_live_already_asks_nothing(client: Client, lead: User, judge: JudgeVersion) -> None:
    assert "there is nothing to do" in text(client.get("/judges/strict/1/promote/"))
    assert client.post("/judges/strict/1/promote/", {"seen": 1}).status_code == 302
    assert client.get("/judges/strict/9/promote/").status_code == 404
    assert not AuditEvent.objects.filter(action="judge_promoted").exists()


def test_a_draft_is_calibrated_from_where_it_is_shown(
    client: Client, lead: User, draft: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    version = make_version(criteria_set)

    for page, query in (
        ("/judges/strict/", f"judge_version={draft.pk}"),
        ("/judges/strict/2/promote/", f"judge_version={draft.pk}"),
        ("/sets/replies/criteria/", f"criteria_version={version.pk}"),
        ("/sets/replies/criteria/2/promote/", f"criteria_version={version.pk}"),
        ("/dashboard/strict/replies/?judge_version=2", f"judge_version={draft.pk}"),
    ):
        assert f"/runs/new/?{query}" in client.get(page).text, page


FILE = '[[judge]]\nslug = "strict"\nkind = "model"\nmodel = "openai/{}"\nfamily = "scripted"\n'


def load(tmp_path: Path, text: str, *flags: str) -> str:
    path, out = tmp_path / "judges.toml", StringIO()
    path.write_text(text, encoding="utf-8")
    call_command("load_judges", str(path), *flags, stdout=out)
    return out.getvalue()


def test_a_file_closes_no_gate_unless_told_to(judge: JudgeVersion, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"strict on replies.*Or add --close-gates") as refused:
        load(tmp_path, FILE.format("newer"), "--promote")
    assert (refused.value.returncode, number_live(), judge.judge.versions.count()) == (2, 1, 1)

    load(tmp_path, FILE.format("newer"), "--promote", "--close-gates")

    assert number_live() == 2


def test_a_file_of_criteria_closes_no_gate_unless_told_to(
    judge: JudgeVersion, criteria_set: CriteriaSet, tmp_path: Path
) -> None:
    path = tmp_path / "criteria.toml"
    call_command("export_criteria", output=str(path))
    path.write_text(path.read_text().replace("threshold = 0.700", "threshold = 0.8"))

    with pytest.raises(CommandError, match="strict on replies"):
        call_command("load_criteria", str(path), "--promote")
    assert criteria_set.versions.count() == 1
    call_command("load_criteria", str(path), "--promote", "--close-gates", stdout=StringIO())

    criteria_set.refresh_from_db()
    assert criteria_set.live_version is not None
    assert criteria_set.live_version.number == 2


def test_panels_follow_a_member_as_drafts(
    client: Client, lead: User, judge: JudgeVersion, tmp_path: Path
) -> None:
    add_panel_version(slug="panel", members=[make_judge("one"), judge, make_judge("two")])

    load(tmp_path, FILE.format("newer"))

    panel = Judge.objects.get(slug="panel")
    members = [str(juror) for juror in panel.versions.get(number=2).jurors()]
    assert members == ["one@1", "strict@2", "two@1"]
    assert number_live("panel") == 1


def test_a_panel_at_another_version_of_its_member_stays(
    client: Client, lead: User, draft: JudgeVersion, judge: JudgeVersion, tmp_path: Path
) -> None:
    add_panel_version(slug="panel", members=[make_judge("one"), judge])

    form = {"model": "openai/newest", "family": "scripted", "params": "{}"}
    client.post("/judges/strict/new-version/", form)

    assert JudgeVersion.objects.get(judge__slug="strict", number=3).model == "openai/newest"
    assert Judge.objects.get(slug="panel").versions.count() == 1


def test_the_page_names_the_panels_that_follow(client: Client, lead: User, judge: JudgeVersion) -> None:
    add_panel_version(slug="panel", members=[make_judge("one"), judge])
    form = {"model": "openai/newest", "family": "scripted", "params": "{}"}

    done = client.post("/judges/strict/new-version/", form, follow=True)
    again = client.post("/judges/strict/new-version/", form, follow=True)

    assert "drafts with it of the panels in which it sits: panel, version 2." in text(done)
    assert "drafts with it" not in text(again)
    assert Judge.objects.get(slug="panel").versions.count() == 2


def test_a_recording_closes_no_gate_either(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    make_candidate(criteria_set, "Hello.", request="Greet.")
    row = '{"request": "Greet.", "candidate": "Hello.", "verdict": "%s"}'
    path = tmp_path / "verdicts.jsonl"
    path.write_text(row % "pass", encoding="utf-8")
    load = ["load_recorded", str(path), "--criteria-set", "replies", "--judge", "old"]
    call_command(*load, stdout=StringIO())
    certify(JudgeVersion.objects.get(judge__slug="old"), criteria_set, a=30, d=30)
    path.write_text(row % "fail", encoding="utf-8")

    with pytest.raises(CommandError, match="old on replies"):
        call_command(*load, "--promote", stdout=StringIO())

    assert Judge.objects.get(slug="old").versions.count() == 1
