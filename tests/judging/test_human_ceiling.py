"""The ceiling that people set, on certificates: measured with a run, warned of, and demanded."""

from decimal import Decimal

import pytest
from django.test import Client

from judging.models import Certificate, JudgeVersion, OrderingResult
from judging.services.certification import recount
from judging.services.policy import foretold
from judging.services.resource import resource
from judging.services.standing import named_standing
from labeling.domain.agreement import Table, score_interval
from labeling.models import Candidate, CriteriaSet, Label
from labeling.services.criteria_settings import update_set
from tests.factories import live, make_criteria_set, make_judge, make_label, make_user
from tests.judging.dashboards import certify, text
from tests.judging.golden import NOON, certified, codes, correct, make_run
from tests.labeling.people import repeated

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def labelled_by_two(criteria_set: CriteriaSet, candidates: list[Candidate], *, agree: int) -> None:
    """Two people label the candidates; they agree on the first of them, half pass and half fail."""
    one, other = make_user(), make_user()
    for number, candidate in enumerate(candidates):
        first = ("pass", "fail")[number % 2]
        second = first if number < agree else ("fail", "pass")[number % 2]
        make_label(candidate, one, first)
        make_label(candidate, other, second)


def rows(criteria_set: CriteriaSet, number: int) -> list[Candidate]:
    return list(criteria_set.candidates.order_by("pk")[:number])


def test_it_is_measured_with_the_run(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)

    certificate = certified(run)

    # 18 of 20, half of each: (.9 − .5)/.5
    assert certificate.calibration.human_kappa == pytest.approx(0.8)
    assert certificate.calibration.human_rows == 20
    assert [warning["code"] for warning in certificate.warnings] == []


@pytest.mark.parametrize(
    ("agree", "demands", "blocks", "warns"),
    [
        (15, False, False, True),  # kappa .5
        (15, True, False, True),
        (14, False, False, True),  # .4
        (14, True, True, False),
        (16, True, False, False),  # .6
    ],
)
def test_a_low_one_warns_and_blocks_where_it_is_demanded(
    criteria_set: CriteriaSet, judge: JudgeVersion, agree: int, demands: bool, blocks: bool, warns: bool
) -> None:
    criteria_set.demand_human_ceiling = demands
    criteria_set.save()
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=agree)

    certificate = certified(run)

    assert codes(certificate) == (["human_ceiling_low"] if blocks else [])
    assert ("human_ceiling_low" in [each["code"] for each in certificate.warnings]) == warns
    told = " ".join(each["message"] for each in (*certificate.reasons, *certificate.warnings))
    assert ("It is the figure of 20 rows only, so it may be another of all" in told) == (blocks or warns)


@pytest.mark.parametrize(("agree", "number"), [(4, 4), (39, 40)])
def test_four_rows_or_one_verdict_throughout_are_no_ceiling(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion, agree: int, number: int
) -> None:
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    one, other = make_user(), make_user()
    for place, row in enumerate(rows(criteria_set, number)):
        first = ("pass", "fail")[place % 2] if number == 4 else "pass"
        make_label(row, one, first)
        make_label(row, other, first if place < agree else "fail")

    certificate = certified(run)
    client.force_login(make_user(lead_of=criteria_set))
    page = text(client.get("/dashboard/strict/replies/"))

    assert (certificate.calibration.human_kappa, certificate.warnings) == (None, [])
    assert "fewer than five rows have labels of two of them, or those say (almost) all the same" in page
    assert f"{number} rows that several people labelled blind" not in page


def test_unmeasured_blocks_where_it_is_demanded(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    criteria_set.demand_human_ceiling = True
    criteria_set.save()

    certificate = certified(make_run(judge, criteria_set, a=28, b=2, c=2, d=28))

    assert certificate.reasons[0]["detail"] == "not measured"
    assert "it is not known: let a second person label rows" in certificate.reasons[0]["message"]


@pytest.mark.parametrize(("demands", "measured"), [(True, pytest.approx(0.8)), (False, None)])
def test_a_recount_measures_it_again_where_it_may_decide(
    criteria_set: CriteriaSet, judge: JudgeVersion, demands: bool, measured: object
) -> None:
    criteria_set.demand_human_ceiling = demands
    criteria_set.save()
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    certified(run)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)
    row = rows(criteria_set, 1)[0]

    correct(row, "fail")
    version = live(criteria_set)
    recount(judge_version_id=judge.pk, criteria_version=version, candidate_ids=[row.pk], now=NOON)

    assert Certificate.objects.current().get().calibration.human_kappa == measured


def people_fall_out(criteria_set: CriteriaSet) -> None:
    """One of two people fails the first half and passes the other, so that they agree by chance alone."""
    labels = Label.objects.filter(version=live(criteria_set))
    of_one = labels.filter(labeler=labels.order_by("-pk")[0].labeler)
    of_one.update(verdict="fail")
    of_one.filter(candidate__in=rows(criteria_set, 20)[10:]).update(verdict="pass")


def test_a_certificate_that_it_was_demanded_of_is_recounted_by_it_though_the_set_demands_it_no_more(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    update_set(criteria_set=criteria_set, actor=None, demand_human_ceiling=True)
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)
    before = certified(run)
    update_set(criteria_set=criteria_set, actor=None, demand_human_ceiling=False)

    people_fall_out(criteria_set)
    row = rows(criteria_set, 1)[0]
    correct(row, "fail")
    version = live(criteria_set)
    recount(judge_version_id=judge.pk, criteria_version=version, candidate_ids=[row.pk], now=NOON)

    after = Certificate.objects.current().get()
    assert (before.status, after.status) == ("certified", "uncertified")
    assert "human_ceiling_low" in codes(after)
    assert after.calibration.human_kappa == 0


