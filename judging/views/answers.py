"""The answer about a judge as a stranger reads it: may I trust it, why, and what next."""

import re
from dataclasses import dataclass
from fractions import Fraction

from judging.domain.certificate_states import SUSPENDING
from judging.domain.consequences import Sentence
from judging.domain.figures import plain, shown_kappa
from judging.domain.live_consequences import Live, live_rests_on, live_sentences
from judging.domain.next_steps import Case, Step, labels_words, next_step
from judging.domain.reasons import CertificateReason as Code
from judging.models import Certificate, Run
from judging.services.behind import labels_needed
from judging.services.standing import Standing
from judging.views.interval import IntervalDrawing, interval_drawing
from judging.views.step_links import Link, link_of, tune_link, versions_query
from labeling.domain.agreement import Table
from labeling.models import CriteriaSet

_FIRST = 2  # reasons on the dashboard; the page behind has them all
_ROWS_MISSING = {Code.TOO_FEW_ROWS, Code.TOO_FEW_OF_ONE_CLASS, Code.RUN_INCOMPLETE}
_IN_SHORT = {
    Code.NEVER_CALIBRATED: "Nobody knows yet how well it agrees with people.",
    Code.TOO_FEW_ROWS: "It was compared with people on too few rows to tell skill from luck.",
    Code.TOO_FEW_OF_ONE_CLASS: "It was compared on too few rows of one kind to tell skill from luck.",
    Code.UNDEFINED_KAPPA: "The rows cannot tell skill from luck.",
    Code.LOW_COVERAGE: "It leaves too many rows without a verdict.",
    Code.BELOW_BAR: "It agrees with people too little beyond luck.",
    Code.BOUND_BELOW_BAR: "It was not shown to be better than the bar.",
    Code.SKIPS_WORST_CASE: "The rows without a verdict could hide that it is too weak.",
    Code.ORDERING_VIOLATED: "It puts clearly worse outputs above good ones, or nobody looked.",
    Code.HUMAN_CEILING_LOW: "People themselves agree too little on what is good, or nobody looked.",
    Code.DRIFT_ALARM: "It no longer judges as it did when it was measured.",
    Code.PROVIDER_MODEL_CHANGED: "Another model answers under its name now.",
    Code.GOLDEN_SET_CHANGED: "People corrected labels since it was measured.",
    Code.EXPIRED: "It was measured too long ago.",
}


@dataclass(frozen=True, slots=True)
class Layer1:
    """How many of the scored rows the checks before any model kill."""

    killed: int
    rows: int


@dataclass(frozen=True)
class Answer:
    """One judge version on one criteria version. `is_live`: the gate answers for just these versions."""

    standing: Standing
    is_live: bool
    step: Step
    link: Link
    first_link: Link | None  # what to look at before that
    labels: str
    drawing: IntervalDrawing | None
    live: Live | None  # at what rate it passes live outputs, where that was counted

    @property
    def headline(self) -> str:
        """The answer in five words."""
        if not self.standing.certificate:
            return "No – not measured yet"
        if not self.standing.certified:
            return self._refusal
        return "Yes – may gate" if self.is_live else "Yes – good enough, but not live"

    @property
    def _refusal(self) -> str:
        """ "Yet" only where nothing but rows are missing: more of them change no other answer."""
        codes = {reason.code for reason in self.standing.reasons}
        if codes == {Code.EXPIRED}:
            return "No – its certificate ran out"
        if SUSPENDING & codes:
            return "No – its certificate is suspended"
        missing = _ROWS_MISSING | ({Code.BOUND_BELOW_BAR} if self._has_a_look_left else set())
        return "No – may not gate yet" if codes <= missing else "No – may not gate"

    @property
    def _has_a_look_left(self) -> bool:
        certificate = self.standing.certificate
        return certificate is not None and certificate.next_look is not None

    @property
    def in_short(self) -> str:
        """The first reason without a technical word; the reasons themselves carry the figures."""
        reasons = self.standing.reasons
        return _IN_SHORT.get(reasons[0].code, "") if reasons else ""

    @property
    def more_reasons(self) -> int:
        return max(0, len(self.standing.reasons) - _FIRST)

    @property
    def how_sure(self) -> str:
        """The one figure of doubt in words; "" without kappa.

        For a judge at the bar the lower bound, the same as in the API; for one below it, how far its interval
        is from the bar: what it surely reaches says nothing of a refusal.
        """
        certificate = self.standing.certificate
        if certificate is None or certificate.lower_bound is None:
            return ""
        bar = plain(self.standing.bar)
        if self.drawing and certificate.kappa is not None and certificate.kappa < float(self.standing.bar):
            ends = f"{self.drawing.shown_low} to {self.drawing.shown_high}"
            high = certificate.interval_high
            if high is not None and high < float(self.standing.bar):
                luck = "" if self.drawing.capped else ": that is no bad luck"
                return f"Its 95% interval, {ends}, lies wholly below the bar of {bar}{luck}."
            return f"Its 95% interval, {ends}, holds the bar of {bar}: the refusal may be bad luck."
        together = "" if certificate.bound_at_looks is None else ", at all planned looks together,"
        return f"95% sure{together} that its kappa is above {_bound(certificate)}; the bar is {bar}."

    @property
    def certificate_reached(self) -> str:
        """Why the judge may gate, in a sentence with its figures."""
        certificate = self.standing.certificate
        assert certificate is not None
        if certificate.rule == CriteriaSet.Rule.BOUND:
            return (
                f"It agrees with people well beyond luck: kappa {certificate.shown_kappa} on "
                f"{certificate.n} rows, shown at a planned look to be above the bar of "
                f"{plain(self.standing.bar)}."
            )
        return (
            f"It agrees with people well beyond luck: kappa {certificate.shown_kappa} reaches the bar "
            f"of {plain(self.standing.bar)} on {certificate.n} rows."
        )

    @property
    def expires_in(self) -> str:
        """How long the certificate still holds, in days."""
        certificate = self.standing.certificate
        if certificate is None or not self.standing.certified:
            return ""
        days = (certificate.expires_at - self.standing.now).days
        return {0: "less than a day from now", 1: "a day from now"}.get(days, f"{days} days from now")

    @property
    def consequences(self) -> list[Sentence]:
        certificate = self.standing.certificate
        if certificate is None:
            return []
        weighted = certificate.calibration.measured.weighted
        found = live_sentences(_table(self.standing), self.live, weighted=weighted)
        return [Sentence(_unbroken(each.claim), each.doubt) for each in found]

    @property
    def rests_on(self) -> str:
        certificate = self.standing.certificate
        if certificate is None:
            return ""
        skipped, weighted = certificate.calibration.skipped, certificate.calibration.measured.weighted
        return live_rests_on(_table(self.standing), skipped, self.live, weighted=weighted)

    @property
    def layer1(self) -> Layer1 | None:
        """None where there is no scored row."""
        table = _table(self.standing)
        certificate = self.standing.certificate
        if certificate is None or not table.n:
            return None
        killed = table.n - certificate.calibration.unkilled_table.n
        return Layer1(killed, table.n)

    @property
    def versions(self) -> str:
        """The part of an address that keeps the reader at these versions."""
        return versions_query(self.standing)


