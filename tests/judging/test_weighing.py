"""Rows that weigh unequally, and answers to one request: what SQL counts, against plain lists."""

import math
from collections import defaultdict

import pytest
from sklearn.metrics import cohen_kappa_score

from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.services.attempts import attempt_of
from judging.services.certificates import policy_of
from judging.services.certification import recount
from judging.services.resource import resource
from judging.services.standing import Standing
from judging.services.weighing import drawn_unequally
from labeling.domain.agreement import kappa_se
from labeling.domain.agreement.drawn import drawn_kappa
from labeling.domain.content import request_hash
from labeling.models import Candidate, CriteriaSet, Draw, DrawnRow
from tests.factories import live, make_criteria_set, make_judge, make_panel
from tests.judging.golden import NOON, certified, codes, correct, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


def rows(run: Run) -> list[int]:
    """The candidates of a run's own verdicts, in the order a, b, c, d of `make_run`."""
    return list(run.verdicts.filter(panel_verdict=None).order_by("pk").values_list("candidate_id", flat=True))


def draw(
    criteria_set: CriteriaSet, candidates: list[int], probability: float, *, equal: bool = False
) -> None:
    drawn = Draw.objects.create(version=live(criteria_set), strategy="import", is_equal=equal)
    DrawnRow.objects.bulk_create(
        DrawnRow(draw=drawn, candidate_id=pk, probability=probability) for pk in candidates
    )


def ask(candidates: list[int], *requests: str) -> None:
    """Let the candidates answer these requests in turn."""
    for number, pk in enumerate(candidates):
        request = requests[number % len(requests)]
        found = Candidate.objects.filter(pk=pk)
        found.update(request=request, request_hash=request_hash(request))


def verdicts(calibration: Calibration) -> tuple[list[str], list[str], list[float]]:
    counted = calibration.rows.filter(outcome__in=["pass", "fail"])
    truth, said, weight = zip(*counted.values_list("truth", "outcome", "probability"), strict=True)
    return list(truth), list(said), [1 / p for p in weight]


def test_rows_that_were_likelier_to_be_drawn_count_less(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=30, b=3, c=4, d=23)
    easy, hard = rows(run)[:25], rows(run)[25:40]
    draw(criteria_set, easy, 0.1)
    draw(criteria_set, hard, 0.5)

    certificate = certified(run)

    truth, said, weights = verdicts(certificate.calibration)
    assert certificate.kappa == pytest.approx(cohen_kappa_score(truth, said, sample_weight=weights))
    assert certificate.calibration.strata == {
        "0.1": {"probability": 0.1, "a": 25, "b": 0, "c": 0, "d": 0, "skipped_pass": 0, "skipped_fail": 0},
        "0.5": {"probability": 0.5, "a": 5, "b": 3, "c": 4, "d": 3, "skipped_pass": 0, "skipped_fail": 0},
        "1.0": {"probability": 1.0, "a": 0, "b": 0, "c": 0, "d": 20, "skipped_pass": 0, "skipped_fail": 0},
    }


def test_weights_change_kappa_interval_and_answer(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=28, b=2, c=6, d=24)
    plain = certified(run)
    again = make_run(make_judge(), criteria_set, a=28, b=2, c=6, d=24)
    # The rows it fails on were unlikely to be drawn: each stands for ten.
    draw(criteria_set, rows(again)[28:36], 0.1)

    weighted = certified(again)

    told = resource(Standing(weighted.judge_version, weighted.criteria_version, weighted, NOON))
    assert (plain.status, codes(weighted)) == ("certified", ["too_few_rows", "below_bar"])
    assert (told["weighted"], told["kappa"]) == (True, weighted.kappa)
    assert told["standard_error"] == weighted.calibration.standard_error
    # Weights 1 and 10: (52 + 80)²/(52 + 800) = 20.5 rows, and agreement on 52 of 132.
    assert (told["n"], told["n_effective"]) == (60, 20)
    assert (told["agreement"], weighted.agreement) == (52 / 132, 52 / 132)
    # tanh(atanh κ − 1.6449·SE/(1 − κ²)), by hand
    found = drawn_kappa(weighted.calibration.measured.strata)
    reach = 1.6448536 * found.widened_se / (1 - found.value**2)
    assert weighted.lower_bound == pytest.approx(math.tanh(math.atanh(found.value) - reach))


def test_a_handful_of_rows_that_stand_for_many_certifies_nobody(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=8, b=8, c=8, d=8)
    draw(criteria_set, [*rows(run)[:2], *rows(run)[-2:]], 0.001)

    certificate = certified(run)

    assert certificate.kappa is not None
    assert certificate.kappa > 0.99
    assert codes(certificate)[:2] == ["too_few_rows", "too_few_of_one_class"]
    assert certificate.reasons[0]["message"].startswith(
        "Golden rows were not equally likely to be chosen: 32 rows that count like 4 rows drawn evenly are"
    )


