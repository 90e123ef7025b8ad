"""Labels and a ruling settle a row, or leave it unresolved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.domain.sampling import Split
from labeling.domain.truth import LabelFact, RulingFact, Truth, settle
from labeling.domain.verdicts import HumanVerdict

PASS, FAIL = HumanVerdict.PASS, HumanVerdict.FAIL
ruling_facts = st.builds(RulingFact, verdict=st.sampled_from(HumanVerdict), blind=st.booleans())


def blind_labels(*verdicts: HumanVerdict) -> list[LabelFact]:
    return [LabelFact(f"labeler {i}", verdict, blind=True) for i, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("verdicts", "truth"),
    [
        ([PASS], Truth.PASS),
        ([FAIL], Truth.FAIL),
        ([PASS, FAIL, PASS], Truth.PASS),
        ([FAIL, PASS, FAIL, FAIL], Truth.FAIL),
        ([PASS, FAIL], Truth.UNRESOLVED),
        ([PASS, FAIL, FAIL, PASS], Truth.UNRESOLVED),
        ([], None),
    ],
)
def test_the_strict_majority_settles_and_a_tie_does_not(
    verdicts: list[HumanVerdict], truth: Truth | None
) -> None:
    assert settle(blind_labels(*verdicts), None, "certify") is truth


def test_labels_given_after_seeing_a_judge_count_for_nothing() -> None:
    shown = [LabelFact("d", FAIL, blind=False), LabelFact("e", FAIL, blind=False)]

    assert settle([*blind_labels(PASS), *shown], None, "certify") is Truth.PASS
    assert settle(shown, None, "certify") is None


@pytest.mark.parametrize("split", Split)
def test_a_blind_ruling_overrules_any_majority(split: Split) -> None:
    labels = blind_labels(PASS, PASS, PASS)

    assert settle(labels, RulingFact(FAIL, blind=True), split) is Truth.FAIL
    assert settle([], RulingFact(PASS, blind=True), split) is Truth.PASS


def test_a_ruling_that_was_not_blind_settles_tune_rows_only() -> None:
    shown = RulingFact(FAIL, blind=False)

    assert settle(blind_labels(PASS, FAIL), shown, "tune") is Truth.FAIL
    assert settle(blind_labels(PASS, FAIL), shown, "certify") is Truth.UNRESOLVED
    assert settle(blind_labels(FAIL, FAIL), shown, "certify") is Truth.UNRESOLVED


@pytest.mark.parametrize("split", Split)
def test_a_ruling_can_declare_a_row_unresolved(split: Split) -> None:
    assert settle(blind_labels(PASS), RulingFact(None, blind=True), split) is Truth.UNRESOLVED


def test_two_labels_of_one_labeler_are_an_error() -> None:
    twice = [LabelFact(7, PASS, blind=True), LabelFact(7, FAIL, blind=False)]

    with pytest.raises(ValueError, match="Labeler 7 has two labels"):
        settle(twice, None, "certify")


def test_an_unknown_split_is_an_error() -> None:
    with pytest.raises(ValueError, match="train"):
        settle([], RulingFact(PASS, blind=True), "train")


@given(st.lists(st.sampled_from(HumanVerdict)), st.none() | ruling_facts, st.sampled_from(Split))
def test_order_of_labels_does_not_matter_and_swapping_classes_swaps_the_truth(
    verdicts: list[HumanVerdict], ruling: RulingFact | None, split: Split
) -> None:
    swap: dict[str | None, str | None] = {
        "pass": "fail",
        "fail": "pass",
        "unresolved": "unresolved",
        None: None,
    }
    mirrored = [HumanVerdict(str(swap[v])) for v in verdicts]
    mirrored_ruling = ruling and RulingFact(HumanVerdict(str(swap[ruling.verdict])), ruling.blind)

    truth = settle(blind_labels(*verdicts), ruling, split)

    assert settle(blind_labels(*reversed(verdicts)), ruling, split) is truth
    assert settle(blind_labels(*mirrored), mirrored_ruling, split) == swap[truth]
