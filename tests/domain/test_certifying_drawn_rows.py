"""How often the rule `bound` certifies a judge at the bar by rows that were drawn unequally: seeded."""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from judging.domain.attempts import Attempt, Event, find
from judging.domain.certification import Evidence, Policy, decide
from judging.domain.looks import DEFAULT_LOOKS, Plan
from judging.domain.measured import Measured
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum, effective_rows

BAR = Decimal("0.65")
PASS_RATE, HARD_ERRORS, EASY_ERRORS = 0.65, 0.35, 0.07
# Of the frame, so that kappa is at the bar: .35·D = e with D = .455 + .09e, and e = .07 + .28·share.
HARD_SHARE = 0.3373
PROBABILITIES = (0.9, 0.2)  # hard rows were likelier to be drawn


def sizes(looks: tuple[int, ...], share: float, probabilities: tuple[float, float]) -> list[tuple[int, int]]:
    """Rows of both strata, at expected proportions, that are the first to count like each look's rows."""
    hard, easy = share * probabilities[0], (1 - share) * probabilities[1]
    found = []
    for look in looks:
        n = look
        while effective_rows(strata(split := _split(n, hard / (hard + easy)), probabilities)) < look:
            n += 1
        found.append(split)
    return found


def _split(n: int, share: float) -> tuple[int, int]:
    return round(n * share), n - round(n * share)


def strata(rows: tuple[int, int], probabilities: tuple[float, float]) -> list[Stratum]:
    return [Stratum(p, Table(n, 0, 0, 0)) for n, p in zip(rows, probabilities, strict=True)]


def paths(
    number: int, looks: tuple[int, ...], probabilities: tuple[float, float]
) -> list[list[tuple[Stratum, ...]]]:
    """Strata at each look of so many judges at the bar: growing along each path."""
    rng = np.random.default_rng(20_250_301)
    planned = sizes(looks, HARD_SHARE, probabilities)
    grown = []
    for side, errors in enumerate((HARD_ERRORS, EASY_ERRORS)):
        good = np.array([1 - errors, errors]) * PASS_RATE
        bad = np.array([errors, 1 - errors]) * (1 - PASS_RATE)
        further = np.diff([rows[side] for rows in planned], prepend=0)
        drawn = [rng.multinomial(n, [*good, *bad], size=number) for n in further]
        grown.append(np.stack(drawn, axis=1).cumsum(axis=1))
    return [
        [
            tuple(
                Stratum(p, Table(*map(int, cells)))
                for p, cells in zip(probabilities, (hard, easy), strict=True)
            )
            for hard, easy in zip(*path, strict=True)
        ]
        for path in zip(*grown, strict=True)
    ]


def certified(path: list[tuple[Stratum, ...]], plan: Plan) -> bool:
    """Whether some look of the plan shows the judge to be above the bar."""
    events: list[Event] = []
    for each in path:
        table = Table(*(sum(getattr(one.table, cell) for one in each) for cell in "abcd"))
        measured = Measured(table, each)
        found = find(Attempt(plan, events), measured, BAR)
        assert found.look is not None or found.problem
        events.append(Event(measured.counts_like(), found.look, found.z, found.boundary))
        if found.shown:
            return True
    return False


@pytest.mark.parametrize("look", [30, 60, 150])
@pytest.mark.parametrize("easy", [0.2, 0.1])
def test_one_look_certifies_a_judge_at_the_bar_in_no_more_than_its_share(look: int, easy: float) -> None:
    # By the error without the two rows more in each stratum it was .10 and .17 at 30 rows, for .05.
    plan = Plan((look,), look + 2)

    shown = [certified(path, plan) for path in paths(800, (look,), (0.9, easy))]

    assert np.mean(shown) <= 0.08


def test_the_whole_plan_does_not_either() -> None:
    plan = Plan(DEFAULT_LOOKS, DEFAULT_LOOKS[-1] + 5)

    shown = [certified(path, plan) for path in paths(500, DEFAULT_LOOKS, PROBABILITIES)]

    assert np.mean(shown) <= 0.08


@pytest.mark.parametrize("rule", ["point", "bound"])
def test_four_rows_that_stand_for_thousands_certify_nobody(rule: str) -> None:
    rows = (Stratum(1.0, Table(6, 8, 8, 6)), Stratum(0.001, Table(2, 0, 0, 2)))
    now = datetime(2026, 3, 29, tzinfo=UTC)

    found = decide(Policy(rule=rule), Evidence(Table(8, 8, 8, 8), now, strata=rows, worst_strata=rows), now)

    assert found.kappa is not None
    assert (found.n, round(float(found.kappa), 3)) == (32, 0.992)
    assert [str(reason) for reason in found.reasons][:2] == [
        "too_few_rows: 4 of 30",
        "too_few_of_one_class: 2 of 5",
    ]
