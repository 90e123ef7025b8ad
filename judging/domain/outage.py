"""Whether a provider is asked at the moment: a breaker that opens by a probe, and what the provider told us.

Times are in seconds on any clock that only goes on.
"""

from dataclasses import dataclass

SEVERAL = 4  # failures in a row, without an answer between, that say the provider is down
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0  # seconds between two probes
_OLD = 60.0  # seconds after which a failure says nothing any more, whatever the patience
_WIDE = 32  # calls at once at which nothing is held back any more
_NEWS = 0.5  # seconds by which what others were told must go beyond what is known here


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a question waits for its provider, in seconds.

    `down`: while it fails, counted from the end of the first time that it asked to be left alone, where it
    did. `told`: the longest such time that is waited for; waiting costs nothing, so that it may be a day.
    `since`: when the work began that the question is of. What failed before tries nobody's patience.
    """

    down: float
    told: float = 86_400.0
    since: float = 0.0


HURRIED = Patience(0.0, 60.0)  # of somebody who looks on: a trial's


@dataclass(slots=True)
class Breaker:
    """What is known of one provider from its answers and failures.

    Down: it failed several times in a row, or refuses for too many calls. Then one call at a time probes it,
    with growing pauses, or not before the time that it named itself. Its first answer opens the way again,
    one call more with each further answer. `first_told`: until when it asked to be left alone when it did so
    for the first time since it is down; patience is only tried by what fails after that.
    """

    failures: int = 0
    pause: float = 0.0
    shut_until: float = 0.0
    told_until: float = 0.0
    first_told: float = 0.0
    failed_at: float = 0.0
    down_since: float | None = None
    at_once: int | None = None
    last: float = 0.0

    @property
    def is_down(self) -> bool:
        return self.down_since is not None

    def answered(self, now: float) -> None:
        """The provider answered, be it with a refusal of this one question."""
        self.last = now
        self._forget()
        if self.at_once is not None:
            self.at_once = self.at_once + 1 if self.at_once < _WIDE else None

    def failed(self, now: float, chance: float) -> None:
        """The provider could not be reached, broke or ran out of time. `chance` in [0, 1) spreads probes."""
        self.last = self.failed_at = now
        self.failures += 1
        if self.failures >= SEVERAL:
            self._shut(now, chance)

    def limited(self, now: float, told: float | None, chance: float) -> None:
        """The provider refuses for too many calls, and perhaps told for how many seconds."""
        self.last = self.failed_at = now
        if told is None:
            self._shut(now, chance)
        else:
            self._leave_alone(now, now + told)

    def hear(self, now: float, until: float) -> None:
        """Another worker was told so."""
        if until > self.told_until + _NEWS:
            self.last = self.failed_at = now
            self._leave_alone(now, until)
        self.told_until = max(self.told_until, until)

    def _leave_alone(self, now: float, until: float) -> None:
        """Calls that were sent before may still lengthen the first such time."""
        self.told_until = max(self.told_until, until)
        self._hold(now)
        if not self.first_told or now < self.first_told:
            self.first_told = self.told_until

    def lift(self) -> None:
        """Ask again, whatever was said before: one call at a time, and what is said then counts anew."""
        self.told_until = 0.0
        self._forget()

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

    def is_hopeless(self, now: float, patience: Patience, in_flight: int) -> bool:
        """Whether waiting is in vain: down for longer than the patience, and nobody probes or may do so."""
        if self.told_until - now > patience.told:
            return True
        if in_flight or self.has_room(now, in_flight):
            return False
        at = self.gives_up_at(patience)
        return at is not None and now >= at

    def may_be_hopeless(self, now: float) -> bool:
        """Whether waiting might be in vain for somebody."""
        return self.is_down or self.told_until > now

    def gives_up_at(self, patience: Patience) -> float | None:
        """When waiting gets hopeless if nothing changes; None where it does not, or as long as it may not.

        A provider that was left alone as it asked has failed nobody until it fails again, and so has one
        that failed others before this work began.
        """
        begun = max(self.first_told, patience.since)
        if self.down_since is None or self.failed_at < begun:
            return None
        return max(self.down_since, begun) + patience.down

    def forget_if_old(self, now: float, age: float) -> None:
        """Nobody asked for a while: what was known then says nothing of today."""
        if self.is_down and now - max(self.last, self.told_until) > max(age, _OLD):
            self._forget()

    def _forget(self) -> None:
        self.failures, self.pause, self.shut_until, self.first_told, self.down_since = 0, 0.0, 0.0, 0.0, None


@dataclass(slots=True)
class Endurance:
    """How long one question is asked again because its provider is down, be others answered or not."""

    since: float = 0.0
    was_told: bool = False

    def lasts(self, breaker: Breaker, now: float, patience: Patience) -> bool:
        """Whether the failure of just now is endured. The first time to be left alone is not counted."""
        self.since = self.since or now
        if not self.was_told and breaker.first_told > self.since:
            self.since, self.was_told = breaker.first_told, True
        return breaker.is_down and now - self.since < patience.down
