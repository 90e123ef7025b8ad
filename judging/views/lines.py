"""One statistic as a page tells it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One statistic as it is read: its name, its value, how far to trust it, what it is and if it is good."""

    name: str
    value: str
    doubt: str
    means: str
