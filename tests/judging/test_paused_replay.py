"""A golden replay that is paused says nothing, and the pages that tell of replays say so."""

import pytest
from django.test import Client

from judging.models import Run
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import certify, text
from tests.judging.living import suspended

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("is_suspended", [True, False])
@pytest.mark.parametrize("tab", ["history", "drift"])
def test_the_newest_replay_is_told_of_while_it_is_paused(
    client: Client, tab: str, is_suspended: bool
) -> None:
    certificate = certify(make_judge("strict"), make_criteria_set("replies"), a=38, b=2, c=2, d=38)
    client.force_login(make_user("lena", lead_of=certificate.criteria_version.criteria_set))
    if is_suspended:
        suspended(certificate)
    by, of = certificate.judge_version, certificate.criteria_version
    replays = [Run.objects.create(judge_version=by, criteria_version=of, kind="replay") for _ in range(2)]

    Run.objects.update(state="paused", pause_reason="wrong_model")
    paused = text(client.get(f"/dashboard/strict/replies/{tab}/"))
    Run.objects.filter(pk=replays[1].pk).update(state="running", pause_reason="")
    at_work = text(client.get(f"/dashboard/strict/replies/{tab}/"))

    assert f">Replay run {replays[1].pk}</a> is paused, so it says nothing yet." in paused
    assert "is paused, so it says" not in at_work
