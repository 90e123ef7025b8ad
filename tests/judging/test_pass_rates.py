"""Pass rates, raw and corrected: counted from verdicts, on pages and over the API."""

import re
from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.domain.control_charts import Counted
from judging.domain.pass_rate import corrected_pass_rate
from judging.models import Calibration, Certificate, GateReader, JudgeVersion, Run, Verdict
from judging.services.daily_rates import Passed, by_day, passed_since
from judging.services.tokens import create_token
from labeling.domain.agreement import Table
from labeling.models import CriteriaSet, Submission
from tests.factories import live, make_criteria_set, make_judge, make_panel, make_user
from tests.judging.auditing import make_scoring
from tests.judging.dashboards import certify, text
from tests.judging.golden import make_run

pytestmark = pytest.mark.django_db

URL = "/dashboard/strict/replies/pass-rates/"
API = "/api/v1/pass-rates/strict/replies"


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def strict(criteria_set: CriteriaSet) -> JudgeVersion:
    """Right about 90 of 100 good rows and 45 of 50 bad ones."""
    judge = make_judge("strict")
    certify(judge, criteria_set, a=90, b=10, c=5, d=45)
    return judge


@pytest.fixture
def lead(criteria_set: CriteriaSet, client: Client) -> User:
    user = make_user("lena", lead_of=criteria_set)
    client.force_login(user)
    return user


def written_by(run: Run, *generators: str) -> None:
    """Let the rows of a run come from these generators, in turns."""
    Submission.objects.bulk_create(
        Submission(
            candidate=each.candidate, generator_model=generators[number % len(generators)], source="api"
        )
        for number, each in enumerate(run.verdicts.select_related("candidate").order_by("pk"))
    )


def read(secret: str, query: str = "") -> dict[str, object]:
    found: dict[str, object] = Client(headers={"Authorization": f"Bearer {secret}"}).get(API + query).json()
    return found


@pytest.fixture
def secret(criteria_set: CriteriaSet) -> str:
    return create_token(name="gate", scopes=["gate"], criteria_sets=[criteria_set])[1]


