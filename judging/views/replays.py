"""The last golden replay of a judge beside the run that its certificate rests on, in plain words."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from judging.domain.replay_findings import SUMMARIES, ReplayFinding
from judging.models import Certificate, Run, Schedule
from judging.services.replay_alarms import findings_since_certified, said_by_replays
from judging.services.standing import Standing

_SHOWN = 2  # the last, and the one before, without which there is no saying what it means


@dataclass(frozen=True, slots=True)
class Replayed:
    """The last replay since the judge was certified, None where there was none, and the way to one.

    `means`: what the replays say together.
    """

    last: ReplayFinding | None
    means: str
    schedule: Schedule | None
    add: str  # the address of the form for a nightly one


def replayed(standing: Standing, certificate: Certificate) -> Replayed:
    """What the detail page says of replays."""
    found = findings_since_certified(certificate, _SHOWN)
    return Replayed(
        last=found[0] if found else None,
        means=SUMMARIES[said_by_replays(certificate, found, standing.now)],
        schedule=next_replay(standing),
        add=schedule_address(standing, "replay"),
    )


def paused_replay(standing: Standing) -> Run | None:
    """The newest replay, where it is paused: it says nothing until somebody lets it go on."""
    replays = Run.objects.filter(
        judge_version=standing.judge_version, criteria_version=standing.criteria_version, kind=Run.Kind.REPLAY
    )
    newest = replays.order_by("-pk").first()
    return newest if newest is not None and newest.state == Run.State.PAUSED else None


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
