"""When a judge may be trusted: the page, what it refuses, and the policy as code."""

import re
from collections.abc import Iterator
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.domain.criteria import InvalidCriteria
from labeling.models import AuditEvent, CriteriaSet
from labeling.services import policies
from labeling.services.criteria_settings import update_set
from labeling.services.policies import Consequence
from tests.factories import make_candidate, make_criteria_set, make_ruling, make_user

pytestmark = pytest.mark.django_db

URL = "/sets/notes/policy/"


@pytest.fixture
def criteria_set(client: Client) -> CriteriaSet:
    """A set whose lead is logged in."""
    made = make_criteria_set("notes")
    client.force_login(make_user("lead", lead_of=made))
    return made


@pytest.fixture
def told() -> Iterator[list[CriteriaSet]]:
    """Whoever is told of a policy that changed, instead of the judges."""
    heard: list[CriteriaSet] = []
    before = policies.listeners[:], policies.foretellers[:]
    policies.listeners[:] = [lambda criteria_set, actor: heard.append(criteria_set)]
    policies.foretellers[:] = []
    yield heard
    policies.listeners[:], policies.foretellers[:] = before


def policy(**changes: object) -> dict[str, object]:
    return {
        "rule": "point",
        "bar": "0.65",
        "min_rows": 30,
        "min_per_class": 5,
        "min_coverage": "0.95",
        "max_age_days": 30,
        "looks": "30, 60, 100, 150, 200, 300, 400",
        "n_max": 400,
        "audit_share": "0.05",
    } | changes


def test_every_part_of_the_policy_is_explained(client: Client, criteria_set: CriteriaSet) -> None:
    page = client.get(URL).text

    for name in (*policies.POLICY, "audit_share"):
        assert f'id="id_{name}"' in page
        assert re.search(rf'id="id_{name}_helptext">[^<]{{40,}}', page), name
    assert 'value="30, 60, 100, 150, 200, 300, 400"' in page
    assert "about one time in four at 30 rows" in page


def test_the_plan_is_folded_unless_its_rule_is_chosen(client: Client, criteria_set: CriteriaSet) -> None:
    by_point, wrong = client.get(URL).text, client.post(URL, policy(looks="60, 30")).text
    CriteriaSet.objects.update(rule="bound")

    by_bound = client.get(URL).text

    assert '<details class="fold">' in by_point
    assert '<details class="fold" open>' in wrong
    assert '<details class="fold" open>' in by_bound


def test_what_bound_costs_follows_the_bar(client: Client, criteria_set: CriteriaSet) -> None:
    at_usual_bar = client.get(URL).text
    CriteriaSet.objects.update(bar="0.8")

    at_high_bar = client.get(URL).text

    assert "true kappa 0.80</dt><dd>137 <small>rows" in at_usual_bar  # as `labels_needed` has it
    assert "true kappa 0.80" not in at_high_bar
    assert "true kappa 0.85" in at_high_bar


def test_a_change_is_saved_and_recorded(client: Client, criteria_set: CriteriaSet) -> None:
    sent = policy(rule="bound", looks="40; 80 160", n_max=200, audit_share="0.1")

    answer = client.post(URL, sent, follow=True)

    criteria_set.refresh_from_db()
    assert (criteria_set.rule, criteria_set.looks, criteria_set.n_max) == ("bound", [40, 80, 160], 200)
    event = AuditEvent.objects.get(action="criteria_settings")
    assert event.details["after"] == {
        "rule": "bound",
        "looks": "[40, 80, 160]",
        "n_max": "200",
        "audit_share": "0.1",
    }
    assert "The policy is saved" in answer.text


def test_saving_what_is_there_changes_nothing(client: Client, criteria_set: CriteriaSet) -> None:
    answer = client.post(URL, policy(audit_share=criteria_set.audit_share), follow=True)

    assert "Nothing changed" in answer.text
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"bar": "1.5"}, "The bar for kappa is above 0 and not above 1, such as 0.65."),
        ({"bar": "0"}, "The bar for kappa is above 0 and not above 1, such as 0.65."),
        ({"min_coverage": "2"}, "The coverage needed is a share from 0 to 1"),
        ({"audit_share": "-0.1"}, "The share of live outputs that people check is from 0 to 1"),
        ({"min_rows": "-1"}, "The scored rows needed are a whole number, 0 or more."),
        ({"max_age_days": "0"}, "A certificate holds a day at least."),
        ({"max_age_days": "4000"}, "A certificate holds at most 3650 days."),
        ({"looks": "thirty"}, "Write whole numbers with commas between them"),
        ({"looks": "30.5"}, "Write whole numbers with commas between them"),
        ({"looks": "0, 30"}, "whole numbers of rows, 1 or more"),
        ({"looks": "60, 30"}, "write them ascending"),
        ({"looks": "30, 30"}, "write them ascending"),
        ({"looks": ", ,"}, "Plan at least one look"),
        ({"looks": ",".join(map(str, range(1, 22)))}, "and at most 20"),
        ({"n_max": 399}, "The plan ends at 399 rows, before its last look at 400."),
        ({"n_max": 2_000_000}, "A plan ends at 1,000,000 rows at the latest."),
    ],
)
def test_what_cannot_be_is_refused_in_place(
    client: Client, criteria_set: CriteriaSet, wrong: dict[str, object], sentence: str
) -> None:
    answer = client.post(URL, policy(**wrong))

    assert answer.status_code == 422
    assert sentence in answer.text
    assert not AuditEvent.objects.exists()


