"""The dashboard and what stands behind one of its cells."""

import re
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from judging.models import Certificate, CriterionScore, JudgeVersion
from judging.services.tokens import create_token
from labeling.models import AuditEvent, CriteriaSet, Exposure
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_ruling,
    make_user,
    make_version,
)
from tests.judging.golden import certified, make_run, make_verdict

pytestmark = pytest.mark.django_db

URL = "/dashboard/strict/replies/"


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


def text(answer: Any) -> str:
    """What an answer says, with its blanks as one."""
    return re.sub(r"\s+", " ", answer.content.decode())


def certify(judge: JudgeVersion, criteria_set: CriteriaSet, **cells: int) -> Certificate:
    run = make_run(judge, criteria_set, **cells)  # type: ignore[arg-type]
    run.finished_at = timezone.now()
    run.save()
    return certified(run, run.finished_at)


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


def test_few_errors_show_no_lean(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=24, b=1, c=3, d=22)

    page = client.get(URL).text

    assert "no lean shown" in page
    assert "more lenient than people" not in page


def test_a_lenient_judge_leads_to_the_rows_it_let_through(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("weak"), criteria_set, a=20, b=2, c=12, d=8)

    page = client.get("/dashboard/").text

    assert "Look at the 12 rows where it was too lenient" in page
    assert 'href="/dashboard/weak/replies/tune/?judge_version=1&amp;version=1"' in page
    assert 'href="/dashboard/weak/replies/rows/c/?judge_version=1&amp;version=1"' in page


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
    assert 'action="/judges/strict/2/promote/"' in own


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


def test_what_layer_1_kills_is_counted_and_leads_to_its_rows(
    client: Client, criteria_set: CriteriaSet
) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=2)
    for output in ("", "Traceback (most recent call last):"):
        candidate = make_candidate(criteria_set, output or " ")
        make_ruling(candidate, "fail")
        make_verdict(run, candidate, "fail")
    certified(run)

    pages = [client.get(address).text for address in ("/dashboard/", URL)]

    for page in pages:
        assert "2 of these 4</a> by itself. The judge was asked about all 4" in page
    rows = URL + "rows/killed/?judge_version=1&amp;version=1"
    assert f'href="{rows}"' in pages[0]
    assert "2 still closed" in client.get(URL + "rows/killed/").text
    client.post(URL + "rows/killed/")
    assert "its check for “empty output” fires" in client.get(URL + "rows/killed/").text


@pytest.mark.parametrize("cells", [{"a": 28, "b": 2, "c": 2, "d": 28}, {"a": 4, "d": 4}, {"a": 40}])
def test_page_api_and_shell_give_one_answer(
    client: Client, criteria_set: CriteriaSet, cells: dict[str, int]
) -> None:
    certificate = certify(make_judge("strict"), criteria_set, **cells)
    _, secret = create_token(name="ci", scopes=["gate"])

    answer = client.get(
        "/api/v1/certifications/strict/replies", headers={"authorization": f"Bearer {secret}"}
    ).json()
    pages = [client.get(address).text for address in ("/dashboard/", URL)]
    try:
        call_command("gate", "strict", "replies", stdout=StringIO())
        opened = True
    except SystemExit:
        opened = False

    assert answer["certified"] == opened == certificate.is_certified(timezone.now())
    for page in pages:
        assert ("Yes – may gate" in page) == opened
    for reason in answer["reasons"]:
        assert escape(reason["message"]) in pages[1]


def test_an_expired_certificate_reads_in_the_readers_time(client: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=28, b=2, c=2, d=28)  # finished long ago
    certified(run)

    page = client.get("/dashboard/").text

    assert "No – its certificate ran out" in page
    assert "The certificate ran out on <time datetime=" in page
    assert "The certificate expired on" not in page


def test_no_chance_is_shown_as_zero(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=20, c=20, d=20)

    assert "exact test: p &lt; 0.001" in client.get(URL).text


def test_the_detail_shows_what_the_answer_rests_on(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=13, b=2, c=2, d=13, skipped_pass=1)

    page = client.get(URL).text

    assert '<span class="badge certified">' in page
    assert "The 95% lower bound of kappa" in page  # in words, since it is under the bar
    assert "Of rows people fail, judge fails" in page
    assert "86.7%" in page
    assert "Guessing at the same pass rates would agree on 50%." in page
    assert "30 of 31 rows have a verdict" in page
    assert '<code class="code">timeout</code>' in page
    assert "31 of them, 31 to certify judges and 0 to tune them" in page
    assert "The rows answer one and the same request." in page
    assert "one person&#x27;s label" not in page  # all of them are rulings
    assert "None" not in page


