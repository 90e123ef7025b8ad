"""How numbers are written: values to the nearest, limits outwards, and never across a bar."""

from fractions import Fraction

import pytest

from judging.domain.figures import percent, percent_interval


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (Fraction(44, 45), "97.8%"),
        (0.9, "90%"),
        (0.0005, "0.1%"),
        (0.0001, "0.1%"),
        (0.9999, "99.9%"),
        (0, "0%"),
        (1, "100%"),
    ],
)
def test_a_share_is_rounded_half_up_and_something_is_never_nothing(share: float, written: str) -> None:
    assert percent(share) == written


def test_what_misses_a_demand_does_not_read_as_if_it_met_it() -> None:
    assert percent(0.9497, needed=0.95) == "94.9%"
    assert percent(0.9497) == "95%"


def test_limits_are_rounded_outwards() -> None:
    assert percent_interval(0.8069, 0.97781) == "80.6% to 97.8%"
    assert percent_interval(0.7, 0.9) == "70% to 90%"
