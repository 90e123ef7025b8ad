"""Where a panel's jurors differ, from how often each pattern of their outcomes occurred."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from judging.domain.aggregation import OnSplit
from judging.domain.early_stop import SIDES, asked_in_turn
from judging.domain.verdicts import Outcome
from labeling.domain.agreement import Table

# Rows by the jurors' outcomes, in the order of their seats.
type Patterns = Mapping[tuple[str, ...], int]


def split_rows(patterns: Patterns) -> int:
    """Rows that some jurors pass and others fail."""
    return sum(rows for outcomes, rows in patterns.items() if all(side in outcomes for side in SIDES))


def pair_tables(patterns: Patterns, jurors: int) -> Iterator[tuple[int, int, Table]]:
    """Each two of the `jurors` seats, from 0, with the table of the rows on which both gave a verdict."""
    for one, other in combinations(range(jurors), 2):
        yield one, other, _table(patterns, one, other)


def _table(patterns: Patterns, one: int, other: int) -> Table:
    cells: dict[tuple[str, str], int] = {(a, b): 0 for a in SIDES for b in SIDES}
    for outcomes, rows in patterns.items():
        if (cell := (outcomes[one], outcomes[other])) in cells:
            cells[cell] += rows
    return Table(*cells.values())


def questions(patterns: Patterns) -> int:
    """How often jurors were asked."""
    return sum(_asked(outcomes) * rows for outcomes, rows in patterns.items())


def questions_to_all(patterns: Patterns) -> int:
    """How often they would have been if all were asked about every row."""
    return sum(len(outcomes) * rows for outcomes, rows in patterns.items())


def spared_in_turn(patterns: Patterns, on_split: OnSplit) -> list[int]:
    """How many of the questions to each seat would not have been asked, seat by seat.

    None of a row where a juror was left unasked already: there it went no further than needed.
    """
    spared = [0] * max((len(outcomes) for outcomes in patterns), default=0)
    for outcomes, rows in patterns.items():
        if _asked(outcomes) == len(outcomes):
            for seat in range(asked_in_turn(outcomes, on_split), len(outcomes)):
                spared[seat] += rows
    return spared


def _asked(outcomes: tuple[str, ...]) -> int:
    return sum(outcome != Outcome.NOT_ASKED for outcome in outcomes)
