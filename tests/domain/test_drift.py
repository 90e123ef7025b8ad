"""The running sum that notices a judge which no longer agrees with people."""

import subprocess
import sys
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.domain.drift import CLEAN_ROWS, Cusum, agreements_of, alarm_limit, cusum_for, run_length, watch
from judging.domain.measured import Measured
from labeling.domain.agreement import Table, Undefined
from labeling.domain.agreement.drawn import Stratum
from tests.shared import vectors

SIMULATED = Cusum(0.93, 0.85)
# What a thread that answers pages has of stack: a library that takes more ends the process.
IN_A_SMALL_THREAD = """
import threading
from judging.domain.drift import alarm_limit
threading.stack_size(1024 * 1024)
thread = threading.Thread(target=lambda: print(round(alarm_limit(0.93, 0.85), 2)))
thread.start()
thread.join()
"""
bits = st.lists(st.booleans(), max_size=300)
shares = st.floats(0.82, 0.99)


def test_checked_alarm() -> None:
    (vector,) = vectors("cusum")
    inputs = vector["inputs"]
    assert inputs["bits"] == "30x1 then (1,0,1,1,0) repeated 8x"

    seen = watch(
        Cusum(inputs["p0"], inputs["p1"], inputs["h"]),
        [True] * 30 + [True, False, True, True, False] * 8,
    )

    assert seen.alarm_at == vector["expected"]["alarm_at"]
    assert seen.n == 70


def test_the_sum_by_hand() -> None:
    # ln(.85/.93) = −.08995 a row on which they agree, ln(.15/.07) = .76214 on which they do not.
    seen = watch(SIMULATED, [True, False, True, False])

    assert seen.total == pytest.approx(2 * 0.76214 - 0.08995, abs=1e-5)
    assert seen.alarm_at is None
    assert watch(SIMULATED, [False] * 7).alarm_at == 7  # 6 · .76214 = 4.57, 7 · .76214 = 5.33
    assert watch(SIMULATED, []).total == watch(SIMULATED, [True] * 9).total == 0


@given(bits)
def test_the_sum_is_the_highest_rise_from_any_earlier_row(agreements: list[bool]) -> None:
    steps = np.array([SIMULATED.step(agreed) for agreed in agreements])

    rises = [float(steps[start:].sum()) for start in range(len(steps) + 1)]

    assert watch(SIMULATED, agreements).total == pytest.approx(max(rises), abs=1e-9)


@given(bits, st.integers(0, 299))
def test_one_more_disagreement_never_lowers_it(agreements: list[bool], place: int) -> None:
    worse = [agreed and number != place for number, agreed in enumerate(agreements)]

    assert watch(SIMULATED, worse).total >= watch(SIMULATED, agreements).total - 1e-9


@pytest.mark.parametrize(
    ("table", "p0", "p1"),
    [
        # Agreement .93, chance disagrees on .262: kappa .65 agrees on 1 − .35·.262 = .9083, too near.
        (Table(81, 4, 3, 12), 0.93, 0.88),
        # Chance disagrees on .5: kappa .65 agrees on .825, which is more than .08 off.
        (Table(46, 4, 3, 47), 0.93, 0.85),
        # Perfect on 30 rows is taken as 31 of 32.
        (Table(15, 0, 0, 15), 31 / 32, 31 / 32 - 0.08),
    ],
)
def test_what_is_certified_and_what_would_be_worse(table: Table, p0: float, p1: float) -> None:
    assert agreements_of(Measured(table), 0.65) == pytest.approx((p0, p1), abs=1e-3)


def test_rows_that_were_likelier_to_be_drawn_count_less() -> None:
    # 40 easy rows stand for 400, all agreed on; 60 hard ones for themselves, 30 agreed on.
    easy, hard = Table(20, 0, 0, 20), Table(15, 15, 15, 15)
    drawn = Measured(Table(35, 15, 15, 35), (Stratum(0.1, easy), Stratum(1.0, hard)))

    p0, p1 = agreements_of(drawn, 0.65)

    assert p0 == pytest.approx(430 / 460)  # plainly counted it would be .70
    assert p1 == pytest.approx(430 / 460 - 0.08)  # chance disagrees on .5


def test_without_rows_nothing_is_watched() -> None:
    with pytest.raises(Undefined):
        cusum_for(Measured(Table(0, 0, 0, 0)), 0.65)
    with pytest.raises(ValueError, match="lies below the certified one"):
        cusum_for(Measured(Table(0, 49, 50, 1)), 0.65)


