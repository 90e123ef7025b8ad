"""What one labeler skipped under the live criteria, and where those rows are now; of no verdict it tells."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Left

from labeling.models import CriteriaSet, Label, Ruling, Skip, Slot

WITH_OTHERS, WITH_LEADS, DECIDED = "with others", "with the leads", "decided"


def own_skips(*, criteria_set: CriteriaSet, labeler: User, text: str = "") -> QuerySet[Skip, Any]:
    """The skips of `labeler` that stand, newest first; `text` is looked for as in their labels.

    Each has `request_head`, `output_head` and `place`: WITH_OTHERS, WITH_LEADS or DECIDED. Decided is a row
    of which anybody has said anything, so that it makes no difference whether they agree.
    """
    row = {"candidate": OuterRef("candidate"), "version": OuterRef("version")}
    waits_for_leads = Exists(Slot.objects.filter(**row, state=Slot.State.LEAD))
    decided = Exists(Label.objects.current().filter(**row)) | Exists(Ruling.objects.current().filter(**row))
    skips = Skip.objects.current().filter(labeler=labeler, version=criteria_set.live_version)
    if text:
        found = Q(candidate__request__icontains=text) | Q(candidate__output__icontains=text)
        skips = skips.filter(found | Q(comment__icontains=text))
    return skips.annotate(
        request_head=Left("candidate__request", 120),
        output_head=Left("candidate__output", 240),
        place=Case(
            When(waits_for_leads, then=Value(WITH_LEADS)),
            When(decided, then=Value(DECIDED)),
            default=Value(WITH_OTHERS),
        ),
    ).order_by("-created_at", "-pk")
