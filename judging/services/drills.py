"""The gate drill: a consumer asks for a refusal that is only rehearsed, and reports whether it stopped."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from judging.domain.certification import Status, expired
from judging.domain.reasons import CertificateReason, Reason, certificate_reason
from judging.models import ApiToken, Drill
from judging.services.resource import resource, sentences
from judging.services.standing import Standing
from labeling.domain.content import text_problem

MOST_AN_HOUR = 120  # drills of one token: enough for every judge, too few to fill a disk
LONGEST_NOTE = 500
RETRY_AFTER = 30  # seconds, as a server that is down for a moment says
UNAVAILABLE = (
    "This is a rehearsal: take Vera for unavailable, so that nobody knows whether the judge is certified."
)


class DrillRefused(ValueError):
    """A drill that is not begun, or a report that is not taken; the message says why."""


class BadNote(ValueError):
    """A note that no database keeps."""


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """The answer that a consumer is to be given. `reasons` are empty where Vera is to seem unavailable."""

    standing: Standing
    answer: str
    reasons: tuple[Reason, ...]

    @property
    def certification(self) -> dict[str, Any]:
        """The certification resource as it would be; never certified, and with no number made up."""
        nothing = Standing(
            self.standing.judge_version, self.standing.criteria_version, None, self.standing.now
        )
        real = resource(nothing if self.answer == Drill.Answer.UNCERTIFIED else self.standing)
        refused = {"certified": False, "status": str(Status.UNCERTIFIED), "reasons": sentences(self.reasons)}
        ended = {"expires_at": self.standing.now.isoformat()} if self.answer == Drill.Answer.EXPIRED else {}
        return real | refused | ended


def rehearsed(standing: Standing, answer: str) -> Rehearsed:
    """What `answer` would be for these versions."""
    reasons = {
        Drill.Answer.UNCERTIFIED: (certificate_reason(CertificateReason.NEVER_CALIBRATED),),
        Drill.Answer.EXPIRED: (expired(standing.now),),
        Drill.Answer.SUSPENDED: (certificate_reason(CertificateReason.DRIFT_ALARM),),
        Drill.Answer.UNAVAILABLE: (),
    }
    return Rehearsed(standing, answer, reasons[Drill.Answer(answer)])


@transaction.atomic
def begin_drill(*, token: ApiToken, standing: Standing, answer: str, now: datetime) -> Drill:
    """Note that the token was given this rehearsed answer. Raises `DrillRefused` for too many in an hour."""
    ApiToken.objects.select_for_update(no_key=True).get(pk=token.pk)
    recent = Drill.objects.filter(token=token, asked_at__gt=now - timedelta(hours=1))
    if recent.count() >= MOST_AN_HOUR:
        raise DrillRefused(
            f"This token has asked for {MOST_AN_HOUR} rehearsals within an hour. Go on in an hour; the gate "
            "itself answers as ever."
        )
    return Drill.objects.create(
        token=token,
        judge_id=standing.judge_version.judge_id,
        criteria_set_id=standing.criteria_version.criteria_set_id,
        answer=answer,
        asked_at=now,
    )


@transaction.atomic
def report_drill(*, drill: Drill, stopped: bool, note: str, now: datetime) -> Drill:
    """Note whether the consumer stopped. The same report again is taken; another one is refused.

    Raises `DrillRefused`, and `BadNote`.
    """
    said = note.strip()
    if problem := text_problem(said):
        raise BadNote(problem)
    locked = Drill.objects.select_for_update().get(pk=drill.pk)
    if locked.stopped is None:
        locked.stopped, locked.reported_at, locked.note = stopped, now, said
        locked.save(update_fields=["stopped", "reported_at", "note"])
    elif (locked.stopped, locked.note) != (stopped, said):
        raise DrillRefused(
            "This drill has its report already, and reports are not changed. Ask for another drill."
        )
    return locked
