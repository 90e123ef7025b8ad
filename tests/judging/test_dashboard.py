"""The dashboard: every judge with its answer, its reasons and its next step."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judging.models import JudgeVersion
from labeling.models import CriteriaSet
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user, make_version
from tests.judging.dashboards import URL, certify
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lena", lead_of=criteria_set)


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def test_an_empty_dashboard_says_what_to_do(client: Client) -> None:
    page = client.get("/dashboard/").text

    assert "No judge has been compared with people yet." in page
    assert "Start a calibration run" in page


@pytest.mark.parametrize("address", ["/dashboard/", URL])
def test_a_kappa_just_below_the_bar_is_not_shown_as_the_bar(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    certify(make_judge("strict"), criteria_set, a=5, b=2, c=2, d=29)  # kappa 0.64977

    page = client.get(address).text

    assert "Kappa 0.649, 95% interval both ways" in page
    assert not re.search(r"[Kk]appa\W+0\.650", page)


def test_the_answer_reasons_and_next_step_are_words(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=36, b=4, c=2, d=18)

    page = client.get("/dashboard/").text

    assert "1 of 1 measured judge may gate now." in page
    assert "Yes – may gate" in page
    assert "kappa 0.780 reaches the bar of 0.65 on 60 rows" in page
    assert "Of 100 outputs it lets through, about\u00a05\u00a0are bad." in page
    assert "95% sure that its kappa is above 0.603; the bar is 0.65." in page
    assert "60 rows, 40 of them good (67%)" in page
    assert "29 days from now" in page


def test_a_refused_judge_says_why_and_how_many_labels_it_needs(
    client: Client, criteria_set: CriteriaSet
) -> None:
    certify(make_judge("weak"), criteria_set, a=3, d=2)

    page = client.get("/dashboard/").text

    assert "No – may not gate yet" in page
    assert "5 golden rows are scored and the policy asks for 30." in page
    assert '<code class="code">too_few_rows</code>' in page
    assert "Label 25 more rows that count" in page
    assert 'href="/sets/replies/label/"' in page
    assert "style=" not in page


def test_a_judge_below_the_bar_hears_that_more_rows_are_not_what_is_missing(
    client: Client, criteria_set: CriteriaSet
) -> None:
    certify(make_judge("weak"), criteria_set, a=30, b=15, c=15, d=30)

    page = client.get("/dashboard/").text

    assert "No – may not gate</p>" in page
    assert "More labels make this surer, not better" in page
    assert re.search(r"Its 95% interval, 0\.\d{3} to 0\.\d{3}, lies wholly below the bar of 0\.65", page)


def test_those_that_may_gate_come_first(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("a-weak"), criteria_set, a=3)
    certify(make_judge("b-strong"), criteria_set, a=28, d=28)

    page = client.get("/dashboard/").text

    assert page.index("pair-replies-b-strong") < page.index("pair-replies-a-weak")


def test_a_line_that_begins_below_the_bar_is_explained_beside_the_surer_figure(
    client: Client, criteria_set: CriteriaSet
) -> None:
    certify(make_judge("strict"), criteria_set, a=24, b=1, c=3, d=22)  # 0.624 both ways, 0.667 one way

    page = client.get("/dashboard/").text

    assert "95% sure that its kappa is above 0.667; the bar is 0.65." in page
    assert "so its left end is a little lower." in page


def test_it_shows_sets_that_the_reader_leads_only(client: Client, lead: User) -> None:
    certify(make_judge("elsewhere"), make_criteria_set("other"), a=3)
    certify(make_judge("labeled"), labels := make_criteria_set("third"), a=3)
    lead.memberships.create(criteria_set=labels, role="labeler")

    page = client.get("/dashboard/").text

    assert "/dashboard/elsewhere/" not in page
    assert "/dashboard/labeled/" not in page
    assert "No judge has been compared with people yet." in page


def test_who_leads_nothing_is_refused(client: Client, criteria_set: CriteriaSet) -> None:
    client.force_login(make_user(labels=criteria_set))

    assert client.get("/dashboard/").status_code == 403


@pytest.mark.parametrize("address", ["/dashboard/", "/dashboard/panel/replies/"])
def test_more_judges_and_rows_take_no_more_queries(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert client.get(address).status_code == 200
        return len(context)

    panel = make_panel([make_judge(), make_judge()], "panel")
    for _ in range(2):
        certify(panel, criteria_set, a=2, b=1, skipped_pass=1)
    few = queries()

    for _ in range(8):
        certify(make_panel([make_judge(), make_judge()]), criteria_set, a=9, d=9, skipped_pass=2)
        certify(panel, criteria_set, a=9, d=9, skipped_fail=2)
        make_judge()

    assert queries() == few


def test_judges_are_shown_ten_to_a_page(client: Client, criteria_set: CriteriaSet) -> None:
    for number in range(12):
        certify(make_judge(f"judge{number:02}"), criteria_set, a=2)

    first, second = (client.get("/dashboard/", {"page": page}).text for page in (1, 2))

    assert "0 of 12 measured judges may gate now." in first
    assert first.count("<article") == 10
    assert second.count("<article") == 2
    assert "judge11" in second


def test_a_judge_never_calibrated_is_listed_with_its_next_step(
    client: Client, criteria_set: CriteriaSet
) -> None:
    judge = make_judge("fresh")
    make_panel([make_judge("seated")], "empty-panel")

    page = client.get("/dashboard/").text

    assert "Not measured yet" in page
    assert f'href="/runs/new/?judge_version={judge.pk}"' in page
    assert "empty-panel" in page
    assert "seated" not in page  # its panel's calibration measures it


def test_a_calibration_under_way_is_the_next_step(client: Client, criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=3)
    run = make_run(judge, criteria_set, a=1)
    run.state, run.finished_at = "running", None
    run.save()

    page = client.get("/dashboard/").text

    assert f'href="/runs/{run.pk}/"' in page
    assert "A calibration is under way." in page


def test_jurors_stand_under_their_panel(client: Client, criteria_set: CriteriaSet) -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "strict")
    certify(panel, criteria_set, a=28, b=2, c=2, d=28)

    page = client.get("/dashboard/").text

    assert page.count("<article") == 1
    assert page.index("Its 2 jurors") < page.index("<span>one@1") < page.index("<span>two@1")
    assert "Here one@1 alone does as well as the panel" in page
    assert page.count("<title>Kappa 0.867") == 3


def make_draft(judge: JudgeVersion) -> JudgeVersion:
    """Version 2 of a judge, not live."""
    return JudgeVersion.objects.create(
        judge=judge.judge, number=2, kind="model", model="openai/other", family="x", fingerprint="2" * 64
    )


@pytest.mark.parametrize(
    ("live", "draft", "effect"),
    [
        ({"a": 28, "d": 28}, {"a": 28, "d": 28}, "The gate stays open."),
        ({"a": 28, "d": 28}, {"a": 3}, "The gate closes, because"),
        ({"a": 3}, {"a": 28, "d": 28}, "The gate opens: this version"),
        ({"a": 3}, {"a": 3}, "The gate stays closed."),
    ],
)
def test_a_draft_stands_beside_the_live_version_with_what_promoting_does(
    client: Client, criteria_set: CriteriaSet, live: dict[str, int], draft: dict[str, int], effect: str
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, **live)
    certify(make_draft(judge), criteria_set, **draft)

    dashboard = client.get("/dashboard/").text
    own = client.get(URL, {"judge_version": 2, "version": 1}).text

    assert dashboard.count("<article") == 1
    assert f"If promoted: {effect}" in dashboard
    assert f"<strong>{effect}" in own
    assert (">Promote it</a>" in own) == (draft == {"a": 28, "d": 28})
    assert 'href="/judges/strict/2/promote/"' in own


def test_a_draft_that_nobody_measured_is_there_to_be_calibrated(
    client: Client, criteria_set: CriteriaSet
) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=3)
    criteria = make_version(criteria_set)
    draft = make_draft(judge)

    page = client.get("/dashboard/").text

    assert "strict@2 on replies@1</a>: not measured yet" in page
    assert "strict@1 on replies@2</a>: not measured yet" in page
    assert f"?judge_version={draft.pk}&amp;criteria_version={live(criteria_set).pk}" in page
    assert f"?judge_version={judge.pk}&amp;criteria_version={criteria.pk}" in page


def test_a_promotion_that_closes_the_gate_shows(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)
    assert "Yes – may gate" in client.get("/dashboard/").text

    criteria_set.live_version = make_version(criteria_set)
    criteria_set.save()

    page = client.get("/dashboard/").text
    assert "No – not measured yet" in page
    assert "0 of 1 measured judge" in page
    assert "replies@1</a>" not in page  # what is outdated stands on the judge's own page
    assert "strict@1 on replies@1</a>" in client.get(URL).text


def test_an_expired_certificate_reads_in_the_readers_time(client: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)  # finished long ago
    certified(run)

    page = client.get("/dashboard/").text

    assert "No – its certificate ran out" in page
    assert "The certificate ran out on <time datetime=" in page
    assert "The certificate expired on" not in page
