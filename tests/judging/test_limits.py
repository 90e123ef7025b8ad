"""Limits that all workers share through the database, whichever it is."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judging.models import ProviderLimit, ProviderShare
from judging.services import limits
from judging.services.limits import Allowed, Taken

pytestmark = pytest.mark.django_db

NAME = "openai"


def limit(**allowed: int) -> ProviderLimit:
    return ProviderLimit.objects.create(provider=NAME, **allowed)


def take(wanted: int, tokens: int = 100, correction: int = 0) -> Taken:
    return limits.take(provider=NAME, expected=[tokens] * wanted, correction=correction)


def pass_time(seconds: float) -> None:
    """As if everything had happened that much earlier."""
    row = ProviderLimit.objects.get(provider=NAME)
    for name in ("requests_due_at", "tokens_due_at", "closed_until"):
        if (before := getattr(row, name)) is not None:
            setattr(row, name, before - timedelta(seconds=seconds))
    row.save()


def hold(worker: str, wanted: int, in_flight: int = 0) -> int:
    part = limits.hold(provider=NAME, worker=worker, wanted=wanted, in_flight=in_flight)
    assert part is not None
    return part.allowed


def test_without_a_limit_everything_is_granted_and_nothing_written() -> None:
    assert take(50) == Taken(50, 0.0)
    assert limits.hold(provider=NAME, worker="a", wanted=5, in_flight=0) is None
    assert not ProviderLimit.objects.exists()


def test_one_goes_at_once_and_the_next_when_it_is_due() -> None:
    limit(requests_per_minute=60)

    first, second = take(10), take(10)

    assert (first.granted, second.granted) == (1, 0)
    assert 0 < second.wait <= 1.05
    pass_time(second.wait)
    assert take(10).granted == 1


def test_what_was_used_is_counted_while_the_provider_is_closed_too() -> None:
    limit(tokens_per_minute=6_000)
    limits.close(provider=NAME, seconds=10)

    assert take(1, correction=3_000).granted == 0
    pass_time(10)

    assert take(1).granted == 0  # 3000 tokens are thirty seconds


def test_tokens_are_counted_and_corrected_by_what_was_used() -> None:
    limit(tokens_per_minute=6_000)

    first = take(10, tokens=100)
    assert first.granted == 1
    pass_time(10)
    assert take(1, tokens=600).granted == 1  # takes up six seconds
    waits = take(1, tokens=600).wait
    cheaper = limits.take(provider=NAME, expected=[600], correction=-300)
    assert waits - cheaper.wait == pytest.approx(3, abs=0.5)


def test_both_limits_hold_together() -> None:
    limit(requests_per_minute=600, tokens_per_minute=6_000)

    assert take(10, tokens=300).granted == 1
    assert ProviderLimit.objects.get().requests_due_at is not None


@pytest.mark.django_db(transaction=True)
def test_workers_that_come_at_once_get_no_more_than_one_would() -> None:
    limit(requests_per_minute=60)

    def one(_: int) -> int:
        try:
            return take(5).granted
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        granted = list(workers.map(one, range(8)))

    assert sum(granted) <= 2 + 2  # a second may pass meanwhile


def test_who_is_told_to_come_again_closes_the_provider_for_all() -> None:
    limits.close(provider=NAME, seconds=30)
    longest = limits.close(provider=NAME, seconds=5)

    assert longest > timezone.now() + timedelta(seconds=20)
    assert take(3).granted == 0
    assert 20 < limits.allowed({NAME, "other"})[NAME].closed_for <= 30
    pass_time(31)
    assert limits.allowed({NAME})[NAME] == Allowed()
    assert take(3).granted == 3


def test_what_a_clock_that_was_wrong_wrote_holds_nobody_up() -> None:
    limit(calls_in_flight=1)
    hold("killed", 32)
    limits.close(provider=NAME, seconds=30)
    pass_time(-3e7)  # the clock was a year ahead, and was put right
    ProviderShare.objects.update(lease_until=timezone.now() + timedelta(days=365))

    assert limits.allowed({NAME})[NAME].closed_for == 0
    assert take(1).granted == 1
    assert hold("b", 32) == 1
    limits.close(provider=NAME, seconds=30)
    assert 20 < limits.allowed({NAME})[NAME].closed_for <= 31


def test_calls_in_flight_are_divided_among_the_workers_that_have_some() -> None:
    limit(calls_in_flight=10)

    assert hold("a", 32) == 10
    assert hold("b", 32) == 0
    assert hold("a", 32, in_flight=10) == 5  # and what is in flight may land
    assert hold("b", 32) == 0
    assert hold("a", 32, in_flight=5) == 5
    assert hold("b", 32) == 5


def test_a_worker_without_questions_gives_its_part_back() -> None:
    limit(calls_in_flight=4)
    hold("a", 32)

    hold("a", 0)

    assert not ProviderShare.objects.exists()
    assert hold("b", 32) == 4


def test_a_killed_worker_s_part_is_free_after_its_lease() -> None:
    limit(calls_in_flight=4)
    hold("killed", 32)
    assert hold("b", 32) == 0

    ProviderShare.objects.filter(worker="killed").update(lease_until=timezone.now() - timedelta(seconds=1))

    assert hold("b", 32) == 4
    assert not ProviderShare.objects.filter(worker="killed").exists()
