"""What a message about a certificate is called, and when it is sent again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from judging.domain.certificate_states import SUSPENDING
from judging.domain.reasons import CertificateReason

# Waits before the second try and those after it: the schedule that the Standard Webhooks specification
# suggests. A message is given up some three days after it was written.
WAITS = tuple(
    timedelta(seconds=seconds) for seconds in (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
MOST_TRIES = 1 + len(WAITS)
LONGEST_WAIT = max(WAITS)


class Event(StrEnum):
    """The types of messages. They are part of the API: their meaning never changes."""

    CERTIFIED = "certificate.certified"
    UNCERTIFIED = "certificate.uncertified"
    SUSPENDED = "certificate.suspended"
    EXPIRED = "certificate.expired"
    REINSTATED = "certificate.reinstated"
    UPDATED = "certificate.updated"
    TEST = "webhook.test"


_WORDS = {
    Event.CERTIFIED: "certified",
    Event.UNCERTIFIED: "no longer certified",
    Event.SUSPENDED: "suspended",
    Event.EXPIRED: "its certificate expired",
    Event.REINSTATED: "its suspension was lifted",
    Event.UPDATED: "the reasons or the expiry changed",
    Event.TEST: "a test message",
}


def event_words(event: str) -> str:
    """What a message tells, in words; the type itself where it is of another release."""
    return _WORDS[Event(event)] if event in Event else event


@dataclass(frozen=True, slots=True)
class Answer:
    """What readers are told. `certified`: by what is written; `reasons`: codes, the warnings' among them."""

    certified: bool
    reasons: frozenset[str]
    expires_at: datetime

    def holds(self, now: datetime) -> bool:
        """Whether it certifies at `now`."""
        return self.certified and now < self.expires_at


def event_of(
    before: Answer | None, after: Answer, moment: datetime, *, reinstated: bool = False
) -> Event | None:
    """What to call the change from `before` (None: there was no certificate); None: nothing to tell.

    `reinstated`: a suspension was lifted. Told are changes of the state, of the reasons and of the expiry,
    not those of the figures alone.
    """
    if before == after and (before.holds(moment) or not before.certified):
        return None
    if after.holds(moment):
        if reinstated:
            return Event.REINSTATED
        return Event.UPDATED if before is not None and before.holds(moment) else Event.CERTIFIED
    return _of_loss(before, after)


def _of_loss(before: Answer | None, after: Answer) -> Event:
    told = before.reasons if before else frozenset()
    if (after.reasons & SUSPENDING) - told:
        return Event.SUSPENDED
    if CertificateReason.EXPIRED in after.reasons - told:
        return Event.EXPIRED
    return Event.UPDATED if before is not None and not before.certified else Event.UNCERTIFIED


def wait_after(tries: int, retry_after: float = 0.0, jitter: float = 0.0) -> timedelta | None:
    """How long to wait after so many tries (from 1); None: the message is given up.

    `retry_after`: seconds for which the address asked to be left alone. `jitter`: 0–1, by which up to a
    tenth is added, so that messages that failed together do not come together again.
    """
    if tries >= MOST_TRIES:
        return None
    usual = WAITS[tries - 1] * (1 + jitter / 10)
    return max(usual, min(timedelta(seconds=retry_after), LONGEST_WAIT))
