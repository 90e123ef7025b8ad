"""A panel's jurors alone, the panel without each of them, and how far they err together."""

from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Calibration, JudgeVersion, Run, Verdict
from judging.services.panel_agreement import judged_by_seats
from labeling.models import CriteriaSet
from tests.factories import make_criteria_set, make_judge, make_panel, make_user
from tests.judging.dashboards import certify, text
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db
URL = "/dashboard/trio/replies/panel/"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    found = Client()
    found.force_login(make_user("lena", lead_of=criteria_set))
    return found


def trio(*families: str) -> JudgeVersion:
    names = ("one", "two", "three")
    jurors = [make_judge(name, family=family) for name, family in zip(names, families or names, strict=True)]
    return make_panel(jurors, "trio")


def flip(run: Run, juror: str, first: int, last: int) -> None:
    """Let a juror say the opposite about the run's rows from `first` up to `last`, in their order."""
    said = run.verdicts.filter(judge_version__judge__slug=juror).order_by("pk")[first:last]
    for verdict in said:
        other = "fail" if verdict.outcome == "pass" else "pass"
        Verdict.objects.filter(pk=verdict.pk).update(outcome=other)


def divided(criteria_set: CriteriaSet, **cells: int) -> Run:
    """The first two jurors are wrong on the same ten rows, the third on ten of its own."""
    run = make_run(trio(), criteria_set, **(cells or {"a": 50, "d": 50}))  # type: ignore[arg-type]
    flip(run, "one", 0, 10)
    flip(run, "two", 0, 10)
    flip(run, "three", 50, 60)
    own = run.verdicts.filter(panel_verdict=None).order_by("pk")[:10]
    Verdict.objects.filter(pk__in=list(own.values_list("pk", flat=True))).update(outcome="fail")
    certified(run, timezone.now())
    return run


def test_rows_are_counted_by_truth_and_seats(criteria_set: CriteriaSet) -> None:
    run = divided(criteria_set)
    calibration = run.calibrations.get(judge_version=run.judge_version)

    found = judged_by_seats(calibration, run.judge_version.jurors())

    assert found == {
        ("pass", ("fail", "fail", "pass")): 10,
        ("pass", ("pass", "pass", "pass")): 40,
        ("fail", ("fail", "fail", "pass")): 10,
        ("fail", ("fail", "fail", "fail")): 40,
    }


def test_a_juror_without_an_answer_is_skipped(criteria_set: CriteriaSet) -> None:
    run = make_run(trio(), criteria_set, a=2)
    run.verdicts.filter(judge_version__judge__slug="two").delete()
    certified(run)
    calibration = run.calibrations.get(judge_version=run.judge_version)

    found = judged_by_seats(calibration, run.judge_version.jurors())

    assert found == {("pass", ("pass", "skipped", "pass")): 2}


def test_the_page_tells_what_the_jurors_are_worth(client: Client, criteria_set: CriteriaSet) -> None:
    divided(criteria_set)

    page = text(client.get(URL))

    # Errors of one and two: phi 1; of either and three: (0 − .1·.1)/(.1·.9) = −1/9. Mean 7/27, votes 81/41.
    assert "3 jurors that err together as much as these are worth about 2.0 that err apart (95%" in page
    assert "go together by <strong>0.26</strong> <small>(95% interval 0.2" in page
    assert (
        '<th scope="row">one@1 and two@1</th><td class="num" data-label="Their errors go together by">1.00'
        in page
    )
    assert (
        '<th scope="row">one@1 and three@1</th><td class="num" data-label="Their errors go together by">−0.11'
        in page
    )
    assert page.count("Where an interval ends at kappa itself") == 1
    # Without the third the panel says the same on every row; without one of the others 20 rows are undecided.
    assert "On these rows three@1 could be left out" in page
    assert page.count('data-label="Left undecided">20') == 2
    assert page.count('data-label="Left undecided">0') == 1


def test_of_rows_drawn_unequally_no_plain_kappa_stands_beside_the_panel_s(
    client: Client, criteria_set: CriteriaSet
) -> None:
    divided(criteria_set)
    cells = {"a": 40, "b": 10, "c": 0, "d": 50, "skipped_pass": 0, "skipped_fail": 0}
    Calibration.objects.update(strata={"half": {"probability": 0.5} | cells})

    page = text(client.get(URL))

    assert "cannot be held against the panel's own" in unescape(page)
    assert "could be left out" not in page
    assert page.count('data-label="Kappa without what Layer 1 kills">– <small>') == 4


def test_jurors_stand_with_their_skips_and_without_broken_rows(
    client: Client, criteria_set: CriteriaSet
) -> None:
    run = make_run(trio(), criteria_set, a=6, d=5, skipped_fail=1)
    certified(run, timezone.now())

    page = text(client.get(URL))

    assert page.index("trio@1 <small>the panel") < page.index('<th scope="row">one@1') < page.index(">two@1")
    assert page.count('<code class="code">timeout</code>') == 4
    assert page.count('data-label="Kappa without what Layer 1 kills">1.000 <small>11 rows</small>') == 4
    assert "That cannot be told here" in page
    assert "None" not in page


def test_jurors_of_one_family_are_told(client: Client, criteria_set: CriteriaSet) -> None:
    certified(make_run(trio("acme", "acme", "other"), criteria_set, a=6, d=6), timezone.now())

    assert "one and two are of one family, acme." in text(client.get(URL))


def test_a_single_judge_has_no_panel_and_a_new_panel_no_figures(
    client: Client, criteria_set: CriteriaSet
) -> None:
    certify(make_judge("strict"), criteria_set, a=6, d=6)
    trio()

    assert "is one judge, no panel" in text(client.get("/dashboard/strict/replies/panel/"))
    assert "This panel was never calibrated" in text(client.get(URL))


def test_the_answer_leads_to_it_in_a_line(client: Client, criteria_set: CriteriaSet) -> None:
    divided(criteria_set)

    page = text(client.get("/dashboard/trio/replies/"))

    assert "The panel and its 3 jurors: each alone" in page
    assert f'href="{URL}?judge_version=1&amp;version=1"' in page


def test_it_is_the_leads_page(criteria_set: CriteriaSet) -> None:
    trio()
    labeler, stranger = Client(), Client()
    labeler.force_login(make_user(labels=criteria_set))
    stranger.force_login(make_user(lead_of=make_criteria_set()))

    assert [each.get(URL).status_code for each in (labeler, stranger)] == [403, 404]


def test_more_rows_ask_no_more(client: Client, criteria_set: CriteriaSet) -> None:
    panel, asked = trio(), []
    for rows in (10, 20):
        certified(make_run(panel, criteria_set, a=rows, b=1, c=1, d=rows), timezone.now())
        with CaptureQueriesContext(connection) as queries:
            assert client.get(URL).status_code == 200
        asked.append(len(queries))

    assert asked[0] == asked[1]
