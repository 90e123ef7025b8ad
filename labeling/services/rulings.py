"""Rulings: a lead's decision where labels conflict."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.domain.content import text_problem
from labeling.models import Candidate, CriteriaVersion, Ruling
from labeling.services.audit import record
from labeling.services.exposures import saw_a_verdict
from labeling.services.queue import close_settled
from labeling.services.truth import truth_changed


class RulingRefused(ValueError):
    """The ruling was not recorded; the text says why and what to do."""


@transaction.atomic
def rule(
    *,
    candidate: Candidate,
    version: CriteriaVersion,
    verdict: str,
    reason: str,
    actor: User,
    seen: int | None,
) -> Ruling:
    """Record what `actor` decided, superseding the ruling that stood.

    `seen` is the id of the ruling that stood when the page was shown, None where there was none.
    The ruling is blind when its maker was never shown a judge's verdict on the candidate. Sent twice, it is
    recorded once. Raises `RulingRefused` without a reason, or when somebody else ruled meanwhile.
    """
    check_ruling(verdict, reason)
    Candidate.objects.select_for_update(no_key=True).get(pk=candidate.pk)  # two leads take turns on one row
    standing = Ruling.objects.current().filter(candidate=candidate, version=version).first()
    if standing and _is_the_same(standing, verdict, reason, actor):
        return standing
    if (standing.pk if standing else None) != seen:
        raise RulingRefused("Somebody ruled on this row meanwhile: read that ruling, then decide again.")
    ruling = _supersede(standing, candidate, version, verdict, reason, actor)
    close_settled(version=version, candidate_ids=[candidate.pk], now=timezone.now())
    truth_changed(version=version, candidate_ids=[candidate.pk])
    return ruling


def check_ruling(verdict: str, reason: str) -> None:
    """Raise `RulingRefused` with a sentence when a ruling is incomplete."""
    if verdict not in {Ruling.Decision.PASS, Ruling.Decision.FAIL}:
        raise RulingRefused("A ruling is pass or fail; choose one.")
    if not reason.strip():
        raise RulingRefused("Say in a sentence why; the next lead will want to know.")
    if problem := text_problem(reason):
        raise RulingRefused(problem)


def _is_the_same(standing: Ruling, verdict: str, reason: str, actor: User) -> bool:
    return (standing.verdict, standing.reason, standing.ruled_by_id) == (verdict, reason, actor.pk)


def _supersede(
    standing: Ruling | None,
    candidate: Candidate,
    version: CriteriaVersion,
    verdict: str,
    reason: str,
    actor: User,
) -> Ruling:
    if standing:
        standing.superseded_at = timezone.now()
        standing.save(update_fields=["superseded_at"])
    ruling = Ruling.objects.create(
        candidate=candidate,
        version=version,
        verdict=verdict,
        reason=reason,
        blind=not saw_a_verdict(actor, candidate.pk),
        source=Ruling.Source.BROWSER,
        ruled_by=actor,
        supersedes=standing,
    )
    record(
        actor=actor,
        action="ruling",
        subject=f"{candidate} under {version}",
        criteria_set=version.criteria_set,
        verdict=verdict,
        blind=ruling.blind,
        superseded=standing.pk if standing else None,
    )
    return ruling
