"""What rows of several draws by verdict weigh while people are still at them: by what is settled."""

import math
import random
from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from judging.models import Calibration, Certificate, JudgeVersion, Run
from judging.services.certification import recount
from judging.services.drawing import draw_by_verdict
from judging.services.replays import count_replay
from judging.services.weighing import drawn_unequally
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum, drawn_kappa
from labeling.models import Candidate, CriteriaSet, Draw, DrawnRow, Slot
from tests.factories import live, make_criteria_set, make_judge, make_label, make_user
from tests.judging.auditing import make_scoring
from tests.judging.golden import NOON, certified, make_verdict

pytestmark = pytest.mark.django_db

PASS, FAIL = "pass", "fail"


class Said(NamedTuple):
    """What people would say of a row, and what the judge said."""

    people: str
    judge: str


# True kappa .55 of 439 rows, of which the judge passes 412.
POPULATION = [
    *[Said(PASS, PASS)] * 392,
    *[Said(PASS, FAIL)] * 8,
    *[Said(FAIL, PASS)] * 20,
    *[Said(FAIL, FAIL)] * 19,
]


@pytest.fixture
def criteria_set() -> CriteriaSet:
    return make_criteria_set("replies")


@pytest.fixture
def judge() -> JudgeVersion:
    return make_judge("strict")


@pytest.fixture
def lead(criteria_set: CriteriaSet) -> User:
    return make_user("lena", lead_of=criteria_set)


@pytest.fixture
def said(criteria_set: CriteriaSet, judge: JudgeVersion) -> dict[int, Said]:
    """A population that the judge was asked about, by candidate id; nobody has labelled it."""
    rows = random.Random(3).sample(POPULATION, len(POPULATION))
    run = make_scoring(judge, criteria_set, [each.judge for each in rows])
    candidates = list(Candidate.objects.filter(verdicts__run=run).order_by("pk"))
    for number, candidate in enumerate(candidates):
        candidate.content_hash = (
            f"{number:064}"  # what is drawn goes by it: the same in every run of the tests
        )
    Candidate.objects.bulk_update(candidates, ["content_hash"])
    return dict(zip([each.pk for each in candidates], rows, strict=True))


def draw(judge: JudgeVersion, lead: User, most: int, seed: str) -> Draw:
    version = live(CriteriaSet.objects.get())
    return draw_by_verdict(version=version, judge=judge, most=most, seed=seed, now=timezone.now(), actor=lead)


def label(rows: Iterable[int], said: dict[int, Said], labeler: User) -> None:
    for candidate in Candidate.objects.filter(pk__in=rows).select_related("criteria_set__live_version"):
        make_label(candidate, labeler, said[candidate.pk].people)


def run_on_labelled(judge: JudgeVersion, said: dict[int, Said], kind: str = "calibration") -> Run:
    version = live(CriteriaSet.objects.get())
    run = Run.objects.create(
        judge_version=judge, criteria_version=version, kind=kind, state="finished", finished_at=NOON
    )
    for candidate in Candidate.objects.golden(version).filter(truth__in=[PASS, FAIL]):
        make_verdict(run, candidate, said[candidate.pk].judge)
    return run


def rows_of(drawn: Draw) -> list[int]:
    return list(drawn.rows.values_list("candidate_id", flat=True))


def figures(certificate: Certificate) -> tuple[str, float | None, object]:
    return certificate.status, certificate.kappa, certificate.calibration.strata


def test_a_further_draw_certifies_nobody_before_its_rows_are_labelled(
    judge: JudgeVersion, lead: User, said: dict[int, Said]
) -> None:
    first = draw(judge, lead, 100, "q")
    label(rows_of(first), said, lead)
    before = certified(run_on_labelled(judge, said), NOON)
    begun, replay = run_on_labelled(judge, said), run_on_labelled(judge, said, "replay")

    draw(judge, lead, 1000, "r")

    after, of_begun = certified(run_on_labelled(judge, said), NOON), certified(begun, NOON)
    assert before.status == "uncertified"
    assert figures(before) == figures(of_begun) == figures(after)
    assert [each.strata for each in count_replay(run=replay, known={}, now=NOON)] == [
        before.calibration.strata
    ]