def test_only_live_rows_of_the_span_count(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    make_scoring(strict, criteria_set, ["pass"] * 5 + ["fail"] * 3 + ["skipped"] * 2 + ["escalated"])
    old = make_scoring(strict, criteria_set, ["pass"] * 9)
    old.verdicts.update(filled_at=timezone.now() - timedelta(days=8))
    make_run(strict, criteria_set, a=4, kind="replay")
    make_scoring(make_judge(), criteria_set, ["pass"] * 9)

    found = passed_since(strict.pk, live(criteria_set).pk, timezone.now() - timedelta(days=7))

    assert found == Passed(passed=5, n=8, skipped=2)


def test_the_api_gives_both_rates_with_their_intervals(
    strict: JudgeVersion, criteria_set: CriteriaSet, secret: str
) -> None:
    run = make_scoring(strict, criteria_set, ["pass"] * 58 + ["fail"] * 42)
    written_by(run, "gpt-5", "gpt-5", "mistral")
    expected = corrected_pass_rate(58, 100, Table(90, 10, 5, 45))

    found = read(secret)

    assert (found["n"], found["passed"], found["raw"], found["golden_rows"]) == (100, 58, 0.58, 150)
    assert found["raw_interval"] == pytest.approx([0.4771, 0.6780], abs=1e-4)  # Clopper–Pearson of 58 in 100
    assert found["corrected"] == pytest.approx(0.6)  # (.58 + .9 − 1)/.8
    assert found["corrected_interval"] == pytest.approx([expected.low, expected.high])
    generators = found["generators"]
    assert isinstance(generators, list)
    assert [(each["generator_model"], each["n"]) for each in generators] == [("gpt-5", 67), ("mistral", 33)]


def test_the_span_is_asked_for_and_bounded(
    strict: JudgeVersion, criteria_set: CriteriaSet, secret: str
) -> None:
    old = make_scoring(strict, criteria_set, ["pass"] * 9)
    old.verdicts.update(filled_at=timezone.now() - timedelta(days=8))

    assert read(secret, "?days=7")["n"] == 0
    assert read(secret, "?days=7")["raw"] is None
    assert read(secret, "?days=9")["n"] == 9
    assert "error" in read(secret, "?days=0")


def test_where_nothing_can_be_corrected_it_is_null_and_said(criteria_set: CriteriaSet, secret: str) -> None:
    judge = make_judge("strict")
    make_scoring(judge, criteria_set, ["pass"] * 4)
    assert read(secret)["why_not_corrected"] == (
        "The judge was never calibrated, so its errors are not known."
    )

    certify(judge, criteria_set, a=59, b=41, c=40, d=60)

    assert read(secret)["corrected"] is None
    assert "hardly tells good from bad" in str(read(secret)["why_not_corrected"])


def test_rows_drawn_unequally_correct_nothing(
    strict: JudgeVersion, criteria_set: CriteriaSet, secret: str, lead: User, client: Client
) -> None:
    make_scoring(strict, criteria_set, ["pass"] * 58 + ["fail"] * 42)
    cells = {"a": 90, "b": 10, "c": 5, "d": 45, "skipped_pass": 0, "skipped_fail": 0}
    Calibration.objects.update(strata={"half": {"probability": 0.5} | cells})

    found, pages = read(secret), [text(client.get(url)) for url in (URL, "/dashboard/strict/replies/")]

    assert (found["raw"], found["corrected"], found["corrected_interval"]) == (0.58, None, None)
    assert "not equally likely to be chosen" in str(found["why_not_corrected"])
    assert all("not equally likely to be chosen" in page for page in pages)
    assert "by its live pass rate" not in pages[1]


def test_other_versions_are_named_and_who_asks_is_noted(
    strict: JudgeVersion, criteria_set: CriteriaSet, secret: str
) -> None:
    make_scoring(strict, criteria_set, ["pass"] * 4)
    strict.judge.live_version = strict.judge.versions.create(
        number=2, kind="model", model="openai/x", fingerprint="2" * 64
    )
    strict.judge.save()

    named, live_now = read(secret, "?judge_version=1&version=1"), read(secret)

    assert (named["judge_version"], named["n"]) == (1, 4)
    assert (live_now["judge_version"], live_now["n"]) == (2, 0)
    assert "There is no such parameter" in str(read(secret, "?day=7"))
    assert GateReader.objects.get().judge == strict.judge


def test_a_token_of_another_scope_or_set_reads_nothing(
    strict: JudgeVersion, criteria_set: CriteriaSet
) -> None:
    _, export = create_token(name="export", scopes=["export"], criteria_sets=[criteria_set])
    _, other = create_token(name="other", scopes=["gate"], criteria_sets=[make_criteria_set()])

    answers = [Client(headers={"Authorization": f"Bearer {each}"}).get(API) for each in (export, other)]

    assert [each.status_code for each in answers] == [403, 404]


def test_the_page_shows_both_spans_and_the_generators(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    run = make_scoring(strict, criteria_set, ["pass", "fail"] * 20 + ["skipped"])
    written_by(run, "gpt-5", "")
    run.verdicts.update(filled_at=timezone.now() - timedelta(days=20))

    html = text(client.get(URL))

    assert "The judge gave no verdict on a live row in these days." in html
    assert "20 of 40 verdicts; none on 1 row more" in html
    assert "gpt-5" in html
    assert "Unknown generator" in html
    assert "<strong>50%</strong>" in html


def test_the_answer_comes_first_and_a_young_house_is_told_once(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    make_scoring(strict, criteria_set, ["pass", "fail"] * 20)

    html = text(client.get(URL))

    assert re.search(r"Of 100 live outputs about \d+ are good; \d+ to \d+ is possible\.", html)
    assert html.count("20 of 40 verdicts") == 1
    assert "All of it is from the last 7 days, so these alone say the same." in html


def test_a_page_without_anything_says_what_to_do(
    lead: User, criteria_set: CriteriaSet, client: Client
) -> None:
    make_judge("strict")

    html = text(client.get(URL))

    assert "The judge was never calibrated" in html
    assert "start a run" in html


def test_a_scoring_run_shows_its_rate_and_a_calibration_does_not(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    run = make_scoring(strict, criteria_set, ["pass"] * 58 + ["fail"] * 42)

    scored, calibrated = (
        text(client.get(f"/runs/{each}/")) for each in (run.pk, Run.objects.get(kind="calibration").pk)
    )

    assert "58 of 100 verdicts" in scored
    assert "<strong>60%</strong>" in scored
    assert "Send 20 rows at random to people" in scored
    assert "Send 20 rows" not in calibrated


def test_the_answer_goes_by_the_live_rate_and_says_so(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    before = text(client.get("/dashboard/strict/replies/"))
    make_scoring(strict, criteria_set, ["pass"] * 58 + ["fail"] * 42)

    after = text(client.get("/dashboard/strict/replies/"))

    assert "This holds if live outputs are like the golden rows" in before
    assert "in the last 30 days it passed 58 of 100 outputs (58%)" in after
    assert "Most likely about 7, by its live pass rate" in after


def test_days_are_those_of_the_reader(strict: JudgeVersion, criteria_set: CriteriaSet) -> None:
    run = make_scoring(strict, criteria_set, ["pass", "pass", "fail", "skipped"])
    late = timezone.now().replace(hour=20, minute=0) - timedelta(days=2)
    run.verdicts.update(filled_at=late)
    since = timezone.now() - timedelta(days=5)

    here = by_day(strict, live(criteria_set), since, UTC)
    in_tokyo = by_day(strict, live(criteria_set), since, ZoneInfo("Asia/Tokyo"))

    day = late.date()
    assert here.passes == [Counted(day, 2, 3)]
    assert here.skips == [Counted(day, 1, 4)]
    assert in_tokyo.passes == [Counted(day + timedelta(days=1), 2, 3)]


def test_jurors_that_are_asked_only_when_others_differ_are_left_out(criteria_set: CriteriaSet) -> None:
    panel = make_panel([make_judge(), make_judge(), make_judge()])
    run = make_scoring(panel, criteria_set, ["pass", "pass", "skipped"])
    answers = [("pass", "pass", None), ("pass", "fail", "pass"), ("pass", None, "fail")]
    for own, row in zip(run.verdicts.order_by("pk"), answers, strict=True):
        for juror, outcome in zip(panel.jurors(), row, strict=True):
            Verdict.objects.create(
                run=run,
                candidate=own.candidate,
                judge_version=juror,
                kind="juror",
                panel_verdict=own,
                candidate_hash=own.candidate_hash,
                outcome=outcome or "not_asked",
                filled_at=own.filled_at,
            )

    [found] = by_day(panel, live(criteria_set), timezone.now() - timedelta(days=1), UTC).agreements

    assert (found.hits, found.n) == (1, 2)


def test_the_dashboard_says_what_nobody_watches_in_as_many_queries_for_any_pairs(
    lead: User, strict: JudgeVersion, criteria_set: CriteriaSet, client: Client
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get("/dashboard/")
        return len(queries)

    client.get("/dashboard/")
    one = asked()

    for number in range(2):
        certify(make_judge(f"more-{number}"), criteria_set, a=20, d=20)
    Certificate.objects.update(created_at=timezone.now() - timedelta(days=12))

    assert asked() == one
    html = text(client.get("/dashboard/"))
    assert html.count("No golden replay for 12 days. No golden replay is scheduled.") == 3
    assert html.count("Nothing was judged for 12 days.") == 3
