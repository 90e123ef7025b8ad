"""Keeping track of who was shown other people's labels, or a judge's verdict, on which row."""

from collections.abc import Collection
from itertools import batched

from django.contrib.auth.models import User
from django.db import transaction

from labeling.access import AnyUser
from labeling.models import CriteriaVersion, Exposure, Label, Ruling

_AT_ONCE = 500


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


def record_taken_out(*, user: User, version: CriteriaVersion, ever: bool, only: int | None = None) -> None:
    """Note that `user` has a file of what others say: a label that they give afterwards is not blind.

    `ever`: under any version of the set, with what was corrected or ruled over. `only`: of one candidate.
    """
    versions = CriteriaVersion.objects.filter(criteria_set_id=version.criteria_set_id)
    for each in versions if ever else [version]:
        shown = _said_of(each, user, ever=ever)
        for ids in batched(sorted(shown if only is None else shown & {only}), _AT_ONCE):
            record_exposure(user=user, version=each, candidate_ids=ids, what=Exposure.What.LABELS)


def _said_of(version: CriteriaVersion, reader: User, *, ever: bool) -> set[int]:
    """Candidates of which somebody else says something, or with `ever` has said it."""
    labels = Label.objects.all() if ever else Label.objects.current()
    rulings = Ruling.objects.all() if ever else Ruling.objects.current()
    labelled = labels.filter(version=version).exclude(labeler=reader)
    ruled = rulings.filter(version=version)
    return {*labelled.values_list("candidate", flat=True), *ruled.values_list("candidate", flat=True)}


def saw_a_verdict(user: AnyUser, candidate_id: int) -> bool:
    """Whether `user` was ever shown a judge's verdict on this candidate, under whichever version."""
    return Exposure.objects.filter(
        user=user.pk or 0, candidate=candidate_id, what=Exposure.What.VERDICTS
    ).exists()
