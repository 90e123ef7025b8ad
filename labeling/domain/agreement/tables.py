"""The 2×2 table of people against a judge, and how an answer carries its doubt."""

from dataclasses import astuple, dataclass
from typing import NamedTuple


class Undefined(ArithmeticError):
    """The statistic has no value on this table; the message says why, in a sentence."""


class Interval(NamedTuple):
    """Both ends of a confidence interval, in the statistic's own unit."""

    low: float
    high: float


class Margins(NamedTuple):
    """Shares (0 to 1) of rows that people pass and that the judge passes."""

    human: float
    judge: float


@dataclass(frozen=True)
class Estimate:
    """A value with its confidence interval, the number of rows behind it and the method's name."""

    value: float
    low: float
    high: float
    n: int
    method: str


@dataclass(frozen=True)
class Table:
    """Counts of golden rows: `a` human pass & judge pass, `b` human pass & judge fail,
    `c` human fail & judge pass, `d` human fail & judge fail.

    Raises ValueError unless all four are whole numbers of at least 0.
    """

    a: int
    b: int
    c: int
    d: int

    def __post_init__(self) -> None:
        for name, count in zip("abcd", astuple(self), strict=True):
            if type(count) is not int or count < 0:
                raise ValueError(
                    f"Cell {name} of the table counts rows: {count!r} is not a whole number ≥ 0."
                )

    @property
    def n(self) -> int:
        """All rows of the table."""
        return self.a + self.b + self.c + self.d

    @property
    def n_pass(self) -> int:
        """Rows that people pass."""
        return self.a + self.b

    @property
    def n_fail(self) -> int:
        """Rows that people fail."""
        return self.c + self.d

    @property
    def agreement(self) -> float:
        """Share of rows on which people and judge agree; raises Undefined on an empty table."""
        self.check_not_empty()
        return (self.a + self.d) / self.n

    @property
    def margins(self) -> Margins:
        """Pass rates of people and of the judge; raises Undefined on an empty table."""
        self.check_not_empty()
        return Margins(human=self.n_pass / self.n, judge=(self.a + self.c) / self.n)

    def check_not_empty(self) -> None:
        """Raise Undefined where there is no row to compute anything from."""
        if self.n == 0:
            raise Undefined("There are no scored rows, so there is no agreement to speak of.")
