"""Kappa as a certificate has it: of rows that count alike, or of rows that were drawn unequally."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

from labeling.domain.agreement import (
    Interval,
    Margins,
    Table,
    Undefined,
    kappa_exact,
    labels_needed,
    meets_bar,
    score_interval,
    score_lower_at,
    score_z,
)
from labeling.domain.agreement.drawn import (
    DrawnKappa,
    Stratum,
    drawn_agreement,
    drawn_kappa,
    drawn_margins,
    effective_rows,
)
from labeling.domain.agreement.variance import kappa_variance

_NO_ERROR = (
    "Where rows were drawn unequally and the judge agrees on all of them, nothing shows the doubt in kappa. "
    "Label more rows until it errs on some."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Scored rows and all that follows from them. Each question raises Undefined where there is no answer.

    `strata`: the same rows by their probability where they were drawn unequally, else empty. `design_effect`:
    how much larger the variance is with requests as the unit than with rows; below 1 it counts as 1.
    """

    table: Table
    strata: tuple[Stratum, ...] = ()
    design_effect: float = 1.0

    @property
    def weighted(self) -> bool:
        """Whether rows count unequally: then there is no comparison in whole numbers and no score bound."""
        return bool(self.strata)

    @property
    def n(self) -> int:
        """Scored rows, whatever they weigh."""
        return self.table.n

    def counts_like(self, human: bool | None = None) -> int:
        """How many rows drawn evenly say as much; all of them where rows count alike.

        `human`: only of the rows that people pass, or of those they fail.
        """
        return effective_rows(self.strata, human) if self.weighted else self._rows(human)

    def missing(self, need: int, human: bool | None = None) -> int:
        """Further rows, drawn as these were, with which they would count like `need` rows drawn evenly."""
        have = self.counts_like(human)
        return 0 if have >= need else math.ceil((need - have) * (self._rows(human) / have if have else 1))

    def agreement(self) -> float:
        """Share of rows, 0 to 1, on which people and judge agree; of the frame where rows weigh unequally."""
        return drawn_agreement(self.strata) if self.weighted else self.table.agreement

    def margins(self) -> Margins:
        """Shares that people and judge pass, 0 to 1."""
        return drawn_margins(self.strata) if self.weighted else self.table.margins

    def kappa(self) -> Fraction:
        """Exact where rows count alike."""
        return Fraction(self._drawn().value) if self.weighted else kappa_exact(self.table)

    def meets(self, bar: Decimal) -> bool:
        """Whether kappa ≥ bar."""
        return self._drawn().value >= float(bar) if self.weighted else meets_bar(self.table, bar)

    def interval(self) -> Interval:
        """Two-sided at 95 %."""
        if not self.weighted:
            return score_interval(self.table)
        return _known(self._drawn().interval(inflation=self._inflation))

    def lower_bound(self) -> float:
        """One-sided at 95 %. The score bound counts every row as independent."""
        z = NormalDist().inv_cdf(0.95)
        return self.lower_at(z) if self.weighted else score_lower_at(self.table, z)

    def lower_at(self, z: float) -> float:
        """The bound with this `z`; answers to one request count as alike as they were."""
        if self.weighted:
            return _known(self._drawn().lower(z, self._inflation))
        return score_lower_at(self.table, z * self._inflation)

    def z(self, bar: Decimal) -> float:
        """The statistic of "true kappa is at most the bar": the score test's, Fisher's where weighted."""
        if self.weighted:
            return _known(self._drawn().z(float(bar), self._inflation))
        return score_z(self.table, float(bar)) / self._inflation

    def labels_needed(self, bar: Decimal, min_rows: int = 0) -> int:
        """Rows in all, drawn as these were, that would show such a kappa to be above the bar; no fewer than
        the policy asks for.
        """
        return max(self._labels_needed(bar), self.n + self.missing(min_rows))

    def _labels_needed(self, bar: Decimal) -> int:
        if not self.weighted:
            alike = labels_needed(self.table, float(self.kappa()), float(bar))
            return math.ceil(alike * max(1.0, self.design_effect))
        found = self._drawn()
        variance = kappa_variance(found.margins, found.value) / found.n
        wider = max(1.0, (found.se * self._inflation) ** 2 / variance) if variance > 0 else 1.0
        return math.ceil(labels_needed(found.margins, found.value, float(bar)) * wider)

    def _rows(self, human: bool | None) -> int:
        return {None: self.table.n, True: self.table.n_pass, False: self.table.n_fail}[human]

    @property
    def _inflation(self) -> float:
        return math.sqrt(max(1.0, self.design_effect))

    def _drawn(self) -> DrawnKappa:
        return drawn_kappa(self.strata)


def _known[T](value: T | None) -> T:
    if value is None:
        raise Undefined(_NO_ERROR)
    return value


def defined[T](value: Callable[[], T]) -> T | None:
    """The value, or None where it does not exist."""
    try:
        return value()
    except Undefined:
        return None
