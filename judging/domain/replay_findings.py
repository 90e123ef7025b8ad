"""What golden replays say of a certificate: they may take it away, and give it back, and never renew it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from judging.domain.comparison import Changes
from judging.domain.reasons import CertificateReason as Code

# Rarer than this is not put down to chance, where it happens twice running (McNemar's exact test, one-sided).
WORSE = 0.01
# Once as rare as this takes nothing away, and is worth watching (the same test).
WATCH = 0.05
# So many replays in a row, each passed, lift a suspension.
PASSES_TO_LIFT = 2

# "missing": there is none, or the newest says too little or is too old.
type Replays = Literal["steady", "watch", "worse", "missing"]

_TOO_LITTLE = frozenset({Code.TOO_FEW_ROWS, Code.UNDEFINED_KAPPA})

SUMMARIES: dict[Replays, str] = {
    "steady": "Nothing in the golden replays shows that it got worse.",
    "watch": "Watch this: one golden replay came out worse than the certified run. That may be chance, and "
    "takes nothing away; look at what the next one says.",
    "worse": "Golden replays showed that the judge itself got worse. That stands until two in a row are "
    "passed.",
    "missing": "No golden replay says enough, or is new enough, to tell whether it got worse.",
}


@dataclass(frozen=True, slots=True)
class ReplayFinding:
    """One replay against the policy of the certificate that it asks about.

    `kappa`, `bar`, `interval`: as they are written, on `rows` with both verdicts. `codes`: what the policy
    holds against the replay's own counts. `changes`: what became of the certified run's rows.
    """

    run_id: int
    at: datetime
    rows: int
    kappa: str
    interval: str
    bar: str
    codes: Collection[str]
    changes: Changes

    @property
    def chance(self) -> float:
        """How often a judge that is no worse than the certified run would lose so many rows, 0 to 1."""
        return self.changes.chance_of_worse

    @property
    def says_enough(self) -> bool:
        """Whether there are as many answers as the policy asks for before kappa means anything."""
        return not _TOO_LITTLE.intersection(self.codes)

    @property
    def is_below(self) -> bool:
        """Whether kappa is under the bar, on rows enough."""
        return self.says_enough and Code.BELOW_BAR in self.codes

    @property
    def is_worse(self) -> bool:
        """Whether it went worse than the certified run by more than chance."""
        return self.chance < WORSE

    @property
    def passes(self) -> bool:
        """Whether the judge judged as a certified one does."""
        kept = not {Code.BELOW_BAR, Code.LOW_COVERAGE}.intersection(self.codes)
        return self.says_enough and kept and not self.is_worse

    @property
    def words(self) -> str:
        """What it found, in half a sentence."""
        return f"kappa {self.kappa}: {self.verdict}" if self.says_enough else self.verdict

    @property
    def verdict(self) -> str:
        """The same without its kappa."""
        if not self.says_enough:
            return "too few answers to tell anything"
        if self.is_below:
            return f"below the bar of {self.bar}"
        if Code.LOW_COVERAGE in self.codes:
            return "too many rows left without a verdict"
        if self.is_worse:
            return f"worse than the certified run by more than chance ({self.p})"
        if self.chance < WATCH:
            return f"passed, but watch this: it came out worse than the certified run ({self.p})"
        return "passed"

    @property
    def p(self) -> str:
        """The chance as it is written."""
        return "p < 0.001" if self.chance < 0.001 else f"p = {self.chance:.3f}"


@dataclass(frozen=True, slots=True)
class Alarm:
    """Why a certificate is suspended by replays: `detail` in short, `message` in a sentence."""

    detail: str
    message: str


_NEXT = (
    " Two replays in a row that it passes lift this, or a lead with a reason; a new calibration replaces it."
)


def alarm(newest_first: Sequence[ReplayFinding]) -> Alarm | None:
    """What the replays since the judge was certified, or given back its certificate, hold against it now."""
    if not newest_first:
        return None
    last = newest_first[0]
    if last.is_below:
        return Alarm(
            f"replay {last.run_id}: kappa {last.kappa} of {last.bar}",
            f"Golden replay {last.run_id} came out at kappa {last.kappa}, below the bar of {last.bar}: the "
            f"judge no longer judges as it did.{_NEXT}",
        )
    if _worse_twice(newest_first):
        before = newest_first[1]
        return Alarm(
            f"replays {before.run_id} and {last.run_id}: worse",
            f"Golden replays {before.run_id} and {last.run_id} both came out worse than the certified run by "
            f"more than chance (McNemar's exact test: {before.p} and {last.p}).{_NEXT}",
        )
    return None


def _worse_twice(newest_first: Sequence[ReplayFinding]) -> bool:
    return len(newest_first) > 1 and newest_first[0].is_worse and newest_first[1].is_worse


def said(newest_first: Sequence[ReplayFinding], *, reached_bar: bool) -> Replays:
    """What the replays say together; that the judge got worse only where they raise the alarm.

    `reached_bar`: the judge was at the bar when it was measured, so that to be under it is to have fallen.
    """
    if not newest_first:
        return "missing"
    last = newest_first[0]
    if _worse_twice(newest_first) or (reached_bar and last.is_below):
        return "worse"
    if not last.says_enough or Code.LOW_COVERAGE in last.codes:
        return "missing"
    return "watch" if last.chance < WATCH else "steady"


def passed_in_a_row(newest_first: Sequence[ReplayFinding]) -> list[ReplayFinding]:
    """Those that were passed since the last that was not, the newest first."""
    passed: list[ReplayFinding] = []
    for finding in newest_first:
        if not finding.passes:
            break
        passed.append(finding)
    return passed
