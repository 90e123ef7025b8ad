"""Where a judge version stands in its plan of looks: what a run may show, what must not rise."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from judging.domain.looks import Look, Plan, PlanUsedUp, next_look, take_look
from judging.domain.measured import Measured, defined
from labeling.domain.agreement import Undefined


@dataclass(frozen=True, slots=True)
class Event:
    """What an earlier certificate of the same versions said. `n`: scored rows, as many as they count like.
    `look`: the number of the look that it took.
    """

    n: int
    look: int | None
    z: float | None
    boundary: float | None

    @property
    def reached(self) -> bool:
        """Whether kappa's statistic reached what it had to."""
        return self.z is not None and self.boundary is not None and self.z >= self.boundary


@dataclass(frozen=True, slots=True)
class Attempt:
    """One version of a judge on the rows of one criteria version. `events`: earlier ones, the oldest first.

    `may_look`: a calibration run has just ended. Recounts, retries and reinstatements bring no new draw.
    """

    plan: Plan = field(default_factory=Plan)
    events: Sequence[Event] = ()
    may_look: bool = True

    @property
    def taken(self) -> tuple[int, ...]:
        """Scored rows at the looks that were taken, growing."""
        return tuple(sorted({event.n for event in self.events if event.look is not None}))

    @property
    def since(self) -> Sequence[Event]:
        """The last look and what was counted after it; empty before the first."""
        looks = [number for number, event in enumerate(self.events) if event.look is not None]
        return self.events[looks[-1] :] if looks else ()

    @property
    def holds(self) -> bool:
        """Whether the last look showed kappa above the bar, and no count since fell back."""
        return bool(self.since) and all(event.reached for event in self.since)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rule `bound` finds in these rows. `shown`: the judge may be certified by it.

    `look`: the number of the look that was taken, None between looks. `boundary`: what `z` must reach, of
    the last look where none was taken now; None before the first. `low`: the bound that holds at all looks.
    `next_look`: scored rows. `problem`: why nothing can be shown, in a sentence, or "".
    """

    shown: bool = False
    look: int | None = None
    z: float | None = None
    boundary: float | None = None
    low: float | None = None
    next_look: int | None = None
    problem: str = ""


def find(attempt: Attempt, measured: Measured, bar: Decimal) -> Finding:
    """Take the look that is due, or hold these rows against the boundary of the last one."""
    try:
        look = take_look(attempt.plan, attempt.taken, measured, bar) if attempt.may_look else None
    except (PlanUsedUp, Undefined) as problem:
        return _between(attempt, measured, bar, str(problem))
    if look is None:
        return _between(attempt, measured, bar, "")
    return _at(look, next_look(attempt.plan, (*attempt.taken, look.n), look.n))


def _at(look: Look, following: int | None) -> Finding:
    return Finding(look.shown, look.number, look.z, look.boundary, look.low, following)


def _between(attempt: Attempt, measured: Measured, bar: Decimal, problem: str) -> Finding:
    following = next_look(attempt.plan, attempt.taken, measured.counts_like())
    z = defined(lambda: measured.z(bar))
    boundary = attempt.since[0].boundary if attempt.since else None
    if z is None or boundary is None:
        return Finding(z=z, boundary=boundary, next_look=following, problem=problem)
    low = defined(lambda: measured.lower_at(boundary))
    shown = attempt.holds and z >= boundary
    return Finding(shown, None, z, boundary, low, following, "" if shown else problem)
