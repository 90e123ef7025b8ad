"""What is shared of a provider's limits: never more than it allows, and nearly all of that."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.domain.pacing import (
    PERMIT_LIFE,
    WINDOW,
    Claim,
    admit,
    charge,
    corrected,
    even_part,
    expected_tokens,
    least_context,
    provider_of,
    share_of,
)


@dataclass(frozen=True)
class Version:
    model: str
    base_url_env: str = ""
    api_key_env: str = ""


@pytest.mark.parametrize(
    ("version", "provider"),
    [
        (Version("openai/gpt-4o-mini"), "openai"),
        (Version("openai/gpt-4o", api_key_env="OPENAI_API_KEY"), "openai"),
        (Version("together_ai/llama", api_key_env="TOGETHERAI_API_KEY"), "together_ai"),
        (Version("openai/gpt-4o", api_key_env="VERA_JUROR_SECOND_KEY"), "openai:VERA_JUROR_SECOND_KEY"),
        (Version("gpt-4o"), "openai"),
        (Version("claude-3-5-haiku-latest"), "anthropic"),
        (Version("house-model"), "house-model"),
        (Version("/house-model"), "/house-model"),
        (Version("openai/qwen3", "VERA_JUROR_OLLAMA_URL"), "VERA_JUROR_OLLAMA_URL"),
        (Version("openai/qwen3", "VERA_JUROR_A_URL", "VERA_JUROR_KEY"), "VERA_JUROR_A_URL:VERA_JUROR_KEY"),
    ],
)
def test_those_who_share_an_account_share_a_limit(version: Version, provider: str) -> None:
    assert provider_of(version) == provider


# Gaps between two visits of some worker, how many it wants then, and how long it keeps what it gets.
visits = st.lists(
    st.tuples(
        st.one_of(st.just(0.0), st.floats(0, 3), st.floats(0, 200)),
        st.integers(1, 80),
        st.floats(0, PERMIT_LIFE),
    ),
    min_size=1,
    max_size=120,
)


def sent_at(limit: int, weight: int, arrivals: list[tuple[float, int, float]]) -> list[float]:
    """When requests go out, in order, where several workers come by in any way and share one state."""
    due = now = 1_000.0
    sent: list[float] = []
    for gap, wanted, kept in arrivals:
        now += gap
        admitted = admit(limit, due, now, [weight] * wanted)
        due = admitted.due
        sent += [now + kept] * admitted.count
    return sorted(sent)


def most_in_a_window(sent: list[float]) -> int:
    return max((bisect_right(sent, start + WINDOW) - i for i, start in enumerate(sent)), default=0)


@settings(max_examples=400)
@given(
    limit=st.one_of(st.sampled_from([1, 2, 10, 19, 20, 60, 600, 6000]), st.integers(1, 10_000)),
    arrivals=visits,
)
def test_no_sliding_minute_sees_more_than_the_limit(
    limit: int, arrivals: list[tuple[float, int, float]]
) -> None:
    assert most_in_a_window(sent_at(limit, 1, arrivals)) <= limit


@given(
    limit=st.integers(100, 1_000_000),
    weight=st.integers(1, 5_000),
    arrivals=visits,
)
def test_tokens_are_weighed(limit: int, weight: int, arrivals: list[tuple[float, int, float]]) -> None:
    most = most_in_a_window(sent_at(limit, weight, arrivals))

    assert most <= max(1, floor(limit / weight))  # one question larger than the limit goes alone


@given(
    limit=st.integers(100, 100_000),
    weights=st.lists(st.integers(1, 3_000), min_size=1, max_size=200),
    gaps=st.lists(st.floats(0, 2), min_size=200, max_size=200),
)
def test_a_mixture_of_sizes_goes_over_by_its_largest_at_most(
    limit: int, weights: list[int], gaps: list[float]
) -> None:
    due, sent, left = 0.0, [], list(weights)
    for now in accumulate(gaps):
        admitted = admit(limit, due, now, left[:5])
        due = admitted.due
        sent += [(now, weight) for weight in left[: admitted.count]]
        left = left[admitted.count :]

    for start, _ in sent:
        used = sum(weight for now, weight in sent if start <= now <= start + WINDOW)
        assert used <= limit + max(weights)


@pytest.mark.parametrize(("limit", "least"), [(1, 0.9), (10, 0.9), (60, 0.95), (600, 0.95), (6000, 0.95)])
def test_nearly_all_of_a_limit_is_used(limit: int, least: float) -> None:
    minutes = 20
    arrivals = [(0.1, 200, 0.0)] * (minutes * 600)

    assert len(sent_at(limit, 1, arrivals)) >= least * limit * minutes


@given(limit=st.integers(1, 10_000), due=st.floats(-1e4, 1e9), wanted=st.integers(1, 50))
def test_who_waits_as_long_as_told_may_go(limit: int, due: float, wanted: int) -> None:
    first = admit(limit, due, 0.0, [1] * wanted)
    then = admit(limit, first.due, first.wait + 1e-6, [1])

    assert then.count == 1
    assert first.wait <= 2 * WINDOW  # whatever a clock that jumped says


def test_tokens_that_were_not_used_are_given_back() -> None:
    due = admit(6_000, 0.0, 0.0, [600]).due

    assert corrected(6_000, due, 1.0, -300) == pytest.approx(due - 3)
    assert corrected(6_000, due, 1.0, 300) == pytest.approx(due + 3)
    assert corrected(6_000, due, due + 5, -300) < due + 5  # what is long over counts no more


def test_a_charge_leaves_room_for_permits_that_are_used_late() -> None:
    assert 1.0 < charge(60, 1) < 1.05
    assert 0.01 < charge(6_000, 1) < 0.0105
    assert charge(100, 600) == 120.0  # more than a limit: the longest wait there is


def test_what_a_question_takes_is_estimated_from_its_length_and_its_limit() -> None:
    assert expected_tokens(4_000, {}) == 1_300
    assert expected_tokens(4_000, {"max_tokens": 500}) == 1_500
    assert least_context(4_000, {"max_completion_tokens": 24}) == 1_024


# Workers that come by in any order, with calls that end in any order.
steps = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 12), st.floats(0, 1), st.booleans()), min_size=1, max_size=150
)


@settings(max_examples=300)
@given(limit=st.integers(1, 20), visits=steps)
def test_together_they_never_have_more_in_flight_than_allowed(
    limit: int, visits: list[tuple[int, int, float, bool]]
) -> None:
    kept: dict[str, int] = {}
    in_flight: dict[str, int] = {}
    for number, (who, line, ends, gone) in enumerate(visits):
        worker = f"w{who}"
        flying = in_flight.get(worker, 0)
        flying -= round(flying * ends)
        wanted = 0 if gone else flying + line
        others = {name: calls for name, calls in kept.items() if name != worker}
        part = share_of(limit, Claim(worker, kept.get(worker, 0), wanted, flying), others, number * 1.0)
        kept[worker] = part.kept
        in_flight[worker] = max(flying, min(wanted, part.allowed))
        if not wanted and not flying:
            del kept[worker], in_flight[worker]

        assert sum(kept.values()) <= limit
        assert all(in_flight.get(name, 0) <= calls for name, calls in kept.items())


def share_out(limit: int, wants: dict[str, int], kept: dict[str, int], rounds: int = 12) -> dict[str, int]:
    """What each has after some rounds in which its calls end and are followed by others."""
    for turn in range(rounds):
        for worker, wanted in wants.items():
            others = {name: calls for name, calls in kept.items() if name != worker}
            claim = Claim(worker, kept.get(worker, 0), wanted, 0)
            kept[worker] = share_of(limit, claim, others, turn / 1_000).kept
    return kept


def test_a_limit_is_divided_evenly_when_a_worker_joins_and_taken_over_when_it_leaves() -> None:
    alone = share_out(10, {"a": 32}, {})
    both = share_out(10, {"a": 32, "b": 32}, dict(alone))
    del both["b"]

    assert alone == {"a": 10}
    assert share_out(10, {"a": 32, "b": 32}, {"a": 10}) == {"a": 5, "b": 5}
    assert share_out(10, {"a": 32}, both) == {"a": 10}


def test_what_one_does_not_need_the_other_may_use() -> None:
    found = share_out(10, {"a": 32, "b": 1}, {"a": 10})

    assert found["b"] == 1
    assert found["a"] >= 8


def test_of_more_workers_than_calls_each_gets_its_turn() -> None:
    workers = ["a", "b", "c"]

    turns = [[even_part(2, worker, workers, now) for worker in workers] for now in (0.0, 10.0, 20.0)]

    assert [sum(turn) for turn in turns] == [2, 2, 2]
    assert [sum(of_one) for of_one in zip(*turns, strict=True)] == [2, 2, 2]
    assert all(before != after for before, after in pairwise(turns))
