"""Kappa of two people, or of one person with themselves: told only where it can say something.

A judge's kappa is held against a bar and keeps every figure; people's figures are read by a lead, and a 0.000
that follows from one verdict throughout, or an interval that ends where it cannot, misleads.
"""

import math
from collections.abc import Iterable
from dataclasses import astuple, dataclass

from labeling.domain.agreement.graded import fisher_interval
from labeling.domain.agreement.score import estimate_kappa
from labeling.domain.agreement.tables import Interval, Table, Undefined

# Rows under which no interval is told. By simulation the upper end of the score interval, which never leaves
# what the observed pass rates allow, is below the truth in up to 41 of 100 sets of ten rows.
FEWEST_FOR_INTERVAL = 20
_NOTHING = 1e-12  # below this a share is rounding


@dataclass(frozen=True, slots=True)
class PeopleKappa:
    """Kappa of `n` rows; `interval` is None for fewer than 20 of them, or where the rows are too alike."""

    value: float
    interval: Interval | None
    n: int

    @property
    def no_interval(self) -> str:
        """Why there is none."""
        return no_interval(self.n)


def is_telling(table: Table) -> bool:
    """Whether both sides gave both verdicts; else kappa is 0 or undefined and says nothing."""
    return 0 < table.n_pass < table.n and 0 < table.a + table.c < table.n


def kappa_of_people(table: Table) -> PeopleKappa:
    """Cohen's kappa with its score interval.

    Raises Undefined where either side gave one verdict throughout: it is 0 there, or 0/0, whatever the rows.
    """
    if not is_telling(table):
        raise Undefined("One of the two gave one verdict throughout, so kappa says nothing.")
    found = estimate_kappa(table)
    return PeopleKappa(found.value, of_enough(Interval(found.low, found.high), found.n), found.n)


def of_enough(interval: Interval | None, rows: int) -> Interval | None:
    """The interval of so many rows, None where they are too few for one."""
    return interval if rows >= FEWEST_FOR_INTERVAL else None


def no_interval(rows: int) -> str:
    """Why there is no interval, as a part of a sentence."""
    if rows < FEWEST_FOR_INTERVAL:
        return f"too few rows for an interval: {rows} of {FEWEST_FOR_INTERVAL}"
    return "no interval: the rows are too alike to tell how sure this is"


def kappa_within(tables: Iterable[Table]) -> PeopleKappa:
    """Kappa of several people, each with themselves: 1 − disagreements / those that chance would make within
    each person (a stratified kappa; Barlow, Lai & Azen 1991, Stat. Med. 10:1465).

    One table of everybody would take it for agreement that one person passes more than another. Chance is
    counted over pairs of different rows: as plain products of the margins it comes out too low on the few
    rows that each person has. One person alone has Cohen's kappa. Interval: influence values on Fisher's
    scale. Rows of people who gave one and the same verdict throughout say nothing and are not in `n`.

    Raises Undefined where nobody gave both verdicts both times.
    """
    told = [table for table in tables if can_differ(table)]
    if not any(is_telling(table) for table in told):
        raise Undefined("Nobody gave both verdicts both times, so kappa says nothing.")
    if len(told) == 1:
        return kappa_of_people(told[0])
    expected = math.fsum(table.n * _chance(table) for table in told)
    if expected < _NOTHING:
        raise Undefined("Chance would make nobody's answers differ, so there is nothing to compare with.")
    ratio = sum(table.b + table.c for table in told) / expected
    n, se = sum(table.n for table in told), math.sqrt(_squares(told, ratio)) / expected
    return PeopleKappa(1 - ratio, of_enough(fisher_interval(1 - ratio, se), n), n)


def can_differ(table: Table) -> bool:
    """Whether there are rows to compare, and not all were given one and the same verdict."""
    return table.n > 1 and max(table.a, table.d) < table.n


def _chance(table: Table) -> float:
    """The share of pairs of different rows on which the first answer to one and the second to the other
    differ.
    """
    human, other = table.margins
    crossed = human * (1 - other) + other * (1 - human)
    return (table.n * crossed - (table.b + table.c) / table.n) / (table.n - 1)


def _squares(tables: Iterable[Table], ratio: float) -> float:
    """The squared influences of all rows on disagreements less `ratio` times those by chance."""
    found = []
    for table in tables:
        human, other = table.margins
        observed = (table.b + table.c) / table.n
        crossed = human * (1 - other) + other * (1 - human)
        cells = ((True, True), (True, False), (False, True), (False, False))
        for (first, second), rows in zip(cells, astuple(table), strict=True):
            of_row = (1 - other if first else other) + (1 - human if second else human)
            moved = observed - (first != second) + ratio * (of_row - 2 * crossed)
            found.append(rows * moved**2 * table.n / (table.n - 1))
    return math.fsum(found)