def test_rows_that_one_person_labelled_are_counted(client: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=2)
    candidate = make_candidate(criteria_set, "Alone.")
    make_label(candidate, make_user(), "pass")
    make_verdict(run, candidate, "pass")
    certified(run)

    assert "On 1 of 3 rows the truth is one person&#x27;s label." in client.get(URL).text


def test_an_undefined_kappa_is_a_word(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=40)

    page = client.get(URL).text

    assert '<code class="code">undefined_kappa</code>' in page
    assert "None" not in page
    assert "nan" not in page


def test_a_judge_never_calibrated_has_a_page(client: Client, criteria_set: CriteriaSet) -> None:
    make_judge("strict")

    page = client.get(URL).text

    assert '<code class="code">never_calibrated</code>' in page
    assert ">Calibrate</a>" in page


def test_the_panel_stands_beside_its_jurors(client: Client, criteria_set: CriteriaSet) -> None:
    panel = make_panel([make_judge("one"), make_judge("two")], "strict")
    certify(panel, criteria_set, a=4, d=4)

    page = client.get(URL).text

    assert "The panel and its jurors" in page
    assert page.index("one@1") < page.index("two@1")


def test_history_and_other_versions_are_listed(client: Client, criteria_set: CriteriaSet) -> None:
    judge = make_judge("strict")
    certify(judge, criteria_set, a=3)
    certify(judge, criteria_set, a=30, d=30)
    make_version(criteria_set, live=True)
    certify(judge, criteria_set, a=4)

    page = client.get(URL).text
    older = client.get(URL, {"version": 1, "judge_version": 1}).text

    assert "strict@1 on replies@1" in page
    assert older.count('data-label="Because">a calibration run ended') == 2


@pytest.mark.parametrize("query", ["?version=9", "?judge_version=x", "?version=²"])
def test_unknown_versions_are_404(client: Client, criteria_set: CriteriaSet, query: str) -> None:
    make_judge("strict")

    assert client.get(URL + query).status_code == 404


def test_certify_rows_are_closed_until_they_are_opened(
    client: Client, criteria_set: CriteriaSet, lead: User
) -> None:
    certificate = certify(make_judge("strict"), criteria_set, a=3, b=12, d=20)
    url = URL + "rows/b/"
    assert "0 opened by you, 12 still closed." in client.get(url).text
    assert not Exposure.objects.exists()

    client.post(url)

    page = client.get(url).text
    assert "10 opened by you, 2 still closed." in page
    assert page.count("<article") == 10
    shown = Exposure.objects.filter(user=lead, what="verdicts").values("candidate")
    assert (
        certificate.calibration.rows.filter(truth="pass", outcome="fail", candidate__in=shown).count() == 10
    )
    assert AuditEvent.objects.get().action == "certify_rows_opened"


def test_opening_twice_logs_the_rest_once(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, b=3, d=20)

    for _ in range(3):
        client.post(URL + "rows/disagreements/")

    noted = Exposure.objects.order_by("what").values_list("what", flat=True)
    assert list(noted) == ["labels"] * 3 + ["verdicts"] * 3


def test_tune_rows_are_shown_freely_and_noted(client: Client, criteria_set: CriteriaSet) -> None:
    run = make_run(make_judge("strict"), criteria_set, a=3, d=3)
    wrong, right = (
        make_candidate(criteria_set, f"Tune {name}.", split="tune") for name in ("wrong", "right")
    )
    for candidate in (wrong, right):
        label = make_label(candidate, make_user(), "pass")
        label.comment = "Fine <b>by me</b>"
        label.save()
    verdict = make_verdict(run, wrong, "fail")
    criterion = live(criteria_set).criteria.get()
    CriterionScore.objects.create(verdict=verdict, criterion=criterion, score=0, reason="Too curt.")
    make_verdict(run, right, "pass")
    certified(run)

    page = client.get(URL + "tune/").text

    assert "Tune wrong." in page
    assert "Tune right." not in page
    assert "Fine &lt;b&gt;by me" in page
    assert "Too curt." in page
    assert set(Exposure.objects.values_list("candidate", flat=True)) == {wrong.pk}


