"""What is known of a judge since it was certified: replays, audit, pass rates, and what they say together."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from django.urls import reverse

from judging.domain.comparison import Changes
from judging.domain.control_charts import ControlChart, control_chart
from judging.domain.drift_words import (
    AUDIT_DAYS,
    REPLAY_DAYS,
    Audits,
    Missing,
    Rates,
    Replays,
    Seen,
    Told,
    missing,
    told,
)
from judging.domain.figures import shown_kappa
from judging.domain.measured import defined
from judging.domain.reasons import CertificateReason
from judging.models import Calibration, Certificate, Run
from judging.services.certificates import policy_then, suspensions
from judging.services.daily_rates import by_day
from judging.services.drift import Watched, watched
from judging.services.replays import changes
from judging.services.sightings import sightings
from judging.services.standing import Standing
from judging.views.replays import schedule_address

LEAST_AUDITED = 20  # rows on which people and judge have both decided; fewer show no steadiness
_BY_CHANCE = 0.05  # rarer than this is not put down to chance
_CHART_DAYS, _REPLAYS = 60, 10

_HEADLINES = {
    "steady": "Nothing shows that it got worse since it was certified.",
    "judge": "No: the judge itself got worse since it was certified.",
    "product": "The judge seems as it was; what it judges changed.",
    "unclear": "Probably not: people disagree with it more than when it was certified.",
    "unknown": "Nobody knows: too little was looked at since it was certified.",
}
_BROKEN = "It is not certified now, so there is no certificate for it to lose."


@dataclass(frozen=True, slots=True)
class Replay:
    """One golden replay beside the certified run."""

    calibration: Calibration
    kappa: str
    interval: str
    changes: Changes
    is_below: bool  # kappa is under the bar, on as many rows as the policy asks for

    @property
    def is_worse(self) -> bool:
        return self.is_below or self.changes.chance_of_worse < _BY_CHANCE

    @property
    def words(self) -> str:
        """Whether it shows the judge to be worse, and by what."""
        if self.is_below:
            return "yes: its kappa is below the bar"
        return "yes: so uneven a split is hardly chance" if self.is_worse else "not shown"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that nobody watches, with where to mend it."""

    words: str
    url: str
    text: str


@dataclass(frozen=True)
class Facts:
    """Everything that the page says, before it is drawn."""

    watched: Watched
    replays: list[Replay]
    passes: ControlChart
    skips: ControlChart
    agreements: ControlChart
    gaps: list[Gap]
    told: Told
    since: datetime  # from when on the charts count
    headline: str


def facts_of(standing: Standing, certificate: Certificate, zone: tzinfo) -> Facts:
    """What is known of the judge of a certificate at `standing.now`; days are those of `zone`."""
    audit, replays = watched(certificate), _replays(certificate)
    since = max(audit.start, standing.now - timedelta(days=_CHART_DAYS))
    days = by_day(standing.judge_version, standing.criteria_version, since, zone)
    charts = [control_chart(each) for each in (days.passes, days.skips, days.agreements)]
    seen = sightings([certificate])[certificate.judge_version_id, certificate.criteria_version_id]
    words = told(_replays_say(replays, standing.now), _audit_says(audit, standing.now), _rates_say(charts[0]))
    suspended = any(reason.code == CertificateReason.DRIFT_ALARM for reason in suspensions(certificate))
    may_lose = standing.certified or suspended
    return Facts(
        watched=audit,
        replays=replays,
        passes=charts[0],
        skips=charts[1],
        agreements=charts[2],
        gaps=gaps(seen, standing),
        told=words,
        since=since,
        headline=_HEADLINES[words.kind] if may_lose else _BROKEN,
    )


def _replays(certificate: Certificate) -> list[Replay]:
    """The newest replays since the certified run was counted, newest first."""
    found = Calibration.objects.filter(
        run__kind=Run.Kind.REPLAY,
        run__judge_version=certificate.judge_version_id,
        judge_version=certificate.judge_version_id,
        criteria_version=certificate.criteria_version_id,
        is_current=True,
        as_of__gte=certificate.calibrated_at,
    )
    return [_replay(certificate, each) for each in found.select_related("run").order_by("-pk")[:_REPLAYS]]


def _replay(certificate: Certificate, calibration: Calibration) -> Replay:
    measured = calibration.measured
    kappa, interval = defined(measured.kappa), defined(measured.interval)
    enough = measured.n >= policy_then(certificate).min_rows
    return Replay(
        calibration=calibration,
        kappa=shown_kappa(kappa, certificate.bar),
        interval=f"{interval[0]:.2f} to {interval[1]:.2f}" if interval else "",
        changes=changes(certificate.calibration, calibration),
        is_below=kappa is not None and enough and not measured.meets(certificate.bar),
    )


def _replays_say(replays: list[Replay], now: datetime) -> Replays:
    if not replays or now - replays[0].calibration.as_of > timedelta(days=REPLAY_DAYS + 1):
        return "missing"
    return "worse" if replays[0].is_worse else "steady"


def _audit_says(audit: Watched, now: datetime) -> Audits:
    seen = audit.seen
    if seen is None:
        return "missing"
    if seen.alarm_at is not None:
        return "alarm"
    fresh = audit.rows and now - audit.rows[-1].settled_at <= timedelta(days=AUDIT_DAYS + 1)
    return "steady" if fresh and seen.n >= LEAST_AUDITED else "missing"


def _rates_say(passes: ControlChart) -> Rates:
    if passes.baseline is None or all(day.low is None for day in passes.days):
        return "missing"
    return "moved" if passes.newest_out else "steady"


def gaps(seen: Seen, standing: Standing) -> list[Gap]:
    """What nobody watches, each with the page where that is mended."""
    where = _where(standing)
    return [Gap(each.words, *where[each.code]) for each in missing(seen, standing.now)]


def _where(standing: Standing) -> dict[Missing, tuple[str, str]]:
    slug = standing.criteria_version.criteria_set.slug
    replay = (schedule_address(standing, "replay"), "Schedule a nightly replay")
    return {
        "audit_off": (reverse("set_policy", args=[slug]), "Switch the audit on"),
        "no_audit_labels": (reverse("label", args=[slug]), "Label the rows that wait"),
        "no_replay": (reverse("schedules"), "Look at the schedules"),
        "no_replay_planned": replay,
        "nothing_judged": (schedule_address(standing, "sample"), "Schedule samples of new rows"),
    }
