"""The pages of judges: for leads only, with what changed, what is missing, and forms that refuse in place."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.domain.judges_toml import read_judges
from judging.models import Judge, JudgeVersion, Run
from judging.services.judges import add_model_version, add_panel_version
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db

MODEL = {"slug": "careful", "model": "openai/gpt", "family": "openai", "params": '{"temperature": 0}'}


@pytest.fixture
def lead() -> User:
    return make_user("lead", lead_of=make_criteria_set("replies"))


@pytest.fixture
def as_lead(lead: User, client: Client) -> Client:
    client.force_login(lead, backend="django.contrib.auth.backends.ModelBackend")
    return client


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def queries_of(client: Client, address: str) -> int:
    """How many queries one page costs."""
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


ADDRESSES = [
    "/judges/",
    "/judges/careful/",
    "/judges/careful/new-version/",
    "/judges/add/model/",
    "/judges/add/panel/",
    "/judges/add/local/",
    "/judges/careful/connect/",
    "/providers/",
    "/runs/",
    "/runs/new/",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_strangers_find_nothing_and_labelers_are_refused(client: Client, address: str) -> None:
    make_judge("careful")
    stranger, labeler = make_user(), make_user(labels=make_criteria_set())

    for user, status in ((stranger, 404), (labeler, 403)):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(address).status_code == status


def test_a_labeler_promotes_nothing(client: Client) -> None:
    first = make_judge("careful")
    draft = add_model_version(slug="careful", model="openai/newer", family="x")
    labeler = make_user(labels=make_criteria_set())
    client.force_login(labeler, backend="django.contrib.auth.backends.ModelBackend")

    assert client.post(reverse("judge_promote", args=["careful", draft.number])).status_code == 403

    assert Judge.objects.get().live_version == first


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_page_says_none(as_lead: Client, address: str) -> None:
    make_judge("careful")

    assert "None" not in text_of(as_lead, address)


def test_the_list_says_what_to_do_when_it_is_empty(as_lead: Client) -> None:
    text = text_of(as_lead, "/judges/")

    assert "No judge yet" in text
    assert "manage.py load_judges judges.toml" in text
    assert "/judges/add/model/" in text


def test_the_file_that_the_empty_list_shows_can_be_loaded(as_lead: Client) -> None:
    page = as_lead.get("/judges/").content.decode()
    shown = unescape(re.findall(r'<pre class="copy">(\[\[judge.*?)</pre>', page, re.DOTALL)[0])

    entries = read_judges(shown)

    assert [entry.slug for entry in entries] == ["gpt", "house", "my-panel"]


def test_the_list_costs_the_same_however_long(as_lead: Client) -> None:
    for _ in range(2):
        make_panel([make_judge(), make_judge()])
    few = queries_of(as_lead, "/judges/")
    for _ in range(6):
        make_panel([make_judge(), make_judge(), make_judge()])

    assert queries_of(as_lead, "/judges/") == few


def test_a_version_says_what_it_changed(as_lead: Client) -> None:
    add_model_version(slug="careful", model="openai/old", family="openai")
    add_model_version(slug="careful", model="openai/new", family="openai")

    text = text_of(as_lead, "/judges/careful/")

    assert "openai/new <small>was openai/old</small>" in text
    assert text.count("<small>was ") == 1


def test_a_panel_says_at_which_versions_its_members_sit(as_lead: Client) -> None:
    add_panel_version(slug="panel", members=[make_judge("one"), make_judge("two")])

    assert "one@1, two@1" in text_of(as_lead, "/judges/panel/")


def test_missing_variables_are_named(as_lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    add_model_version(slug="careful", model="m", family="f", api_key_env="VERA_JUROR_GONE_KEY")
    assert "<code>VERA_JUROR_GONE_KEY</code>" in text_of(as_lead, "/judges/careful/")

    monkeypatch.setenv("VERA_JUROR_GONE_KEY", "sk-here")
    assert "Not set where" not in text_of(as_lead, "/judges/careful/")


def test_a_scripted_judge_says_that_no_model_is_asked(as_lead: Client) -> None:
    make_judge("scripted", family="scripted-a")
    make_judge("real", family="openai")

    assert "in place of a model" in text_of(as_lead, "/judges/scripted/")
    assert "in place of a model" not in text_of(as_lead, "/judges/real/")


def test_promote_then_roll_back(as_lead: Client) -> None:
    make_judge("careful")
    add_model_version(slug="careful", model="openai/newer", family="x")
    assert "Promote" in text_of(as_lead, "/judges/careful/")

    as_lead.post("/judges/careful/2/promote/", {"seen": 1})
    assert "Roll back to this version" in text_of(as_lead, "/judges/careful/")

    as_lead.post("/judges/careful/1/promote/", {"seen": 2})
    live = Judge.objects.get().live_version
    assert live is not None
    assert live.number == 1


def test_a_model_is_added(as_lead: Client, lead: User) -> None:
    response = as_lead.post("/judges/add/model/", MODEL)

    assert response.headers["Location"] == "/judges/careful/"
    version = JudgeVersion.objects.get()
    assert (version.params, version.created_by) == ({"temperature": 0}, lead)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"api_key_env": "DATABASE_URL"}, "may not read the variable"),
        ({"params": '{"api_base": "http://x"}'}, "cannot have the parameter “api_base”"),
        ({"params": "[1]"}, "Parameters look like"),
        ({"price_input": "1"}, "A price has both parts"),
        ({"family": ""}, "This field is required"),
    ],
)
def test_a_model_is_refused_in_place(as_lead: Client, changes: dict[str, str], sentence: str) -> None:
    response = as_lead.post("/judges/add/model/", MODEL | changes)

    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert "openai/gpt" in response.content.decode()
    assert not Judge.objects.exists()


def test_a_new_version_starts_from_the_newest_and_is_a_draft(as_lead: Client) -> None:
    as_lead.post("/judges/add/model/", MODEL)
    form = as_lead.get("/judges/careful/new-version/").content.decode()
    assert 'value="openai/gpt"' in form

    as_lead.post("/judges/careful/new-version/", MODEL | {"model": "openai/newer"})

    assert JudgeVersion.objects.count() == 2
    assert "draft" in text_of(as_lead, "/judges/careful/")


def test_a_panel_keeps_the_order_of_its_members(as_lead: Client) -> None:
    first, second, third = make_judge("z"), make_judge("a"), make_judge("m")
    add_panel_version(slug="panel", members=[first, second])

    members = [second.pk, first.pk, third.pk]
    as_lead.post("/judges/panel/new-version/", {"members": members, "on_split": "majority"})

    newest = JudgeVersion.objects.get(judge__slug="panel", number=2)
    assert [seat.juror for seat in newest.seats.order_by("position")] == [first, second, third]


def test_a_panel_of_one_is_refused_in_place(as_lead: Client) -> None:
    only = make_judge("only")

    answer = as_lead.post(
        "/judges/add/panel/", {"slug": "panel", "members": [only.pk], "on_split": "majority"}
    )

    assert answer.status_code == 422
    assert "at least 2 jurors" in answer.content.decode()


def test_a_model_that_only_its_panel_was_calibrated_with_says_what_that_showed(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    quiet = make_judge("quiet")
    panel = make_panel([quiet, make_judge("other")], "both")
    certified(make_run(panel, criteria_set, a=18, b=2, c=2, d=18))
    client.force_login(make_user("lena", lead_of=criteria_set))

    shown = text_of(client, "/judges/quiet/")

    assert "never calibrated by itself" in shown
    assert "as a juror of both on replies: kappa 0.800" in shown


def test_a_panel_says_who_sits_in_it_how_it_decides_and_what_that_costs(client: Client) -> None:
    criteria_set = make_criteria_set("replies")
    run = make_run(make_panel([make_judge("one"), make_judge("two")], "panel"), criteria_set, a=1, d=1)
    certified(run)
    Run.objects.update(cost_made="0.04", priced_replies=4)
    client.force_login(make_user(lead_of=criteria_set))

    page = client.get("/judges/panel/").text

    assert "one@1, two@1" in page
    assert "a newer one of a juror sits only in a new version of the panel" in page
    assert "by more than half of its 2 jurors: 2 must say the same." in page
    assert "no majority" in page
    assert "$0.0200 a decision, its 2 jurors together; $20.00 for 1,000 decisions." in page
    assert "it was not counted" not in page
