"""`{% decision_costs shown %}` on a judge's page: what a decision by its versions costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import template

from judging.models import Run
from judging.services.costs import counted_spent
from judging.services.standing import Standing
from judging.views.costs import decision_cost
from judging.views.judges import ShownVersion

register = template.Library()


@dataclass(frozen=True, slots=True)
class Line:
    """A version on the criteria it stands on, with what a decision costs, in words."""

    standing: Standing
    run: Run
    cost: str


@register.inclusion_tag("judging/decision_costs.html")
def decision_costs(shown: Sequence[ShownVersion]) -> dict[str, Any]:
    """By the replies of the runs that measured these versions; one query."""
    asked = [each for each in shown if not each.version.has_recorded]
    measured = [(each, standing) for each in asked for standing in each.standings if standing.certificate]
    runs = Run.objects.in_bulk({_run_id(standing) for _, standing in measured})
    return {"lines": [_line(each, standing, runs[_run_id(standing)]) for each, standing in measured]}


def _run_id(standing: Standing) -> int:
    assert standing.certificate is not None
    return standing.certificate.calibration.run_id


def _line(shown: ShownVersion, standing: Standing, run: Run) -> Line:
    return Line(standing, run, decision_cost(counted_spent(run), len(shown.version.jurors())))
