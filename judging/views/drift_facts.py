"""What is known of a judge since it was certified: replays, audit, pass rates, and what they say together."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from django.urls import reverse

from judging.domain.control_charts import ControlChart, control_chart
from judging.domain.drift_words import (
    Audits,
    Missing,
    Seen,
    Told,
    audits_say,
    missing,
    rates_say,
    told,
)
from judging.domain.reasons import CertificateReason
from judging.domain.replay_findings import ReplayFinding
from judging.models import Certificate
from judging.services.certificates import suspensions
from judging.services.daily_rates import by_day
from judging.services.drift import Watched, watched
from judging.services.replay_alarms import findings_since_certified, said_by_replays
from judging.services.sightings import sightings
from judging.services.standing import Standing
from judging.views.replays import schedule_address

_CHART_DAYS = 60

_HEADLINES = {
    "steady": "Nothing shows that it got worse since it was certified.",
    "watch": "Watch this: one golden replay came out worse than the certified run.",
    "judge": "No: the judge itself got worse since it was certified.",
    "product": "The judge seems as it was; what it judges changed.",
    "unclear": "Probably not: people disagree with it more than when it was certified.",
    "unknown": "Nobody knows: too little was looked at since it was certified.",
}
_BROKEN = "It is not certified now, so there is no certificate for it to lose."


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
    replays: list[ReplayFinding]
    passes: ControlChart
    skips: ControlChart
    agreements: ControlChart
    gaps: list[Gap]
    told: Told
    since: datetime  # from when on the charts count
    headline: str


def facts_of(standing: Standing, certificate: Certificate, zone: tzinfo) -> Facts:
    """What is known of the judge of a certificate at `standing.now`; days are those of `zone`."""
    audit, replays = watched(certificate), findings_since_certified(certificate)
    since = max(audit.start, standing.now - timedelta(days=_CHART_DAYS))
    days = by_day(standing.judge_version, standing.criteria_version, since, zone)
    charts = [control_chart(each) for each in (days.passes, days.skips, days.agreements)]
    seen = sightings([certificate])[certificate.judge_version_id, certificate.criteria_version_id]
    from_replays = said_by_replays(certificate, replays, standing.now)
    words = told(from_replays, _audit_says(audit, standing.now), rates_say(charts[0]))
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


def _audit_says(audit: Watched, now: datetime) -> Audits:
    seen = audit.seen
    if seen is None:
        return "missing"
    last = audit.rows[-1].settled_at if audit.rows else None
    return audits_say(seen.n, seen.alarm_at is not None, last, now)


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
