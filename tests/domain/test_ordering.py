"""Whether a judge puts good candidates before deficient ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from judging.domain.ordering import (
    Fault,
    Placed,
    Violation,
    compare_orders,
    in_order,
    ordering,
    upper_bound,
    violations,
)
from labeling.domain.agreement import Undefined, mcnemar_exact
from tests.shared import vectors

scores = st.lists(st.integers(1, 5), min_size=1, max_size=8)


def placed(good: list[int], deficient: list[int], passes_from: int = 4) -> list[Placed]:
    """Candidates g0, g1 … and d0, d1 …, which pass from a score on."""
    both = [("g", True, good), ("d", False, deficient)]
    return [
        Placed(f"{kind}{number}", is_good, score, score >= passes_from)
        for kind, is_good, given_scores in both
        for number, score in enumerate(given_scores)
    ]


def skipped(name: str, good: bool = True) -> Placed:
    return Placed(name, good)


def test_checked_auc() -> None:
    (vector,) = vectors("ordering_auc")
    expected = vector["expected"]
    one_set = placed(vector["good"], vector["deficient"], passes_from=1)

    found = ordering({"one": one_set})

    faults = [violation.fault for violation in found.violated["one"]]
    assert found.auc == pytest.approx(expected["auc"], abs=1e-9)
    assert found.pairs == expected["pairs"]
    assert faults.count(Fault.HIGHER) == expected["strict_inversions"]
    assert faults.count(Fault.TIED) == expected["ties"]


def test_checked_bounds() -> None:
    (vector,) = vectors("ordering_upper")

    for case, high in vector["expected"].items():
        violated, _, sets = case.rpartition("_of_")
        assert upper_bound(int(violated or 0), int(sets)) == pytest.approx(high, abs=1e-6), case


def test_the_bound_by_hand() -> None:
    # No violation in 29 sets: (1 − p)²⁹ = .05.
    assert upper_bound(0, 29) == pytest.approx(1 - 0.05 ** (1 / 29))
    assert upper_bound(0, 29) <= 0.10 < upper_bound(0, 28)
    assert upper_bound(3, 3) == 1


@given(st.integers(1, 80), st.data())
def test_the_bound_is_that_of_scipy(sets: int, data: st.DataObject) -> None:
    violated = data.draw(st.integers(0, sets))

    theirs = binomtest(violated, sets, alternative="less").proportion_ci(0.95, method="exact")

    assert upper_bound(violated, sets) == pytest.approx(theirs.high, abs=1e-9)


def test_three_ways_to_violate() -> None:
    # A good one that misses a required criterion fails with a high score; a deficient one passes below it.
    found = violations(
        [
            Placed("good", True, 0.7, True),
            Placed("strict", True, 0.9, False),
            Placed("tied", False, 0.7, True),
            Placed("above", False, 0.95, False),
            Placed("below", False, 0.5, True),
        ]
    )

    assert set(found) == {
        Violation("good", "tied", Fault.TIED),
        Violation("good", "above", Fault.HIGHER),
        Violation("strict", "tied", Fault.PASSED),
        Violation("strict", "above", Fault.HIGHER),
        Violation("strict", "below", Fault.PASSED),
    }


def test_sets_are_counted_by_what_they_show() -> None:
    found = ordering(
        {
            "fine": placed([5, 4], [2, 1]),
            "broken": placed([3], [4]),
            "open": [*placed([5], [2]), skipped("late")],
            "broken and open": [*placed([2], [2]), skipped("late", good=False)],
        }
    )

    assert list(found.violated) == ["broken", "broken and open"]
    assert (found.n, found.left_out, found.share) == (3, ("open",), 2 / 3)
    assert found.high == upper_bound(2, 3)
    assert (found.auc, found.pairs) == ((4 + 0 + 1 + 0.5) / 7, 7)


@given(scores, scores)
def test_auc_is_that_of_scikit_learn(good: list[int], deficient: list[int]) -> None:
    found = ordering({"one": placed(good, deficient)})

    marks = [1] * len(good) + [0] * len(deficient)
    assert found.auc == pytest.approx(roc_auc_score(marks, good + deficient))
    assert (in_order(placed(good, deficient)) is True) == (found.auc == 1)


@given(scores, scores)
def test_only_the_order_matters(good: list[int], deficient: list[int]) -> None:
    stretched = placed([7 * score**3 for score in good], [7 * score**3 for score in deficient], 7 * 4**3)

    assert violations(stretched) == violations(placed(good, deficient))


def test_what_broke_between_two_versions_is_named() -> None:
    fine, broken = placed([5], [1]), placed([1], [5])
    before = {"a": fine, "b": broken, "c": fine, "d": fine, "gone": fine}
    after = {"a": broken, "b": fine, "c": fine, "d": [*fine, skipped("late")], "new": fine}

    orders = [{name: in_order(members) for name, members in sets.items()} for sets in (before, after)]

    found = compare_orders(*orders)

    assert (found.regressed, found.fixed, found.stable) == (("a",), ("b",), ("c",))
    assert found.inconclusive == ("d",)
    assert found.counts.chance == mcnemar_exact(1, 1)


@pytest.mark.parametrize("members", [[], placed([5], []), placed([], [1])])
def test_a_set_needs_both_kinds(members: list[Placed]) -> None:
    with pytest.raises(ValueError, match="one good and one clearly deficient"):
        ordering({"one": members})


def test_without_a_set_to_tell_the_order_is_undefined() -> None:
    with pytest.raises(Undefined, match="no order is known"):
        ordering({"one": [skipped("g"), skipped("d", good=False)]})
    with pytest.raises(Undefined):
        ordering({})


def test_half_a_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="has neither"):
        Placed("one", True, score=0.5)
