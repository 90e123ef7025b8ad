"""How often each rule certifies a judge that is not good enough, and one that is: seeded simulation.

Many paths are followed with arrays; some of them again through `decide` itself, which must say the same.
"""

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest

from judging.domain.attempts import Attempt, Event
from judging.domain.certification import Evidence, Policy, decide
from judging.domain.looks import DEFAULT_LOOKS, Plan, attempt_alpha, boundaries
from labeling.domain.agreement import Margins, Table
from labeling.domain.agreement.variance import kappa_variance

type Tables = np.ndarray[tuple[int, ...], np.dtype[np.int64]]  # …, (a, b, c, d)
type Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

PATHS, AGAIN = 4_000, 40
NOW = datetime(2026, 3, 29, tzinfo=UTC)
BAR = 0.65
# All guards but the rule itself are out of the way.
POLICY = Policy(rule="bound", min_rows=1, min_per_class=0, min_coverage=Decimal(0))


@pytest.mark.parametrize("pass_rate", [0.5, 0.7, 0.9])
def test_at_the_bar_the_plan_certifies_wrongly_in_the_planned_share(pass_rate: float) -> None:
    shown = _z(_paths(pass_rate, true_kappa=0.65)) >= _limits()

    # .05 is planned; 4 000 paths have a standard deviation of .0034.
    assert shown.any(axis=1).mean() <= 0.06


def test_a_second_version_has_what_the_first_one_left() -> None:
    shown = _z(_paths(0.5, true_kappa=0.65)) >= _limits(attempt=2)

    assert shown.any(axis=1).mean() <= attempt_alpha(2) + 0.005


def test_a_good_judge_is_certified() -> None:
    shown = _z(_paths(0.7, true_kappa=0.85)) >= _limits()

    assert shown.any(axis=1).mean() >= 0.95


@pytest.mark.parametrize(("pass_rate", "true_kappa"), [(0.5, 0.65), (0.9, 0.65), (0.7, 0.8)])
def test_the_certificate_itself_follows_the_same_paths(pass_rate: float, true_kappa: float) -> None:
    paths = _paths(pass_rate, true_kappa)[:AGAIN]
    shown = _z(paths) >= _limits()

    for path, expected in zip(paths, shown, strict=True):
        assert _decided(path) == expected.tolist()


def test_the_founding_rule_lets_luck_pass_as_its_warning_says() -> None:
    # "A judge whose true kappa is .55 passes about one time in four at n = 30", by one plain look at the bar.
    tables = _drawn(0.5, 0.55, [30], 20_000)[:, 0]
    passes = (_kappa(tables) >= BAR - 1e-12).mean()

    assert 0.20 <= passes <= 0.33
    for cells in tables[:AGAIN]:
        table = Table(*map(int, cells))
        found = decide(Policy(min_per_class=0), Evidence(table, NOW), NOW)
        assert found.certified == (_kappa(cells[None])[0] >= BAR - 1e-12)


def _limits(attempt: int = 1) -> Numbers:
    return np.array(boundaries(DEFAULT_LOOKS, DEFAULT_LOOKS[-1], attempt_alpha(attempt)))


def _paths(pass_rate: float, true_kappa: float) -> Tables:
    return _drawn(pass_rate, true_kappa, DEFAULT_LOOKS, PATHS)


def _drawn(pass_rate: float, true_kappa: float, looks: tuple[int, ...] | list[int], paths: int) -> Tables:
    """Tables at these looks of judges who pass as often as people: growing along each path."""
    common = pass_rate**2 + true_kappa * pass_rate * (1 - pass_rate)
    apart = pass_rate - common
    cells = [common, apart, apart, 1 - common - 2 * apart]
    rng = np.random.default_rng(20_250_131)
    further = np.diff(np.array(looks), prepend=0)
    return np.stack([rng.multinomial(n, cells, size=paths) for n in further], axis=1).cumsum(axis=1)


def _kappa(tables: Tables) -> Numbers:
    """By its definition; where it does not exist, a number below every bar."""
    a, b, c, d = np.moveaxis(tables, -1, 0)
    chance = (a + b) * (b + d) + (a + c) * (c + d)
    return np.where(chance > 0, 2 * (a * d - b * c) / np.maximum(chance, 1), -1.0)


def _z(tables: Tables) -> Numbers:
    """The score statistic against the bar, −∞ where it does not exist."""
    a, b, c, d = np.moveaxis(tables, -1, 0)
    n = a + b + c + d
    human, judge = (a + b) / n, (a + c) / n
    apart = human * (1 - judge) + judge * (1 - human)
    human, judge = np.where(apart > 0, human, 0.5), np.where(apart > 0, judge, 0.5)
    variance = kappa_variance(Margins(human, judge), BAR)  # type: ignore[arg-type]
    z = (_kappa(tables) - BAR) / np.sqrt(np.maximum(variance, 1e-12) / n)
    return np.where((apart > 0) & (variance > 1e-12), z, -np.inf)


def _decided(path: Tables) -> list[bool]:
    """Whether each look of one path certifies, through the events that certificates keep."""
    events: list[Event] = []
    certified = []
    for cells in path:
        table = Table(*map(int, cells))
        attempt = Attempt(Plan(POLICY.looks, POLICY.n_max), events)
        found = decide(POLICY, Evidence(table, NOW, attempt=attempt), NOW)
        events.append(Event(table.n, found.finding.look, found.finding.z, found.finding.boundary))
        certified.append("bound_below_bar" not in {reason.code for reason in found.reasons})
    return certified
