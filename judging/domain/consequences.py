"""What a judge's errors come to, counted in outputs: of 100 it lets through, how many are bad.

Shares of the golden rows with their exact 95 % intervals (Clopper & Pearson 1934, Biometrika 26:404). They
carry over to live outputs as far as those are like the golden rows, which the words say.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from labeling.domain.agreement import Table, exact_interval


@dataclass(frozen=True, slots=True)
class Share:
    """`seen` of `rows` golden rows; `low` and `high` are the ends of the interval, as shares 0–1."""

    seen: int
    rows: int
    low: float
    high: float

    @property
    def per_hundred(self) -> Fraction:
        """The share as a number out of 100, exactly."""
        return Fraction(100 * self.seen, self.rows)


@dataclass(frozen=True, slots=True)
class Consequences:
    """The three shares that matter to whoever gates on the judge; None where there is no row to tell from."""

    bad_among_passed: Share | None
    refused_of_good: Share | None
    caught_of_bad: Share | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """One consequence as it is read, and how far it may be off; "" where nothing is known at all."""

    claim: str
    doubt: str = ""


def consequences(table: Table) -> Consequences:
    """What a judge with this table does to outputs like these rows."""
    return Consequences(
        bad_among_passed=share(table.c, table.a + table.c),
        refused_of_good=share(table.b, table.n_pass),
        caught_of_bad=share(table.d, table.n_fail),
    )


def share(seen: int, rows: int) -> Share | None:
    """`seen` of `rows` with the exact interval; None where there are no rows."""
    if rows == 0:
        return None
    return Share(seen, rows, *exact_interval(seen, rows))


def sentences(table: Table) -> list[Sentence]:
    """The consequences in words; where a class is empty the sentence says so and holds no number."""
    found = consequences(table)
    return [*_passed(found.bad_among_passed), *_good(found.refused_of_good), *_bad(found.caught_of_bad)]


def rests_on(table: Table, skipped: int = 0) -> str:
    """What the sentences take for granted. `skipped`: rows without a verdict, which are in none of them."""
    if table.n == 0:
        return "There is no row with a verdict of people and judge yet, so nothing can be said."
    good = f"{table.n_pass} of them good ({_whole_percent(table.n_pass, table.n)})"
    words = f"This holds if live outputs are like the golden rows: {_rows(table.n)}, {good}."
    if skipped:
        words += f" On {skipped} more the judge gave no verdict."
    return words


def _passed(found: Share | None) -> Iterator[Sentence]:
    if found is None:
        yield Sentence("It let no row through, so how many of those would be bad cannot be said.")
    elif found.seen in (0, found.rows):
        word = "none was bad" if found.seen == 0 else "every one was bad"
        yield Sentence(f"It let {_rows(found.rows)} through and {word}.", _doubt(found))
    else:
        of_100 = about(found.per_hundred)
        verb = "is" if of_100.endswith(" 1") else "are"
        yield Sentence(f"Of 100 outputs it lets through, {of_100} {verb} bad.", _doubt(found))


def _good(found: Share | None) -> Iterator[Sentence]:
    if found is None:
        yield Sentence("People found no row good, so how many good ones it refuses cannot be said.")
    elif found.seen in (0, found.rows):
        word = "none" if found.seen == 0 else "every one"
        yield Sentence(f"Of {_rows(found.rows, 'good ')} it refused {word}.", _doubt(found))
    else:
        yield Sentence(f"Of 100 good outputs it refuses {about(found.per_hundred)}.", _doubt(found))


def _bad(found: Share | None) -> Iterator[Sentence]:
    if found is None:
        yield Sentence("People found no row bad, so how many bad ones it catches cannot be said.")
    elif found.seen in (0, found.rows):
        word = "none" if found.seen == 0 else "every one"
        yield Sentence(f"Of {_rows(found.rows, 'bad ')} it caught {word}.", _doubt(found))
    else:
        yield Sentence(f"Of 100 bad outputs it catches {about(found.per_hundred)}.", _doubt(found))


def about(exact: Fraction) -> str:
    """Whole numbers only: a few dozen rows carry no decimals. Never "about 0" of what was seen."""
    if exact < Fraction(1, 2):
        return "fewer than 1"
    if exact > Fraction(199, 2):
        return "more than 99"
    return f"about {_rounded(exact)}"


def _doubt(found: Share) -> str:
    """The interval, rounded outwards so that it never claims more than it holds."""
    low, high = math.floor(found.low * 100), math.ceil(found.high * 100)
    if found.seen == 0:
        return f"Up to {high} of 100 cannot be ruled out."
    if found.seen == found.rows:
        return f"As few as {low} of 100 cannot be ruled out."
    were = "was" if found.seen == 1 else "were"
    return f"Anything from {low} to {high} is possible: {found.seen} of {_rows(found.rows)} {were} so."


def _rows(number: int, kind: str = "") -> str:
    return f"{number} {kind}row" if number == 1 else f"{number} {kind}rows"


def _whole_percent(part: int, whole: int) -> str:
    """Never 0% of something, nor 100% of less than all."""
    exact = Fraction(100 * part, whole)
    if 0 < exact < Fraction(1, 2):
        return "under 1%"
    if Fraction(199, 2) < exact < 100:
        return "over 99%"
    return f"{_rounded(exact)}%"


def _rounded(exact: Fraction) -> int:
    return math.floor(exact + Fraction(1, 2))