@pytest.mark.parametrize("path", ["", "tune/", "rows/a/", "rows/disagreements/"])
def test_other_peoples_cells_are_404_for_strangers_and_403_for_labelers(
    client: Client, criteria_set: CriteriaSet, path: str
) -> None:
    certify(make_judge("strict"), criteria_set, a=3)

    client.force_login(make_user(lead_of=make_criteria_set("mine")))
    assert client.get(URL + path).status_code == 404
    client.force_login(make_user(labels=criteria_set))
    assert client.get(URL + path).status_code == 403
    client.logout()
    assert client.get(URL + path).status_code == 302


def test_opening_needs_the_csrf_token(lead: User, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=3)
    client = Client(enforce_csrf_checks=True)
    client.force_login(lead)

    assert client.post(URL + "rows/a/").status_code == 403
    assert not Exposure.objects.exists()


def price(run_of: Certificate, dollars: str, priced: int, unpriced: int = 0) -> None:
    run = run_of.calibration.run
    run.cost_made, run.priced_replies, run.unpriced_replies = Decimal(dollars), priced, unpriced
    run.save()


@pytest.mark.parametrize("address", ["/dashboard/", "/dashboard/panel/replies/"])
def test_a_decision_costs_what_its_jurors_cost_together(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    certificate = certify(make_panel([make_judge(), make_judge()], "panel"), criteria_set, a=30, d=30)
    price(certificate, "0.18", priced=120)

    assert "What it costs: $0.0030 a decision, its 2 jurors together; $3.00 for 1,000 decisions." in text(
        client.get(address)
    )


@pytest.mark.parametrize("address", ["/dashboard/", URL])
def test_a_price_that_nobody_knows_is_never_nothing(
    client: Client, criteria_set: CriteriaSet, address: str
) -> None:
    certificate = certify(make_judge("strict"), criteria_set, a=2, d=2)
    assert "What it costs: not known: it was not counted" in text(client.get(address))

    price(certificate, "0", priced=0, unpriced=4)
    assert "What it costs: not known: nobody knows the price of its model. Give one with the judge." in text(
        client.get(address)
    )

    price(certificate, "0.02", priced=2, unpriced=2)
    shown = text(client.get(address))
    assert "What it costs: at least $0.0050 a decision; $5.00 for 1,000 decisions." in shown
    assert "The price of 2 of 4 replies is not known." in shown


def test_the_detail_page_adds_up_what_was_not_counted_then(client: Client, criteria_set: CriteriaSet) -> None:
    certificate = certify(make_judge("strict"), criteria_set, a=2, d=2)
    certificate.calibration.run.verdicts.update(cost=Decimal("0.25"), answered_model="scripted")

    assert "What it costs: $0.2500 a decision; $250.00 for 1,000 decisions." in text(client.get(URL))
    assert "What it costs: not known" in text(client.get("/dashboard/"))


def test_the_detail_page_warns_of_families(client: Client, criteria_set: CriteriaSet) -> None:
    jurors = [make_judge(slug, family="acme") for slug in ("one", "two")]
    certificate = certify(make_panel(jurors, "panel"), criteria_set, a=2, d=2)
    for row in certificate.calibration.rows:
        row.candidate.submissions.create(source="import", generator_family="Acme")

    page = text(client.get("/dashboard/panel/replies/"))

    assert "one and two are of one family, acme." in page
    assert "In “replies” 4 of 4 rows were written by a model of one's own family" in page.replace(
        "&#x27;", "'"
    )


def test_a_panel_says_what_asking_no_further_than_needed_saves(
    client: Client, criteria_set: CriteriaSet
) -> None:
    panel = make_panel([make_judge() for _ in range(3)], "panel")
    certificate = certify(panel, criteria_set, a=3, d=3)
    run = certificate.calibration.run
    run.verdicts.filter(kind="juror").update(cost="0.01", answered_model="scripted")

    page = text(client.get("/dashboard/panel/replies/"))

    assert "12 of its 18 questions would have brought the very same verdicts" in page
    assert "33.3% fewer, and $0.0600 less." in page
    run.on_split = "human"
    run.save()
    assert "no further than needed" not in text(client.get("/dashboard/panel/replies/"))
