"""A provider that is down is probed, waited for within patience, and asked again once it answers."""

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.outage import SEVERAL, Breaker


def down(at: float = 100.0) -> Breaker:
    """A breaker whose provider just failed several times."""
    breaker = Breaker()
    for _ in range(SEVERAL):
        breaker.failed(at, 0.0)
    return breaker


def test_a_few_failures_between_answers_hold_nobody_back() -> None:
    breaker = Breaker()
    for second in range(20):
        for _ in range(SEVERAL - 1):
            breaker.failed(second, 0.5)
        breaker.answered(second)

    assert breaker.has_room(20.0, 31)


def test_one_at_a_time_probes_a_provider_that_is_down_and_its_first_answer_opens_the_way() -> None:
    breaker = down(100.0)
    assert not breaker.has_room(100.1, 0)
    assert breaker.has_room(101.0, 0)
    assert not breaker.has_room(101.0, 1)

    breaker.answered(101.5)

    assert not breaker.is_down
    assert breaker.has_room(101.5, 1)
    assert not breaker.has_room(101.5, 2)


def test_the_pauses_grow_to_fifteen_seconds_and_not_by_calls_sent_before() -> None:
    breaker, now, pauses = down(0.0), 0.0, []
    for _ in range(8):
        breaker.failed(now, 0.0)  # one that was in flight with the others
        pauses.append(breaker.pause)
        now = breaker.opens_at()
        breaker.failed(now, 0.999)

    assert pauses[:5] == [1.0, 2.0, 4.0, 8.0, 15.0]
    assert set(pauses[5:]) == {15.0}


def test_who_waits_longer_than_the_patience_waits_in_vain_but_one_still_probes() -> None:
    breaker = down(0.0)
    for second in range(1, 200):
        if breaker.has_room(second, 0):
            breaker.failed(second, 0.0)

    assert breaker.is_hopeless(200.0, 180.0, 1)
    assert not breaker.is_hopeless(breaker.opens_at(), 180.0, 0)
    assert not down(0.0).is_hopeless(100.0, 180.0, 1)


@given(told=st.floats(0.1, 60), patience=st.floats(0, 300))
def test_nobody_asks_before_the_provider_said_and_all_wait_that_long(told: float, patience: float) -> None:
    breaker = Breaker()
    breaker.limited(0.0, told, 0.5)
    breaker.answered(told / 2)  # of a call sent before

    assert not breaker.has_room(told * 0.99, 0)
    assert not breaker.is_hopeless(told * 0.99, patience, 0)
    assert breaker.has_room(told, 0)


def test_a_provider_that_asks_for_an_hour_is_not_waited_for() -> None:
    breaker = Breaker()
    breaker.limited(0.0, 3600.0, 0.5)

    assert breaker.is_hopeless(1.0, 180.0, 0)


def test_an_outage_of_long_ago_says_nothing_of_today() -> None:
    breaker = down(0.0)
    breaker.forget_if_old(1_000.0, 180.0)

    assert breaker.has_room(1_000.0, 0)
    assert not breaker.is_down
