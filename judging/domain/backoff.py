"""When to ask again after a transport failure: exponential, with jitter, never before the provider allows."""

MAX_RESENDS = 3
_FIRST = 0.5  # seconds
_LONGEST = 60.0  # seconds; a provider that asks for more is not waited for


def pause_before(resend: int, retry_after: float | None, chance: float) -> float | None:
    """Seconds to wait before resend number `resend` (from 1), or None when asking again is no use.

    `chance` in [0, 1) spreads workers that failed together: the wait is 50–100 % of the doubled step, or
    what the provider asked for plus up to a quarter.
    """
    if resend > MAX_RESENDS or (retry_after is not None and retry_after > _LONGEST):
        return None
    step: float = _FIRST * 2 ** (resend - 1) * (0.5 + chance / 2)
    return step if retry_after is None else max(step, retry_after * (1 + chance / 4))
