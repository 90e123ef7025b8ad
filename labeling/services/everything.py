"""Everything that is known of a row: how it came, what anybody said of it when, and who was shown what.

Under every version of the criteria, with what was corrected, withdrawn or ruled over. Judges' verdicts are
not in it, and neither is a draft, which is its author's alone.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from labeling.models import Candidate, DrawnRow, Exposure, Label, Repeat, Ruling, Skip, Slot, Submission
from labeling.services.label_parts import marks_of


def everything_about(candidates: Iterable[int]) -> Iterator[dict[str, Any]]:
    """One object for each candidate, by primary key in that order. Times are UTC, ISO 8601."""
    ids = list(candidates)
    rows: QuerySet[Candidate] = Candidate.objects.filter(pk__in=ids).order_by("pk")
    marks = marks_of(Label.objects.filter(candidate__in=ids).values_list("pk", flat=True))
    return (_row(row, marks) for row in rows.prefetch_related(*_all_of_it()))


def _all_of_it() -> list[Prefetch[Any]]:
    labels = Label.objects.select_related("labeler", "version__criteria_set", "carried_by").order_by("pk")
    repeats = Repeat.objects.order_by("pk")
    querysets: dict[str, QuerySet[Any]] = {
        "submissions": Submission.objects.select_related("batch").order_by("pk"),
        "labels": labels.prefetch_related(Prefetch("repeats", repeats)),
        "skips": Skip.objects.select_related("labeler", "version__criteria_set").order_by("pk"),
        "rulings": Ruling.objects.select_related("ruled_by", "version__criteria_set").order_by("pk"),
        "draws": DrawnRow.objects.select_related("draw__version__criteria_set").order_by("pk"),
        "exposures": Exposure.objects.select_related("user", "version__criteria_set").order_by("pk"),
        "slots": Slot.objects.select_related("version__criteria_set").order_by("version", "number"),
    }
    return [Prefetch(name, queryset) for name, queryset in querysets.items()]


def _row(row: Candidate, marks: dict[int, dict[str, int]]) -> dict[str, Any]:
    return {
        "row": row.pk,
        "content_hash": row.content_hash,
        "split": row.split,
        "request": row.request,
        "candidate": row.output,
        "grounding": row.grounding,
        "criteria_text": row.criteria_text,
        "created_at": _time(row.created_at),
        "submissions": [_submission(each) for each in row.submissions.all()],
        "draws": [_draw(each) for each in row.draws.all()],
        "queue": [_slot(each) for each in row.slots.all()],
        "labels": [_label(each, marks[each.pk]) for each in row.labels.all()],
        "skips": [_skip(each) for each in row.skips.all()],
        "rulings": [_ruling(each) for each in row.rulings.all()],
        "exposures": [_exposure(each) for each in row.exposures.all()],
    }


def _submission(each: Submission) -> dict[str, Any]:
    return {
        "id": each.external_id,
        "source": each.source,
        "file": each.batch.file_name if each.batch else None,
        "line": each.line,
        "generator_model": each.generator_model,
        "generator_family": each.generator_family,
        "truncated": each.truncated,
        "meta": each.meta,
        "created_at": _time(each.created_at),
    }


def _draw(each: DrawnRow) -> dict[str, Any]:
    return {
        "draw": each.draw_id,
        "criteria": str(each.draw.version),
        "strategy": each.draw.strategy,
        "judge": each.draw.judge or None,
        "probability": each.probability,
        "stratum": each.stratum or None,
        "created_at": _time(each.created_at),
    }


def _slot(each: Slot) -> dict[str, Any]:
    return {"criteria": str(each.version), "place": each.number, "state": each.state}


def _label(each: Label, marks: dict[str, int]) -> dict[str, Any]:
    return {
        "label": each.pk,
        "criteria": str(each.version),
        "labeler": each.labeler.username,
        "verdict": each.verdict,
        "marks": marks,
        "comment": each.comment,
        "blind": each.blind,
        "source": each.source,
        "carried_from": each.carried_from_id,
        "carried_by": each.carried_by.username if each.carried_by else None,
        "seconds": each.seconds,
        "idle_seconds": each.idle_seconds,
        "created_at": _time(each.created_at),
        "supersedes": each.supersedes_id,
        "superseded_at": _time(each.superseded_at),
        "withdrawn_at": _time(each.withdrawn_at),
        "repeats": [_repeat(repeat) for repeat in each.repeats.all() if repeat.answered_at],
    }


def _repeat(each: Repeat) -> dict[str, Any]:
    return {
        "verdict": each.verdict,
        "marks": each.marks,
        "comment": each.comment,
        "blind": each.blind,
        "seconds": each.seconds,
        "idle_seconds": each.idle_seconds,
        "answered_at": _time(each.answered_at),
        "withdrawn_at": _time(each.withdrawn_at),
    }


def _skip(each: Skip) -> dict[str, Any]:
    return {
        "criteria": str(each.version),
        "labeler": each.labeler.username,
        "reason": each.reason,
        "comment": each.comment,
        "created_at": _time(each.created_at),
        "withdrawn_at": _time(each.withdrawn_at),
        "answered_at": _time(each.answered_at),
    }


def _ruling(each: Ruling) -> dict[str, Any]:
    return {
        "ruling": each.pk,
        "criteria": str(each.version),
        "ruled_by": each.ruled_by.username if each.ruled_by else None,
        "verdict": each.verdict,
        "reason": each.reason,
        "blind": each.blind,
        "source": each.source,
        "created_at": _time(each.created_at),
        "supersedes": each.supersedes_id,
        "superseded_at": _time(each.superseded_at),
    }


def _exposure(each: Exposure) -> dict[str, Any]:
    return {
        "criteria": str(each.version),
        "user": each.user.username,
        "what": each.what,
        "shown_at": _time(each.shown_at),
    }


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
