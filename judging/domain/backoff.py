"""When to ask again after a transport failure: exponential, with jitter.

What a provider says of when to come again is not kept here but at its gate, by all: `judging.domain.outage`.
"""

MAX_RESENDS = 3
_FIRST = 0.5  # seconds


def pause_before(resend: int, chance: float) -> float | None:
    """Seconds to wait before resend number `resend` (from 1), or None when asking again is no use.

    `chance` in [0, 1) spreads workers that failed together: the wait is 50–100 % of the doubled step.
    """
    if resend > MAX_RESENDS:
        return None
    step: float = _FIRST * 2 ** (resend - 1) * (0.5 + chance / 2)
    return step
