"""Tokens: made, printed once, revoked."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judging.models import ApiToken
from judging.services.tokens import create_token
from labeling.models import AuditEvent
from tests.factories import make_criteria_set

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> tuple[str, str]:
    """Output and remarks of a command."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_token_is_printed_once_and_stored_hashed() -> None:
    secret = run("create_token", "ci", "--scope", "gate")[0].strip()

    token = ApiToken.objects.get()
    assert secret.startswith("vera_")
    assert len(secret) > 40
    stored = json.dumps(list(ApiToken.objects.values()) + list(AuditEvent.objects.values()), default=str)
    assert secret not in stored
    assert token.scopes == ["gate"]


def test_it_says_that_a_token_covers_every_set() -> None:
    assert "covers every criteria set" in run("create_token", "ci", "--scope", "gate")[1]
    assert ApiToken.objects.get().every_criteria_set


def test_a_token_covers_the_named_sets_only() -> None:
    make_criteria_set("one")
    make_criteria_set("two")

    out, _ = run(
        "create_token", "ci", "--scope", "gate", "--scope", "export", "--criteria-set", "one", "--json"
    )

    report = json.loads(out)
    assert (report["criteria_sets"], report["every_criteria_set"]) == (["one"], False)
    assert report["scopes"] == ["export", "gate"]
    assert [each.slug for each in ApiToken.objects.get().criteria_sets.all()] == ["one"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["ci", "--scope", "gate", "--criteria-set", "nothing"],
        [" ", "--scope", "gate"],
        ["ci", "--scope", "gate", "--days", "0"],
        ["ci", "--scope", "everything"],
        ["ci"],
    ],
)
def test_wrong_use_makes_no_token(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run("create_token", *arguments)

    assert not ApiToken.objects.exists()


def test_a_token_can_be_revoked_by_name() -> None:
    run("create_token", "ci", "--scope", "gate")

    out, _ = run("revoke_token", "ci")

    assert out == "Revoked 1 token “ci”.\n"
    assert ApiToken.objects.get().revoked_at is not None
    with pytest.raises(CommandError, match="no token “ci” in force"):
        run("revoke_token", "ci")


def test_a_token_is_over_in_the_very_second_it_expires() -> None:
    noon = datetime(2026, 3, 29, 12, tzinfo=UTC)
    token, _ = create_token(name="ci", scopes=["gate"], days=1, now=noon)
    moment_before, end = noon + timedelta(days=1, microseconds=-1), noon + timedelta(days=1)

    assert token.is_in_force(moment_before)
    assert not token.is_in_force(end)
    assert list(ApiToken.objects.in_force(moment_before)) == [token]
    assert not ApiToken.objects.in_force(end)