def test_what_it_would_do_is_shown_before_it_is_saved(
    client: Client, criteria_set: CriteriaSet, told: list[CriteriaSet]
) -> None:
    policies.foretellers.append(lambda changed: [Consequence(f"A bar of {changed.bar}.", ("It hurts.",))])

    preview = client.post(URL, policy(bar="0.8"))
    seen = re.findall(r'name="seen" value="([0-9a-f]+)"', preview.text)[0]
    changed_after = client.post(URL, policy(bar="0.9", seen=seen))
    assert not told

    saved = client.post(URL, policy(bar="0.8", seen=seen))

    assert "A bar of 0.8." in preview.text
    assert "It hurts." in preview.text
    assert "A bar of 0.9." in changed_after.text
    assert saved.status_code == 302
    assert [str(each.bar) for each in told] == ["0.8"]


def test_only_a_changed_policy_is_told_of(criteria_set: CriteriaSet, told: list[CriteriaSet]) -> None:
    update_set(criteria_set=criteria_set, actor=None, public_badge=True)
    update_set(criteria_set=criteria_set, actor=None, min_rows=30)
    assert not told

    update_set(criteria_set=criteria_set, actor=None, min_rows=31)

    assert told == [criteria_set]


def test_who_cannot_be_told_takes_the_change_back(criteria_set: CriteriaSet, told: list[CriteriaSet]) -> None:
    def fail(criteria_set: CriteriaSet, actor: object) -> None:
        raise OSError("The disk is full.")

    policies.listeners.append(fail)

    with pytest.raises(OSError, match="disk"):
        update_set(criteria_set=criteria_set, actor=None, min_rows=31)

    criteria_set.refresh_from_db()
    assert criteria_set.min_rows == 30


def test_the_plan_is_kept_as_code(criteria_set: CriteriaSet, tmp_path: Path) -> None:
    plan: Any = {"looks": [50, 100], "n_max": 120, "audit_share": Decimal("0.05")}
    update_set(criteria_set=criteria_set, actor=None, **plan)
    path, out = tmp_path / "criteria.toml", StringIO()
    call_command("export_criteria", output=str(path))
    text = path.read_text(encoding="utf-8")
    assert "looks = [50, 100], n_max = 120" in text
    assert "audit_share = 0.050" in text

    changed = text.replace("n_max = 120", "n_max = 300").replace("audit_share = 0.050", "audit_share = 0.2")
    path.write_text(changed, encoding="utf-8")
    call_command("load_criteria", str(path), "--json", stdout=out)

    criteria_set.refresh_from_db()
    assert (criteria_set.looks, criteria_set.n_max) == ([50, 100], 300)
    assert str(criteria_set.audit_share) == "0.200"


@pytest.mark.parametrize("looks", ["[]", '["30"]', "[60, 30]", "[30.5]", "[true]", "[500]"])
def test_a_file_with_an_impossible_plan_is_refused(
    criteria_set: CriteriaSet, tmp_path: Path, looks: str
) -> None:
    path = tmp_path / "criteria.toml"
    call_command("export_criteria", output=str(path))
    text = re.sub(r"looks = \[[^]]*\]", f"looks = {looks}", path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")

    with pytest.raises(CommandError, match="criteria_set “notes”: ") as refused:
        call_command("load_criteria", str(path))

    assert isinstance(refused.value.__cause__, InvalidCriteria)
    criteria_set.refresh_from_db()
    assert criteria_set.n_max == 400


@pytest.mark.parametrize(("n_max", "is_told"), [(1, True), (2, False)])
def test_a_plan_that_ends_before_the_rows_there_are_is_told_of(
    client: Client, criteria_set: CriteriaSet, n_max: int, is_told: bool
) -> None:
    CriteriaSet.objects.update(looks=[1], n_max=n_max)
    for split in ("certify", "certify", "tune"):
        make_ruling(make_candidate(criteria_set, split=split), "pass")

    page = client.get(URL).text

    assert ("2 rows that certify are settled already, more than the 1 at which" in page) == is_told
