"""What one labeler said so far: their own labels and nothing of anybody else's.

Their second answers to rows that were put to them again are not among them: the list would tell which rows
are asked about twice.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Left

from labeling.models import CriteriaSet, Exposure, Label, Repeat


def own_labels(
    *, criteria_set: CriteriaSet, labeler: User, verdict: str = "", text: str = ""
) -> QuerySet[Label]:
    """The current labels of `labeler` in this set, newest first, under whichever version.

    A label that was carried to a later version is listed once, as the later one. What is before them now is
    not among them: who looks for it finds nothing, whether it is new or was asked about before. `text` is
    looked for in the request, the output and the comment.
    """
    carried = Label.objects.current().filter(carried_from=OuterRef("pk"))
    shown = Repeat.objects.current().filter(label=OuterRef("pk"), answered_at=None, shown_at__isnull=False)
    labels = Label.objects.current().filter(~Exists(carried), ~Exists(shown), labeler=labeler)
    labels = labels.filter(version__criteria_set=criteria_set)
    if verdict:
        labels = labels.filter(verdict=verdict)
    if text:
        found = Q(candidate__request__icontains=text) | Q(candidate__output__icontains=text)
        labels = labels.filter(found | Q(comment__icontains=text))
    return labels.order_by("-created_at", "-pk")


def with_rows(labels: QuerySet[Label], keys: Collection[int]) -> list[Any]:
    """Those with these keys, in their order, with marks and the beginnings of their rows' texts.

    Each has `request_head`, `output_head`, `seen_others` (the labeler was shown what others said of the row)
    and `earlier`: what they had said before, newest first.
    """
    shown = Exposure.objects.filter(user=OuterRef("labeler"), candidate=OuterRef("candidate"))
    rows: list[Any] = list(
        labels.filter(pk__in=keys)
        .annotate(
            request_head=Left("candidate__request", 120),
            output_head=Left("candidate__output", 240),
            seen_others=Exists(shown),
        )
        .select_related("version")
        .prefetch_related("marks__criterion")
    )
    before = _corrected(rows)
    for row in rows:
        row.earlier = before[row.candidate_id, row.version_id]
    return rows


def _corrected(labels: Collection[Label]) -> dict[tuple[int, int], list[Label]]:
    """What the same people had said of the same rows before, by row and version, newest first."""
    earlier: dict[tuple[int, int], list[Label]] = defaultdict(list)
    same = Label.objects.filter(
        candidate__in={label.candidate_id for label in labels},
        labeler__in={label.labeler_id for label in labels},
        superseded_at__isnull=False,
    )
    for label in same.order_by("-created_at", "-pk"):
        earlier[label.candidate_id, label.version_id].append(label)
    return earlier
