"""Whether a provider is asked at the moment: a breaker that opens by a probe, and what the provider told us.

Times are in seconds on any clock that only goes on.
"""

from dataclasses import dataclass

SEVERAL = 4  # failures in a row, without an answer between, that say the provider is down
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0  # seconds between two probes
ALWAYS_WAITED = 60.0  # seconds that a provider may ask us to wait, whatever the patience
_WIDE = 32  # calls at once at which nothing is held back any more


@dataclass(slots=True)
class Breaker:
    """What is known of one provider from its answers and failures.

    Down: it failed several times in a row, or refuses for too many calls. Then one call at a time probes it,
    with growing pauses, or not before the time that it named itself. Its first answer opens the way again,
    one call more with each further answer.
    """

    failures: int = 0
    pause: float = 0.0
    shut_until: float = 0.0
    told_until: float = 0.0
    down_since: float | None = None
    at_once: int | None = None
    last: float = 0.0

    @property
    def is_down(self) -> bool:
        return self.down_since is not None

    def answered(self, now: float) -> None:
        """The provider answered, be it with a refusal of this one question."""
        self.last, self.failures, self.pause, self.shut_until, self.down_since = now, 0, 0.0, 0.0, None
        if self.at_once is not None:
            self.at_once = self.at_once + 1 if self.at_once < _WIDE else None

    def failed(self, now: float, chance: float) -> None:
        """The provider could not be reached, broke or ran out of time. `chance` in [0, 1) spreads probes."""
        self.last = now
        self.failures += 1
        if self.failures >= SEVERAL:
            self._shut(now, chance)

    def limited(self, now: float, told: float | None, chance: float) -> None:
        """The provider refuses for too many calls, and perhaps told for how many seconds."""
        self.last = now
        if told is None:
            self._shut(now, chance)
        else:
            self.told_until = max(self.told_until, now + told)
            self._hold(now)

    def _shut(self, now: float, chance: float) -> None:
        """Close for a while; the failures of calls sent before do not make the pause grow."""
        if now >= self.shut_until:
            self.pause = min(_LONGEST_PAUSE, 2 * self.pause or _FIRST_PAUSE)
            self.shut_until = now + self.pause * (0.5 + chance / 2)
        self._hold(now)

    def _hold(self, now: float) -> None:
        self.at_once = 1
        if self.down_since is None:
            self.down_since = now

    def opens_at(self) -> float:
        """When the next call may be tried."""
        return max(self.shut_until, self.told_until)

    def has_room(self, now: float, in_flight: int) -> bool:
        """Whether a call may be sent now, beside those in flight."""
        return now >= self.opens_at() and (self.at_once is None or in_flight < self.at_once)

    def is_hopeless(self, now: float, patience: float, in_flight: int) -> bool:
        """Whether waiting is in vain: down for longer than `patience`, and nobody more may probe now."""
        if self.has_room(now, in_flight):
            return False
        told = self.told_until > now
        if told and self.told_until - now > max(patience, ALWAYS_WAITED):
            return True
        waited = max(patience, ALWAYS_WAITED) if told else patience
        return self.down_since is not None and now - self.down_since >= waited

    def may_be_hopeless(self, now: float) -> bool:
        """Whether waiting might be in vain for somebody."""
        return self.is_down or self.told_until - now > ALWAYS_WAITED

    def gives_up_at(self, patience: float) -> float | None:
        """When waiting gets hopeless if nothing changes; None where it does not."""
        if self.down_since is None:
            return None
        told = self.told_until > self.shut_until
        return self.down_since + (max(patience, ALWAYS_WAITED) if told else patience)

    def forget_if_old(self, now: float, age: float) -> None:
        """Nobody asked for a while: what was known then says nothing of today."""
        if self.is_down and now - self.last > max(age, ALWAYS_WAITED) and now >= self.told_until:
            self.failures, self.pause, self.shut_until, self.down_since = 0, 0.0, 0.0, None