def test_looks_go_by_what_the_rows_count_like(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    criteria_set.rule = "bound"
    criteria_set.save()
    run = make_run(judge, criteria_set, a=28, b=1, c=1, d=28)
    draw(criteria_set, rows(run)[20:40], 0.1)

    first = certified(run)
    attempt = attempt_of(policy_of(criteria_set), first.calibration, takes_look=True)

    # (38 + 200)²/(38 + 2000) = 27.8: the look at 30 rows is not due, though 58 are scored.
    assert (first.n, first.look, first.next_look) == (58, None, 30)
    assert [event.n for event in attempt.events] == [27]


@pytest.mark.parametrize("equal", [True, False])
def test_one_probability_for_all_or_an_equal_draw_weighs_nothing(
    criteria_set: CriteriaSet, judge: JudgeVersion, equal: bool
) -> None:
    run = make_run(judge, criteria_set, a=28, b=2, c=2, d=28)
    drawn = rows(run) if not equal else rows(run)[:10]
    draw(criteria_set, drawn, 0.2, equal=equal)

    certificate = certified(run)

    assert certificate.calibration.strata is None
    assert certificate.kappa == 13 / 15


def test_a_correction_moves_a_row_between_cells_of_its_stratum(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(make_panel([judge]), criteria_set, a=30, b=3, c=4, d=23)
    draw(criteria_set, rows(run)[30:33], 0.25)
    certified(run)
    wrong = Candidate.objects.get(pk=rows(run)[30])

    correct(wrong, "fail")
    recount(
        judge_version_id=run.judge_version_id,
        criteria_version=live(criteria_set),
        candidate_ids=[wrong.pk],
        now=NOON,
    )

    for calibration in Calibration.objects.filter(is_current=True):
        truth, said, weights = verdicts(calibration)
        assert (calibration.strata or {})["0.25"]["d"] == 1
        expected = cohen_kappa_score(truth, said, sample_weight=weights)
        assert float(calibration.measured.kappa()) == pytest.approx(expected)


def test_a_row_that_is_counted_again_keeps_the_draw_it_was_counted_by(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=30, b=3, c=4, d=23)
    draw(criteria_set, rows(run)[30:40], 0.25)
    certified(run)
    draw(criteria_set, rows(run)[30:50], 0.5)
    wrong = Candidate.objects.get(pk=rows(run)[30])

    correct(wrong, "fail")
    recount(
        judge_version_id=run.judge_version_id,
        criteria_version=live(criteria_set),
        candidate_ids=[wrong.pk],
        now=NOON,
    )

    counted = Calibration.objects.get(run=run, is_current=True)
    assert set(counted.strata or {}) == {"0.25", "1.0"}
    assert drawn_unequally(criteria_set.pk, rows(run)) == dict.fromkeys(rows(run)[30:50], (0.5, ""))


def test_skips_of_a_stratum_weigh_in_the_worst_case(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=30, b=1, c=1, d=30, skipped_pass=1, skipped_fail=1)
    draw(criteria_set, rows(run)[-2:], 0.02)

    certificate = certified(run)

    # Each skip stands for fifty rows that it got wrong: [[30, 51], [51, 30]].
    assert certificate.kappa_worst_case == pytest.approx(2 * (900 - 2601) / (2 * 81 * 81))
    assert certificate.status == "certified"
    assert [warning["code"] for warning in certificate.warnings] == ["skips_worst_case"]


def test_answers_to_one_request_are_no_independent_rows(
    criteria_set: CriteriaSet, judge: JudgeVersion
) -> None:
    run = make_run(judge, criteria_set, a=26, b=4, c=4, d=26)
    candidates = rows(run)
    ask(candidates, *(f"Request {number}." for number in range(20)))
    ask(candidates[26:34], "Hard one.", "Hard two.")  # where all errors are

    calibration = certified(run).calibration

    assert calibration.standard_error == pytest.approx(_by_request(calibration))
    expected = (_by_request(calibration) / kappa_se(calibration.table)) ** 2
    assert calibration.design_effect == pytest.approx(expected)
    assert expected > 1


def _by_request(calibration: Calibration) -> float:
    """The sum of what each request's rows add, from plain lists and numeric changes of their weights."""
    counted = calibration.rows.filter(outcome__in=["pass", "fail"])
    listed = list(counted.values_list("truth", "outcome", "candidate__request"))
    truth, said = [row[0] for row in listed], [row[1] for row in listed]
    sums: dict[str, float] = defaultdict(float)
    for number, (_, _, request) in enumerate(listed):
        changed = [[1 + step * (n == number) for n in range(len(listed))] for step in (1e-4, -1e-4)]
        up, down = (cohen_kappa_score(truth, said, sample_weight=weights) for weights in changed)
        sums[request] += (up - down) / 2e-4
    return math.sqrt(sum(each**2 for each in sums.values()))


def test_the_rule_of_looks_goes_by_requests(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    criteria_set.rule = "bound"
    criteria_set.save()
    run = make_run(judge, criteria_set, a=29, b=1, c=1, d=29)
    ask(rows(run), *(f"Request {number}." for number in range(60)))
    other = make_run(make_judge(), criteria_set, a=29, b=1, c=1, d=29)
    ask(rows(other), *(f"Other {number}." for number in range(60)))
    ask(rows(other)[29:31], "The one it gets wrong.")

    alone, together = certified(run), certified(other)

    assert alone.calibration.design_effect == pytest.approx(1, abs=1e-6)
    assert together.calibration.design_effect is not None
    assert together.calibration.design_effect > 1.5
    assert alone.z is not None
    assert together.z == pytest.approx(alone.z / math.sqrt(together.calibration.design_effect))
    assert (alone.status, codes(together)) == ("certified", ["bound_below_bar"])
    assert (alone.interval_low, alone.lower_bound) == (together.interval_low, together.lower_bound)


def test_rows_without_a_request_share_none(criteria_set: CriteriaSet, judge: JudgeVersion) -> None:
    run = make_run(judge, criteria_set, a=26, b=4, c=4, d=26)
    ask(rows(run), "")

    assert certified(run).calibration.design_effect == pytest.approx(1)


@pytest.mark.parametrize("rows_agreed", [40, 1, 0])
def test_where_kappa_does_not_exist_nothing_spreads(
    criteria_set: CriteriaSet, judge: JudgeVersion, rows_agreed: int
) -> None:
    calibration = certified(make_run(judge, criteria_set, skipped_pass=1, a=rows_agreed)).calibration

    assert (calibration.standard_error, calibration.design_effect, calibration.strata) == (None, None, None)
    assert Certificate.objects.get().kappa is None