def answer_of(standing: Standing, at_work: Run | None = None, live: Live | None = None) -> Answer:
    """`at_work`: a calibration of this judge on these criteria that has not ended. `live`: its pass rate."""
    case = _case(standing, at_work)
    step = next_step(case)
    return Answer(
        standing=standing,
        is_live=is_live(standing),
        step=step,
        link=link_of(step.action, standing, at_work),
        first_link=tune_link(step.action, standing),
        labels=labels_words(case),
        drawing=interval_drawing(standing),
        live=live,
    )


def is_live(standing: Standing) -> bool:
    """Whether the gate answers for these versions when none are named."""
    judge, criteria_set = standing.judge_version.judge, standing.criteria_version.criteria_set
    live = (judge.live_version_id, criteria_set.live_version_id)
    return live == (standing.judge_version.pk, standing.criteria_version.pk)


def is_draft(standing: Standing) -> bool:
    """Whether it is a draft that may be promoted: newer than the live versions, and not they themselves."""
    judge, criteria_set = standing.judge_version.judge, standing.criteria_version.criteria_set
    if is_live(standing):
        return False
    newer = [
        live is None or version.number >= live.number
        for version, live in (
            (standing.judge_version, judge.live_version),
            (standing.criteria_version, criteria_set.live_version),
        )
    ]
    return all(newer)


def _table(standing: Standing) -> Table:
    return standing.certificate.calibration.table if standing.certificate else Table(0, 0, 0, 0)


def _case(standing: Standing, at_work: Run | None) -> Case:
    table, certificate = _table(standing), standing.certificate
    criteria_set = standing.criteria_version.criteria_set
    now = {"min_rows": criteria_set.min_rows, "min_per_class": criteria_set.min_per_class}
    policy = certificate.policy if certificate else now
    return Case(
        reasons=standing.reasons,
        warnings=standing.warnings,
        table=table,
        strata=certificate.calibration.measured.strata if certificate else (),
        min_rows=policy["min_rows"],
        min_per_class=policy["min_per_class"],
        labels_needed=labels_needed(certificate) if certificate else None,
        by_looks=standing.rule == CriteriaSet.Rule.BOUND,
        next_look=certificate.next_look if certificate else None,
        bound=_bound(certificate) if certificate else "",
        bar=plain(standing.bar),
        shown=bool(certificate and certificate.lower_bound and certificate.lower_bound >= standing.bar),
        at_work=at_work is not None,
        is_draft=is_draft(standing),
    )


def _bound(certificate: Certificate) -> str:
    """The bound that the certificate goes by: that of all looks together where it goes by looks."""
    if certificate.bound_at_looks is None:
        return certificate.shown_bound
    return shown_kappa(Fraction(certificate.bound_at_looks), certificate.bar)


def _unbroken(claim: str) -> str:
    """The same with its number kept on one line with the words around it."""
    return re.sub(r"(about|than) \d+( are| is)?", lambda found: found[0].replace(" ", "\u00a0"), claim)
