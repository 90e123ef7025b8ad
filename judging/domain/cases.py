"""What the next step about a judge follows from, and what a step is."""

from dataclasses import dataclass
from enum import StrEnum

from judging.domain.measured import Measured
from judging.domain.reasons import Reason
from labeling.domain.agreement import Table
from labeling.domain.agreement.drawn import Stratum

_NO_ROWS = Table(0, 0, 0, 0)


class Action(StrEnum):
    """Where the next step leads."""

    CALIBRATE = "calibrate"
    WATCH_RUN = "watch_run"
    LABEL = "label"
    SETTLE = "settle"
    SEE_LENIENT = "see_lenient"
    SEE_STRICT = "see_strict"
    SEE_SKIPS = "see_skips"
    SEE_DRIFT = "see_drift"
    ORDER = "order"
    OPEN_CRITERIA = "open_criteria"
    OPEN_POLICY = "open_policy"
    PROMOTE = "promote"
    USE = "use"


@dataclass(frozen=True, slots=True)
class Step:
    """What to do, in a sentence or two."""

    action: Action
    words: str


@dataclass(frozen=True, slots=True)
class Case:
    """What the next step follows from. `reasons` block, `warnings` do not.

    `strata`: the rows of `table` by their probability where they were drawn unequally; rows that are missing
    are then counted as drawn like these. `labels_needed`: rows in all that would show the judge above the
    bar, None where no number would, or none is needed. `by_looks`: the policy certifies at planned looks
    only. `next_look`: scored rows at the next of them, None where none is left. `bound` and `bar` as they
    are written; `shown`: the one-sided 95 % bound of kappa is at the bar or above. `at_work`: a calibration
    of this very judge is under way. `is_draft`: it may be promoted, and is not yet.
    """

    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()
    table: Table = _NO_ROWS
    strata: tuple[Stratum, ...] = ()
    min_rows: int = 30
    min_per_class: int = 5
    labels_needed: int | None = None
    by_looks: bool = False
    next_look: int | None = None
    bound: str = ""
    bar: str = "0.65"
    shown: bool = False
    at_work: bool = False
    is_draft: bool = False

    @property
    def measured(self) -> Measured:
        """The rows by what they weigh."""
        return Measured(self.table, self.strata)

    @property
    def missing_rows(self) -> int:
        """Rows that the policy asks for and that are not there."""
        return self.measured.missing(self.min_rows)

    @property
    def until_look(self) -> int:
        """Rows that are missing until the next look may be taken."""
        return self.measured.missing(self.next_look or 0)

    @property
    def missing_good(self) -> int:
        """The same for rows that people pass."""
        return self.measured.missing(self.min_per_class, human=True)

    @property
    def missing_bad(self) -> int:
        """The same for rows that people fail."""
        return self.measured.missing(self.min_per_class, human=False)

    @property
    def more_labels(self) -> int:
        """How many further rows the policy asks for, of whichever kind."""
        return max(self.missing_rows, self.missing_good + self.missing_bad)
