"""How many rows of each kind are drawn, and that what comes of them is true of all rows: seeded."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import DrawnKappa, Stratum, drawn_kappa, drawn_margins
from labeling.domain.sampling import first_drawn
from labeling.domain.strata import FEWEST, Part, Side, interleaved, shares

COUNTS = st.integers(0, 5000)
PARTS = st.lists(st.builds(Part, st.sampled_from(Side), COUNTS, COUNTS), max_size=8)


def taken_of(parts: Sequence[Part], most: int) -> dict[Side, int]:
    taken = shares(parts, most)
    return {side: sum(n for n, part in zip(taken, parts, strict=True) if part.side == side) for side in Side}


@given(PARTS, st.integers(1, 20_000))
def test_exactly_as_many_are_taken_as_are_wanted_and_there(parts: list[Part], most: int) -> None:
    taken = shares(parts, most)

    assert sum(taken) == min(most, sum(part.left for part in parts))
    assert all(0 <= rows <= part.left for rows, part in zip(taken, parts, strict=True))


@given(COUNTS, COUNTS, COUNTS, st.integers(FEWEST, 6000))
def test_each_side_has_a_fifth_where_there_are_as_many(
    passed: int, failed: int, none: int, most: int
) -> None:
    taken = taken_of([Part(Side.PASS, passed), Part(Side.FAIL, failed), Part(Side.NONE, none)], most)

    judged = taken[Side.PASS] + taken[Side.FAIL]
    assert taken[Side.PASS] >= min(passed, judged // 5)
    assert taken[Side.FAIL] >= min(failed, judged // 5)


@pytest.mark.parametrize(
    ("passed", "failed", "none", "expected"),
    [
        (900, 100, 0, (75, 25, 0)),  # no more than three quarters
        (600, 400, 0, (60, 40, 0)),  # as the judge passes
        (100, 900, 0, (50, 50, 0)),  # no less than half
        (990, 10, 0, (90, 10, 0)),  # what there is
        (800, 100, 100, (68, 22, 10)),  # without a verdict: in proportion
        (5000, 0, 5, (98, 0, 2)),  # and two at least
    ],
)
def test_the_share_goes_by_the_pass_rate(
    passed: int, failed: int, none: int, expected: tuple[int, int, int]
) -> None:
    parts = [Part(Side.PASS, passed), Part(Side.FAIL, failed), Part(Side.NONE, none)]

    assert tuple(shares(parts, 100)) == expected


@given(PARTS, st.integers(40, 500))
def test_no_part_that_was_never_drawn_from_is_left_out(parts: list[Part], most: int) -> None:
    taken = shares(parts, most)

    missing = [part for part, rows in zip(parts, taken, strict=True) if part.left and not part.drawn + rows]
    scarce = [side for side in Side if not taken_of(parts, most)[side]]
    assert not [part for part in missing if part.side not in scarce]


def test_going_on_with_a_draw_makes_one_sample_of_the_whole() -> None:
    assert Part(Side.FAIL, left=60, drawn=40).probability(20) == 0.6
    assert Part(Side.FAIL, left=0, drawn=40).probability(0) == 1.0


@given(st.lists(st.integers(0, 60), min_size=1, max_size=4), st.text(max_size=4))
def test_who_stops_early_has_as_much_of_each_stratum(sizes: list[int], seed: str) -> None:
    strata = [[1000 * number + row for row in range(size)] for number, size in enumerate(sizes)]

    order = interleaved(seed, strata)

    half = [pk // 1000 for pk in order[: len(order) // 2]]
    assert sorted(order) == sorted(pk for rows in strata for pk in rows)
    for number, size in enumerate(sizes):
        assert abs(half.count(number) - size / 2) <= 1 + len(sizes) / 2


def frame(rng: np.random.Generator, rows: int) -> list[tuple[int, bool, bool]]:
    """Rows with what a judge says of them and what people would: nine of ten pass, the judge errs on both."""
    human = rng.random(rows) < 0.9
    judge = np.where(human, rng.random(rows) < 0.96, rng.random(rows) < 0.25)
    return [(number, bool(j), bool(h)) for number, (j, h) in enumerate(zip(judge, human, strict=True))]


def table(rows: Sequence[tuple[int, bool, bool]]) -> Table:
    cells = [sum((h, j) == cell for _, j, h in rows) for cell in ((1, 1), (1, 0), (0, 1), (0, 0))]
    return Table(*cells)


def drawn(rows: list[tuple[int, bool, bool]], seed: str, *sizes: int) -> list[Stratum]:
    """A draw of the first size, gone on with by the others."""
    sides = {side: [row for row in rows if row[1] == (side == Side.PASS)] for side in (Side.PASS, Side.FAIL)}
    chosen: dict[Side, set[int]] = {side: set() for side in sides}
    for step, most in enumerate(sizes):
        parts = [Part(side, len(sides[side]) - len(chosen[side]), len(chosen[side])) for side in sides]
        for side, more in zip(sides, shares(parts, most), strict=True):
            left = [(row[0], str(row[0])) for row in sides[side] if row[0] not in chosen[side]]
            chosen[side].update(first_drawn(f"{seed}:{step}", left, more))
    return [
        Stratum(
            len(chosen[side]) / len(sides[side]),
            table([row for row in sides[side] if row[0] in chosen[side]]),
        )
        for side in sides
    ]


@pytest.mark.parametrize("sizes", [(200,), (60, 140)])
def test_kappa_and_pass_rate_are_those_of_all_rows_and_intervals_hold_them(sizes: tuple[int, ...]) -> None:
    rows = frame(np.random.default_rng(2026), 2000)
    whole = drawn_kappa([Stratum(1.0, table(rows))])

    found = [drawn(rows, f"draw {number}", *sizes) for number in range(200)]

    kappas = [drawn_kappa(strata) for strata in found]
    rates = [drawn_margins(strata).human for strata in found]
    plain = [plainly(strata) for strata in found]
    intervals = [kappa.interval() for kappa in kappas]
    held = [each is not None and each.low <= whole.value <= each.high for each in intervals]
    assert np.mean([kappa.value for kappa in kappas]) == pytest.approx(whole.value, abs=0.02)
    assert np.mean(rates) == pytest.approx(whole.margins.human, abs=0.004)
    assert np.mean(held) >= 0.93
    # Counted plainly the same rows say something else.
    assert np.mean([each.value for each in plain]) > whole.value + 0.02
    assert np.mean([each.margins.human for each in plain]) < whole.margins.human - 0.08


def plainly(strata: Sequence[Stratum]) -> DrawnKappa:
    """The same rows, each counted once."""
    cells = [sum(getattr(each.table, cell) for each in strata) for cell in "abcd"]
    return drawn_kappa([Stratum(1.0, Table(*cells))])
