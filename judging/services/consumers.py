"""Who reads certifications on which criteria sets, and who has proved that it stops when the answer is no."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from judging.models import ApiToken, Drill, GateReader
from labeling.models import CriteriaSet

type Result = Literal["stopped", "went_on", "unreported", "never"]

_MOST_SILENT = 50


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The newest drill of one kind of answer, if there was one."""

    answer: str  # for people
    drill: Drill | None

    @property
    def result(self) -> Result:
        if self.drill is None:
            return "never"
        if self.drill.stopped is None:
            return "unreported"
        return "stopped" if self.drill.stopped else "went_on"


@dataclass(frozen=True, slots=True)
class Consumer:
    """A token that asks for one judge on one criteria set, with a rehearsal for every kind of answer."""

    reader: GateReader
    rehearsals: list[Rehearsal]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many gates are asked by how many tokens, and how many of the tokens have still to prove something.

    A token is one pipeline, however many judges it asks about: the same code stops for any of them.
    """

    gates: int  # judges on criteria sets
    tokens: int
    undrilled: int  # asked for no rehearsal at all
    unreported: int  # asked, and never told what became of it
    went_on: int  # told last of some answer that they did not stop


def readers_on(sets: QuerySet[CriteriaSet], now: datetime) -> QuerySet[GateReader]:
    """Those whose token may still read, the last to ask first."""
    readers = GateReader.objects.filter(criteria_set__in=sets, token__in=ApiToken.objects.in_force(now))
    covered = readers.filter(
        Q(token__every_criteria_set=True)
        | Exists(ApiToken.objects.filter(pk=OuterRef("token"), criteria_sets=OuterRef("criteria_set")))
    )
    return covered.select_related("token", "judge", "criteria_set").order_by("-last_at", "-pk")


def with_drills(readers: Iterable[GateReader]) -> list[Consumer]:
    """The readers with their newest drills: two queries for any number of them."""
    those = list(readers)
    newest = _newest(those)
    return [
        Consumer(
            reader,
            [
                Rehearsal(str(label), newest.get((*_key(reader), answer)))
                for answer, label in Drill.Answer.choices
            ],
        )
        for reader in those
    ]


def tally(readers: QuerySet[GateReader]) -> Tally:
    """How these readers stand with their drills."""
    drills = Drill.objects.filter(
        token=OuterRef("token"), judge=OuterRef("judge"), criteria_set=OuterRef("criteria_set")
    )
    later = Drill.objects.filter(
        **{name: OuterRef(name) for name in ("token", "judge", "criteria_set", "answer")},
        pk__gt=OuterRef("pk"),
        stopped__isnull=False,
    )
    went_on = drills.filter(~Exists(later), stopped=False)
    tokens, drilled = _tokens(readers), _tokens(readers.filter(Exists(drills)))
    return Tally(
        gates=readers.order_by().values("judge", "criteria_set").distinct().count(),
        tokens=tokens,
        undrilled=tokens - drilled,
        unreported=drilled - _tokens(readers.filter(Exists(drills.filter(stopped__isnull=False)))),
        went_on=_tokens(readers.filter(Exists(went_on))),
    )


def _tokens(readers: QuerySet[GateReader]) -> int:
    return readers.order_by().values("token").distinct().count()


def silent_tokens(sets: QuerySet[CriteriaSet], now: datetime) -> Sequence[ApiToken]:
    """Tokens that may read a certification on these sets and never did, by their names."""
    read = GateReader.objects.filter(token=OuterRef("pk"), criteria_set__in=sets)
    covering = Q(every_criteria_set=True) | Exists(
        ApiToken.objects.filter(pk=OuterRef("pk"), criteria_sets__in=sets)
    )
    tokens = ApiToken.objects.in_force(now).filter(covering, ~Exists(read)).order_by("name", "pk")
    return [token for token in tokens if token.allows(ApiToken.Scope.GATE)][:_MOST_SILENT]


def _key(row: GateReader | Drill) -> tuple[int, int, int]:
    return row.token_id, row.judge_id, row.criteria_set_id


def _newest(readers: Sequence[GateReader]) -> Mapping[tuple[int, int, int, str], Drill]:
    """The newest drill by token, judge, criteria set and kind of answer."""
    of_these = Drill.objects.filter(
        token__in={each.token_id for each in readers},
        judge__in={each.judge_id for each in readers},
        criteria_set__in={each.criteria_set_id for each in readers},
    )
    last = of_these.order_by().values("token", "judge", "criteria_set", "answer").annotate(last=Max("pk"))
    found = Drill.objects.filter(pk__in=[each["last"] for each in last])
    return {(*_key(drill), drill.answer): drill for drill in found}
