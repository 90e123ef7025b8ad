"""How far people agree with each other, pair by pair."""

from collections import defaultdict
from dataclasses import dataclass

from labeling.domain.agreement import Table, Undefined
from labeling.domain.agreement.people import PeopleKappa, kappa_of_people
from labeling.models import CriteriaVersion
from labeling.services.heard import heard_blind

MOST_PAIRS = 10


@dataclass(frozen=True, slots=True)
class Pair:
    """Two labelers on the rows that both labelled blind. `kappa` is None where one of them gave one verdict
    throughout.
    """

    one: str
    other: str
    rows: int
    agreement: float  # share, 0 to 1
    kappa: PeopleKappa | None


def pairs_of(version: CriteriaVersion) -> list[Pair]:
    """The pairs of labelers with the most rows in common, at most ten."""
    cells: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)
    for row in heard_blind(version).pair_counts(version):
        cells[row["one"], row["other"]][row["verdict"], row["other_verdict"]] = row["n"]
    largest = sorted(cells, key=lambda names: -sum(cells[names].values()))[:MOST_PAIRS]
    return [_pair(*names, cells[names]) for names in largest]


def _pair(one: str, other: str, cells: dict[tuple[str, str], int]) -> Pair:
    a, b, c, d = (cells.get((x, y), 0) for x in ("pass", "fail") for y in ("pass", "fail"))
    table = Table(a, b, c, d)
    try:
        kappa = kappa_of_people(table)
    except Undefined:
        kappa = None
    return Pair(one, other, table.n, (a + d) / table.n, kappa)
