"""A judge on a criteria set: what its answer rests on, what it costs, what came before."""

from decimal import Decimal
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from judging.models import Certificate
from judging.services.tokens import create_token
from labeling.models import CriteriaSet
from tests.factories import (
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_user,
    make_version,
)
from tests.judging.dashboards import URL, certify, text
from tests.judging.golden import certified, make_run, make_verdict

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


def test_few_errors_show_no_lean(client: Client, criteria_set: CriteriaSet) -> None:
    certify(make_judge("strict"), criteria_set, a=24, b=1, c=3, d=22)

    page = client.get(URL).text

    assert "no lean shown" in page
    assert "more lenient than people" not in page


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

    page = client.get(URL + "panel/").text

    assert "Each alone" in page
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
    assert "What it costs: not known, as it was not counted" in text(client.get(address))

    price(certificate, "0", priced=0, unpriced=4)
    assert "What it costs: not known, as the price of its model is not. Give one with the judge." in text(
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
