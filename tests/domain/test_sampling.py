"""Rows are split by request, for life."""

import pytest

from labeling.domain.content import request_hash
from labeling.domain.sampling import Split, split_for


def test_a_request_keeps_its_split_for_ever() -> None:
    # Written down when the rule was made: a change here would move rows of existing golden sets.
    tuned = [i for i in range(10) if split_for(request_hash(f"request {i}")) is Split.TUNE]

    assert tuned == [3, 4]


def test_about_the_asked_share_of_requests_goes_to_tune() -> None:
    hashes = [request_hash(f"question {i}") for i in range(5_000)]

    share = sum(split_for(h) is Split.TUNE for h in hashes) / len(hashes)

    # Binomial(5000, .3): standard deviation .0065, so four of them.
    assert share == pytest.approx(0.30, abs=0.026)


def test_no_row_or_every_row_can_be_sent_to_tune() -> None:
    hashes = [request_hash(str(i)) for i in range(50)]

    assert {split_for(h, tune_share=0) for h in hashes} == {Split.CERTIFY}
    assert {split_for(h, tune_share=1) for h in hashes} == {Split.TUNE}


def test_growing_the_share_never_moves_a_row_out_of_tune() -> None:
    hashes = [request_hash(str(i)) for i in range(200)]

    small = {h for h in hashes if split_for(h, 0.2) is Split.TUNE}
    large = {h for h in hashes if split_for(h, 0.5) is Split.TUNE}

    assert small < large


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_an_error(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        split_for("abc", share)
