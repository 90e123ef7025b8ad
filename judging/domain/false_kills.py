"""How often the checks of Layer 1 kill what people pass, from counts of settled rows.

Two shares of each check. Its *false-kill rate*: of the rows that people pass, how many it kills. Its
*precision*: of the rows that it kills, how many people fail too. Both with the exact interval (Clopper &
Pearson 1934, Biometrika 26:404), and neither exists where there is no such row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from labeling.domain.agreement import Estimate, Undefined, exact_interval

# Rows by the check that kills them, "" for those that none kills: [rows that people pass, rows they fail].
type Kills = Mapping[str, Sequence[int]]

EVERY_CHECK = "all checks"


@dataclass(frozen=True, slots=True)
class CheckKills:
    """What one check, or `EVERY_CHECK` together, kills.

    `false_kills`: rows that people pass; `true_kills`: rows that they fail; `good_rows`: all rows that people
    pass, killed or not.
    """

    check: str
    false_kills: int
    true_kills: int
    good_rows: int

    @property
    def kills(self) -> int:
        return self.false_kills + self.true_kills

    @property
    def rate(self) -> Estimate:
        """Share of the good rows that it would throw away. Raises Undefined without any good row."""
        if not self.good_rows:
            raise Undefined("People pass none of the rows, so nothing good could be thrown away.")
        return _share(self.false_kills, self.good_rows)

    @property
    def precision(self) -> Estimate:
        """Share of its kills that people fail too. Raises Undefined where it kills nothing."""
        if not self.kills:
            raise Undefined("It kills none of the rows, so none of its kills can be right or wrong.")
        return _share(self.true_kills, self.kills)

    def is_above(self, limit: Decimal) -> bool:
        """Whether it kills a larger share of the good rows than `limit`, in per cent; compared exactly."""
        return self.false_kills > 0 and Fraction(100 * self.false_kills, self.good_rows) > Fraction(limit)

    def is_surely_above(self, limit: Decimal) -> bool:
        """Whether the whole interval of its rate is above `limit`, too."""
        return self.is_above(limit) and 100 * self.rate.low > limit


def per_check(kills: Kills, checks: Iterable[str]) -> list[CheckKills]:
    """Each of the `checks` in their order, then any other that kills something."""
    good_rows = rows_of(kills)[0]
    names = dict.fromkeys([*checks, *sorted(name for name in kills if name)])
    killed = {name: kills.get(name, (0, 0)) for name in names}
    return [CheckKills(name, good, bad, good_rows) for name, (good, bad) in killed.items()]


def all_checks(kills: Kills) -> CheckKills:
    """All checks together: what Layer 1 kills."""
    killed = [counts for name, counts in kills.items() if name]
    return CheckKills(EVERY_CHECK, sum(c[0] for c in killed), sum(c[1] for c in killed), rows_of(kills)[0])


def rows_of(kills: Kills) -> tuple[int, int]:
    """How many rows there are: those that people pass, and those that they fail."""
    return sum(counts[0] for counts in kills.values()), sum(counts[1] for counts in kills.values())


def above(kills: Kills, limit: Decimal) -> list[CheckKills]:
    """The checks above the limit, the worst first."""
    found = [each for each in per_check(kills, ()) if each.is_above(limit)]
    return sorted(found, key=lambda each: -each.false_kills)


def counted(rows: Iterable[tuple[str, str]]) -> dict[str, list[int]]:
    """The counts of rows given one by one, as the check that kills it or "" and what people say of it."""
    found: dict[str, list[int]] = {}
    for check, truth in rows:
        found.setdefault(check, [0, 0])[truth == "fail"] += 1
    return found


def _share(seen: int, rows: int) -> Estimate:
    return Estimate(seen / rows, *exact_interval(seen, rows), rows, "Clopper–Pearson")
