"""How far labeling is under one criteria version, in numbers of rows; nothing of what anybody said."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from labeling.models import CriteriaVersion, Draw, DrawnRow, Label, Ruling, Slot
from labeling.services.settled import settled_by_split

_MOST_DRAWS = 20


@dataclass(frozen=True, slots=True)
class DrawState:
    """A draw of a lead with the number of its rows, and of those that have a label or a ruling."""

    draw: Draw
    drawn: int
    labelled: int


@dataclass(frozen=True, slots=True)
class QueueState:
    """Rows. `waiting` for a first label, `second`: for another one, `held` by somebody now, `with_leads`,
    `done`: with all labels they want, `settled`: people's verdict is known, None where nobody asked for it.
    `draws`: those of leads, the newest twenty.
    """

    waiting: int
    second: int
    held: int
    with_leads: int
    done: int
    settled: int | None
    draws: list[DrawState]


def queue_state(*, version: CriteriaVersion, now: datetime, with_settled: bool) -> QueueState:
    """Where the rows stand at `now`: counted by SQL, for programs that ask every few seconds."""
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
        settled=settled_by_split(version).total() if with_settled else None,
        draws=_draws(version),
    )


def _rows(slots: "QuerySet[Slot]") -> int:
    return slots.order_by().values("candidate").distinct().count()


def _draws(version: CriteriaVersion) -> list[DrawState]:
    """Counted over all draws at once: asking each row of each draw takes PostgreSQL several times as long."""
    draws = list(Draw.objects.by_leads().filter(version=version).order_by("-pk")[:_MOST_DRAWS])
    labels = Label.objects.current().filter(version=version).order_by().values("candidate")
    rulings = Ruling.objects.current().filter(version=version).order_by().values("candidate")
    rows = DrawnRow.objects.filter(draw__in=draws)
    drawn = _by_draw(rows)
    labelled = _by_draw(rows.filter(Q(candidate__in=labels) | Q(candidate__in=rulings)))
    return [DrawState(draw, drawn.get(draw.pk, 0), labelled.get(draw.pk, 0)) for draw in draws]


def _by_draw(rows: "QuerySet[DrawnRow]") -> dict[int, int]:
    return dict(rows.order_by().values_list("draw").annotate(number=Count("pk")))
