"""Two labelers over the same rows."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labeling.domain.agreement import Table, Undefined, kappa
from labeling.domain.human import pair_kappa
from tests.domain.tables import as_lists, tables

words = st.sampled_from(["a", "b", "tie"])


def test_the_kappa_of_two_pathologists() -> None:
    # Agresti, Categorical Data Analysis: carcinoma of the cervix (Holmquist 1967), kappa .493.
    counts = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
    pairs = [(i, j) for i, row in enumerate(counts) for j, times in enumerate(row) for _ in range(times)]

    assert pair_kappa(pairs) == pytest.approx(0.493, abs=5e-4)


def test_three_words_by_hand() -> None:
    # Agreement 3/4; by chance 2/4·1/4 for a, 1/4·2/4 for b, 1/4·1/4 for tie: 5/16. (12 − 5)/(16 − 5).
    pairs = [("a", "a"), ("a", "b"), ("b", "b"), ("tie", "tie")]

    assert pair_kappa(pairs) == pytest.approx(7 / 11)


@pytest.mark.parametrize("pairs", [[], [("pass", "pass")] * 5])
def test_no_rows_or_one_word_are_undefined(pairs: list[tuple[str, str]]) -> None:
    with pytest.raises(Undefined, match="kappa is undefined"):
        pair_kappa(pairs)


@given(tables)
def test_two_words_give_the_kappa_of_the_table(table: Table) -> None:
    assert pair_kappa(zip(*as_lists(table), strict=True)) == pytest.approx(kappa(table))


@given(st.lists(st.tuples(words, words), min_size=1))
def test_three_words_give_the_kappa_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    assume(len({word for pair in pairs for word in pair}) > 1)

    assert pair_kappa(pairs) == pytest.approx(cohen_kappa_score(*zip(*pairs, strict=True)))
