"""When to ask again."""

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.backoff import MAX_RESENDS, pause_before

chances = st.floats(0, 1, exclude_max=True)


@given(resend=st.integers(1, MAX_RESENDS), chance=chances)
def test_the_wait_doubles_and_is_spread(resend: int, chance: float) -> None:
    step = 0.5 * 2 ** (resend - 1)

    wait = pause_before(resend, None, chance)

    assert wait is not None
    assert step / 2 <= wait <= step


@given(asked=st.floats(0, 60), chance=chances)
def test_it_never_comes_back_before_the_provider_allows(asked: float, chance: float) -> None:
    wait = pause_before(1, asked, chance)

    assert wait is not None
    assert asked <= wait <= max(75, 0.5)


def test_it_gives_up_after_a_few_and_does_not_wait_for_hours() -> None:
    assert pause_before(MAX_RESENDS + 1, None, 0.5) is None
    assert pause_before(1, 61.0, 0.5) is None
