"""What a judge's errors come to at its live pass rate."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from judging.domain.consequences import sentences
from judging.domain.live_consequences import (
    Live,
    live_consequences,
    live_rests_on,
    live_sentences,
)
from labeling.domain.agreement import Table, Undefined

TABLE = Table(90, 10, 5, 45)  # Se .9, Sp .9
rights, wrongs = st.integers(60, 200), st.integers(0, 12)
judges = st.builds(Table, rights, wrongs, wrongs, rights)


def test_the_shares_by_hand() -> None:
    # 58 % pass, so θ = (.58 + .9 − 1)/.8 = .6: of 100, 54 + 4 pass and 6 + 36 are refused.
    found = live_consequences(Live(290, 500, 30), TABLE)

    assert found.bad_among_passed is not None
    assert found.good_among_refused is not None
    assert found.bad_among_passed.value == pytest.approx(4 / 58)
    assert found.good_among_refused.value == pytest.approx(6 / 42)
    assert found.bad_among_passed.low < 4 / 58 < found.bad_among_passed.high


def test_at_the_golden_rows_own_rate_it_is_their_own_share() -> None:
    found = live_consequences(Live(95, 150, 30), TABLE)

    assert found.bad_among_passed is not None
    assert found.bad_among_passed.value == pytest.approx(5 / 95)


def test_of_rows_drawn_unequally_the_live_rate_says_nothing() -> None:
    said = live_sentences(TABLE, Live(290, 500, 30), weighted=True)
    words = live_rests_on(TABLE, 0, Live(290, 500, 30), weighted=True)

    assert said == sentences(TABLE)
    assert "The golden rows were not equally likely to be chosen" in words
    assert "it passed 290" not in words


def test_the_interval_is_that_of_independent_draws() -> None:
    # By quantiles of scipy's Beta at evenly spread points in three dimensions, instead of random ones.
    points = stats.qmc.Sobol(3, seed=7).random_base2(15)
    se = stats.beta.ppf(points[:, 0], 90.5, 10.5)
    sp = stats.beta.ppf(points[:, 1], 45.5, 5.5)
    passes = stats.beta.ppf(points[:, 2], 290.5, 210.5)
    bad = np.clip((se - passes) / (se + sp - 1), 0, 1)
    shares = np.clip(bad * (1 - sp) / passes, 0, 1)

    found = live_consequences(Live(290, 500, 30), TABLE).bad_among_passed

    assert found is not None
    assert (found.low, found.high) == pytest.approx(np.quantile(shares, [0.025, 0.975]), abs=0.003)


def test_the_interval_covers_the_truth() -> None:
    rng = np.random.default_rng(20_250_212)
    drawn = rng.binomial([100, 60, 400], [0.9, 0.85, 0.7 * 0.9 + 0.3 * 0.15], size=(300, 3)).tolist()
    truth = 0.3 * 0.15 / (0.7 * 0.9 + 0.3 * 0.15)
    inside = 0

    for right, caught, passed in drawn:
        table = Table(right, 100 - right, 60 - caught, caught)
        found = live_consequences(Live(passed, 400, 30), table, draws=4_000).bad_among_passed
        inside += found is not None and found.low <= truth <= found.high

    assert inside / 300 >= 0.92  # 300 draws at .95 have a standard deviation of .013


@settings(max_examples=25, deadline=None)
@given(judges, st.integers(1, 9))
def test_shares_stay_shares_and_more_passes_mean_fewer_bad_among_them(table: Table, tenth: int) -> None:
    found = []
    for passed in (20 * tenth, 20 * tenth + 10):
        try:
            found.append(live_consequences(Live(passed, 200, 30), table, draws=500))
        except Undefined:
            return

    for each in found:
        for share in (each.bad_among_passed, each.good_among_refused):
            assert share is not None
            assert 0 <= share.low <= share.value <= share.high <= 1
    for fewer, more in pairwise(each.bad_among_passed for each in found):
        assert fewer is not None
        assert more is not None
        assert more.value <= fewer.value + 1e-9


def test_the_same_counts_give_the_same_interval() -> None:
    once = live_consequences(Live(70, 100, 30), TABLE)
    live_consequences.cache_clear()

    assert live_consequences(Live(70, 100, 30), TABLE) == once


def test_words_give_the_interval_and_the_likeliest_share() -> None:
    said = live_sentences(TABLE, Live(290, 500, 30))

    claims = [each.claim for each in said]
    assert re.fullmatch(r"Of 100 outputs it lets through, \d+ to \d+ are bad\.", claims[0])
    assert re.fullmatch(r"Of 100 outputs it refuses, \d+ to \d+ are good\.", claims[2])
    assert [claims[1], claims[3]] == [each.claim for each in sentences(TABLE)[1:]]
    assert said[0].doubt.startswith("Most likely about 7, by its live pass rate")


def test_the_golden_rows_own_share_stands_beside_it_with_why_it_differs() -> None:
    # 60 % of live outputs are good, of the golden rows two thirds: of their passes 5/95 are bad.
    passed, _, refused, _ = live_sentences(TABLE, Live(290, 500, 30))

    assert "By the golden rows alone it would be about 5: live outputs are good less often." in passed.doubt
    assert "By the golden rows alone it would be about 18: live outputs are good less often." in refused.doubt
    assert "%" not in passed.doubt + refused.doubt


def test_where_both_come_to_the_same_that_is_said() -> None:
    passed = live_sentences(TABLE, Live(95, 150, 30))[0]

    assert "By the golden rows alone it would be the same." in passed.doubt


def test_it_is_said_which_pass_rate_is_meant() -> None:
    assert "it passed 290 of 500 outputs (58%)" in live_rests_on(TABLE, 0, Live(290, 500, 30))
    assert "in the last 7 days it gave 9 verdicts." in live_rests_on(TABLE, 0, Live(5, 9, 7))
    assert "This holds if live outputs are like the golden rows" in live_rests_on(TABLE, 0, None)


@pytest.mark.parametrize("live", [None, Live(20, 29, 30), Live(100, 100, 30)])
def test_without_a_usable_rate_the_golden_rows_speak(live: Live | None) -> None:
    assert live_sentences(TABLE, live) == sentences(TABLE)


def test_a_rate_that_its_errors_do_not_allow_is_said_to_be_unused() -> None:
    words = live_rests_on(TABLE, 0, Live(100, 100, 30))

    assert "The live pass rate is not used. The judge passes more, or fewer, than its errors" in words


def test_where_nothing_is_refused_nothing_is_said_of_refusals() -> None:
    passed, _, refused, _ = live_sentences(Table(60, 0, 20, 20), Live(40, 40, 30))

    assert passed.claim.startswith("Of 100 outputs it lets through, 0 to")
    assert refused.claim == "It refused no live output."
