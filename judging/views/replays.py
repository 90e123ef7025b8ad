"""The last golden replay of a judge beside the run that its certificate rests on, in plain words."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from judging.domain.comparison import Changes
from judging.domain.figures import shown_kappa
from judging.models import Calibration, Certificate, Schedule
from judging.services.replays import changes, last_replay
from judging.services.standing import Standing
from judging.views.figures import defined

_BY_CHANCE = 0.05  # rarer than this is not put down to chance


@dataclass(frozen=True, slots=True)
class Replayed:
    """The last replay, and how a lead comes to one. `replay` is None where there was none."""

    replay: Calibration | None
    kappa: str
    changes: Changes
    means: str
    schedule: Schedule | None
    add: str  # the address of the form for a nightly one


def replayed(standing: Standing, certificate: Certificate) -> Replayed:
    """What the detail page says of replays."""
    replay = last_replay(certificate.calibration)
    moved = changes(certificate.calibration, replay) if replay else Changes()
    return Replayed(
        replay=replay,
        kappa=_kappa(replay, certificate) if replay else "",
        changes=moved,
        means=means(moved) if replay else "",
        schedule=next_replay(standing),
        add=schedule_address(standing, "replay"),
    )


def _kappa(replay: Calibration, certificate: Certificate) -> str:
    return shown_kappa(defined(replay.measured.kappa), certificate.bar)


def means(moved: Changes) -> str:
    """Whether the judge has changed for the worse or the better, or nothing shows that it has."""
    if not moved.fixed + moved.regressed:
        return "No row came out otherwise, so nothing shows that the judge has changed."
    p = moved.chance
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    if p >= _BY_CHANCE:
        said = "So even a split may well be chance: nothing shows that the judge got better or worse"
    elif moved.regressed > moved.fixed:
        said = "So uneven a split is hardly chance: the judge got worse"
    else:
        said = "So uneven a split is hardly chance: the judge got better"
    return f"{said} (McNemar's exact test: {chance})."


def next_replay(standing: Standing) -> Schedule | None:
    """The schedule that replays the golden set next; None where nothing is planned."""
    nightly = Schedule.objects.filter(
        kind=Schedule.Kind.REPLAY,
        judge=standing.judge_version.judge_id,
        criteria_set=standing.criteria_version.criteria_set_id,
        is_on=True,
    )
    return nightly.order_by("next_at").first()


def schedule_address(standing: Standing, kind: str) -> str:
    """The address of the form for a nightly schedule of this kind."""
    begin: dict[str, str | int] = {
        "kind": kind,
        "every": "day",
        "at": "03:00",
        "judge": standing.judge_version.judge_id,
        "criteria_set": standing.criteria_version.criteria_set_id,
    }
    return f"{reverse('schedule_add')}?{urlencode(begin)}"