def test_demanding_it_goes_by_what_people_say_by_then(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)
    before = certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    people_fall_out(criteria_set)

    criteria_set.demand_human_ceiling = True
    told = foretold(criteria_set)
    criteria_set.refresh_from_db()
    update_set(criteria_set=criteria_set, actor=None, demand_human_ceiling=True)

    after = Certificate.objects.current().get()
    assert [each.words for each in told] == ["1 judge would lose its certificate at once."]
    assert (after.cause, codes(after), after.reasons[0]["detail"]) == (
        "policy",
        ["human_ceiling_low"],
        "0.00",
    )
    assert (after.calibration.human_kappa, after.calibration.human_rows) == (0, 20)
    before.calibration.refresh_from_db()
    assert before.calibration.human_kappa == pytest.approx(0.8)


def test_the_page_says_how_far_a_perfect_judge_would_come(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certify(judge, criteria_set, a=20, d=20)
    client.force_login(make_user(lead_of=criteria_set))
    unmeasured = text(client.get("/dashboard/strict/replies/"))
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)
    certify(judge, criteria_set, a=28, b=2, c=2, d=28)

    page = text(client.get("/dashboard/strict/replies/"))

    assert "ask for two labels on each row" in unmeasured
    assert "20 rows that several people labelled blind" in page
    assert "even a perfect judge would reach no more than about 0.89" in page  # √.8
    assert "2 people agree with each other to kappa 0.800" in page


def labelled_twice_by_one(candidates: list[Candidate], *, agree: int) -> None:
    """One person labels the candidates, half pass and half fail, and again: the first of them alike."""
    ada = make_user()
    for number, candidate in enumerate(candidates):
        first, other = ("pass", "fail")[:: 1 if number % 2 else -1]
        repeated(make_label(candidate, ada, first), first if number < agree else other)


def test_where_one_person_labels_alone_their_agreement_with_themselves_is_told_as_that(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certify(judge, criteria_set, a=20, d=20)
    labelled_twice_by_one(rows(criteria_set, 20), agree=18)
    certificate = certify(judge, criteria_set, a=28, b=2, c=2, d=28)
    client.force_login(make_user(lead_of=criteria_set))

    page = text(client.get("/dashboard/strict/replies/"))

    assert certificate.calibration.human_kappa == pytest.approx(0.8)
    assert certificate.calibration.people_alone
    assert "People with themselves" in page
    assert "One person, asked again, agrees with themselves to kappa 0.800" in page
    assert "agree with each other to kappa" not in page
    assert (
        resource(named_standing("strict", "replies", NOON))["human_method"] == "self-agreement, Cohen's kappa"
    )


@pytest.mark.parametrize(("agree", "blocks"), [(14, True), (16, False)])  # kappa .4, .6
def test_a_low_one_of_one_person_blocks_too_and_says_what_it_is(
    criteria_set: CriteriaSet, judge: JudgeVersion, agree: int, blocks: bool
) -> None:
    criteria_set.demand_human_ceiling = True
    criteria_set.save()
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_twice_by_one(rows(criteria_set, 20), agree=agree)

    certificate = certified(run)

    assert codes(certificate) == (["human_ceiling_low"] if blocks else [])
    told = " ".join(reason["message"] for reason in certificate.reasons)
    assert ("agree with themselves only to kappa 0.40" in told) == blocks


def test_the_page_tells_people_as_they_were_counted_with_the_certificate(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    labelled_by_two(criteria_set, rows(criteria_set, 20), agree=18)
    certified(run)
    people_fall_out(criteria_set)  # unnoticed: no ruling and no correction tells of it
    client.force_login(make_user(lead_of=criteria_set))

    page = text(client.get("/dashboard/strict/replies/"))

    low, high = score_interval(Table(9, 1, 1, 9))
    assert f"to kappa 0.800 (95% interval {low:.2f} to {high:.2f}) on 20 rows" in page


def test_the_newest_test_of_ordering_counts(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    criteria_set.demand_ordering = True
    criteria_set.save()
    for violated in (0, 2):
        run = make_run(judge, criteria_set, kind="ordering")
        OrderingResult.objects.create(
            run=run,
            judge_version=judge,
            criteria_version=live(criteria_set),
            sets=9,
            violated=violated,
            deciding_sets=9,
            deciding_violated=violated,
            as_of=NOON,
        )

    certificate = certified(make_run(judge, criteria_set, a=28, b=2, c=2, d=28))

    assert codes(certificate) == ["ordering_violated"]
    assert certificate.reasons[0]["message"].startswith("2 reference sets are ordered wrongly by this judge.")


def test_skips_of_one_kind_are_said(client: Client, criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    criteria_set.min_coverage = Decimal("0.800")
    criteria_set.save()
    certificate = certify(judge, criteria_set, a=40, d=32, skipped_fail=8)
    client.force_login(make_user(lead_of=criteria_set))

    page = text(client.get("/dashboard/strict/replies/"))

    assert (certificate.status, certificate.warnings[-1]["code"]) == ("certified", "low_coverage")
    assert certificate.warnings[-1]["message"].startswith(
        "The judge gave a verdict on 100% of the rows that people pass and 80% of those that they fail"
    )
    assert "Coverage of rows people fail" in page
    assert "32 of 40 rows have a verdict" in page
