"""From a model that answered in another's place to the form that pins the judge to it, in one step."""

from html import unescape
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judging.domain.reply import Refused, check_model
from judging.domain.wrong_model import stranger_in
from judging.models import JudgeVersion, Run
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import make_run
from tests.judging.running import juror
from tests.judging.test_trying import answered

pytestmark = pytest.mark.django_db

STRANGER = "gpt-4o&mini=“x”"
LINK = f"?version=1&expect_model={quote(STRANGER)}"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user(lead_of=criteria_set)


@pytest.fixture
def as_lead(client: Client, lead: User) -> Client:
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return unescape(response.content.decode())


def told(model: str, params: dict[str, str]) -> str:
    with pytest.raises(Refused) as refused:
        check_model(model, STRANGER, params)
    return refused.value.detail


def paused(judge: JudgeVersion, criteria_set: CriteriaSet, detail: str) -> Run:
    run = make_run(judge, criteria_set, a=1)
    run.state, run.pause_reason, run.pause_detail, run.finished_at = "paused", "wrong_model", detail, None
    run.save()
    return run


def test_the_form_is_filled_in_with_the_name_and_saves_it(as_lead: Client) -> None:
    JudgeVersion.objects.filter(pk=make_judge("careful").pk).update(params={"seed": 3, "answers_as": "y"})
    address = f"/judges/careful/new-version/{LINK}"

    form = as_lead.get(address).context["form"]
    as_lead.post(address, {name: form[name].value() or "" for name in form.fields})

    assert JudgeVersion.objects.get(number=2).params == {"seed": 3, "expect_model": STRANGER}


def test_a_panels_form_takes_no_notice_of_it(as_lead: Client) -> None:
    make_panel([make_judge(), make_judge()], "panel")

    assert "gpt-4o" not in page(as_lead, f"/judges/panel/new-version/{LINK}")


def test_replies_without_a_verdict_lead_there(as_lead: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("careful"), criteria_set, skipped_pass=1)
    run.verdicts.update(reason="wrong_model", answered_model=STRANGER)

    assert f'href="/judges/careful/new-version/{LINK}"' in page(as_lead, f"/runs/{run.pk}/skips/")


def test_a_trial_leads_there(as_lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = answered(monkeypatch, judge := juror("wrong-model"))
    as_lead.force_login(make_user(lead_of=trial.criteria_version.criteria_set))

    shown = page(as_lead, f"/judges/{judge.judge.slug}/trials/{trial.pk}/")

    assert f"/judges/{judge.judge.slug}/new-version/?version=1&expect_model=somebody-else" in shown


@pytest.mark.parametrize("params", [{}, {"expect_model": "gpt-5"}], ids=["asked", "pinned"])
def test_a_paused_run_leads_to_the_juror_that_it_is_about(
    as_lead: Client, criteria_set: CriteriaSet, params: dict[str, str]
) -> None:
    about, other = make_judge("about", model="openai/gpt-5"), make_judge("other", model="openai/else")
    JudgeVersion.objects.filter(pk=about.pk).update(params=params)
    run = paused(make_panel([other, about]), criteria_set, told("openai/gpt-5", params))

    shown = page(as_lead, f"/runs/{run.pk}/")

    assert f'href="/judges/about/new-version/{LINK}"' in shown
    assert "/judges/other/new-version/" not in shown


def test_where_nobody_named_the_model_there_is_no_link(as_lead: Client, criteria_set: CriteriaSet) -> None:
    with pytest.raises(Refused) as refused:
        check_model("openai/gpt-5", "", {"expect_model": "gpt-5"})
    run = paused(make_judge(), criteria_set, refused.value.detail)

    assert stranger_in(refused.value.detail) is None
    assert "expect_model=" not in page(as_lead, f"/runs/{run.pk}/")
