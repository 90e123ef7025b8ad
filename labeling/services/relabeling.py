"""Rows put into the queue of another version of the criteria, to be labelled under it."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from labeling.models import Candidate, CriteriaVersion
from labeling.services.audit import record
from labeling.services.draws import put_aside
from labeling.services.guidelines import shown_rows
from labeling.services.leases import one_filler_at_a_time
from labeling.services.queue import open_slots


@transaction.atomic
def ask_for_labels(*, version: CriteriaVersion, actor: User) -> int:
    """Put every row that nobody has labelled or ruled on under `version` into its queue; how many rows.

    Rows shown as examples in the guidelines are left out: nobody could decide them on their own. So are those
    that a draw by a judge's verdict left: they come when they are drawn.
    """
    one_filler_at_a_time(version)
    rows = Candidate.objects.filter(criteria_set=version.criteria_set).unlabelled(version)
    rows = rows.exclude(pk__in=put_aside(version, timezone.now()).values("pk"))
    ids = list(rows.exclude(pk__in=shown_rows(version.criteria_set)).values_list("pk", flat=True))
    open_slots(version=version, candidate_ids=ids)
    record(
        actor=actor,
        action="labels_asked",
        subject=str(version),
        criteria_set=version.criteria_set,
        rows=len(ids),
    )
    return len(ids)
