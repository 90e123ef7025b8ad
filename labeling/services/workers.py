"""What labeling knows of the workers that do its work: only what those say who register here."""

from collections.abc import Callable
from datetime import datetime

counters: list[Callable[[datetime], int]] = []  # how many workers gave a sign of life lately
stop_signs: list[Callable[[], bool]] = []  # whether this process was told to stop


def no_worker_seen(now: datetime) -> bool:
    """Whether it is known that nobody is there to do the work."""
    return bool(counters) and not any(count(now) for count in counters)


def is_stopping() -> bool:
    """Whether this process was told to give back what it holds and end."""
    return any(told() for told in stop_signs)
