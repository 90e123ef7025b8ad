"""Weighted kappa on scores of several steps, and Kendall's tau-b."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import product
from math import atanh, sqrt, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, sem
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, Undefined, kappa, kappa_se
from labeling.domain.agreement.graded import (
    GradedKappa,
    Requests,
    fisher_interval,
    influences,
    mean_difference,
    squared,
    tau_b,
    weighted_kappa,
)
from tests.domain.tables import tables
from tests.shared import vectors

WEIGHTS: dict[str, Any] = {
    "unweighted": lambda one, other: float(one != other),
    "linear": lambda one, other: abs(one - other),
    "quadratic": lambda one, other: (one - other) ** 2,
}
SCORES = range(1, 6)
rows = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=60)
varied = rows.filter(lambda pairs: len({score for pair in pairs for score in pair}) > 1)


type Pairs = Sequence[tuple[float, float]]


def pairs_of(table: list[list[int]]) -> Pairs:
    return [(i, j) for i, line in enumerate(table) for j, count in enumerate(line) for _ in range(count)]


def graded(pairs: Pairs, requests: Iterable[Hashable] | None = None, weights: Any = squared) -> GradedKappa:
    """Of single rows, each with the request that it answers."""
    counts = Counter(pairs)
    if requests is None:
        return weighted_kappa(counts, weights=weights)
    moves, sums = influences(counts, weights), defaultdict[Hashable, float](float)
    for pair, request in zip(pairs, requests, strict=True):
        sums[request] += moves[pair]
    return weighted_kappa(counts, Requests(sum(each**2 for each in sums.values()), len(sums)), weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_checked_tables(weights: str) -> None:
    checked = vectors("ordinal_kxk")

    for vector in checked:
        found = graded(pairs_of(vector["table"]), weights=WEIGHTS[weights])
        expected = vector["expected"][weights]
        assert (found.value, found.se) == pytest.approx((expected["kappa"], expected["se"]), abs=1e-6), vector
    assert len(checked) == 4


def test_published_tables() -> None:
    for vector in vectors("ordinal_kxk"):
        for weights, (value, se, *_) in vector["published"].items():
            found = graded(pairs_of(vector["table"]), weights=WEIGHTS[weights])
            assert (found.value, found.se) == pytest.approx((value, se), abs=5.1e-4), vector["name"]


def test_several_coefficients_of_one_table() -> None:
    (vector,) = vectors("multi_coeff")

    found = graded(pairs_of(vector["table"]), weights=WEIGHTS["unweighted"])

    assert found.value == pytest.approx(vector["expected"]["cohen"][0], abs=1e-6)
    assert found.se == pytest.approx(vector["expected"]["cohen"][1], rel=1e-6)


def test_kappa_by_hand() -> None:
    # Squares 0, 1, 0, 4: D_o = 5/4. People's scores 1 1 3 3, judge's 1 2 3 1:
    # D_e = (0+1+4+0 + 0+1+4+0 + 4+1+0+4 + 4+1+0+4)/16 = 28/16. κ = 1 − 5/7.
    assert graded([(1, 1), (1, 2), (3, 3), (3, 1)]).value == pytest.approx(2 / 7)


def test_the_interval_by_hand() -> None:
    low, high = fisher_interval(0.6, 0.08) or (0, 0)

    assert (low, high) == pytest.approx((tanh(atanh(0.6) - 0.245), tanh(atanh(0.6) + 0.245)), abs=1e-4)
    assert graded([(1, 1), (1, 2), (3, 3), (3, 1)]).interval == fisher_interval(
        2 / 7, graded([(1, 1), (1, 2), (3, 3), (3, 1)]).se
    )


@given(tables)
def test_on_two_scores_it_is_plain_kappa_with_its_standard_error(table: Table) -> None:
    pairs = pairs_of([[table.a, table.b], [table.c, table.d]])

    found = graded(pairs)

    assert (found.value, found.se) == pytest.approx((kappa(table), kappa_se(table)), abs=1e-7)


@given(varied)
def test_it_is_that_of_scikit_learn_and_knows_no_sides(pairs: Pairs) -> None:
    human, judge = zip(*pairs, strict=True)

    found = graded(pairs)
    turned = graded([(other, one) for one, other in pairs])

    theirs = cohen_kappa_score(human, judge, labels=list(SCORES), weights="quadratic")
    assert found.value == pytest.approx(theirs, abs=1e-9)
    assert (found.value, found.se) == pytest.approx((turned.value, turned.se), abs=1e-9)


@given(varied, st.integers(2, 4))
def test_copies_of_rows_within_a_request_add_no_certainty(pairs: Pairs, copies: int) -> None:
    requests = [number for number in range(len(pairs)) for _ in range(copies)]

    once = graded(pairs)
    copied = graded([pair for pair in pairs for _ in range(copies)], requests)

    assert (copied.value, copied.se) == pytest.approx((once.value, once.se), abs=1e-9)
    assert (copied.n, copied.requests) == (copies * len(pairs), len(pairs))


@given(varied, st.data())
def test_requests_never_make_it_surer(pairs: Pairs, data: st.DataObject) -> None:
    requests = data.draw(st.lists(st.integers(0, 5), min_size=len(pairs), max_size=len(pairs)))

    assert graded(pairs, requests).se >= graded(pairs).se - 1e-12


@given(varied)
def test_the_interval_holds_the_estimate(pairs: Pairs) -> None:
    found = graded(pairs)

    if found.interval:
        assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1
    else:
        assert found.se < 1e-9


@pytest.mark.parametrize(
    "pairs", [[(1, 1), (2, 2), (3, 3)], [(1, 2), (2, 2), (3, 2)], [(1, 2), (2, 1)], [(1, 2)]]
)
def test_where_no_row_deviates_there_is_a_value_without_an_interval(pairs: Pairs) -> None:
    found = graded(pairs)

    assert found.se == pytest.approx(0, abs=1e-9)
    assert found.interval is None


def test_one_request_has_no_interval() -> None:
    pairs = [(1, 1), (1, 2), (3, 3), (3, 1)]

    assert graded(pairs, ["same"] * 4).interval is None
    assert graded(pairs, ["one", "one", "two", "two"]).interval is not None


@pytest.mark.parametrize("pairs", [[], [(3, 3)], [(3, 3), (3, 3)]])
def test_without_rows_or_with_one_score_only_it_is_undefined(pairs: Pairs) -> None:
    with pytest.raises(Undefined):
        graded(pairs)


def test_the_interval_covers_the_true_kappa() -> None:
    human, slip = np.array([0.15, 0.2, 0.3, 0.35]), np.array([0.12, 0.7, 0.18])
    cells = np.zeros((4, 4))
    for score, step in product(range(4), range(3)):
        cells[score, min(3, max(0, score + step - 1))] += human[score] * slip[step]
    distance = (np.arange(4)[:, None] - np.arange(4)) ** 2
    true = float(1 - (distance * cells).sum() / (distance * np.outer(cells.sum(1), cells.sum(0))).sum())
    inside = 0

    for drawn in np.random.default_rng(20_250_201).multinomial(120, cells.ravel(), size=300):
        interval = graded(pairs_of(drawn.reshape(4, 4).tolist())).interval
        inside += interval is not None and interval.low <= true <= interval.high

    # 300 draws at .95 have a standard deviation of .013.
    assert 0.915 <= inside / 300 <= 0.985


def test_rows_of_one_request_that_go_wrong_together_are_covered_as_requests_only() -> None:
    rng = np.random.default_rng(20_250_202)
    covered = {True: 0, False: 0}

    for _ in range(200):
        human = np.repeat(rng.integers(1, 6, size=40), 4)
        wrong = np.repeat(rng.random(40) < 0.3, 4)  # a request the judge does not understand
        judge = np.where(wrong, np.repeat(rng.integers(1, 6, size=40), 4), human)
        pairs = list(zip(human.tolist(), judge.tolist(), strict=True))
        for by_request in covered:
            requests = [number // 4 for number in range(160)] if by_request else None
            interval = graded(pairs, requests).interval
            covered[by_request] += interval is not None and interval.low <= 0.7 <= interval.high

    # Guesses are right by luck as chance is, so that the true kappa is 1 − .3.
    assert covered[True] / 200 >= 0.90
    assert covered[False] / 200 <= 0.80


def tau_b_of(pairs: Pairs) -> float:
    return tau_b(Counter(pairs))


def test_checked_tau() -> None:
    (vector,) = vectors("kendall_tau_b")

    found = tau_b_of(list(zip(vector["x"], vector["y"], strict=True)))

    assert found == pytest.approx(vector["expected"]["tau"], abs=1e-6)


def test_tau_of_checked_tables() -> None:
    for vector in vectors("ordinal_kxk"):
        found = tau_b_of(pairs_of(vector["table"]))
        assert found == pytest.approx(vector["expected"]["kendall_tau_b"], abs=1e-6), vector["name"]


def test_tau_by_hand() -> None:
    # Of six pairs four agree, none disagrees, one is tied by people and one by the judge: 4/√(5·5).
    assert tau_b_of([(1, 1), (2, 2), (2, 3), (3, 3)]) == pytest.approx(4 / 5)


@given(rows)
def test_tau_counts_pairs(pairs: Pairs) -> None:
    try:
        found = tau_b_of(pairs)
    except Undefined:
        assert min(len({one for one, _ in pairs}), len({other for _, other in pairs})) == 1
        return

    steps = [(_sign(a[0] - b[0]), _sign(a[1] - b[1])) for n, a in enumerate(pairs) for b in pairs[:n]]
    agree = sum(one * other for one, other in steps)
    moved = [sum(abs(step[side]) for step in steps) for side in (0, 1)]
    assert found == pytest.approx(agree / sqrt(moved[0] * moved[1]), abs=1e-9)
    assert found == pytest.approx(kendalltau(*zip(*pairs, strict=True)).statistic, abs=1e-9)


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def test_the_mean_difference_by_hand() -> None:
    # Two rows one step too high, one two steps too low, one right: squares 1 + 1 + 4 + 0, over n − 1 = 3.
    found = mean_difference({(1, 2): 2, (5, 3): 1, (4, 4): 1})

    assert (found.value, found.n) == (0, 4)
    assert found.high == -found.low == pytest.approx(1.959964 * sqrt(2 / 4), abs=1e-6)


@given(rows)
def test_the_mean_difference_is_that_of_scipy(pairs: Pairs) -> None:
    apart = [other - one for one, other in pairs]

    found = mean_difference(Counter(pairs))

    assert found.value == pytest.approx(np.mean(apart), abs=1e-9)
    assert found.high - found.value == pytest.approx(1.959964 * sem(apart), abs=1e-6)
    with pytest.raises(Undefined):
        mean_difference({pairs[0]: 1})
