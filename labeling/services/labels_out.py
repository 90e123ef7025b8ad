"""Labels for programs: page after page in the order in which they were given."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from labeling.models import AuditEvent, CriteriaVersion, Label, Mark, Submission
from labeling.services.audit import record

_NOTED_EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A label with its marks by criterion, and the ids that its row came with."""

    label: Label
    marks: dict[str, int]
    external_ids: list[str]


def labels_page(
    *,
    version: CriteriaVersion,
    after: int = 0,
    limit: int,
    since: datetime | None = None,
    every: bool = False,
) -> tuple[list[GivenLabel], int | None]:
    """At most `limit` labels with ids above `after`, and the id to go on after; None at the end.

    Those that count; with `every` also those superseded or withdrawn. `since`: none given before.
    """
    found = Label.objects.filter(version=version, pk__gt=after)
    if not every:
        found = found.current()
    if since:
        found = found.filter(created_at__gte=since)
    named = found.select_related("labeler", "candidate").defer(
        "candidate__request", "candidate__output", "candidate__grounding", "candidate__criteria_text"
    )
    page = list(named.order_by("pk")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    marks = _marks([label.pk for label in page])
    ids = _external_ids({label.candidate_id for label in page})
    shown = [GivenLabel(label, marks[label.pk], ids[label.candidate_id]) for label in page]
    return shown, page[-1].pk if more else None


def _marks(labels: Collection[int]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = defaultdict(dict)
    marks = Mark.objects.filter(label__in=labels).order_by("criterion__position")
    for label, name, score in marks.values_list("label", "criterion__name", "score"):
        found[label][name] = score
    return found


def _external_ids(candidates: Collection[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    came = Submission.objects.filter(candidate__in=candidates).exclude(external_id="").order_by("pk")
    for candidate, name in came.values_list("candidate", "external_id"):
        if name not in found[candidate]:
            found[candidate].append(name)
    return found


def note_taken_out(*, version: CriteriaVersion, reader: str, now: datetime) -> None:
    """Record that a program takes labels out: once an hour, not for each of hundreds of pages."""
    noted = AuditEvent.objects.filter(
        criteria_set=version.criteria_set_id,
        action="labels_read",
        subject=str(version)[:200],
        created_at__gt=now - _NOTED_EVERY,
        details__reader=reader,
    )
    if not noted.exists():
        record(
            actor=None,
            action="labels_read",
            subject=str(version),
            criteria_set=version.criteria_set,
            reader=reader,
        )
