"""How many rows of each kind a stratified draw takes, which ones, in which order, and how likely each was.

Most outputs of a good generator pass, so rows drawn evenly hold few that fail, and it is these that show what
a judge lets through. A judge's own verdict says where they are likely to be. Each row's probability is kept,
so that a row that was likelier to be drawn counts less.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from labeling.domain.sampling import position

FEWEST = 10  # rows in one draw: of fewer, the share of each side would tell what was said of a row
_SMALLEST_PASS, _LARGEST_PASS = 0.5, 0.75
_PER_STRATUM = 2  # rows of one stratum: the spread of a single one is unknown


class Side(enum.StrEnum):
    """What the judge said of a row; `none`: nothing that can be used."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Part:
    """A stratum: of its rows `drawn` were drawn before, `left` can be."""

    side: Side
    left: int
    drawn: int = 0

    @property
    def size(self) -> int:
        """All rows of the stratum."""
        return self.left + self.drawn

    def probability(self, taken: int) -> float:
        """How likely each of its rows is to be among those drawn, once `taken` more are; above 0, at most 1.

        Rows that are drawn at random from what an earlier draw at random left are, together with those of
        that one, a random sample of the whole.
        """
        return (self.drawn + taken) / self.size


def shares(parts: Sequence[Part], most: int) -> list[int]:
    """How many rows to take of each part: `most` in all, or every row where there are fewer.

    Rows without a verdict are taken in proportion. Of the others, those judged pass are as many as the judge
    passes, but no less than half and no more than three quarters, and where one side runs out the other fills
    up. Of a part that was never drawn from, two rows are taken where it can be: what is never drawn counts
    for nothing.
    """
    left = {side: sum(part.left for part in parts if part.side == side) for side in Side}
    wanted = min(most, sum(left.values()))
    taken = _by_side(parts, left, wanted)
    found = [0] * len(parts)
    for side in Side:
        mine = [number for number, part in enumerate(parts) if part.side == side]
        for number, rows in zip(mine, _within([parts[each] for each in mine], taken[side]), strict=True):
            found[number] = rows
    return found


def _by_side(parts: Sequence[Part], left: dict[Side, int], wanted: int) -> dict[Side, int]:
    total = sum(left.values())
    judged = left[Side.PASS] + left[Side.FAIL]
    none = round(wanted * left[Side.NONE] / total) if total else 0
    none = max(none, min(_PER_STRATUM, left[Side.NONE]))
    none = min(max(none, wanted - judged), left[Side.NONE], wanted)
    rest = wanted - none
    sizes = {side: sum(part.size for part in parts if part.side == side) for side in Side}
    known = sizes[Side.PASS] + sizes[Side.FAIL]
    rate = sizes[Side.PASS] / known if known else 0.0
    passed = round(rest * min(_LARGEST_PASS, max(_SMALLEST_PASS, rate)))
    passed = min(max(passed, rest - left[Side.FAIL]), left[Side.PASS])
    return {Side.PASS: passed, Side.FAIL: rest - passed, Side.NONE: none}


def _within(parts: Sequence[Part], wanted: int) -> list[int]:
    """`wanted` rows over the parts of one side, in proportion to what is left of each."""
    taken = [0] * len(parts)
    for number, part in enumerate(parts):
        if not part.drawn:
            taken[number] = min(_PER_STRATUM, part.left, wanted - sum(taken))
    while short := wanted - sum(taken):
        open_parts = [number for number, part in enumerate(parts) if part.left > taken[number]]
        # The part that lags furthest behind its share; a row at a time only for what rounding leaves.
        whole = sum(parts[each].left - taken[each] for each in open_parts)
        steps = {each: short * (parts[each].left - taken[each]) // whole for each in open_parts}
        if not any(steps.values()):
            steps = {max(open_parts, key=lambda each: (parts[each].left - taken[each], -each)): 1}
        for number, rows in steps.items():
            taken[number] += rows
    return taken


def interleaved(seed: str, strata: Sequence[Sequence[int]]) -> list[int]:
    """The rows of one draw in one order, of all strata: who stops early has about the same share of each.

    Of n rows the first stands at random in the first n-th of the order, the second in the second, and so on,
    so the order of two rows next to each other tells nobody which stratum either is of.
    """
    keyed = [
        ((rank + position(f"{seed}:place {number}", str(rank))) / len(rows), pk)
        for number, rows in enumerate(strata)
        for rank, pk in enumerate(rows)
    ]
    return [pk for _, pk in sorted(keyed)]
