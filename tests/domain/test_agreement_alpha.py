"""Nominal Krippendorff's alpha of several people, with gaps."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from labeling.domain.agreement import Undefined
from labeling.domain.agreement.alpha import Kind, alpha_of, nominal_alpha, squared
from tests.shared import vectors

SEED = 20_250_204
rows = st.lists(st.lists(st.sampled_from("abc"), max_size=4), min_size=2, max_size=30)
full_rows = st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=2, max_size=30)


def by_row(coders: Sequence[Sequence[Hashable | None]]) -> list[list[Hashable]]:
    return [[label for label in row if label is not None] for row in zip(*coders, strict=True)]


def test_published_and_checked_alphas() -> None:
    checked = vectors("krippendorff")

    for vector in checked:
        found = nominal_alpha(by_row(vector["data"]), SEED)
        assert found.value == pytest.approx(vector["expected"]["nominal"], abs=1e-6), vector["name"]
        assert found.value == pytest.approx(vector["published"]["nominal"], abs=5.1e-4), vector["name"]
    assert len(checked) == 2


def test_checked_alphas_of_two() -> None:
    checked = [
        v for v in vectors("binary_2x2") if v["expected"].get("krippendorff_alpha_nominal") is not None
    ]

    for vector in checked:
        found = nominal_alpha(_labels(vector["table"]), SEED)
        assert found.value == pytest.approx(vector["expected"]["krippendorff_alpha_nominal"], abs=1e-6)
    assert len(checked) >= 18


def test_several_coefficients_of_one_table() -> None:
    (vector,) = vectors("multi_coeff")
    value, error = vector["expected"]["krippendorff"]

    found = nominal_alpha(_labels(vector["table"]), SEED)

    assert found.value == pytest.approx(value, abs=1e-6)
    # irrCAC's error is linearised; the bootstrap shows about as much doubt.
    assert found.interval is not None
    assert found.interval == pytest.approx((value - 1.96 * error, value + 1.96 * error), abs=0.03)


def test_alpha_by_hand() -> None:
    # Four labels a a, a b: unlike coincidences 2 of 4; n_a = 3, n_b = 1: α = 1 − 3·2/(16 − 10) = 0.
    found = nominal_alpha([["a", "a"], ["a", "b"], ["b"], []], SEED)

    assert (found.value, found.n, found.labels) == (0, 2, 4)


@given(full_rows)
def test_without_gaps_it_is_fleiss_kappa_but_for_the_size_of_the_sample(labels: list[list[int]]) -> None:
    if len({label for row in labels for label in row}) < 2:
        return
    table, _ = aggregate_raters(np.array(labels))
    n = 3 * len(labels)

    # With n labels in all, 1 − α = (1 − 1/n)·(1 − κ).
    assert nominal_alpha(labels, SEED).value == pytest.approx(1 - (1 - 1 / n) * (1 - fleiss_kappa(table)))


@given(rows)
def test_it_counts_pairs_of_labels(labels: list[list[str]]) -> None:
    usable = [row for row in labels if len(row) > 1]
    together = [label for row in usable for label in row]
    if len(set(together)) < 2:
        with pytest.raises(Undefined):
            nominal_alpha(labels, SEED)
        return

    found = nominal_alpha(labels, SEED)

    unlike = sum(
        2 / (len(row) - 1) * sum(one != other for one, other in combinations(row, 2)) for row in usable
    )
    by_chance = np.mean([one != other for one, other in combinations(together, 2)])
    assert found.value == pytest.approx(1 - unlike / len(together) / by_chance)
    assert found.value <= 1


@given(rows)
def test_neither_names_nor_order_matter(labels: list[list[str]]) -> None:
    renamed = [["zyx"["abc".index(label)] for label in reversed(row)] for row in reversed(labels)]
    try:
        found = nominal_alpha(labels, SEED)
    except Undefined:
        return

    assert nominal_alpha(renamed, SEED).value == pytest.approx(found.value)


def test_the_seed_settles_the_interval() -> None:
    labels = [["a", "a"], ["a", "b"], ["b", "b"], ["a", "a"], ["b", "b"], ["b", "a"]] * 4

    assert nominal_alpha(labels, 1) == nominal_alpha(labels, 1)
    assert nominal_alpha(labels, 1).interval != nominal_alpha(labels, 2).interval


def test_where_resampling_shows_no_doubt_there_is_no_interval() -> None:
    assert nominal_alpha([["a", "a"], ["b", "b"]] * 10, SEED).interval is None
    # A single deviating label among 40: a third of the resamples know one label only.
    assert nominal_alpha([["a", "a"]] * 19 + [["a", "b"]], SEED).interval is None


@pytest.mark.parametrize("labels", [[], [["a"], ["b"]], [["a", "a"], ["a", "a", "a"]]])
def test_without_pairs_or_with_one_label_only_it_is_undefined(labels: list[list[str]]) -> None:
    with pytest.raises(Undefined):
        nominal_alpha(labels, SEED)


def test_the_interval_covers_the_true_alpha() -> None:
    # Three people who see a row as it is with .9, else guess between two: α = .9² for balanced rows.
    rng = np.random.default_rng(SEED)
    inside = 0

    for number in range(200):
        truth = rng.integers(0, 2, size=(100, 1))
        labels = np.where(rng.random((100, 3)) < 0.9, truth, rng.integers(0, 2, size=(100, 3)))
        interval = nominal_alpha(labels.tolist(), number).interval
        inside += interval is not None and bool(interval.low <= 0.81 <= interval.high)

    # 200 draws at .95 have a standard deviation of .015; percentiles of 100 rows err on the short side.
    assert 0.90 <= inside / 200 <= 0.99


def _labels(table: list[list[int]]) -> list[list[int]]:
    cells = [(i, j, count) for i, line in enumerate(table) for j, count in enumerate(line)]
    return [[i, j] for i, j, count in cells for _ in range(count)]


def test_the_interval_is_the_same_in_whichever_order_rows_were_counted() -> None:
    kinds: dict[Kind, int] = {
        (("pass", 2), ("fail", 0)): 9,
        (("pass", 0), ("fail", 2)): 6,
        (("pass", 1), ("fail", 1)): 4,
    }

    assert alpha_of(kinds, seed=3) == alpha_of(dict(reversed(kinds.items())), seed=3)


def kinds_of(rows: Sequence[Sequence[Hashable]]) -> Counter[Kind]:
    return Counter(tuple(Counter(row).items()) for row in rows)


def test_published_and_checked_alphas_of_scores() -> None:
    for vector in vectors("krippendorff"):
        found = alpha_of(kinds_of(by_row(vector["data"])), SEED, difference=squared)
        assert found.value == pytest.approx(vector["expected"]["interval"], abs=1e-6), vector["name"]
        assert found.value == pytest.approx(vector["published"]["interval"], abs=5.1e-4), vector["name"]


def test_alpha_of_scores_by_hand() -> None:
    # Rows 1 1, 1 3, 5 5: squares within (m − 1 = 1) 0 + 2·4 + 0. Labels 1 1 1 3 5 5:
    # 2·(3·4 + 6·16 + 2·4) = 232. α = 1 − 5·8/232.
    found = alpha_of(kinds_of([[1, 1], [1, 3], [5, 5]]), SEED, difference=squared)

    assert found.value == pytest.approx(1 - 40 / 232)


score_rows = st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=4), min_size=2, max_size=25)


@given(score_rows, st.integers(-3, 3), st.integers(2, 4))
def test_neither_where_a_scale_begins_nor_its_unit_matters(
    rows: list[list[int]], shift: int, unit: int
) -> None:
    try:
        found = alpha_of(kinds_of(rows), SEED, difference=squared)
    except Undefined:
        return

    moved = [[shift + unit * score for score in row] for row in rows]
    assert alpha_of(kinds_of(moved), SEED, difference=squared).value == pytest.approx(found.value)


def test_of_two_scores_both_alphas_are_one() -> None:
    rows = kinds_of([[0, 0], [0, 1], [1, 1, 0], [1, 1]] * 3)

    found, of_words = alpha_of(rows, SEED, difference=squared), alpha_of(rows, SEED)

    assert (found.value, found.interval) == (of_words.value, of_words.interval)


def test_the_interval_of_alpha_of_scores_covers_it() -> None:
    # A score is the row's value of 1, 3 or 5 (variance 8/3) and everybody's own slip of up to one step (2/3):
    # α = (8/3)/(8/3 + 2/3).
    rng, inside = np.random.default_rng(SEED), 0

    for number in range(200):
        values = rng.choice([1, 3, 5], size=(80, 1))
        scores = values + rng.integers(-1, 2, size=(80, 3))
        interval = alpha_of(kinds_of(scores.tolist()), number, difference=squared).interval
        inside += interval is not None and bool(interval.low <= 0.8 <= interval.high)

    assert 0.90 <= inside / 200 <= 0.99
