"""What a page says that no figure shows: weights, rows left to people, the interval's upper end."""

import pytest

from judging.models import Calibration, Run
from judging.views.demands import demand_lines
from judging.views.limits import limits_of
from labeling.models import Draw, DrawnRow
from tests.factories import make_criteria_set, make_judge
from tests.judging.golden import certified, make_run

pytestmark = pytest.mark.django_db


def counted(a: int, b: int, c: int, d: int) -> Calibration:
    return certified(run_of(a, b, c, d)).calibration


def run_of(a: int, b: int, c: int, d: int) -> Run:
    return make_run(make_judge(), make_criteria_set("replies"), a=a, b=b, c=c, d=d)


def test_rows_of_unequal_weight_say_what_they_count_like() -> None:
    run = run_of(20, 2, 2, 20)
    drawn = Draw.objects.create(version=run.criteria_version, strategy="import", is_equal=False)
    rows = run.verdicts.order_by("pk").values_list("candidate_id", flat=True)[:10]
    DrawnRow.objects.bulk_create(DrawnRow(draw=drawn, candidate_id=pk, probability=0.1) for pk in rows)

    certificate = certified(run)
    found = limits_of(certificate.calibration)

    # (34 + 100)²/(34 + 1000) = 17.4
    assert "All in all these are 44 rows that count like 17 rows drawn evenly" in found[0]
    assert "they count like 17 rows drawn evenly" in list(demand_lines(certificate))[-1].means


@pytest.mark.parametrize(("escalated", "said"), [(4, False), (5, True)])
def test_more_than_one_row_in_ten_left_to_people_is_said(escalated: int, said: bool) -> None:
    calibration = counted(18, 0, 0, 18)
    calibration.escalated = escalated

    words = f"The panel split on {escalated} of {36 + escalated} rows and left those to people."
    assert any(each.startswith(words) for each in limits_of(calibration)) == said


@pytest.mark.parametrize(("strict", "said"), [(2, False), (3, True)])
def test_the_upper_end_is_of_these_pass_rates_where_they_differ(strict: int, said: bool) -> None:
    found = limits_of(counted(18, strict, 2, 18))

    assert (
        any(each.startswith("The interval's upper end holds at these pass rates") for each in found) == said
    )
