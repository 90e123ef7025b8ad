"""Whether jurors err apart, and what a panel is without each of them."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from judging.domain.panel_errors import (
    Judged,
    effective_votes,
    leave_one_out,
    shared_errors,
)
from labeling.domain.agreement import Table, Undefined

SEED = 20_250_208
P, F, S, N = "pass", "fail", "skipped", "not_asked"
judged_rows = st.dictionaries(
    st.tuples(st.sampled_from([P, F]), st.tuples(*[st.sampled_from([P, F, S])] * 3)),
    st.integers(1, 20),
    min_size=1,
)


def test_jurors_that_always_err_together_are_one() -> None:
    judged: Judged = {(P, (P, P, P)): 30, (P, (F, F, F)): 5, (F, (F, F, F)): 15}

    found = shared_errors(judged, SEED)

    assert set(found.pairs.values()) == {1.0}
    assert (found.value, found.votes, found.n) == (1, 1, 50)
    assert found.interval is None


def test_the_correlation_by_hand() -> None:
    # Two jurors, 100 rows: both wrong on 5, one alone on 5 each: φ = (85·5 − 5·5)/(90·10) = 4/9.
    judged: Judged = {(P, (P, P)): 85, (P, (P, F)): 5, (F, (P, F)): 5, (F, (P, P)): 5}

    found = shared_errors(judged, SEED)

    assert found.pairs[0, 1] == pytest.approx(4 / 9)
    assert found.votes == pytest.approx(2 / (1 + 4 / 9))
    assert found.interval is not None
    assert found.interval.low < 4 / 9 < found.interval.high
    assert found.votes_interval is not None
    assert found.votes_interval.low < found.votes < found.votes_interval.high <= 2


def test_effective_votes_by_hand() -> None:
    assert effective_votes(3, 0.5) == 1.5
    assert effective_votes(5, 0) == effective_votes(5, -0.1) == 5
    assert effective_votes(1, 0.7) == 1


@given(judged_rows)
def test_the_correlation_is_that_of_scipy(judged: Judged) -> None:
    wrong = _wrong(judged)
    try:
        found = shared_errors(judged, SEED)
    except Undefined:
        return

    for (one, other), value in found.pairs.items():
        two = wrong[:, [one, other]]
        both = two[~np.isnan(two.sum(axis=1))]
        if value is not None:
            assert value == pytest.approx(pearsonr(*both.T).statistic, abs=1e-9)
        else:
            assert len(both) == 0 or min(np.ptp(both, axis=0)) == 0
    assert 1 <= found.votes <= 3


def test_a_juror_that_never_errs_is_named_without_a_correlation() -> None:
    judged: Judged = {(P, (P, P, P)): 40, (P, (P, F, P)): 3, (F, (F, F, P)): 4, (F, (F, P, P)): 2}

    found = shared_errors(judged, SEED)

    assert found.pairs[0, 1] is None
    assert found.pairs[0, 2] is None
    assert found.value == found.pairs[1, 2]


@pytest.mark.parametrize("judged", [{}, {(P, (P,)): 9}, {(P, (P, F)): 9}, {(P, (S, F)): 4, (P, (P, S)): 4}])
def test_without_errors_to_compare_it_is_undefined(judged: Judged) -> None:
    with pytest.raises(Undefined):
        shared_errors(judged, SEED)


def test_the_seed_settles_the_interval() -> None:
    judged: Judged = {(P, (P, P)): 85, (P, (P, F)): 5, (F, (P, F)): 5, (F, (P, P)): 5}

    assert shared_errors(judged, 1) == shared_errors(judged, 1)
    assert shared_errors(judged, 1) != shared_errors(judged, 2)


def test_without_one_of_three_the_other_two_must_agree() -> None:
    judged: Judged = {(P, (P, P, F)): 10, (F, (F, P, F)): 4, (F, (S, F, F)): 3, (P, (P, P, N)): 2}

    first, second, third = leave_one_out(judged)

    assert (first.table, first.undecided, first.unknown) == (Table(0, 0, 0, 3), 14, 2)
    assert (second.table, second.undecided, second.unknown) == (Table(0, 0, 0, 4), 13, 2)
    assert (third.table, third.undecided, third.unknown) == (Table(12, 0, 0, 0), 7, 0)


def test_of_four_jurors_a_split_goes_to_people_where_it_is_to() -> None:
    judged: Judged = {(P, (P, P, F, P)): 10}

    by_majority = leave_one_out(judged)
    by_people = leave_one_out(judged, "human")

    assert [without.table.a for without in by_majority] == [10, 10, 10, 10]
    assert [without.undecided for without in by_people] == [10, 10, 0, 10]


@given(judged_rows)
def test_no_row_is_lost(judged: Judged) -> None:
    for without in leave_one_out(judged):
        assert without.table.n + without.undecided + without.unknown == sum(judged.values())


def test_a_panel_of_one_has_no_smaller_panel_and_rows_have_as_many_jurors() -> None:
    assert leave_one_out({(P, (P,)): 3}) == leave_one_out({}) == []
    with pytest.raises(ValueError, match="one outcome for each"):
        leave_one_out({(P, (P,)): 3, (P, (P, F)): 3})


def test_the_interval_covers_the_true_correlation() -> None:
    # A shared slip with .08 spoils all three, beside each one's own with .1: errors have
    # rate 1 − .92·.9 = .172, two of them together .08 + .92·.01, so that r = (.0892 − .172²)/(.172·.828).
    true = (0.0892 - 0.172**2) / (0.172 * 0.828)
    chances = {
        errors: 0.92 * np.prod([0.1 if wrong else 0.9 for wrong in errors]) + 0.08 * all(errors)
        for errors in product([False, True], repeat=3)
    }
    patterns = [(P, tuple(F if wrong else P for wrong in errors)) for errors in chances]
    inside = 0

    for drawn in np.random.default_rng(SEED).multinomial(200, list(chances.values()), size=200).tolist():
        judged = {row: times for row, times in zip(patterns, drawn, strict=True) if times}
        interval = shared_errors(judged, SEED).interval
        inside += interval is not None and interval.low <= true <= interval.high

    # 200 draws at .95 have a standard deviation of .015; percentiles err on the short side.
    assert 0.88 <= inside / 200 <= 0.99


def _wrong(judged: Judged) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """One line a row: whether each juror was wrong, nan where it gave no verdict."""
    counted = Counter(judged)
    lines = [
        [np.nan if said == S else float(said != truth) for said in each] for truth, each in counted.elements()
    ]
    return np.array(lines)
