"""The rule `bound` from run to certificate: looks are stored, kept between runs, and told."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client

from judging.models import Certificate, JudgeVersion, Run
from judging.services.certification import golden_set_changed, recount
from judging.services.resource import resource
from judging.services.standing import Standing
from labeling.models import CriteriaSet
from tests.factories import live, make_candidate, make_criteria_set, make_judge, make_ruling, make_user
from tests.judging.dashboards import certify
from tests.judging.golden import NOON, certified, codes, correct, make_run, make_verdict

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    criteria_set = make_criteria_set("replies")
    criteria_set.rule = "bound"
    criteria_set.save()
    return criteria_set


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def again(run: Run, *more: tuple[str, str], days: int = 0, judge: JudgeVersion | None = None) -> Run:
    """A run over the same rows with the same verdicts, days later, and over further (truth, outcome)."""
    later = make_run(judge or run.judge_version, run.criteria_version.criteria_set)
    later.finished_at = NOON + timedelta(days=days)
    later.save()
    for verdict in run.verdicts.select_related("candidate"):
        make_verdict(later, verdict.candidate, verdict.outcome)
    for truth, outcome in more:
        candidate = make_candidate(run.criteria_version.criteria_set)
        make_ruling(candidate, truth)
        make_verdict(later, candidate, outcome)
    return later


def both(rows: int) -> list[tuple[str, str]]:
    """So many further rows of each kind that the judge gets right."""
    return [("pass", "pass"), ("fail", "fail")] * rows


def plan(criteria_set: CriteriaSet, *looks: int, n_max: int = 0) -> None:
    criteria_set.looks, criteria_set.n_max = list(looks), n_max or looks[-1]
    criteria_set.save()


def test_a_look_is_kept_on_the_certificate(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    certificate = certified(make_run(judge, criteria_set, a=15, d=15))

    assert certificate.status == "certified"
    assert (certificate.look, certificate.next_look) == (1, 60)
    assert certificate.z == pytest.approx(2.5226, abs=1e-4)
    assert certificate.boundary == pytest.approx(2.5086, abs=1e-4)
    assert certificate.bound_at_looks == pytest.approx(0.6532, abs=1e-4)
    assert certificate.policy["looks"] == [30, 60, 100, 150, 200, 300, 400]


def test_a_judge_that_point_would_certify_is_not_shown(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certificate = certified(make_run(judge, criteria_set, a=14, b=1, c=1, d=14))

    assert codes(certificate) == ["bound_below_bar"]
    assert certificate.look == 1


def test_a_renewal_between_looks_keeps_what_was_shown(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    first = make_run(judge, criteria_set, a=15, d=15)
    certified(first)

    renewed = certified(again(first, days=31), NOON + timedelta(days=31))
    larger = certified(again(first, *both(5)))

    assert (renewed.status, renewed.look) == ("certified", None)
    assert (larger.status, larger.look, larger.n, larger.boundary) == (
        "certified",
        None,
        40,
        renewed.boundary,
    )


def test_between_looks_a_judge_falls_and_does_not_rise(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    first = make_run(judge, criteria_set, a=15, d=15)
    certified(first)

    fell = certified(again(first, ("pass", "fail")))
    recovered = certified(again(first, *both(10)))
    looked = certified(again(first, *both(15)))

    assert codes(fell) == codes(recovered) == ["bound_below_bar"]
    assert recovered.z is not None
    assert recovered.boundary is not None
    assert recovered.z > recovered.boundary
    assert (looked.status, looked.look) == ("certified", 2)


def test_boundaries_are_spent_at_the_rows_that_were_there(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    first = make_run(judge, criteria_set, a=17, d=17)

    late = certified(first)
    second = certified(again(first, *both(20)))

    # Of [34] and [34, 74] of 400, by the spending function: not those of 30 and 60.
    assert late.boundary == pytest.approx(2.4674, abs=1e-3)
    assert (late.look, second.look, second.n) == (1, 2, 74)
    assert second.boundary == pytest.approx(2.395, abs=2e-2)


def test_a_correction_takes_no_look_and_may_only_take_away(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=15, d=15)
    certified(run)
    row = run.verdicts.select_related("candidate").first()
    assert row is not None

    correct(row.candidate, "fail" if row.outcome == "pass" else "pass")
    recount(
        judge_version_id=judge.pk,
        criteria_version=live(criteria_set),
        candidate_ids=[row.candidate_id],
        now=NOON,
    )

    fallen = Certificate.objects.current().get()
    assert codes(fallen) == ["golden_set_changed", "bound_below_bar"]
    assert (fallen.look, fallen.cause) == (None, "golden_set")


def test_a_refused_judge_does_not_rise_by_a_correction(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=14, b=1, d=15)
    certified(run)
    wrong = run.verdicts.select_related("candidate").get(outcome="fail", candidate__rulings__verdict="pass")

    correct(wrong.candidate, "fail")
    golden_set_changed(live(criteria_set), [wrong.candidate_id])

    assert "bound_below_bar" in codes(Certificate.objects.current().get())


def test_the_second_version_of_a_judge_is_another_attempt(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    first = certified(make_run(judge, criteria_set, a=15, d=15))
    fields = {"kind": "model", "model": "openai/other", "fingerprint": "f" * 64}
    second = JudgeVersion.objects.create(judge=judge.judge, number=2, **fields)

    tried = certified(make_run(second, criteria_set, a=15, d=15))
    renewed = certified(again(Run.objects.get(pk=first.calibration.run_id)))

    assert (tried.attempt, codes(tried)) == (2, ["bound_below_bar"])
    assert tried.boundary == pytest.approx(3.115, abs=1e-3)
    assert (renewed.status, renewed.boundary, renewed.attempt) == ("certified", first.boundary, 1)


def test_a_version_keeps_its_place_though_it_is_certified_after_a_later_one(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    fields = {"kind": "model", "model": "openai/other", "fingerprint": "f" * 64}
    second = JudgeVersion.objects.create(judge=judge.judge, number=2, **fields)
    scored = make_run(judge, criteria_set, a=15, d=15, kind="scoring")

    later = certified(again(scored, judge=second))
    first = certified(again(scored))

    assert (first.attempt, later.attempt) == (1, 2)


def test_an_attempt_keeps_the_plan_it_began_with(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    first = make_run(judge, criteria_set, a=14, b=1, c=1, d=14)
    certified(first)
    plan(criteria_set, 32)  # a single look, at which 1.645 would do

    second = certified(again(first, *both(1)))
    other = certified(make_run(make_judge(), criteria_set, a=15, b=1, c=1, d=15))

    assert (second.policy["looks"][0], second.next_look, codes(second)) == (30, 60, ["bound_below_bar"])
    assert other.boundary == pytest.approx(1.645, abs=1e-3)


def test_a_run_that_took_no_look_binds_nobody_to_its_plan(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    plan(criteria_set, 20)
    first = make_run(judge, criteria_set, a=15, d=15)
    assert (codes(certified(first)), Certificate.objects.get().look) == (["bound_below_bar"], None)
    assert (
        "plan more rows in the policy, then calibrate again"
        in Certificate.objects.get().reasons[0]["message"]
    )
    plan(criteria_set, 20, 30)

    planned_anew = certified(again(first))

    assert (planned_anew.status, planned_anew.look) == ("certified", 2)
    assert planned_anew.policy["n_max"] == 30


def test_beyond_the_plan_nothing_is_certified_anew(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    plan(criteria_set, 30, 40)
    first = make_run(judge, criteria_set, a=14, b=1, c=1, d=14)
    certified(first)

    used_up = certified(again(first, *both(20)))

    assert (codes(used_up), used_up.look, used_up.next_look) == (["bound_below_bar"], None, None)
    assert "70 rows are more than the 40 that were planned" in used_up.reasons[0]["message"]


def test_certificates_of_before_there_were_plans_still_say_what_they_said(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=15, d=15)
    old = certified(run)
    without = {name: given for name, given in old.policy.items() if name not in ("looks", "n_max")}
    Certificate.objects.update(policy=without, rule="point", look=None, z=None, boundary=None)

    row = run.verdicts.first()
    assert row is not None
    correct(row.candidate, "fail")
    golden_set_changed(live(criteria_set), [row.candidate_id])

    assert Certificate.objects.current().get().policy["n_max"] == 400


def test_api_and_shell_tell_the_look(
    criteria_set: CriteriaSet, judge: JudgeVersion, capsys: pytest.CaptureFixture[str]
) -> None:
    certificate = certified(make_run(judge, criteria_set, a=14, b=1, c=1, d=14))
    told = resource(Standing(certificate.judge_version, certificate.criteria_version, certificate, NOON))

    with pytest.raises(SystemExit) as ended:
        call_command("gate", "strict", "replies")

    assert (told["rule"], told["look"], told["next_look"]) == ("bound", 1, 60)
    assert (told["z"], told["boundary"]) == (certificate.z, certificate.boundary)
    # ((1.6449·√.5775 + .8416·√(1 − .8667²))/(.8667 − .65))² = 59.3
    assert told["labels_needed"] == 60
    assert ended.value.code == 1
    assert "bound_below_bar: z 1.561 of 2.509" in capsys.readouterr().out


def test_the_page_says_when_the_next_look_is(
    client: Client, criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    certify(judge, criteria_set, a=14, b=1, c=1, d=14)
    client.force_login(make_user(lead_of=criteria_set))

    page = client.get("/dashboard/strict/replies/").text

    assert "No – may not gate yet" in page
    assert "Label 30 more rows that count: the next planned look is at 60." in page
    assert "Planned looks" in page
    assert "look 1 of 7, next at 60 rows" in page
