"""A provider that is down is probed, waited for within patience, and asked again once it answers."""

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.outage import HURRIED, SEVERAL, Breaker, Endurance, Patience


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

    assert breaker.is_hopeless(199.0, Patience(180), 0)
    assert not breaker.is_hopeless(breaker.opens_at(), Patience(180), 0)
    assert not down(0.0).is_hopeless(0.1, Patience(180), 0)


def test_while_a_probe_is_in_flight_all_wait_for_what_comes_of_it() -> None:
    breaker = down(0.0)
    assert breaker.is_hopeless(0.3, Patience(0), 0)

    assert not breaker.is_hopeless(300.0, Patience(0), 1)


@given(begun=st.floats(0.1, 59), patience=st.floats(0, 300))
def test_work_that_begins_after_an_outage_waits_for_a_probe_and_has_its_own_patience(
    begun: float, patience: float
) -> None:
    breaker, old, new = down(0.0), Patience(0), Patience(patience, since=begun)
    assert not breaker.is_hopeless(begun, new, 0)
    assert breaker.gives_up_at(new) is None

    breaker.failed(begun + 1, 0.0)

    assert breaker.gives_up_at(new) == begun + patience
    assert breaker.is_hopeless(begun + 1, old, 0)


def test_a_provider_that_stays_down_is_waited_for_no_longer_by_those_who_come_later() -> None:
    """Of the same work: its rows are skipped one after the other once its patience is spent."""
    breaker, patience = down(100.0), Patience(10, since=50.0)
    now = breaker.opens_at()
    while now < 110.0:
        breaker.failed(now, 0.0)
        now = breaker.opens_at()
    breaker.failed(now, 0.0)

    assert breaker.is_hopeless(now, patience, 0)


@given(told=st.floats(0.1, 86_400), patience=st.floats(0, 300))
def test_nobody_asks_before_the_provider_said_and_all_wait_that_long(told: float, patience: float) -> None:
    breaker = Breaker()
    breaker.limited(0.0, told, 0.5)
    breaker.answered(told / 2)  # of a call sent before

    assert not breaker.has_room(told * 0.99, 0)
    assert not breaker.is_hopeless(told * 0.99, Patience(patience), 0)
    assert breaker.has_room(told, 0)


def told_for_ever(seconds: float, patience: Patience) -> float:
    """When a question gives up on a provider that asks to be left alone for so long at every call."""
    breaker, now = Breaker(), 0.0
    while True:
        breaker.limited(now, seconds, 0.5)
        if breaker.is_hopeless(now, patience, 0):
            return now
        at = breaker.gives_up_at(patience)
        now = breaker.opens_at() if at is None else min(at, breaker.opens_at())
        if breaker.is_hopeless(now, patience, 0):
            return now


def test_it_is_waited_for_as_long_as_it_asked_for_the_first_time_and_the_patience_after_that() -> None:
    assert told_for_ever(30, Patience(180)) == 30 + 180
    assert told_for_ever(3600, Patience(180)) == 3600 + 180


def test_who_looks_on_waits_for_a_minute_at_most() -> None:
    assert told_for_ever(3600, HURRIED) == 0
    assert told_for_ever(30, HURRIED) == 30


def test_once_some_questions_have_probed_in_vain_after_such_a_time_the_others_wait_in_vain() -> None:
    breaker = Breaker()
    breaker.limited(0.0, 30, 0.5)
    assert not breaker.is_hopeless(40.0, Patience(0), 1)

    for _ in range(SEVERAL):
        assert not breaker.is_hopeless(41.0, Patience(0), 0)
        breaker.failed(41.0, 0.5)

    assert breaker.is_hopeless(41.0, Patience(0), 0)


def test_what_is_told_again_long_after_an_answer_counts_anew() -> None:
    breaker = Breaker()
    breaker.limited(0.0, 30, 0.5)
    breaker.answered(30.0)
    breaker.limited(500.0, 3600, 0.5)

    assert not breaker.is_hopeless(4000.0, Patience(180), 0)


def test_what_another_worker_was_told_is_the_same_and_the_same_twice_is_no_news() -> None:
    breaker = Breaker()
    breaker.hear(0.0, 30.0)
    assert not breaker.has_room(29.0, 0)
    assert not breaker.is_hopeless(29.0, Patience(0), 0)
    breaker.answered(30.5)

    breaker.hear(31.0, 30.3)

    assert breaker.has_room(31.0, 1)
    assert not breaker.is_down


def test_once_lifted_one_call_probes_and_what_is_told_then_is_waited_for() -> None:
    breaker = Breaker()
    breaker.limited(0.0, 3600, 0.5)
    breaker.lift()
    assert breaker.has_room(10.0, 0)
    assert not breaker.has_room(10.0, 1)

    breaker.limited(10.0, 3600, 0.5)

    assert not breaker.is_hopeless(3000.0, Patience(180), 0)


def test_one_question_endures_its_first_time_and_the_patience_though_others_are_answered() -> None:
    breaker, endurance, patience, now = Breaker(), Endurance(), Patience(180), 100.0
    while True:
        breaker.limited(now, 30.0, 0.5)
        if not endurance.lasts(breaker, now, patience):
            break
        now += 30
        breaker.answered(now)  # about another question

    assert 100 + 30 + 180 <= now <= 100 + 30 + 180 + 30


def test_an_outage_of_long_ago_says_nothing_of_today() -> None:
    breaker = down(0.0)
    breaker.forget_if_old(1_000.0, 180.0)

    assert breaker.has_room(1_000.0, 0)
    assert not breaker.is_down
