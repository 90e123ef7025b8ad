"""The page that compares two sides: what it chooses, what it says, and which rows it shows to whom."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from judging.models import JudgeVersion, Recording, Run, Verdict
from labeling.models import AuditEvent, CriteriaSet, Exposure
from tests.factories import make_criteria_set, make_judge, make_user
from tests.judging.dashboards import text
from tests.judging.golden import certified, make_run
from tests.judging.test_comparing import again, second, two_generators, two_versions

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def client(criteria_set: CriteriaSet) -> Client:
    found = Client()
    found.force_login(make_user("lena", lead_of=criteria_set))
    return found


def tuned(criteria_set: CriteriaSet) -> tuple[Run, Run]:
    """Two versions over two rows for tuning, of which the second lost one; and two measured ones."""
    first = make_run(judge := make_judge("strict"), criteria_set, a=2, split="tune")
    later = again(first, second(judge), "pf")
    Verdict.objects.filter(run=later, outcome="fail").update(feedback="Too blunt for me.")
    for version in (judge, later.judge_version):
        certified(make_run(version, criteria_set, a=1))
    return first, later


def test_without_a_choice_the_draft_stands_beside_the_live_version(
    client: Client, criteria_set: CriteriaSet
) -> None:
    two_versions(criteria_set)

    page = text(client.get("/compare/"))

    assert "strict@1 and strict@2 <small>on replies@1</small>" in page
    assert "1 fixed less 1 regressed: 0 in 4 rows with a verdict of both." in page
    assert "It cannot be told whether strict@1 or strict@2 is better" in page
    assert "None" not in page


def test_what_is_worse_is_said_with_its_doubt(client: Client, criteria_set: CriteriaSet) -> None:
    two_versions(criteria_set, "f" * 6 + "p" * 14, a=20)

    page = text(client.get("/compare/?before=strict@1&after=strict@2"))

    assert "strict@2 is worse than strict@1." in page
    assert "In 100 rows that is 30.0 fewer that come out right (95% interval −51." in page
    assert "(McNemar&#x27;s exact test: p = 0.031)" in page


def test_a_run_may_be_chosen(client: Client, criteria_set: CriteriaSet) -> None:
    first, _ = two_versions(criteria_set)
    newer = again(first, first.judge_version, "ffppf")
    certified(newer)

    page = text(client.get(f"/compare/?before=strict@1/{first.pk}&after=strict@1/{newer.pk}"))

    assert f"strict@1 (run {first.pk}) and strict@1 <small>" in page
    assert "Left out" not in page


def test_what_is_after_alone_stands_beside_the_live_version(
    client: Client, criteria_set: CriteriaSet
) -> None:
    first, later = two_versions(criteria_set)

    for run, before in ((later, "strict@1"), (first, "strict@2")):
        page = text(client.get(f"/runs/{run.pk}/"))
        address = f"/compare/?criteria=replies@1&after={run.judge_version}/{run.pk}"
        assert address.replace("&", "&amp;") in page
        assert f"{before} and {run.judge_version} <small>" in text(client.get(address))


def test_drafts_and_versions_lead_here(client: Client, criteria_set: CriteriaSet) -> None:
    two_versions(criteria_set)
    sides = "before=strict@1&amp;after=strict@2"

    assert f"?criteria=replies@1&amp;{sides}" in text(client.get("/dashboard/strict/replies/"))
    assert f"/compare/?{sides}" in text(client.get("/judges/strict/"))


def test_certifying_rows_stay_closed_until_they_are_opened(client: Client, criteria_set: CriteriaSet) -> None:
    two_versions(criteria_set)
    address = "/compare/?before=strict@1&after=strict@2&show=regressed"
    assert "1 more certifies judges" in text(client.get(address))
    assert not Exposure.objects.exists()

    client.post(address)

    page = text(client.get(address))
    assert "more certif" not in page
    assert page.count("<article") == 1
    assert set(Exposure.objects.values_list("what", flat=True)) == {"verdicts", "labels"}
    assert AuditEvent.objects.get().action == "certify_rows_opened"


def test_rows_for_tuning_are_free_to_look_at(client: Client, criteria_set: CriteriaSet) -> None:
    tuned(criteria_set)

    page = text(client.get("/compare/?before=strict@1&after=strict@2&rows=tune"))

    assert "strict@1 and strict@2" in page
    assert page.count("<article") == 1
    assert "Too blunt for me." in page
    assert "more certif" not in page
    assert Exposure.objects.filter(what="verdicts").count() == 1


def test_generators_are_shown_as_a_judges_opinion(client: Client, criteria_set: CriteriaSet) -> None:
    two_generators(criteria_set)
    address = "/compare/?what=generators&criteria=replies@1&judge=strict@1&before=old&after=new"

    page = text(client.get(address))

    assert "This is a judge's opinion, not people's" in page
    assert "strict@1 is not certified on replies@1" in page
    assert "Left out: 1 output of old" in page
    assert "2 more certify judges, or will once people label them" in page
    client.post(address)
    opened = text(client.get(address))
    assert opened.count("<article") == 2
    assert Exposure.objects.filter(what="verdicts").count() == 4  # two outputs of either request
    assert "Nobody has labelled it." in opened


def test_rows_come_ten_to_a_page(client: Client, criteria_set: CriteriaSet) -> None:
    first = make_run(judge := make_judge("strict"), criteria_set, a=12, split="tune")
    again(first, second(judge), "f" * 12)
    for version in judge.judge.versions.all():
        certified(make_run(version, criteria_set, a=1))

    address = "/compare/?before=strict@1&after=strict@2&rows=tune"

    assert text(client.get(address)).count("<article") == 10
    assert "&amp;rows=tune" in text(client.get(address))
    assert text(client.get(address + "&page=2")).count("<article") == 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("before=strict@1&after=strict@9", "“strict@9” is not there to be compared."),
        ("before=strict@1", "Choose one of them."),
    ],
)
def test_a_wrong_choice_is_told(client: Client, criteria_set: CriteriaSet, query: str, words: str) -> None:
    two_versions(criteria_set)

    answer = client.get(f"/compare/?{query}")

    assert answer.status_code == 422
    assert words in text(answer)


def test_two_judges_of_which_none_is_a_draft_are_not_compared_unasked(
    client: Client, criteria_set: CriteriaSet
) -> None:
    for slug in ("strict", "lenient"):
        certified(make_run(make_judge(slug), criteria_set, a=1))

    page = text(client.get("/compare/"))

    assert "Choose two above" in page
    assert "Fewer than two judges" not in page


def test_recorded_judges_are_not_offered_to_tell_generators_apart(
    client: Client, criteria_set: CriteriaSet
) -> None:
    run = two_generators(criteria_set)
    offered = text(client.get("/compare/?what=generators&criteria=replies@1"))
    made = Recording.objects.create(criteria_set=criteria_set, file_name="one.csv", sha256="0" * 64)
    JudgeVersion.objects.filter(pk=run.judge_version_id).update(
        kind="recorded", recording=made, has_recorded=True
    )

    page = text(client.get("/compare/?what=generators&criteria=replies@1"))

    assert '<option value="strict@1"' in offered
    assert '<option value="strict@1"' not in page


def test_with_nothing_to_compare_it_says_what_to_do(client: Client, criteria_set: CriteriaSet) -> None:
    assert "No run has ended on criteria that you lead" in text(client.get("/compare/"))

    certified(make_run(make_judge("strict"), criteria_set, a=1))

    assert "Fewer than two judges were measured on replies@1." in text(client.get("/compare/"))
    assert client.get("/compare/?criteria=elsewhere@1").status_code == 404


def test_it_is_a_page_for_leads_of_their_own_sets(criteria_set: CriteriaSet) -> None:
    two_versions(criteria_set)
    labeler, other, nobody = Client(), Client(), Client()
    labeler.force_login(make_user(labels=criteria_set))
    other.force_login(make_user(lead_of=make_criteria_set()))
    nobody.force_login(make_user())

    assert [each.get("/compare/").status_code for each in (labeler, nobody)] == [403, 404]
    assert "replies" not in text(other.get("/compare/"))
    assert other.get("/compare/?criteria=replies@1&before=strict@1&after=strict@2").status_code == 404


def test_more_rows_ask_no_more(client: Client, criteria_set: CriteriaSet) -> None:
    first = make_run(judge := make_judge("strict"), criteria_set, a=8, split="tune")
    later, asked = second(judge), []
    for version in (judge, later):
        certified(make_run(version, criteria_set, a=1))
    for moved in (2, 8):
        again(first, later, "f" * moved + "p" * (8 - moved))
        with CaptureQueriesContext(connection) as queries:
            page = client.get("/compare/?before=strict@1&after=strict@2&rows=tune")
        assert text(page).count("<article") == moved
        asked.append(len(queries))

    assert asked[0] >= asked[1]  # the second time, the first rows are noted already