@pytest.mark.parametrize("share", [0, 0.25, 0.5])
def test_kappa_and_pass_rate_are_those_of_all_rows_while_a_draw_is_labelled(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User, said: dict[int, Said], share: float
) -> None:
    kappas = []
    for number in range(8):
        settled = [*rows_of(draw(judge, lead, 100, f"first {number}"))]
        draw(judge, lead, 1000, f"second {number}")
        new = Slot.objects.queued(live(criteria_set)).exclude(candidate__in=settled)
        order = list(new.values_list("candidate_id", flat=True))
        settled += order[: int(share * len(order))]
        kappa, passed = estimates(drawn_unequally(criteria_set.pk, settled), said)
        assert passed == pytest.approx(412 / 439)
        kappas.append(kappa)
        forget_draws()

    truth = drawn_kappa([Stratum(1.0, table(said.values()))]).value
    assert fmean(kappas) == pytest.approx(truth, abs=0.05)


def table(rows: Iterable[Said]) -> Table:
    listed = list(rows)
    cells = (Said(PASS, PASS), Said(PASS, FAIL), Said(FAIL, PASS), Said(FAIL, FAIL))
    return Table(*(listed.count(cell) for cell in cells))


def estimates(weights: dict[int, tuple[float, str]], said: dict[int, Said]) -> tuple[float, float]:
    """Kappa, and the share that the judge passes, of the population that the rows stand for."""
    chances = {chance for chance, _ in weights.values()}
    of_chance = {
        chance: [said[pk] for pk, each in weights.items() if each[0] == chance] for chance in chances
    }
    found = drawn_kappa([Stratum(chance, table(rows)) for chance, rows in of_chance.items()])
    return found.value, found.margins.judge


def forget_draws() -> None:
    for model in (Slot, DrawnRow, Draw):
        model.objects.all().delete()


def test_rows_that_are_tied_are_stood_for_by_the_others_of_their_stratum(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User, said: dict[int, Said]
) -> None:
    drawn = draw(judge, lead, 100, "q")
    label(rows_of(drawn), said, lead)
    tied = drawn.rows.filter(stratum=PASS).values_list("candidate_id", flat=True)[:15]
    label(
        tied,
        {pk: Said(FAIL, PASS) if said[pk].people == PASS else Said(PASS, PASS) for pk in tied},
        make_user(),
    )

    strata = certified(run_on_labelled(judge, said), NOON).calibration.strata

    assert strata is not None
    assert {each["probability"] for each in strata.values()} == {60 / 412, 25 / 27}


def test_rows_labelled_beside_a_draw_are_stood_for_by_nobody_else(
    judge: JudgeVersion, lead: User, said: dict[int, Said]
) -> None:
    label(rows_of(draw(judge, lead, 100, "q")), said, lead)
    held = DrawnRow.objects.values("candidate")
    label(Candidate.objects.exclude(pk__in=held).values_list("pk", flat=True)[:30], said, lead)

    before = certified(run_on_labelled(judge, said), NOON)
    draw(judge, lead, 100, "r")
    after = certified(run_on_labelled(judge, said), NOON)

    assert figures(before) == figures(after)
    strata = before.calibration.strata or {}
    assert {each["probability"] for each in strata.values()} == {1.0, 75 / 382, 25 / 27}
    assert stands_for(before) == pytest.approx(len(POPULATION))


def stands_for(certificate: Certificate) -> float:
    rows = certificate.calibration.rows.values_list("probability", flat=True)
    return math.fsum(1 / chance for chance in rows)


def test_a_row_that_is_settled_later_counts_like_its_stratum_in_that_run(
    criteria_set: CriteriaSet, judge: JudgeVersion, lead: User, said: dict[int, Said]
) -> None:
    drawn = draw(judge, lead, 100, "q")
    label(rows_of(drawn)[1:], said, lead)
    run = run_on_labelled(judge, said)
    late = drawn.rows.get(candidate=rows_of(drawn)[0])
    make_verdict(run, late.candidate, said[late.candidate_id].judge)
    before = certified(run, NOON)
    draw(judge, lead, 1000, "r")

    label([late.candidate_id], said, lead)
    recount(
        judge_version_id=judge.pk,
        criteria_version=live(criteria_set),
        candidate_ids=[late.candidate_id],
        now=NOON,
    )

    counted = Calibration.objects.get(run=run, is_current=True)
    chances = counted.rows.filter(stratum=late.stratum).values_list("probability", flat=True)
    assert (counted.rows.count(), len(set(chances))) == (100, 1)
    assert set(counted.strata or {}) == set(before.calibration.strata or {})
