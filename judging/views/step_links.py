"""Where the next step about a judge leads."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse

from judging.domain.next_steps import Action
from judging.models import Run
from judging.services.standing import Standing


@dataclass(frozen=True, slots=True)
class Link:
    """Where a button leads."""

    url: str
    text: str


def tune_link(action: Action, standing: Standing) -> Link | None:
    """Where the judge's errors may be looked at before, at no cost to later certificates."""
    if standing.certificate is None or action not in (Action.SEE_LENIENT, Action.SEE_STRICT):
        return None
    url = reverse("tune_rows", args=_names(standing)) + versions_query(standing)
    return Link(url, "First its errors on tune rows (free)")


def versions_query(standing: Standing) -> str:
    """The part of an address that keeps the reader at these versions."""
    return f"?judge_version={standing.judge_version.number}&version={standing.criteria_version.number}"


def calibrate_url(standing: Standing) -> str:
    """The form that starts a calibration of just these versions."""
    chosen = f"?judge_version={standing.judge_version.pk}&criteria_version={standing.criteria_version.pk}"
    return reverse("run_new") + chosen


def link_of(action: Action, standing: Standing, at_work: Run | None) -> Link:
    """Where a step leads for just these versions. `at_work`: the run to watch."""
    if action == Action.WATCH_RUN and at_work is not None:
        return Link(reverse("run", args=[at_work.pk]), "Watch the run")
    if action == Action.CALIBRATE:
        again = standing.certificate is not None
        return Link(calibrate_url(standing), "Calibrate again" if again else "Calibrate")
    return _LINKS[action](standing)


def _label(standing: Standing) -> Link:
    criteria_set = standing.criteria_version.criteria_set
    if (
        criteria_set.live_version_id != standing.criteria_version.pk
    ):  # the queue asks for live versions' labels
        return Link(reverse("criteria", args=[criteria_set.slug]), "Ask for labels of this version")
    return Link(reverse("label", args=[criteria_set.slug]), "Label rows")


def _rows(cell: str, text: str) -> Callable[[Standing], Link]:
    def link(standing: Standing) -> Link:
        return Link(reverse("cell_rows", args=[*_names(standing), cell]) + versions_query(standing), text)

    return link


def _of_set(name: str, text: str) -> Callable[[Standing], Link]:
    return lambda standing: Link(reverse(name, args=[standing.criteria_version.criteria_set.slug]), text)


def _names(standing: Standing) -> tuple[str, str]:
    return standing.judge_version.judge.slug, standing.criteria_version.criteria_set.slug


def _use(standing: Standing) -> Link:
    url = reverse("certification", args=_names(standing)) + versions_query(standing)
    return Link(url + "#ask", "How a pipeline asks")


def _drift(standing: Standing) -> Link:
    return Link(reverse("drift", args=_names(standing)) + versions_query(standing), "See how it drifted")


def _order(standing: Standing) -> Link:
    url = reverse("ordering", args=_names(standing)) + versions_query(standing)
    return Link(url, "How it orders reference sets")


def _promote(standing: Standing) -> Link:
    url = reverse("certification", args=_names(standing)) + versions_query(standing)
    return Link(url + "#promote", "Promote it")


_LINKS: dict[Action, Callable[[Standing], Link]] = {
    Action.LABEL: _label,
    Action.SETTLE: _of_set("rulings", "Settle them"),
    Action.SEE_LENIENT: _rows("c", "Go to these rows (opening is logged)"),
    Action.SEE_STRICT: _rows("b", "Go to these rows (opening is logged)"),
    Action.SEE_SKIPS: _rows("skipped", "Go to these rows (opening is logged)"),
    Action.SEE_DRIFT: _drift,
    Action.ORDER: _order,
    Action.OPEN_CRITERIA: _of_set("criteria", "Open the criteria"),
    Action.OPEN_POLICY: _of_set("set_policy", "Open the policy"),
    Action.PROMOTE: _promote,
    Action.USE: _use,
}
