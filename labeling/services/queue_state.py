"""How far labeling is under one criteria version, in numbers of rows; nothing of what anybody said."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from labeling.models import CriteriaVersion, Draw, Label, Slot
from labeling.services.settled import settled_by_split


@dataclass(frozen=True, slots=True)
class QueueState:
    """Rows. `waiting` for a first label, `second`: for another one, `held` by somebody now, `with_leads`,
    `done`: with all labels they want, `settled`: people's verdict is known. `draws`: those of leads.
    """

    waiting: int
    second: int
    held: int
    with_leads: int
    done: int
    settled: int
    draws: "QuerySet[Draw]"


def queue_state(version: CriteriaVersion, now: datetime) -> QueueState:
    """Where the rows stand at `now`: counted by SQL."""
    slots = Slot.objects.filter(version=version)
    own = {"candidate": OuterRef("candidate"), "version": version}
    heard = Exists(Label.objects.current().filter(**own))
    wanted = Exists(Slot.objects.filter(**own).exclude(state=Slot.State.DONE))
    open_ones = slots.filter(state=Slot.State.OPEN)
    return QueueState(
        waiting=_rows(open_ones.exclude(heard)),
        second=_rows(open_ones.filter(heard)),
        held=_rows(open_ones.filter(lease_until__gt=now)),
        with_leads=_rows(slots.filter(state=Slot.State.LEAD)),
        done=_rows(slots.filter(state=Slot.State.DONE).exclude(wanted)),
        settled=settled_by_split(version).total(),
        draws=Draw.objects.by_leads().filter(version=version).with_progress().order_by("-pk"),
    )


def _rows(slots: "QuerySet[Slot]") -> int:
    return slots.order_by().values("candidate").distinct().count()
