"""When to ask again."""

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.backoff import MAX_RESENDS, pause_before

chances = st.floats(0, 1, exclude_max=True)


@given(resend=st.integers(1, MAX_RESENDS), chance=chances)
def test_the_wait_doubles_and_is_spread(resend: int, chance: float) -> None:
    step = 0.5 * 2 ** (resend - 1)

    wait = pause_before(resend, chance)

    assert wait is not None
    assert step / 2 <= wait <= step


def test_it_gives_up_after_a_few() -> None:
    assert pause_before(MAX_RESENDS + 1, 0.5) is None
