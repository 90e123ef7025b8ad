"""Labels for programs: page after page in the order in which they were given."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from labeling.models import AuditEvent, CriteriaVersion, Label
from labeling.services.audit import record
from labeling.services.label_parts import external_ids_of, marks_of

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

    Those that count; with `every` also those superseded or withdrawn. `since`: none given before, of an
    import none that came in before, whose labels are visible only once all of it is there.
    """
    found = Label.objects.filter(version=version, pk__gt=after)
    if not every:
        found = found.current()
    if since:
        found = found.filter(Q(created_at__gte=since) | Q(batch__created_at__gte=since))
    named = found.select_related("labeler", "candidate").defer(
        "candidate__request", "candidate__output", "candidate__grounding", "candidate__criteria_text"
    )
    page = list(named.order_by("pk")[: limit + 1])
    more, page = len(page) > limit, page[:limit]
    marks = marks_of([label.pk for label in page])
    ids = external_ids_of({label.candidate_id for label in page})
    shown = [GivenLabel(label, marks[label.pk], ids[label.candidate_id]) for label in page]
    return shown, page[-1].pk if more else None


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
