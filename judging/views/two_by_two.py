"""The table of people against judge as a picture: squares as large as the counts, each a way to its rows."""

import math
from dataclasses import dataclass

from judging.models import Calibration
from judging.services.standing import Standing
from judging.views.figures import percent
from vera_site.charts import Segment, stacked


@dataclass(frozen=True, slots=True)
class Square:
    """One cell. `side` is that of its square, 0 to 100, so that areas compare as the counts do.

    `share` is of the rows on which people say the same.
    """

    cell: str
    words: str
    rows: int
    share: str
    side: float
    agrees: bool

    @property
    def start(self) -> float:
        """Where the square begins in a box of 100, so that it is in the middle."""
        return round((100 - self.side) / 2, 2)


@dataclass(frozen=True, slots=True)
class HumanClass:
    """The rows that people pass, or those that they fail, and what the judge said of them."""

    words: str
    rows: int
    squares: tuple[Square, Square]
    skipped: int


@dataclass(frozen=True, slots=True)
class TwoByTwo:
    """The picture, and the rows that are in none of its cells as a strip of their own."""

    classes: tuple[HumanClass, HumanClass]
    judge: str
    criteria: str
    query: str  # of the addresses of the rows, so that they are of the same versions
    n: int
    outside: tuple[Segment, ...]
    n_outside: int


def two_by_two(standing: Standing) -> TwoByTwo | None:
    """The counts behind a standing; None where the judge was never calibrated. Asks the database nothing."""
    if standing.certificate is None:
        return None
    return _picture(standing, standing.certificate.calibration)


def _picture(standing: Standing, calibration: Calibration) -> TwoByTwo:
    table, judge, criteria = calibration.table, standing.judge_version, standing.criteria_version
    most = max(table.a, table.b, table.c, table.d)

    def square(cell: str, words: str, rows: int, of: int) -> Square:
        side = 100 * math.sqrt(rows / most) if most else 0.0
        return Square(
            cell, words, rows, percent(rows / of if of else None), round(side, 2), agrees=cell in "ad"
        )

    passed, failed = table.n_pass, table.n_fail
    return TwoByTwo(
        classes=(
            HumanClass(
                "People pass",
                passed,
                (
                    square("a", "agreed", table.a, passed),
                    square("b", "the judge is too strict", table.b, passed),
                ),
                calibration.skipped_pass,
            ),
            HumanClass(
                "People fail",
                failed,
                (
                    square("c", "the judge is too lenient", table.c, failed),
                    square("d", "agreed", table.d, failed),
                ),
                calibration.skipped_fail,
            ),
        ),
        judge=judge.judge.slug,
        criteria=criteria.criteria_set.slug,
        query=f"?judge_version={judge.number}&version={criteria.number}",
        n=table.n,
        outside=_outside(calibration),
        n_outside=calibration.skipped + calibration.escalated,
    )


def _outside(calibration: Calibration) -> tuple[Segment, ...]:
    return stacked(
        [
            ("skipped", "no verdict, people pass", calibration.skipped_pass, "skipped"),
            ("skipped-more", "no verdict, people fail", calibration.skipped_fail, "skipped"),
            ("escalated", "sent to people", calibration.escalated, "escalated"),
        ]
    )