@pytest.mark.parametrize(
    "values", [(0.9, 0.9, 5), (0.85, 0.93, 5), (1.0, 0.9, 5), (0.9, 0.0, 5), (0.9, 0.8, 0)]
)
def test_a_watch_that_cannot_be_kept_is_refused(values: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        Cusum(*values)


def test_run_lengths_by_hand() -> None:
    # An alarm at the first disagreement: geometric.
    assert run_length(Cusum(0.9, 0.8, 0.5), 0.9) == pytest.approx(10)
    # Steps of ±ln 2 and an alarm at 2 ln 2: E₀ = 1 + ⅔E₀ + ⅓E₁ and E₁ = 1 + ⅔E₀, so E₀ = 12.
    assert run_length(Cusum(2 / 3, 1 / 3, 2 * log(2) - 1e-9), 2 / 3) == pytest.approx(12, rel=1e-6)


def test_run_lengths_are_those_of_simulation() -> None:
    alarms = _alarms(SIMULATED, agreement=0.85, rows=2_000)

    # Of 4 000 streams the mean has an error of about 1 %.
    assert run_length(SIMULATED, 0.85) == pytest.approx(alarms.mean(), rel=0.04)


def test_a_fall_is_seen_soon_and_a_clean_judge_seldom_suspected() -> None:
    fallen = _alarms(SIMULATED, agreement=0.85, rows=500)
    clean = _alarms(SIMULATED, agreement=0.93, rows=250)

    assert np.median(fallen) <= 100
    assert np.mean(fallen <= 250) >= 0.90
    assert np.mean(clean <= 250) <= 0.05


def test_a_fall_after_good_rows_is_seen_sooner_for_where_the_sum_stands_then() -> None:
    seen = _alarms(SIMULATED, agreement=0.85, rows=1_000, clean_before=200)

    assert np.median(seen) == pytest.approx(88, abs=4)  # from a sum of 0 it is 97


def test_a_clean_judges_alarms_come_as_seldom_as_the_chain_says() -> None:
    clean = _alarms(SIMULATED, agreement=0.93, rows=2_000)

    # Alarms of a clean judge come without memory; of 4 000 streams the share has an error of .007.
    assert np.mean(clean <= 2_000) == pytest.approx(1 - exp(-2_000 / run_length(SIMULATED, 0.93)), abs=0.025)


def test_a_small_fall_has_its_own_limit_and_is_seen_sooner() -> None:
    limit = alarm_limit(0.93, 0.88)
    assert 4.1 <= limit <= 4.5

    as_simulated = _alarms(Cusum(0.93, 0.88, 5.0), agreement=0.88, rows=1_500)
    own = _alarms(Cusum(0.93, 0.88, limit), agreement=0.88, rows=1_500)

    assert np.median(own) <= 0.9 * np.median(as_simulated)


@settings(max_examples=5, deadline=None)
@given(shares, st.sampled_from([0.05, 0.06, 0.08]))
def test_every_judge_has_the_same_peace_while_it_is_as_it_was(p0: float, fall: float) -> None:
    limit = alarm_limit(p0, p0 - fall)

    assert 3 <= limit <= 6
    assert run_length(Cusum(p0, p0 - fall, limit), p0) == pytest.approx(CLEAN_ROWS, rel=0.02)


def test_the_agreed_limit_is_that_of_the_simulated_case() -> None:
    assert alarm_limit(0.93, 0.85) == pytest.approx(5, abs=0.03)


def _alarms(
    cusum: Cusum, agreement: float, rows: int, clean_before: int = 0
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The row of the first alarm in each of 4 000 streams; `rows` + 1 where none came.

    `clean_before`: rows of a judge that is as it was, before the first that counts; streams with an alarm
    among those are left out.
    """
    rng = np.random.default_rng(20_250_205)
    total, quiet = np.zeros(4_000), np.ones(4_000, bool)
    for _ in range(clean_before):
        total = _after(cusum, total, rng.random(4_000) < cusum.p0)
        quiet &= total < cusum.h
    total = total[quiet]
    found = np.full(len(total), rows + 1)
    for row in range(1, rows + 1):
        total = _after(cusum, total, rng.random(len(total)) < agreement)
        found[(total >= cusum.h) & (found > rows)] = row
    return found


def _after(
    cusum: Cusum,
    total: np.ndarray[tuple[int], np.dtype[np.float64]],
    agreed: np.ndarray[tuple[int], np.dtype[np.bool]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.maximum(0, total + np.where(agreed, cusum.step(True), cusum.step(False)))


def test_the_limit_is_found_in_a_thread_that_answers_pages() -> None:
    found = subprocess.run(
        [sys.executable, "-c", IN_A_SMALL_THREAD], capture_output=True, text=True, check=False
    )

    assert (found.returncode, found.stdout) == (0, "5.0\n"), found.stderr
