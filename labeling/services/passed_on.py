"""Rows that nobody wanted to decide, or nobody is left to decide blind: with the leads, and back."""

from collections.abc import Collection
from datetime import datetime
from itertools import batched

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone

from labeling.access import AnyUser
from labeling.models import Candidate, CriteriaSet, CriteriaVersion, Exposure, Label, Membership, Skip, Slot
from labeling.services.audit import record
from labeling.services.leases import FIRST, NotWanted, lock_row, lock_rows

_CHUNK = 500
_ENOUGH = 2  # people who skipped a row before it goes to the leads


def passed_on(version: CriteriaVersion) -> QuerySet[Candidate]:
    """The rows that wait for a lead, because those who were asked skipped them."""
    waiting = Slot.objects.filter(candidate=OuterRef("pk"), version=version, state=Slot.State.LEAD)
    return Candidate.objects.filter(Exists(waiting))


def sort_skipped(*, candidate: Candidate, version: CriteriaVersion, now: datetime) -> None:
    """Give the free places of a locked row to the leads or back to the queue, as its skips have it now."""
    _sort([candidate.pk], version, now)


@transaction.atomic
def pass_on_stranded(*, criteria_set: CriteriaSet, now: datetime) -> None:
    """Give those skipped rows to the leads for which nobody is left since a member has gone."""
    version = criteria_set.live_version
    if version is None:
        return
    skips = Skip.objects.current().filter(candidate=OuterRef("candidate"), version=version)
    waiting = Slot.objects.filter(Exists(skips), version=version, state=Slot.State.OPEN)
    for rows in batched(lock_rows(version, waiting.order_by().values("candidate")), _CHUNK):
        _sort(rows, version, now)


def _sort(candidate_ids: Collection[int], version: CriteriaVersion, now: datetime) -> None:
    for_leads = set(_for_leads(candidate_ids, version).values_list("pk", flat=True))
    slots = Slot.objects.filter(version=version)
    free = slots.filter(candidate__in=for_leads, state=Slot.State.OPEN).free(now)
    free.update(state=Slot.State.LEAD, labeler=None, lease_until=None)
    rest = slots.filter(candidate__in=set(candidate_ids) - for_leads, state=Slot.State.LEAD)
    rest.update(state=Slot.State.OPEN)


def _for_leads(candidate_ids: Collection[int], version: CriteriaVersion) -> QuerySet[Candidate]:
    """Those of the rows that enough people skipped, or that were passed over and for which nobody is left.

    Passed over: skipped, or labelled by somebody who had seen what others or a judge said of it.
    """
    unblind = Label.objects.current().filter(candidate=OuterRef("pk"), version=version, blind=False)
    skips = Skip.objects.current().filter(candidate=OuterRef("pk"), version=version)
    open_ones = skips.filter(answered_at=None).order_by().values("candidate").annotate(n=Count("pk"))
    enough = Exists(open_ones.filter(n__gte=_ENOUGH))
    nobody = ~Exists(_others(OuterRef(OuterRef("pk")), version))
    return Candidate.objects.filter(Exists(skips) | Exists(unblind), enough | nobody, pk__in=candidate_ids)


def _others(candidate: Candidate | OuterRef, version: CriteriaVersion) -> QuerySet[User]:
    """The active members of the set who have neither labelled nor skipped the row and can decide it blind."""
    row = {"candidate": candidate, "version": version, "labeler": OuterRef("pk")}
    members = Membership.objects.filter(criteria_set=version.criteria_set_id, user=OuterRef("pk"))
    return User.objects.filter(
        Exists(members),
        ~Exists(Label.objects.current().filter(**row)),
        ~Exists(Skip.objects.current().filter(**row)),
        ~Exists(Exposure.objects.filter(candidate=candidate, user=OuterRef("pk"))),
        is_active=True,
    )


@transaction.atomic
def put_back(*, candidate: Candidate, version: CriteriaVersion, actor: AnyUser, note: str = "") -> Candidate:
    """Send a row that was passed on back into the queue, before all others; logged with the lead's `note`.

    Its skips are answered: whoever skipped it does not get it again, unless that leaves nobody. Raises
    NotWanted where the row is not with the leads any more.
    """
    row, now = lock_row(candidate, version), timezone.now()
    back = [slot.pk for slot in row if slot.state == Slot.State.LEAD]
    if not back:
        raise NotWanted("This row is no longer passed on: it was ruled on or put back meanwhile. Look again.")
    skips = Skip.objects.current().filter(candidate=candidate, version=version)
    skips.filter(answered_at=None).update(answered_at=now)
    if not _others(candidate, version).exists():
        skips.update(withdrawn_at=now)
    Slot.objects.filter(pk__in=back).update(state=Slot.State.OPEN, priority=FIRST)
    record(
        actor=actor,
        action="row_put_back",
        subject=f"{candidate} under {version}",
        criteria_set=version.criteria_set,
        candidate=candidate.pk,
        version=version.number,
        note=note,
    )
    return candidate
