"""Kappa of people: where it is told at all, its interval, and several people each with themselves."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from labeling.domain.agreement import Table, Undefined, score_interval
from labeling.domain.agreement.alpha import Kind, alpha_of
from labeling.domain.agreement.people import PeopleKappa, kappa_of_people, kappa_within, no_interval

SEED = 20_261_201
cells = st.integers(0, 8)


def drawn(rng: np.random.Generator, rows: int, passes: float, kappa: float) -> Table:
    """Answers and second answers of somebody with this pass rate both times and this kappa."""
    both = passes**2 + kappa * passes * (1 - passes)
    shares = [both, passes - both, passes - both, 1 - 2 * passes + both]
    return Table(*(int(n) for n in rng.multinomial(rows, shares)))


@pytest.mark.parametrize(
    "table", [Table(29, 1, 0, 0), Table(0, 0, 3, 9), Table(7, 0, 0, 0), Table(0, 0, 0, 0)]
)
def test_one_verdict_throughout_is_undefined(table: Table) -> None:
    with pytest.raises(Undefined):
        kappa_of_people(table)
    with pytest.raises(Undefined):
        kappa_within([table, Table(4, 0, 0, 0)])


def test_twenty_rows_have_an_interval_and_nineteen_say_how_many_are_missing() -> None:
    few, enough = kappa_of_people(Table(10, 1, 2, 6)), kappa_of_people(Table(10, 1, 2, 7))

    assert (few.interval, few.no_interval) == (None, "too few rows for an interval: 19 of 20")
    assert enough.interval == score_interval(Table(10, 1, 2, 7))
    assert "too alike" in no_interval(20)


@pytest.mark.parametrize("odd", [1, 2])
def test_alpha_of_a_single_odd_label_says_nothing_and_of_throughout_unlike_ones_it_does(odd: int) -> None:
    alike: dict[Kind, int] = {(("pass", 3),): 28, (("fail", 1), ("pass", 2)): odd}
    unlike: dict[Kind, int] = {(("fail", 2), ("pass", 2)): 6}

    assert alpha_of(alike, seed=1).value <= 0
    assert not alpha_of(alike, seed=1).is_telling
    assert alpha_of(unlike, seed=1).value < 0
    assert alpha_of(unlike, seed=1).is_telling


def test_a_lenient_and_a_strict_person_are_not_consistent_together() -> None:
    lenient, strict = Table(81, 9, 9, 1), Table(1, 9, 9, 81)

    found = kappa_within([lenient, strict])

    # 36 differ; over pairs of different rows chance makes (100·.18 − .18)/99 of 100 of each differ.
    assert found.value == pytest.approx(1 - 36 / (2 * 100 * 17.82 / 99))
    assert found.value == pytest.approx(0, abs=1e-9)
    assert found.n == 200


@given(cells, cells, cells, cells)
@example(0, 1, 1, 0)
def test_one_person_has_cohens_kappa_and_who_never_varies_adds_nothing(
    a: int, b: int, c: int, d: int
) -> None:
    own = _told(lambda: kappa_of_people(Table(a, b, c, d)))

    assert _told(lambda: kappa_within([Table(a, b, c, d), Table(30, 0, 0, 0)])) == own


@pytest.mark.parametrize(
    ("passes", "rows", "kappa"),
    [((0.9, 0.3), 20, 0.7), ((0.9, 0.7, 0.5, 0.3), 5, 0.7), ((0.7,) * 10, 5, 0.85)],
)
def test_several_people_each_with_themselves_are_met_and_covered(
    passes: tuple[float, ...], rows: int, kappa: float
) -> None:
    rng = np.random.default_rng(SEED)

    sets = ([drawn(rng, rows, share, kappa) for share in passes] for _ in range(600))
    found = [each for tables in sets if (each := _told(partial(kappa_within, tables)))]

    intervals = [each.interval for each in found if each.interval]
    assert np.mean([each.value for each in found]) == pytest.approx(kappa, abs=0.025)
    assert np.mean([low <= kappa <= high for low, high in intervals]) >= 0.9
    assert np.mean([low > kappa for low, _ in intervals]) <= 0.025


def _told(kappa: Callable[[], PeopleKappa]) -> PeopleKappa | None:
    try:
        return kappa()
    except Undefined:
        return None
