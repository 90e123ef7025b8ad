"""Keeping track of who was shown other people's labels, or a judge's verdict, on which row."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction

from labeling.access import AnyUser
from labeling.models import CriteriaVersion, Exposure


@transaction.atomic
def record_exposure(
    *, user: User, version: CriteriaVersion, candidate_ids: Collection[int], what: Exposure.What
) -> None:
    """Note that `user` is being shown `what` on these rows; the first time counts, later ones add nothing."""
    known = Exposure.objects.filter(user=user, version=version, candidate__in=candidate_ids, what=what)
    seen = set(known.values_list("candidate_id", flat=True))
    Exposure.objects.bulk_create(
        Exposure(user=user, version=version, candidate_id=candidate, what=what)
        for candidate in candidate_ids
        if candidate not in seen
    )


def saw_a_verdict(user: AnyUser, candidate_id: int) -> bool:
    """Whether `user` was ever shown a judge's verdict on this candidate, under whichever version."""
    return Exposure.objects.filter(
        user=user.pk or 0, candidate=candidate_id, what=Exposure.What.VERDICTS
    ).exists()
