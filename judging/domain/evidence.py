"""What is demanded of a judge, and what a run found about it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from judging.domain.attempts import Attempt
from judging.domain.looks import DEFAULT_LOOKS
from judging.domain.measured import Measured
from labeling.domain.agreement import Table, worst_case
from labeling.domain.agreement.drawn import Stratum


@dataclass(frozen=True, slots=True)
class Policy:
    """What a criteria set demands of its judges. Shares and kappas are 0–1; ages are days.

    `looks` and `n_max` are the plan of the rule `bound`, in scored rows.
    """

    bar: Decimal = Decimal("0.65")
    min_rows: int = 30
    min_per_class: int = 5
    min_coverage: Decimal = Decimal("0.95")
    rule: str = "point"
    max_age_days: int = 30
    demand_ordering: bool = False
    demand_human_ceiling: bool = False
    looks: tuple[int, ...] = DEFAULT_LOOKS
    n_max: int = DEFAULT_LOOKS[-1]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a calibration run found on the golden rows of the `certify` split.

    `table`: scored rows. `skipped_pass`, `skipped_fail`: rows without a verdict, by the people's verdict.
    Split rows sent to people are in none of them: they are outside table and coverage. `unresolved`: rows on
    which people disagree. `human_kappa`, of `human_rows`, and `ordering_violations` are None until measured.
    `people_alone`: the first is of people with themselves, for want of others. `strata`: the rows by their
    probability where they were drawn unequally, else empty; `worst_strata`: the same with every skip against
    the judge. `design_effect`: as in `Measured`. `attempt`: for the rule `bound`, None for the first
    run under the policy's plan.
    """

    table: Table
    calibrated_at: datetime
    skipped_pass: int = 0
    skipped_fail: int = 0
    unresolved: int = 0
    run_complete: bool = True
    human_kappa: float | None = None
    human_rows: int = 0
    people_alone: bool = False
    ordering_violations: int | None = None
    strata: tuple[Stratum, ...] = ()
    worst_strata: tuple[Stratum, ...] = ()
    design_effect: float = 1.0
    attempt: Attempt | None = None

    @property
    def measured(self) -> Measured:
        """Kappa and what follows from it."""
        return Measured(self.table, self.strata, self.design_effect)

    @property
    def worst(self) -> Measured:
        """The same as if the judge had been wrong on every row it skipped."""
        table = worst_case(self.table, self.skipped_pass, self.skipped_fail)
        return Measured(table, self.worst_strata, self.design_effect)

    @property
    def coverage(self) -> Fraction | None:
        """Share of the rows asked about that got a verdict; None when there are none."""
        return share(self.table.n, self.skipped_pass + self.skipped_fail)

    @property
    def coverage_pass(self) -> Fraction | None:
        """The same of the rows that people pass."""
        return share(self.table.n_pass, self.skipped_pass)

    @property
    def coverage_fail(self) -> Fraction | None:
        """The same of the rows that people fail."""
        return share(self.table.n_fail, self.skipped_fail)

    def expires_at(self, policy: Policy) -> datetime:
        """When a certificate from this run ends."""
        return self.calibrated_at + timedelta(days=policy.max_age_days)


def share(scored: int, skipped: int) -> Fraction | None:
    """The share of rows that got a verdict; None where there is no row."""
    return Fraction(scored, scored + skipped) if scored + skipped else None
