"""Agreement of any number of people who need not all have labelled all rows: Krippendorff's alpha.

Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability". Two people without gaps have Cohen's kappa.
Verdicts differ or do not (nominal alpha); marks on a scale differ by the square of their distance (interval
alpha), as in the quadratic-weighted kappa of two people.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from labeling.domain.agreement.tables import Interval, Undefined

# How many labels of each class a row has.
type Kind = tuple[tuple[Hashable, int], ...]
# How far apart two labels are: a whole number, 0 for equal ones.
type Difference = Callable[[Any, Any], int]

NOMINAL = "nominal Krippendorff's alpha, bootstrap over rows"
INTERVAL = "interval Krippendorff's alpha, bootstrap over rows"

_RESAMPLES = 2_000
# Where more resamples than this share have no alpha, the rest say too little of the doubt.
_LOST = 0.02


@dataclass(frozen=True, slots=True)
class Alpha:
    """Alpha, at most 1, of `n` rows with two labels or more, `labels` labels in all.

    `interval` is None where resampling shows no doubt (all labels agree) or too often finds one label only:
    then `lost`.
    """

    value: float
    interval: Interval | None
    n: int
    labels: int
    method: str = NOMINAL
    lost: bool = False

    @property
    def is_telling(self) -> bool:
        """Whether it says more than that hardly a row has another label than all the rest: two people have no
        kappa where one gives one label throughout, and a single odd label among many people makes alpha 0
        just as surely, however alike they are.
        """
        return self.value > 0 or not self.lost


def nominal_alpha(rows: Iterable[Sequence[Hashable]], seed: int, level: float = 0.95) -> Alpha:
    """Alpha of rows, each with the labels that it was given; gaps are simply not among them.

    Rows with fewer than two labels say nothing and are left out. The interval and what raises Undefined are
    as in `alpha_of`.
    """
    return alpha_of(Counter(_kind(Counter(row)) for row in rows), seed, level)


def _kind(counts: Mapping[Hashable, int]) -> Kind:
    return tuple(sorted(counts.items(), key=repr))


def unlike(one: object, other: object) -> int:
    """The difference of words: there is one, or none."""
    return int(one != other)


def squared(one: int, other: int) -> int:
    """The difference of scores on a scale of even steps."""
    return (one - other) ** 2


def alpha_of(
    kinds: Mapping[Kind, int], seed: int, level: float = 0.95, *, difference: Difference = unlike
) -> Alpha:
    """The same of rows that are counted already: how many rows have so many labels of each class.

    The interval is that of percentiles over rows drawn again with `seed`. With `squared` labels are whole
    scores. Raises Undefined where no row has two labels, and where all labels are one and the same: there
    chance cannot disagree.
    """
    found = ((_kind(+Counter(dict(kind))), times) for kind, times in kinds.items() if _labels(kind) > 1)
    # In one order, whichever a database counted them in: what is drawn again goes by it.
    told = [(Counter(dict(kind)), times) for kind, times in sorted(found, key=repr) if times]
    if not told:
        raise Undefined("No row has two labels, so there is no agreement to speak of.")
    total: Counter[Hashable] = Counter()
    for row, times in told:
        total.update({label: count * times for label, count in row.items()})
    if len(+total) < 2:
        raise Undefined("All labels are one and the same: alpha is undefined.")
    observed = sum(_disagreement(row, difference) * times for row, times in told)
    rows, labels = sum(times for _, times in told), total.total()
    value = 1 - (labels - 1) * observed / _apart(total, difference)
    interval, lost = _bootstrap(told, seed, level, difference)
    return Alpha(value, interval, rows, labels, INTERVAL if difference is squared else NOMINAL, lost)


def _labels(kind: Kind) -> int:
    return sum(count for _, count in kind)


def _disagreement(row: Counter[Hashable], difference: Difference) -> float:
    """What a row adds to the coincidences of unlike labels: Σ n_c·n_k·δ_ck/(m − 1)."""
    return _apart(row, difference) / (row.total() - 1)


def _apart(counts: Counter[Hashable], difference: Difference) -> int:
    """Σ n_c·n_k·δ_ck over all pairs of labels: alpha is 1 − (n − 1)·Σ o_ck·δ_ck/Σ n_c·n_k·δ_ck."""
    pairs = product(counts.items(), repeat=2)
    return sum(many * others * difference(one, other) for (one, many), (other, others) in pairs)


def _bootstrap(
    told: Sequence[tuple[Counter[Hashable], int]], seed: int, level: float, difference: Difference
) -> tuple[Interval | None, bool]:
    """Percentiles of alpha over rows drawn with replacement (Efron 1979), counted by kinds of equal rows; and
    whether too many of the draws had no alpha.
    """
    import numpy as np

    counts = [row for row, _ in told]
    classes = sorted({label for row in counts for label in row}, key=repr)
    apart = np.array([[difference(one, other) for other in classes] for one in classes])
    table = np.array([[row[label] for label in classes] for row in counts])
    each = np.array([_disagreement(row, difference) for row in counts])
    rows = np.array([times for _, times in told])
    times = np.random.default_rng(seed).multinomial(rows.sum(), rows / rows.sum(), _RESAMPLES)
    totals = times @ table
    labels = totals.sum(axis=1)
    chance = ((totals @ apart) * totals).sum(axis=1)
    defined = chance > 0
    alphas = 1 - (labels - 1)[defined] * (times @ each)[defined] / chance[defined]
    if defined.mean() < 1 - _LOST:
        return None, True
    if alphas.max() - alphas.min() < 1e-12:
        return None, False
    low, high = np.quantile(alphas, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high)), False
